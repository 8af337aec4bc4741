"""The analysis toolset: how the graph is, as a whole."""

from __future__ import annotations

from typing import Any

from keepgraph import _version
from keepgraph.engine import instants, vectors
from keepgraph.store import entities as stored_entities
from keepgraph.store import episodes as stored_episodes
from keepgraph.store import facts as stored_facts
from keepgraph.store import migrations, vocabulary
from keepgraph.store import vectors as stored_vectors
from keepgraph.store.db import Tx
from keepgraph.tools.catalogue import Effect, tool


@tool(Effect.READ)
def get_status(tx: Tx) -> dict[str, Any]:
    """Tell how the graph is: counts, vocabulary, schema version, when something was last recorded."""
    counts = stored_entities.count_by_type(tx)
    recorded = stored_facts.last_recorded(tx)
    total, held, episodes = sum(counts.values()), stored_facts.count(tx), stored_episodes.count(tx, [tx.group])
    return {
        "status": "ok",
        "message": f"{total:,} entities, {held:,} facts and {episodes:,} episodes in group {tx.group!r}.",
        "version": _version.__version__,
        "graph": {"schema": migrations.version(tx.conn), "group": tx.group},
        "entities": counts,
        "facts": held,
        "episodes": episodes,
        "last_recorded_at": recorded and instants.shown(recorded, tx.zone),
        "vocabulary": {
            "entity_types": [word.name for word in vocabulary.words(tx, vocabulary.ENTITY_TYPE)],
            "predicates": [word.name for word in vocabulary.words(tx, vocabulary.PREDICATE)],
        },
        "resolution": {
            "exact": "on",
            "alias": "on",
            "fuzzy": "on" if "fuzzy" in tx.settings.rungs else "off: by the settings",
            "embedding": vectors.state(tx),
        },
        "waiting_for_vectors": {f"{kind.noun}s": stored_vectors.waiting(tx, kind) for kind in stored_vectors.KINDS},
    }
