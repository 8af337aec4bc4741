"""Runs of the gardener, and what was read between them: counts of reads, and unknown names that were asked for."""

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


# SQL for optional counts, made only if the settings say so: calls that read, and unknown names.

_MAX_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class UnknownName:
    """An unknown name that was asked for."""

    name: str
    times: int


def add_read(tx: Tx, *, conversation: str, tool: str) -> None:
    """Count a call that reads: the conversation, the tool and the times, but nothing of what was asked."""
    tx.conn.execute(
        """
        INSERT INTO read_count (conversation, group_id, tool, times, first_at, last_at)
        VALUES (:conversation, :group, :tool, 1, :at, :at)
        ON CONFLICT DO UPDATE SET times = times + 1, last_at = :at
        """,
        {"conversation": conversation, "group": tx.group, "tool": tool, "at": tx.at},
    )


def add_unknown_names(tx: Tx, names: Mapping[str, str]) -> None:
    """Count unknown names that a call asked for, by their keys; those not asked for longest make room."""
    tx.conn.executemany(
        """
        INSERT INTO unknown_name (group_id, name_key, name, times, last_at)
        VALUES (:group, :key, :name, 1, :at)
        ON CONFLICT DO UPDATE SET times = times + 1, last_at = :at
        """,
        [{"group": tx.group, "key": key, "name": name[:200], "at": tx.at} for key, name in names.items()],
    )
    tx.conn.execute(
        """
        DELETE FROM unknown_name
        WHERE group_id = :group AND name_key IN (
            SELECT name_key FROM unknown_name WHERE group_id = :group ORDER BY last_at DESC LIMIT -1 OFFSET :most)
        """,
        {"group": tx.group, "most": _MAX_NAMES},
    )


def of_conversations(tx: Tx, *, since: str) -> list[tuple[str, str, int]]:
    """The counted calls in the group since a timestamp: conversation, tool, times."""
    return tx.rows(
        """
        SELECT conversation, tool, times FROM read_count
        WHERE group_id = :group AND last_at > :since
        ORDER BY conversation, tool
        """,
        {"group": tx.group, "since": since},
    )


def unknown_names(tx: Tx, *, at_least: int, limit: int) -> list[UnknownName]:
    """The names asked for at least this often that no entity has now; most frequent first."""
    rows = tx.conn.execute(
        """
        SELECT name, times
        FROM unknown_name
        WHERE group_id = :group AND times >= :at_least
          AND NOT EXISTS (
              SELECT 1 FROM entity WHERE entity.group_id = :group AND entity.name_key = unknown_name.name_key)
          AND NOT EXISTS (
              SELECT 1 FROM alias JOIN entity ON entity.id = alias.entity
              WHERE alias.alias_key = unknown_name.name_key AND entity.group_id = :group)
        ORDER BY times DESC, name_key
        LIMIT +:limit
        """,
        {"group": tx.group, "at_least": at_least, "limit": limit},
    )
    return [UnknownName(*row) for row in rows]
