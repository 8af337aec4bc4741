"""Conflicts of facts in an answer: a sentence, the facts, and the call that would settle it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from keepgraph.engine import knowledge
from keepgraph.engine.verification import conflicts
from keepgraph.engine.verification.conflicts import Conflict
from keepgraph.model import Fact, RecordedFact
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import answer_shapes


def of_recorded(tx: Tx, recorded: RecordedFact) -> dict[str, Any]:
    """The conflicts of a fact that was just recorded; nothing where there are none.

    That it was retracted once is said when it is recorded again, and not each time that it is repeated.
    """
    fact = recorded.fact
    found = [
        conflict
        for conflict in conflicts.of_fact(tx, fact)
        if not (recorded.deduplicated and conflict.kind == "retracted")
    ]
    return {"conflicts": describe(tx, found, besides=fact)} if found else {}


def describe(tx: Tx, found: Iterable[Conflict], *, besides: Fact | None = None) -> list[dict[str, Any]]:
    """Conflicts as an answer shows them.

    Args:
        besides: a fact that the answer shows already.
    """
    return [
        {
            "kind": conflict.kind,
            "sentence": conflict.statement,
            "facts": [
                {"fact_id": fact.id, "text": knowledge.facts.sentence(fact), **answer_shapes.validity(tx, fact)}
                for fact in conflict.facts
                if besides is None or fact.row != besides.row
            ],
            **(
                {"settled_by": {"tool": conflict.tool, "arguments": dict(conflict.arguments or {})}}
                if conflict.tool
                else {}
            ),
        }
        for conflict in found
    ]
