"""The structure around a relation: true degrees, common neighbours and their overlap, and the score made of them.

A rule that was learned from the facts (engine/analysis/link_prediction.py) may say the relation too. The score has the
weights of HydraMem's SR-MKG, which was computed there without degrees or neighbours, so that nothing could reach more
than 0.45. It supports a relation, and accepts none.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph import store
from keepgraph.model import Entity, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_DEGREE = 100_000
MAX_NEIGHBOURS = 5_000
"""So many neighbours of the entity with fewer are compared."""

MAX_NAMED = 5

_MIN_COMMON = 2
_MIN_OVERLAP = 0.1
_MIN_RULE_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class Structure:
    """What the graph around two entities says of a relation between them.

    Attributes:
        degrees: the facts that connect each of the two with others.
        common: how many entities are connected with both.
        names: those of the first of them.
        overlap: the share of common neighbours among those of either, from 0 to 1 (Jaccard).
        rule, rule_confidence: the best rule learned from the facts that says the relation, in words, and how often such
            a rule is right, from 0 to 1; None where there is none.
    """

    degrees: tuple[int, int] = (0, 0)
    common: int = 0
    names: tuple[str, ...] = ()
    overlap: float = 0.0
    rule: str | None = None
    rule_confidence: float | None = None

    @property
    def supports(self) -> bool:
        """Whether a rule says it, or the two have so much around them in common, that a relation is likely."""
        has_rule = self.rule_confidence is not None and self.rule_confidence >= _MIN_RULE_CONFIDENCE
        return has_rule or (self.common >= _MIN_COMMON and self.overlap >= _MIN_OVERLAP)


def measure(tx: Tx, subject: Entity, target: Entity, *, fact: Fact | None = None) -> Structure:
    """The structure around two entities, from the facts that hold.

    Args:
        fact: the relation between the two, if rules that were learned are to be asked about it.
    """
    now = timestamps.from_datetime(tx.now)
    degrees = tuple(store.entity_pairs.degree(tx, one, now=now, limit=MAX_DEGREE) for one in (subject, target))
    fewer, more = (subject, target) if degrees[0] <= degrees[1] else (target, subject)
    nearby = store.entity_pairs.neighbours(tx, fewer, now=now, limit=MAX_NEIGHBOURS)
    common = store.entity_pairs.are_neighbours(tx, more, sorted(nearby), now=now) - {subject.row, target.row}
    either = degrees[0] + degrees[1] - len(common)
    entities = store.entities.by_rows(tx, sorted(common)[:MAX_NAMED])
    rule = _find_rule(tx, fact) if fact else None
    return Structure(
        degrees=(degrees[0], degrees[1]),
        common=len(common),
        names=tuple(entity.name for entity in entities.values()),
        overlap=min(1.0, len(common) / either) if either else 0.0,
        rule=rule[1] if rule else None,
        rule_confidence=rule[0] if rule else None,
    )


def describe(structure: Structure, subject: Entity, target: Entity) -> str:
    """The structure around two entities in one sentence, and the rule in another."""
    named = f": {', '.join(structure.names)}" if structure.names else ""
    more = f" and {structure.common - len(structure.names)} more" if structure.common > len(structure.names) else ""
    sentence = (
        f"{subject.name} has {_count(structure.degrees[0], 'connection')} and {target.name} has "
        f"{_count(structure.degrees[1], 'connection')}; "
        f"they have {_count(structure.common, 'neighbour')} in common{named}{more}."
    )
    if structure.rule is None or structure.rule_confidence is None:
        return sentence
    return (
        f"{sentence} A rule says it, which is right in {structure.rule_confidence:.0%} of the cases: {structure.rule}"
    )


def score(structure: Structure, *, confidence: float, is_typed: bool) -> float:
    """A number from 0 to 1, to four decimals: how well a relation fits what is around it.

    Args:
        confidence: what its caller says, from 0 to 1; that of a rule counts instead if it is higher.
        is_typed: whether the relation is a word of the vocabulary.
    """
    isolated = 0.3 if 0 in structure.degrees else 0.0
    base = max(confidence or 0.5, structure.rule_confidence or 0.0)
    total = 0.4 * base + 0.4 * structure.overlap + (0.05 if is_typed else 0.0) - isolated
    return round(min(1.0, max(0.0, total)), 4)


def _find_rule(tx: Tx, fact: Fact) -> tuple[float, str] | None:
    """The confidence of the best rule that says a fact between two entities, and the rule in words."""
    if fact.object is None:
        return None
    # Imported here, because it takes numpy and much code, and is often not asked.
    from keepgraph.engine.analysis import link_prediction

    return link_prediction.rule_confidence(
        tx, subject=fact.subject.row, predicate=fact.predicate, object=fact.object.row
    )


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
