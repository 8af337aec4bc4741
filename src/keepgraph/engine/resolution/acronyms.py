"""Acronym lookup: entities that are called by their initials (NYC, J.S., RPi, k8s), and acronyms of long names.

What is written like an acronym, and how acronyms are formed, is in `language.acronyms`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from keepgraph import store
from keepgraph.engine.resolution import name_words
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import abbreviations, acronyms, name_similarity
from keepgraph.language.normalisation import Name, without_small_words
from keepgraph.model import Candidate, Entity
from keepgraph.store.transactions import Tx

_SCORE = 0.92
_MAX_NAMES = 8
_MAX_NAMES_WITH_WORDS = 40
_MIN_LETTERS = 3


def find(tx: Tx, name: Name, *, of_types: Collection[str] | None) -> list[Candidate]:
    """Entities of which the query is the acronym, and entities whose name is the acronym of the query."""
    vocabulary = graph_vocabulary.read(tx)
    return [
        *_by_initials(tx, name, vocabulary, of_types=of_types),
        *_by_word_beginnings(tx, name, vocabulary, of_types=of_types),
        *_by_acronym(tx, name, of_types=of_types),
        *_by_acronym_within(tx, name, vocabulary, of_types=of_types),
    ]


def _by_initials(tx: Tx, name: Name, vocabulary: Vocabulary, *, of_types: Collection[str] | None) -> list[Candidate]:
    """Names with these initials: New York City for NYC; and J.S. for JS."""
    initials = acronyms.read_initials(name)
    if initials is None:
        return []
    rows = store.entities.by_initials(tx, initials, of_types=of_types, limit=_MAX_NAMES)
    entities = store.entities.by_rows(tx, list({row for _, row in rows}))
    reason = f"“{name.text}” are its initials"
    with_initials = [
        Candidate(entities[row], form, "fuzzy", _SCORE, reason)
        for form, row in rows
        if row in entities and _may_have_initials(vocabulary, entities[row], initials, form)
    ]
    return with_initials + [
        Candidate(entity, entity.name, "fuzzy", _SCORE, None)
        for entity in store.entities.by_key(tx, initials, of_types=of_types)
    ]


def _may_have_initials(vocabulary: Vocabulary, entity: Entity, initials: str, form: str) -> bool:
    """Whether an entity may be called by these initials. Two letters of more words are enough for a person only."""
    style = vocabulary.style(entity.type)
    if style == "statement":
        return False
    return style == "person" or len(initials) > 2 or len(without_small_words(form.split())) <= 2


def _by_word_beginnings(
    tx: Tx, name: Name, vocabulary: Vocabulary, *, of_types: Collection[str] | None
) -> list[Candidate]:
    """Names whose words begin so: Raspberry Pi for RPi."""
    beginnings = acronyms.read_word_beginnings(name.text)
    if not beginnings:
        return []
    initials = "".join(beginning[0] for beginning in beginnings)
    rows = store.entities.by_initials(tx, initials, of_types=of_types, limit=_MAX_NAMES)
    matching = [row for form, row in rows if acronyms.begin(form.split(), beginnings)]
    return _candidates(tx, vocabulary, matching, f"“{name.text}” are the beginnings of its words")


def _by_acronym(tx: Tx, name: Name, *, of_types: Collection[str] | None) -> list[Candidate]:
    """Entities whose name is, in capitals, the acronym of the query: SSO for single sign-on."""
    return [
        Candidate(entity, entity.name, "fuzzy", _SCORE, f"“{entity.name}” are the initials of “{name.folded}”")
        for acronym in acronyms.of_name(name)
        if not abbreviations.expand(acronym)  # it stands for its full form in the lexicon
        for entity in store.entities.by_key(tx, acronym, of_types=of_types)
        if entity.name.isupper() and len(acronym) >= _MIN_LETTERS
    ]


def _by_acronym_within(
    tx: Tx, name: Name, vocabulary: Vocabulary, *, of_types: Collection[str] | None
) -> list[Candidate]:
    """Names with the words for an acronym within the query: FOI request, freedom of information request."""
    candidates = []
    for acronym, others in acronyms.in_capitals_within(name.text):
        words = [word for word in others if not name_similarity.is_function_word(word)]
        found = name_words.names_with(tx, words, of_types=of_types, limit=_MAX_NAMES_WITH_WORDS) if words else []
        for folded, row in found:
            if replaced := acronyms.words_for(acronym, others, folded.split()):
                reason = f"“{acronym}” are the initials of “{' '.join(replaced)}”"
                candidates += _candidates(tx, vocabulary, [row], reason)
    return candidates


def _candidates(tx: Tx, vocabulary: Vocabulary, rows: Iterable[int], reason: str) -> list[Candidate]:
    return [
        Candidate(entity, entity.name, "fuzzy", _SCORE, reason)
        for entity in store.entities.by_rows(tx, list(rows)).values()
        if vocabulary.style(entity.type) != "statement"
    ]
