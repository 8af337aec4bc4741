"""When a server runs the gardener by itself: after some idle minutes, and each pass at most once a day."""

from __future__ import annotations

from datetime import timedelta

from keepgraph import store
from keepgraph.engine.garden import passes
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

BETWEEN_RUNS = timedelta(hours=20)
"""So that a run each night is not put off by the run of the evening before."""

IDLE_SECONDS = 600.0
"""So long nobody has called before a server runs it."""


def due_passes(tx: Tx) -> list[str]:
    """The passes of which no run in the group has ended within a day, by whomever it was started."""
    recent = store.garden_runs.ended_since(tx, timestamps.from_datetime(tx.now - BETWEEN_RUNS))
    done = {name for run in recent for name, counts in run.passes.items() if "considered" in counts}
    return [name for name in passes.NAMES if name not in done]
