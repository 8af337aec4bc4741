"""What is looked for in a question: its telling words, quoted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlcipher3 import dbapi2 as sqlite

from keepgraph.engine.retrieval import question_analysis


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("When did Ada move the reports?", ('"ada"', '"move"', '"reports"')),
        ("what is it that they do", ('"what"', '"is"', '"it"', '"that"', '"they"', '"do"')),
        ("c++ AND a:b", ('"c"', '"b"')),
        ("Ada's engine", ('"ada"', '"engine"')),
        ("snake_case", ('"snake"', '"case"')),
        ("東京タワー", ('"東京タワー"', '"東 京"', '"京 タ"', '"タ ワ"', '"ワ ー"')),
        ("塔", ('"塔"',)),
        ("", ()),
        ("?! …", ()),
    ],
)
def test_the_telling_words_are_quoted_each(text, phrases):
    assert phrases == question_analysis.phrases(text)


def test_of_a_long_question_the_words_it_says_most_are_looked_for():
    text = " ".join(f"word{n}" for n in range(5000)) + " ledger" * 3

    found = question_analysis.phrases(text)

    assert found[0] == '"ledger"'
    assert len(found) == question_analysis.MAX_PHRASES


@given(st.text(max_size=200))
def test_any_text_makes_a_query_that_can_be_asked(text):
    conn = sqlite.connect(":memory:")
    conn.execute("CREATE VIRTUAL TABLE said USING fts5 (text, tokenize='porter unicode61 remove_diacritics 2')")
    conn.execute("INSERT INTO said VALUES ('something')")
    match = " OR ".join(question_analysis.phrases(text))

    found = conn.execute("SELECT count(*) FROM said WHERE said MATCH ?", (match,)).fetchone() if match else (0,)

    conn.close()
    assert found[0] in (0, 1)
