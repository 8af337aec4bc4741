"""SQL for the runs of the gardener: when each began and ended, and what its passes did."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class GardenRun:
    """A run in one group, as of its end.

    Attributes:
        conversation: the conversation of the call, if known.
        origin: call, timer or idle.
        proposed: how many proposals were new.
        passes: what each pass did, by its name.
    """

    started_at: str
    ended_at: str
    conversation: str | None
    origin: str
    proposed: int
    passes: Mapping[str, Mapping[str, Any]]


def begin(tx: Tx, *, started_at: str, origin: str) -> int:
    """Note that a run has begun; returns its row. A killed run keeps no end."""
    return tx.number(
        """
        INSERT INTO garden_run (group_id, started_at, conversation, origin, passes) VALUES (?, ?, ?, ?, '{}')
        RETURNING id
        """,
        (tx.group, started_at, tx.session, origin),
    )


def count_proposed(tx: Tx, row: int, proposed: int) -> None:
    """Add to the number of new proposals of a run."""
    tx.conn.execute("UPDATE garden_run SET proposed = proposed + ? WHERE id = ?", (proposed, row))


def end(tx: Tx, row: int, run: GardenRun) -> None:
    """Note that a run has ended, and what it did."""
    tx.conn.execute(
        "UPDATE garden_run SET ended_at = ?, proposed = ?, passes = ? WHERE id = ?",
        (run.ended_at, run.proposed, json.dumps(run.passes, ensure_ascii=False), row),
    )


def last(tx: Tx) -> GardenRun | None:
    """The latest run in the group; None if there was none."""
    row = tx.conn.execute(
        """
        SELECT started_at, ended_at, conversation, origin, proposed, passes
        FROM garden_run
        WHERE group_id = ? AND ended_at IS NOT NULL
        ORDER BY id DESC
        LIMIT 1
        """,
        (tx.group,),
    ).fetchone()
    return _run(row) if row else None


def totals(tx: Tx) -> tuple[int, int, int]:
    """How many runs of the group ended, how many proposals were new in all, and how many runs began and did not end.

    A run in progress counts as not ended.
    """
    runs, proposed, not_ended = tx.conn.execute(
        "SELECT count(ended_at), coalesce(sum(proposed), 0), count(*) - count(ended_at) FROM garden_run "
        "WHERE group_id = ?",
        (tx.group,),
    ).fetchone()
    return int(runs), int(proposed), int(not_ended)


def ended_since(tx: Tx, at: str) -> list[GardenRun]:
    """The runs in the group that ended after a timestamp, newest first."""
    rows = tx.conn.execute(
        """
        SELECT started_at, ended_at, conversation, origin, proposed, passes
        FROM garden_run
        WHERE group_id = ? AND ended_at > ?
        ORDER BY id DESC
        """,
        (tx.group, at),
    )
    return [_run(row) for row in rows]


def calls_of_conversations(tx: Tx, *, since: str) -> dict[str, int]:
    """How many calls changed something in the group since a timestamp, by conversation."""
    return tx.mapping(
        """
        SELECT session, count(*)
        FROM call
        WHERE at > :since AND session IS NOT NULL AND group_id = :group
          AND EXISTS (SELECT 1 FROM journal WHERE journal.call = call.id)
        GROUP BY session
        """,
        {"since": since, "group": tx.group},
    )


def calls_behind(tx: Tx, facts: Sequence[str], *, since: str) -> list[tuple[str, int]]:
    """The calls since a timestamp that asserted some of these facts, given by their ids: conversation and number."""
    return tx.rows(
        """
        SELECT DISTINCT call.session, call.id
        FROM fact
        JOIN provenance ON provenance.fact = fact.id
        JOIN call ON call.at = provenance.recorded_at AND call.session = provenance.session
        WHERE fact.public_id IN (SELECT value FROM json_each(:facts))
          AND provenance.recorded_at > :since AND call.group_id = :group
        ORDER BY call.id
        """,
        {"facts": json_array(facts), "since": since, "group": tx.group},
    )


def count_decisions(tx: Tx) -> tuple[int, int]:
    """How many proposals of the group were accepted, as they were or changed, and how many rejected."""
    accepted, rejected = tx.conn.execute(
        """
        SELECT coalesce(sum(decision IN ('accepted', 'edited', 'merged')), 0), coalesce(sum(decision = 'rejected'), 0)
        FROM review_decision
        WHERE group_id = ?
        """,
        (tx.group,),
    ).fetchone()
    return int(accepted), int(rejected)


def _run(row: Sequence[Any]) -> GardenRun:
    started_at, ended_at, conversation, origin, proposed, passes = row
    return GardenRun(started_at, ended_at, conversation, origin, proposed, json.loads(passes))
