"""The vocabulary: wordings that wait for a predicate of their own, and predicate flags that the facts suggest."""

from __future__ import annotations

from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.review import sources
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.verification import flag_evidence
from keepgraph.engine.verification.flag_evidence import SuggestedFlag
from keepgraph.store.transactions import Tx


def propose(tx: Tx, position: int) -> Outcome:
    wordings = sources.wordings(tx, limit=MAX_CANDIDATES)
    flags = [_proposal(suggested) for suggested in flag_evidence.suggest(tx)]
    return Outcome((*wordings, *flags)[:MAX_CANDIDATES], considered=len(wordings) + len(flags))


def _proposal(suggested: SuggestedFlag) -> Proposal:
    return Proposal(
        kind="functional",
        key=f"{suggested.predicate} {suggested.flag}",
        statement=suggested.statement,
        score=suggested.score,
        rests_on=(f"the facts of {suggested.predicate} keep to {suggested.flag}",),
        tool=suggested.tool,
        arguments=dict(suggested.arguments),
    )
