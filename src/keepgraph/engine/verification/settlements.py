"""Settlements: the calls that would settle a conflict, as a tool and its arguments; only a person makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from keepgraph.engine import knowledge
from keepgraph.model import Entity, Fact

Settlement: TypeAlias = tuple[str, Mapping[str, Any]]
"""The name of a tool, and its arguments."""

_MUCH_LESS = 0.2
"""A fact that is less certain than another by this much does not replace it."""


def supersede(fact: Fact, other: Fact) -> Settlement:
    """The call that replaces the earlier of two facts with the later one.

    If both begin at the same instant the other is retracted, and if the later one is much less certain, that one is.
    """
    later, earlier = knowledge.past_and_future.in_order(fact, other)
    if not earlier.id or (later.valid_from is not None and later.valid_from == earlier.valid_from):
        return retract(other)
    if later.id and later.confidence <= earlier.confidence - _MUCH_LESS:
        return retract(later)
    return "record_fact", {**arguments(later), "supersedes": [earlier.id]}


def describe(settling: Settlement, *, fact: Fact) -> str:
    """What to do if a newly recorded fact may have replaced another one, as a sentence."""
    tool, given = settling
    if tool != "record_fact":
        return f"If {given['fact_id']} is wrong, forget it by this id; if both hold, do nothing."
    (ended,) = given["supersedes"]
    condition, again = (
        ("the new fact had ended when that began", "that fact")
        if ended == fact.id
        else ("it has ended", "the new fact (with valid_from, if you know it)")
    )
    return f'If {condition}, record {again} again with supersedes: ["{ended}"]; if both hold, do nothing.'


def retract(fact: Fact) -> Settlement:
    return "retract_fact", {"fact_id": fact.id}


def arguments(fact: Fact) -> dict[str, Any]:
    """The arguments of record_fact that restate a fact."""
    given: dict[str, Any] = {
        "subject": _reference(fact.subject),
        "predicate": fact.predicate,
        "object": _reference(fact.object) if fact.object else {"literal": fact.literal},
    }
    bounds = {"valid_from": fact.valid_from, "valid_to": fact.valid_to}
    return given | {name: value for name, value in bounds.items() if value is not None}


def _reference(entity: Entity) -> dict[str, str]:
    """An entity in record_fact's form; an unrecorded one by its type and name."""
    return {"id": entity.id} if entity.id else {"type": entity.type, "name": entity.name}
