"""The analysis toolset: the state of the graph as a whole."""

from __future__ import annotations

from typing import Any

from keepgraph import _version, store
from keepgraph.engine.backfill import vectors
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract.catalogue import Effect, tool


@tool(Effect.READ)
def get_status(tx: Tx) -> dict[str, Any]:
    """Tell how the graph is: counts, vocabulary, schema version, when something was last recorded."""
    counts = store.entities.count_by_type(tx)
    last_recorded = store.facts.last_recorded(tx)
    entities, facts = sum(counts.values()), store.facts.count(tx)
    episodes = store.episodes.count(tx, [tx.group])
    return {
        "status": "ok",
        "message": f"{entities:,} entities, {facts:,} facts and {episodes:,} episodes in group {tx.group!r}.",
        "version": _version.__version__,
        "graph": {"schema": store.migrations.schema_version(tx), "group": tx.group},
        "entities": counts,
        "facts": facts,
        "episodes": episodes,
        "last_recorded_at": last_recorded and timestamps.format_local(last_recorded, tx.zone),
        "vocabulary": {
            "entity_types": [word.name for word in store.vocabulary.terms(tx, store.vocabulary.ENTITY_TYPE)],
            "predicates": [word.name for word in store.vocabulary.terms(tx, store.vocabulary.PREDICATE)],
        },
        "resolution": {
            "exact": "on",
            "alias": "on",
            "fuzzy": "on" if "fuzzy" in tx.settings.rungs else "off: by the settings",
            "embedding": vectors.describe_state(tx),
        },
        "waiting_for_vectors": {
            f"{kind.noun}s": store.vectors.count_missing(tx, kind) for kind in store.derived_tables.VECTOR_KINDS
        },
    }
