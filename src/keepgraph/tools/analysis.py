"""The analysis toolset: what the graph is made of, and how it is."""

from __future__ import annotations

from typing import Any

from keepgraph import _version
from keepgraph.engine import instants
from keepgraph.store import entities, facts, migrations, vocabulary
from keepgraph.store.db import Tx
from keepgraph.tools.catalogue import Effect, tool


@tool(Effect.READ)
def get_status(tx: Tx) -> dict[str, Any]:
    """Tell how the graph is: counts, vocabulary, schema version, when something was last recorded."""
    counts = entities.count_by_type(tx)
    recorded = facts.last_recorded(tx)
    total, held = sum(counts.values()), facts.count(tx)
    return {
        "status": "ok",
        "message": f"{total:,} entities and {held:,} facts in group {tx.group!r}.",
        "version": _version.__version__,
        "graph": {"schema": migrations.version(tx.conn), "group": tx.group},
        "entities": counts,
        "facts": held,
        "last_recorded_at": recorded and instants.shown(recorded, tx.zone),
        "vocabulary": {
            "entity_types": [word.name for word in vocabulary.words(tx, vocabulary.ENTITY_TYPE)],
            "predicates": [word.name for word in vocabulary.words(tx, vocabulary.PREDICATE)],
        },
        "resolution": {
            "exact": "on",
            "alias": "on",
            "fuzzy": "on",
            "embedding": "off: this version has no embedder",
        },
    }
