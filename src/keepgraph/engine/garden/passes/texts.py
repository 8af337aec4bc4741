"""Passes over texts and words: names and facts in texts, words that the vocabulary lacks, flags of predicates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from keepgraph import store
from keepgraph.engine.garden.passes import MAX_CANDIDATES, Outcome
from keepgraph.engine.resolution import fuzzy
from keepgraph.engine.review import sources
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.verification import conflicts
from keepgraph.engine.vocabulary import graph_vocabulary, sets
from keepgraph.language import name_similarity
from keepgraph.language.normalisation import Name
from keepgraph.model import PREDICATE_FLAGS, Predicate
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.garden import ProposedName
from keepgraph.store.transactions import Tx

# Flag evidence: undeclared flags of predicates that the recorded facts suggest.
#
# A share counts by the lower end of its 95 % interval (Wilson, 1927), so that few facts suggest nothing. Words of the
# core never change, so they are left out.

_MIN_SUBJECTS = 30
_MIN_PAIRS = 50
_MIN_AT_BOTH_ENDS = 10
"""How many entities must be at both ends of facts before it matters that no fact goes both ways."""

_MIN_SHARE = 0.85
"""The lower end of the interval for the share of subjects, objects or pairs that conform to the flag."""

_UNCOUNTED_ROLES = ("mentions", "tags")
_Z = 1.96


@dataclass(frozen=True, slots=True)
class _SuggestedFlag:
    """A flag that the facts of a predicate suggest, as a question to a person.

    Attributes:
        statement: the question, with the figures.
        share: of the `count` subjects, objects or pairs that conform to it, from 0 to 1.
        score: the lower end of the interval.
        arguments: the arguments of `change_word` that would set the flag.
    """

    predicate: str
    flag: str
    statement: str
    share: float
    count: int
    score: float
    arguments: Mapping[str, Any]
    tool: str = "change_word"


def suggest(tx: Tx) -> list[_SuggestedFlag]:
    """The flags that the facts of the group suggest, surest first. Reads all facts that hold: takes seconds."""
    vocabulary = graph_vocabulary.read(tx)
    open_to_flags = {
        term.row: term
        for term in vocabulary.usable_predicates
        if term.inverse_of is None and term.set != sets.CORE and term.role not in _UNCOUNTED_ROLES
    }
    suggested: list[_SuggestedFlag] = []
    for row, count, single in store.cardinalities.count_objects_by_subject(tx):
        if (
            row in open_to_flags
            and not open_to_flags[row].flags & {"functional", "symmetric"}
            and count >= _MIN_SUBJECTS
        ):
            suggested += _functional(tx, open_to_flags[row], count, single)
    for row, count, single in store.cardinalities.count_subjects_by_object(tx):
        term = open_to_flags.get(row)
        if term and not term.flags & {"inverse_functional", "symmetric"} and count >= _MIN_SUBJECTS:
            suggested += _inverse_functional(term, count, single)
    for term in open_to_flags.values():
        if term.literal_kind is None and not conflicts.flags_of(term) & {"symmetric", "asymmetric", "acyclic"}:
            suggested += _direction(tx, term)
    return sorted(suggested, key=lambda flag: (-flag.score, flag.predicate, flag.flag))


def _lower_bound(successes: int, count: int) -> float:
    """The lower end of the 95 % interval of a share (Wilson)."""
    if not count:
        return 0.0
    share = successes / count
    spread = _Z * math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
    return max(0.0, (share + _Z**2 / (2 * count) - spread) / (1 + _Z**2 / count))


def _functional(tx: Tx, term: Predicate, count: int, single: int) -> Iterable[_SuggestedFlag]:
    changes = store.cardinalities.count_changes(tx, term.row)
    seen = f", and {changes} have had another before" if changes else ""
    type_row = store.cardinalities.most_common_type(tx, term.row)
    types = {one.row: one.name for one in graph_vocabulary.read(tx).types}
    of_type = f" (most of the type {types[type_row]})" if type_row in types else ""
    statement = (
        f"{term.name} has one current object for {_percent(single, count)} of {count} subjects{of_type}{seen}: "
        "is it one at a time?"
    )
    return _if_likely(term, "functional", statement, single, count)


def _inverse_functional(term: Predicate, count: int, single: int) -> Iterable[_SuggestedFlag]:
    # Most objects have one subject by chance; an identifier has one by its nature.
    if term.literal_kind not in ("identifier", "url") and not (count >= 4 * _MIN_SUBJECTS and single >= 0.99 * count):
        return ()
    statement = (
        f"{_percent(single, count)} of {count} objects of {term.name} have one current subject: "
        "does an object belong to one subject at a time?"
    )
    return _if_likely(term, "inverse_functional", statement, single, count)


def _direction(tx: Tx, term: Predicate) -> Iterable[_SuggestedFlag]:
    """Whether a predicate holds in one direction, or in both."""
    pairs, reversed_, at_both_ends = store.cardinalities.count_reversed(tx, term.row)
    if pairs >= _MIN_PAIRS and not reversed_ and at_both_ends >= _MIN_AT_BOTH_ENDS:
        statement = (
            f"None of {pairs} facts of {term.name} also holds in reverse, though {at_both_ends} entities are the "
            "subject of one and the object of another: does it hold in one direction only?"
        )
        return _if_likely(term, "asymmetric", statement, pairs, pairs)
    if pairs >= _MIN_PAIRS and reversed_:
        statement = (
            f"{_percent(reversed_, pairs)} of {pairs} facts of {term.name} are also recorded in reverse: "
            "does it always hold both ways?"
        )
        return _if_likely(term, "symmetric", statement, reversed_, pairs)
    return ()


def _if_likely(term: Predicate, flag: str, statement: str, successes: int, count: int) -> Iterable[_SuggestedFlag]:
    score = _lower_bound(successes, count)
    if score < _MIN_SHARE:
        return ()
    flags = [name for name in PREDICATE_FLAGS if name in term.flags or name == flag]
    arguments = {"word": term.name, "kind": "predicate", "values": {"flags": flags}}
    return (_SuggestedFlag(term.name, flag, statement, successes / count, count, round(score, 4), arguments),)


def _percent(successes: int, count: int) -> str:
    share = 100 * successes / count
    return "all" if successes == count else f"{min(99, round(share))} %"


COMPARED_IN_A_RUN = 1_000


def propose_texts(tx: Tx, position: int) -> Outcome:
    names = store.garden.proposed_names(tx, after=position, limit=COMPARED_IN_A_RUN)
    is_last = len(names) < COMPARED_IN_A_RUN
    aliases = [proposal for name in names for proposal in _aliases(tx, name)][:MAX_CANDIDATES]
    proposals = [*aliases, *sources.texts(tx, limit=MAX_CANDIDATES - len(aliases))]
    return Outcome(tuple(proposals), considered=len(names), position=0 if is_last else names[-1].row)


def _aliases(tx: Tx, proposed: ProposedName) -> Iterator[Proposal]:
    """A proposal where exactly one known entity has a similar name."""
    raise_if_cancelled(tx.cancellation)
    related = graph_vocabulary.read(tx).related_types(proposed.type)
    candidates = [
        candidate
        for candidate in fuzzy.rank(tx, Name(proposed.name), of_types=related, include_weak=False)
        if candidate.score >= name_similarity.MATCH_THRESHOLD
    ]
    if len({candidate.entity.row for candidate in candidates}) != 1:
        return
    [candidate, *_] = candidates
    yield Proposal(
        kind="alias",
        key=f"{candidate.entity.id} {Name(proposed.name).key}",
        statement=f"Is “{proposed.name}”, read in a text, another name of {candidate.entity.name}?",
        score=candidate.score * 0.9,
        rests_on=(candidate.entity.id, proposed.episode),
        tool="add_alias",
        arguments={"entity": {"id": candidate.entity.id}, "alias": proposed.name},
        evidence=(candidate.entity.id, f"the name “{proposed.name}” occurs in a text"),
    )


# The vocabulary: wordings that wait for a predicate of their own, and predicate flags that the facts suggest.


def propose_vocabulary(tx: Tx, position: int) -> Outcome:
    wordings = sources.wordings(tx, limit=MAX_CANDIDATES)
    flags = [_proposal(suggested) for suggested in suggest(tx)]
    return Outcome((*wordings, *flags)[:MAX_CANDIDATES], considered=len(wordings) + len(flags))


def _proposal(suggested: _SuggestedFlag) -> Proposal:
    return Proposal(
        kind="functional",
        key=f"{suggested.predicate} {suggested.flag}",
        statement=suggested.statement,
        score=suggested.score,
        rests_on=(f"the facts of {suggested.predicate} keep to {suggested.flag}",),
        tool=suggested.tool,
        arguments=dict(suggested.arguments),
    )
