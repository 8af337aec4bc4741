"""Predicates for writers: by name in any spelling, by a label in any language, or by an inverse; and their ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepgraph import english, errors, store
from keepgraph.engine.vocabulary import graph_vocabulary, terms
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.lazy import dataclass
from keepgraph.model import MappedWord, Predicate
from keepgraph.store.transactions import Tx

LITERAL = "literal"
"""Stands for the type of an object that is a literal."""


@dataclass(frozen=True, slots=True)
class PredicateMatch:
    """A predicate that a wording may mean.

    Attributes:
        predicate: the one that the fact is stored under.
        is_reversed: whether the ends of the fact are swapped, because the wording is an inverse.
        sources, targets: the types that the subject and the object of the wording may have; none for any.
        given: the wording.
        wording_predicate: the predicate that the wording is a name or a label of: an inverse, for example.
    """

    predicate: Predicate
    is_reversed: bool
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    given: str
    wording_predicate: str

    @property
    def mapping(self) -> MappedWord | None:
        """What to report about it; None if the wording is the name of the predicate."""
        if self.given == self.predicate.name:
            return None
        return MappedWord(self.given, self.predicate.name, is_reversed=self.is_reversed)


def find_matches(tx: Tx, wording: str) -> list[PredicateMatch]:
    """The predicates that a wording may mean, best first; at least one.

    Raises:
        errors.PredicateUnknown: there is none, or it is retired and nothing replaces it.
    """
    vocabulary = graph_vocabulary.read(tx)
    exact = vocabulary.predicate_by_name.get(wording)
    if exact is not None and exact.retired_at is None and exact.inverse_of is None:
        return [PredicateMatch(exact, False, exact.sources, exact.targets, wording, wording)]
    matches: dict[tuple[str, bool], PredicateMatch] = {}
    for term in graph_vocabulary.find_all(tx, store.vocabulary.PREDICATE, wording):
        stored = _stored_predicate(vocabulary, vocabulary.predicate_by_name[term.name])
        if stored is not None:
            predicate, is_reversed = stored
            ends = (predicate.sources, predicate.targets)
            sources, targets = reversed(ends) if is_reversed else ends
            match = PredicateMatch(predicate, is_reversed, sources, targets, wording, term.name)
            matches.setdefault((predicate.name, is_reversed), match)
    if not matches:
        raise unknown(tx, wording)
    return list(matches.values())


def choose(
    vocabulary: Vocabulary, matches: Sequence[PredicateMatch], subject_type: str | None, object_type: str | None
) -> PredicateMatch | None:
    """The first of these whose ends fit; None if none does.

    Args:
        subject_type, object_type: None if not known yet, `LITERAL` for a literal.
    """
    return next((match for match in matches if fits(vocabulary, match, subject_type, object_type)), None)


def fits(vocabulary: Vocabulary, match: PredicateMatch, subject_type: str | None, object_type: str | None) -> bool:
    """Whether a fact with these types at its ends is accepted; None, a type not known yet, fits."""
    if object_type == LITERAL and match.is_reversed:
        return False
    if not match.predicate.has_binding_ends:
        return True
    if subject_type is not None and not vocabulary.fits_side(match.sources, subject_type):
        return False
    if object_type is None:
        return True
    if object_type == LITERAL:
        return match.predicate.literal_kind is not None or not match.targets
    return match.predicate.literal_kind is None and vocabulary.fits_side(match.targets, object_type)


def connecting(vocabulary: Vocabulary, subject_type: str, object_type: str) -> list[str]:
    """The predicates that are meant to connect these types, most specific first, inverses included.

    Those that connect anything are left out.

    Args:
        object_type: a type, or `LITERAL`.
    """
    ranked: list[tuple[int, str]] = []
    for term in vocabulary.usable_predicates:
        takes_literal = term.literal_kind is not None
        if (object_type == LITERAL) != takes_literal or not (term.sources or term.targets):
            continue
        if not vocabulary.fits_side(term.sources, subject_type):
            continue
        if takes_literal or vocabulary.fits_side(term.targets, object_type):
            open_ends = (not term.sources) + (not takes_literal and not term.targets)
            # An inverse adds nothing to its predicate.
            ranked.append((2 * open_ends + (term.inverse_of is not None), term.name))
    return [name for _, name in sorted(ranked, key=lambda candidate: candidate[0])]


def unknown(
    tx: Tx,
    wording: str,
    *,
    subject_type: str | None = None,
    object_type: str | None = None,
    literal_kind: str | None = None,
) -> errors.PredicateUnknown:
    """The refusal of a predicate that is not in the vocabulary, or retired without a replacement.

    Args:
        subject_type, object_type: the types at its ends if known; predicates that connect them are named.
        literal_kind: the kind of its literal object; None for an entity.
    """
    kind = store.vocabulary.PREDICATE
    vocabulary = graph_vocabulary.read(tx)
    target = LITERAL if literal_kind else object_type
    alike = [
        name
        for name in terms.similar(tx, kind, wording)
        if choose(vocabulary, find_matches(tx, name), subject_type, target)
    ]
    fitting = connecting(vocabulary, subject_type, target) if subject_type and target else []
    names = terms.nearest(tx, kind, wording, first=alike)
    nearest = terms.describe_nearest(tx, kind, names, fitting=fitting[: terms.MAX_NEAR // 2])
    is_retired = wording in vocabulary.predicate_by_name
    problem = "is a retired predicate, and nothing replaces it" if is_retired else "is not a predicate"
    suggestion = f" Did you mean {alike[0]}?" if alike else ""
    definition: dict[str, Any] = {"sources": [subject_type]} if subject_type else {}
    if literal_kind:
        definition["literal"] = literal_kind
    elif object_type:
        definition["targets"] = [object_type]
    addition = terms.describe_addition(tx, kind, wording, definition)
    return errors.PredicateUnknown(
        f"{english.quoted(wording)} {problem}.{suggestion}",
        hint=f"{nearest} {addition}".strip(),
        candidates=alike,
    )


def _stored_predicate(vocabulary: Vocabulary, term: Predicate) -> tuple[Predicate, bool] | None:
    """The predicate that a fact in this one is stored under, and whether its ends are swapped.

    None if it is retired without a replacement.
    """
    passed, is_reversed = set(), False
    while term.name not in passed:
        passed.add(term.name)
        if term.retired_at is None and term.inverse_of is None:
            return term, is_reversed
        other = term.replaced_by if term.retired_at is not None else term.inverse_of
        is_reversed ^= term.retired_at is None
        if other is None:
            return None
        term = vocabulary.predicate_by_name[other]
    return None
