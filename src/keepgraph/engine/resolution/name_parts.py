"""Persons by a part of their name: who is called so by the first or the last name alone."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.store.mentions import NameHit
from keepgraph.store.transactions import Tx

_MAX_PERSONS = 50
"""With so many persons who have a word in their names, none is meant by that word alone."""


def persons(tx: Tx, key: str, *, groups: Sequence[str]) -> tuple[NameHit, ...]:
    """The persons of some groups whose first or last name has this key, each once; none where very many have the word.

    Accents are not compared: Jurgen is a part of Jürgen Müller.
    """
    person_types = graph_vocabulary.read(tx).types_of_style("person")
    folded = Name(key).folded
    found: dict[int, NameHit] = {}
    for group in groups:
        hits = store.mentions.entities_with_word(
            tx, store.full_text.phrase(key), of_types=person_types, group=group, limit=_MAX_PERSONS
        )
        if len(hits) == _MAX_PERSONS:
            return ()
        for entity, written in hits:
            words = written.split()
            part = next((word for word in (words[0], words[-1]) if Name(word).folded == folded), None)
            if part and len(words) > 1:
                found.setdefault(entity.row, NameHit(part, entity, group, is_alias=False, scope=frozenset()))
    return tuple(found.values())
