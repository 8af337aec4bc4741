"""Conflicts of facts in an answer: a sentence, the facts, and the call that would settle it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from keepgraph.engine.verification import conflicts
from keepgraph.model import ADVISORY_FLAGS, Fact, RecordedFact
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import answer_shapes

if TYPE_CHECKING:
    from keepgraph.engine.verification.conflicts import Conflict

_ONCE = ("retracted", *ADVISORY_FLAGS)


def of_recorded(tx: Tx, recorded: RecordedFact) -> dict[str, Any]:
    """The conflicts of a fact that was just recorded, and what may have ended with those that it ended, if anything.

    That it was retracted once is said when it is recorded again, and not each time that it is repeated; nor is what
    usually holds alone.
    """
    fact = recorded.fact
    found = [
        conflict for conflict in conflicts.of_fact(tx, fact) if not (recorded.deduplicated and conflict.kind in _ONCE)
    ]
    ended = [*recorded.superseded, *([fact] if recorded.effect == "ended" else [])]
    return {
        **({"conflicts": describe(tx, found, besides=fact)} if found else {}),
        **answer_shapes.may_have_ended(tx, ended),
    }


def describe(tx: Tx, found: Iterable[Conflict], *, besides: Fact | None = None) -> list[dict[str, Any]]:
    """Conflicts as an answer shows them.

    Args:
        besides: a fact that the answer shows already.
    """
    return [
        {
            "kind": conflict.kind,
            "sentence": conflict.statement,
            **_advice(conflict, besides),
            "facts": [
                answer_shapes.fact_as_text(tx, fact)
                for fact in conflict.facts
                if besides is None or fact.row != besides.row
            ],
            **answer_shapes.settled_by(conflict.tool, conflict.arguments),
        }
        for conflict in found
    ]


def _advice(conflict: Conflict, fact: Fact | None) -> dict[str, str]:
    """What to do of a fact that stands beside the one that was recorded."""
    if conflict.kind not in ADVISORY_FLAGS or conflict.tool is None or fact is None:
        return {}
    return {"advice": conflicts.describe((conflict.tool, conflict.arguments or {}), fact=fact)}
