"""Import of the lines of decisions on proposals, so that what was rejected is not proposed again."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import store
from keepgraph.engine.exchange.export_format import DEFAULT_GROUP
from keepgraph.engine.exchange.import_state import ImportState, Line, LineResult, import_each
from keepgraph.engine.exchange.import_values import validate_timestamp
from keepgraph.store.review_decisions import ReviewDecision
from keepgraph.store.transactions import Tx


def import_decisions(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Decisions, in the order in which they were made; one that the graph has already is left as it is."""

    def import_decision(line: Line) -> LineResult:
        decision = ReviewDecision(
            group=line.get("group", DEFAULT_GROUP),
            proposal_kind=line["proposal_kind"],
            key=line.get("key", ""),
            rests_on=tuple(line.get("rests_on", ())),
            evidence=tuple(line.get("evidence", ())),
            decision=line["decision"],
            statement=line.get("statement", ""),
            decided_at=validate_timestamp(line["decided_at"]),
        )
        if store.review_decisions.exists(tx, decision):
            return LineResult()
        store.review_decisions.insert(tx, decision)
        return LineResult(created=True)

    return import_each(lines, import_decision, strict=strict)
