"""Links: facts that rules predict, and facts that rules put in doubt, where rules reliably beat counting."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.analysis import group_triples, link_prediction
from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.review import learning
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.transactions import Tx

MAX_FACTS = 200_000
"""More would take longer than a few seconds; train_gnn examines them on request."""

_THRESHOLD = 0.6
_SEED = 0
_MAX_ROWS = 2_000_000
_MAX_HELD_OUT = 300


def propose(tx: Tx, position: int) -> Outcome:
    recorded = store.facts.count(tx)
    if recorded > MAX_FACTS:
        return Outcome((), note=f"{recorded:,} facts are too many for this pass; use train_gnn.")
    graph = group_triples.read(tx)
    count = len(graph.triples)
    findings = link_prediction.learn(
        graph,
        threshold=_THRESHOLD,
        seed=_SEED,
        methods=(link_prediction.HORN_RULES,),
        max_rows=_MAX_ROWS,
        max_held_out=_MAX_HELD_OUT,
        check=lambda: raise_if_cancelled(tx.cancellation),
    )
    if findings.method == link_prediction.TOO_FEW_FACTS:
        return Outcome((), considered=count, note="Rules predict nothing here better than counting does.")
    report = learning.describe(tx, findings, Scope(tx.group))
    best = sorted(learning.as_proposals(report), key=lambda each: (-each.score, each.kind, each.key))
    return Outcome(tuple(best[:MAX_CANDIDATES]), considered=count)
