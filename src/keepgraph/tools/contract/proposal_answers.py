"""Answers about proposals: those that are open, those that closed by themselves, and kinds that are quiet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from keepgraph import store
from keepgraph.engine.review import decisions, grounds, quiet_kinds
from keepgraph.english import count_noun
from keepgraph.store.review_proposals import ReviewProposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, catalogue, schemas

MAX_CLOSED = 5


def review(tx: Tx, *, kinds: Sequence[str] | None, limit: int) -> dict[str, Any]:
    """The open proposals, and what else there is to say of the review."""
    waiting, stale = decisions.open_and_stale(tx, kinds=kinds)
    counts = dict(sorted(Counter(proposal.kind for proposal in waiting).items()))
    quiet = [quiet for quiet in quiet_kinds.find(tx) if kinds is None or quiet.kind in kinds]
    not_offered = store.review_evidence.count_not_offered(tx) if kinds is None else 0
    closed = [{"id": each.id, "statement": each.statement, "reason": reason} for each, reason in stale[:MAX_CLOSED]]
    return {
        "message": _message(len(waiting), len(stale)),
        "proposals": [_describe(tx, proposal) for proposal in waiting[:limit]],
        "total": len(waiting),
        "counts": counts,
        "truncated": len(waiting) > limit,
        **answer_shapes.filled(
            waiting=not_offered,
            closed=closed,
            closed_total=len(stale),
            quiet=[{"kind": each.kind, "decided": each.decided, "accepted": each.accepted} for each in quiet],
        ),
    }


def _message(waiting: int, stale: int) -> str:
    listed = f"{count_noun(waiting, 'proposal')} {'is' if waiting == 1 else 'are'} open."
    if not stale:
        return listed
    return f"{listed} {stale:,} closed by {'itself' if stale == 1 else 'themselves'}, because of later changes."


def _describe(tx: Tx, proposal: ReviewProposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "kind": proposal.kind,
        "statement": proposal.statement,
        "score": round(proposal.score, 3),
        "rests_on": [{"id": ground.id, "text": ground.text} for ground in grounds.read(tx, proposal)],
        "rests_on_total": len(proposal.rests_on),
        "call": {"tool": proposal.tool, "arguments": proposal.arguments},
        "effect": grounds.describe_effect(tx, proposal),
        **answer_shapes.filled(needs=_missing_arguments(proposal)),
        "offered_at": timestamps.format_local(proposal.offered_at, tx.zone),
    }


def _missing_arguments(proposal: ReviewProposal) -> list[str]:
    """The required arguments of the call that the proposal does not give."""
    tool = catalogue.find(proposal.tool)
    required = schemas.load(tool.toolset, tool.name, "input").get("required", [])
    return [name for name in required if name not in proposal.arguments]
