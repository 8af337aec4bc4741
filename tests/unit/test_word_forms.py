"""Which words of an index are forms of a word in another language."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import word_forms


@pytest.mark.parametrize(
    ("language", "word", "term"),
    [
        ("de", "häuser", "hau"),
        ("de", "haus", "hauser"),
        ("de", "bücher", "buch"),
        ("fr", "chevaux", "cheval"),
        ("fr", "hôpitaux", "hopit"),
        ("es", "vecinas", "vecino"),
        ("it", "contratti", "contratto"),
        ("pt", "flores", "flor"),
        ("ru", "книги", "книга"),
    ],
)
def test_a_form_is_found_among_the_terms_of_an_english_index(language, word, term):
    """
    The index has haus as hau, and hôpital as hopit.
    """
    others = ["haupt", "buche", "chevre", "hop", "vecchio", "contra", "fluss", "кни"]

    assert word_forms.forms(word, [*others, term], of_languages=[language]) == [term]
    assert term.startswith(tuple(word_forms.prefixes(word, [language])))


@pytest.mark.parametrize(
    ("question", "languages"),
    [
        ("welche Häuser brauchen Arbeit", {"de"}),
        ("que disent les journaux", {"fr"}),
        ("which houses need work", set()),
        ("der Hund and the dog of the house", set()),
        ("contracts", None),
        ("", None),
    ],
)
def test_function_words_tell_the_language_of_a_question(question, languages):
    assert word_forms.languages(question.lower().split()) == languages


def test_short_words_have_no_forms():
    assert word_forms.prefixes("hau", ["de"]) == set()
    assert word_forms.forms("hau", ["haus"], of_languages=["de"]) == []


def test_threads_get_the_same_forms():
    words = [f"{letter}{syllable}häuser" for letter in "bdfgklmnprst" for syllable in ("a", "e", "i", "o", "u", "au")]

    def stems(word: str) -> set[str]:
        return word_forms.prefixes(word, word_forms.LANGUAGES)

    with ThreadPoolExecutor(8) as threads:
        at_once = list(threads.map(stems, words))

    word_forms._stem.cache_clear()
    assert at_once == [stems(word) for word in words]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5))
def test_any_word_has_a_bounded_number_of_forms_among_any_terms(word, terms):
    found = word_forms.forms(word.lower(), terms, of_languages=["de", "fr", "es", "it", "pt", "ru"])

    assert len(found) <= word_forms.MAX_FORMS
    assert set(found) <= set(terms)
