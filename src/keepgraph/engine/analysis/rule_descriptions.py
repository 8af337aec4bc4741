"""Horn rules and the facts that they predict, as English sentences."""

from __future__ import annotations

from keepgraph.arrays.horn_rules import HornRule
from keepgraph.model import Predicate


def describe(rule: HornRule, predicates: tuple[Predicate, ...]) -> str:
    """A rule as an English sentence: "If A reports to B and B works at C, then A works at C."."""
    last = "B" if len(rule.body) == 1 else "C"
    names = ["A", *(["B"] if len(rule.body) == 2 else []), last]
    conditions = [
        state(
            predicates[number], *((names[place + 1], names[place]) if is_inverse else (names[place], names[place + 1]))
        )
        for place, (number, is_inverse) in enumerate(rule.body)
    ]
    return f"If {' and '.join(conditions)}, then {state(predicates[rule.head], 'A', last)}."


def state(predicate: Predicate, subject: str, target: str) -> str:
    """A fact as an English sentence, without a full stop."""
    if not predicate.sentence:
        return f"{subject} {predicate.name.replace('_', ' ')} {target}"
    parts = predicate.sentence.replace("{subject}", "\0s").replace("{object}", "\0o")
    return parts.replace("\0s", subject).replace("\0o", target).rstrip(".")
