"""Unknown names that were asked for, proposed as entities. Counted only where the settings say so."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import with_article
from keepgraph.language import name_styles, normalisation
from keepgraph.store.read_counts import UnknownName
from keepgraph.store.transactions import Tx

MIN_TIMES = 3


def propose(tx: Tx, position: int) -> Outcome:
    if not tx.settings.count_unknown_names:
        note = "Unknown names are not counted; to count them, set unknown_names in [garden] of the settings."
        return Outcome((), note=note)
    names = store.read_counts.unknown_names(tx, at_least=MIN_TIMES, limit=MAX_CANDIDATES)
    return Outcome(tuple(_proposal(tx, name) for name in names), considered=len(names))


def _proposal(tx: Tx, name: UnknownName) -> Proposal:
    entity_type = graph_vocabulary.read(tx).default_type(name_styles.guess(name.name))
    asked = f"“{name.name}” was asked for {name.times} times, and is not known"
    return Proposal(
        kind="new_entity",
        key=normalisation.key(name.name),
        statement=f"{asked}. Add it as {with_article(entity_type)}?",
        score=min(0.9, 0.4 + 0.05 * name.times),
        rests_on=(f"the name “{name.name}” was asked for",),
        tool="add_entity",
        arguments={"entity": {"type": entity_type, "name": name.name}},
    )
