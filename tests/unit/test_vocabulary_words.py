"""Words of the vocabulary: how they are spelled, in any script, and what a set file may name."""

from __future__ import annotations

import pytest

from keepgraph import errors
from keepgraph.engine.vocabulary import definitions, graph_vocabulary


def a_set(**words: object) -> dict[str, object]:
    return {"name": "zoo", "version": "1", **words}


@pytest.mark.parametrize("word", ["works_at", "x1", "été", "ключ", "日本", "हिन्दी", "مدينة"])
def test_a_word_may_be_of_any_script(word):
    read = definitions.from_document(a_set(types={word: {}}, predicates={word: {"sources": [word]}}))

    assert (read.types[0].name, read.predicates[0].sources) == (word, (word,))


@pytest.mark.parametrize(
    ("word", "spelled"),
    [("Works At", "works_at"), ("a-b", "a_b"), ("Été", "été"), ("_a", "a"), ("é d", "é_d"), ("worksAt", "works_at")],
)
def test_a_word_that_is_spelled_otherwise_is_refused_with_its_spelling(word, spelled):
    with pytest.raises(errors.VocabularyInvalid) as caught:
        definitions.from_document(a_set(types={word: {}}))

    assert caught.value.message.endswith(f"write {spelled}")


@pytest.mark.parametrize(
    ("wording", "key"),
    [
        ("WorksAt", "works at"),
        ("works_at", "works at"),
        ("  Works -- at ", "works at"),
        ("हिन्दी भाषा", "हिन्दी भाषा"),
        ("ＷＯＲＫＳ", "works"),
        ("¿?", ""),
    ],
)
def test_wordings_are_compared_by_their_words(wording, key):
    assert graph_vocabulary.wording_key(wording) == key


def test_a_spelling_is_its_own_spelling():
    for wording in ("WorksAt", "हिन्दी भाषा", "Größe der Stadt", "a" * 300):
        spelled = graph_vocabulary.spell(wording)

        assert graph_vocabulary.spell(spelled) == spelled
