"""Identifier lookup in the alias step: entities with a URL, DOI, arXiv id or ISBN among their properties or literals.

Two spellings of one identifier are the same (`language.identifiers`). Nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Collection

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import identifiers
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate
from keepgraph.store.transactions import Tx

_MIN_LETTERS = 3
_MAX_TEXTS = 200
_SCORE = 0.95


def find(tx: Tx, name: Name, *, of_types: Collection[str] | None) -> list[Candidate]:
    """The entities that have the identifier which the name is; of several, the documents alone where there are any.

    None of them where the name is no identifier.
    """
    identifier = identifiers.canonical(name.text)
    letters = identifiers.letters(identifier) if identifier else ""
    if identifier is None or len(letters) < _MIN_LETTERS:
        return []
    reasons = {
        row: f"“{text}” is its {key}"
        for row, key, text in store.identifiers.with_letters(tx, letters, limit=_MAX_TEXTS)
        if identifiers.canonical(text, key=key) == identifier
    }
    entities = store.entities.by_rows(tx, sorted(reasons)) if reasons else {}
    candidates = [
        Candidate(entity, entity.name, "alias", _SCORE, reasons[row])
        for row, entity in entities.items()
        if of_types is None or entity.type in of_types
    ]
    documents = graph_vocabulary.read(tx).types_of_style("reference")
    return [each for each in candidates if each.entity.type in documents] or candidates
