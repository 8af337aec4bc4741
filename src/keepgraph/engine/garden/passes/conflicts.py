"""Conflicts: facts that cannot all be true by the flags, ends and roles of the vocabulary; surfaced, never resolved."""

from __future__ import annotations

from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.review import proposals
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.verification import group_conflicts
from keepgraph.engine.verification.conflicts import Conflict
from keepgraph.store.transactions import Tx

_SCORES = {
    "irreflexive": 0.95,
    "acyclic": 0.9,
    "asymmetric": 0.9,
    "disjoint_types": 0.9,
    "functional": 0.85,
    "inverse_functional": 0.8,
    "opposite": 0.8,
    "values": 0.75,
    "rests_on_ended": 0.7,
    "ends": 0.7,
    "retracted": 0.6,
}
_OTHER_SCORE = 0.6


def propose(tx: Tx, position: int) -> Outcome:
    conflicts = group_conflicts.find(tx)
    proposals = {proposal.key: proposal for conflict in conflicts if (proposal := _proposal(tx, conflict))}
    return Outcome(tuple(proposals.values())[:MAX_CANDIDATES], considered=len(conflicts))


def _proposal(tx: Tx, conflict: Conflict) -> Proposal | None:
    """The call that would settle a conflict; where several could, a person chooses the fact to retract.

    It is the same proposal again if its facts say the same, even after they were retracted and recorded again.
    """
    facts = tuple(fact.id for fact in conflict.facts if not fact.retracted_at)
    if not facts:
        return None
    return Proposal(
        kind="contradiction",
        key=f"{conflict.kind} {' '.join(proposals.evidence_digests(tx, facts))}"[:2000],
        statement=conflict.statement,
        score=_SCORES.get(conflict.kind, _OTHER_SCORE),
        rests_on=facts,
        tool=conflict.tool or "retract_fact",
        arguments=dict(conflict.arguments or {}),
    )
