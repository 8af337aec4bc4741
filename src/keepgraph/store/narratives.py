"""SQL for narratives: which episode tells of which week, of one project or of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from keepgraph.model import Entity
from keepgraph.store import journal
from keepgraph.store.transactions import Tx


class CurrentNarrative(NamedTuple):
    """The current narrative of a week: the row of its episode, when it was recorded, the session of its text."""

    episode: int
    recorded_at: str
    session: str | None


class NarrativeRow(NamedTuple):
    """A narrative as an export writes it: public ids of its episode and its project. The field names are its keys."""

    week: str
    project: str | None
    episode: str
    recorded_at: str


def newest(tx: Tx, week: str, project: Entity | None) -> CurrentNarrative | None:
    """The newest narrative of a week and a project (None: of all projects), as known."""
    row = tx.conn.execute(
        """
        SELECT narrative.episode, narrative.recorded_at, episode.session
        FROM narrative
        JOIN episode ON episode.id = narrative.episode
        WHERE narrative.week = :week AND narrative.project IS :project AND episode.group_id = :group
          AND (:known IS NULL OR narrative.recorded_at <= :known)
        ORDER BY narrative.recorded_at DESC, narrative.id DESC
        LIMIT 1
        """,
        {"week": week, "project": project.row if project else None, "group": tx.group, "known": tx.known_at},
    ).fetchone()
    return CurrentNarrative(*row) if row else None


def insert(tx: Tx, episode: int, *, week: str, project: int | None, recorded_at: str) -> None:
    """Insert a narrative. An equal one of the same instant is moved behind all others."""
    values = {"episode": episode, "week": week, "project": project, "recorded_at": recorded_at}
    tx.conn.execute(
        """
        DELETE FROM narrative
        WHERE episode = :episode AND week = :week AND project IS :project AND recorded_at = :recorded_at
        """,
        values,
    )
    tx.conn.execute(
        f"""
        INSERT INTO narrative (id, episode, week, project, recorded_at)
        VALUES ({journal.unused_row_sql("narrative")}, :episode, :week, :project, :recorded_at)
        """,
        values,
    )


def exists(tx: Tx, episode: int, *, week: str, project: int | None, recorded_at: str) -> bool:
    """Whether exactly this narrative exists."""
    return tx.is_true(
        """
        SELECT EXISTS (
            SELECT 1 FROM narrative
            WHERE episode = :episode AND week = :week AND project IS :project AND recorded_at = :recorded_at
        )
        """,
        {"episode": episode, "week": week, "project": project, "recorded_at": recorded_at},
    )


def count_of_project(tx: Tx, entity: Entity, *, besides: int = 0) -> int:
    """How many narratives are about an entity as their project, except those of one episode, given by its row."""
    return tx.number("SELECT count(*) FROM narrative WHERE project = ? AND episode <> ?", (entity.row, besides))


def move(tx: Tx, source: Entity, target: Entity) -> None:
    """Move the narratives of a project to another one."""
    tx.conn.execute(
        """
        DELETE FROM narrative
        WHERE project = :source
          AND EXISTS (SELECT 1 FROM narrative AS other
                      WHERE other.project = :target AND other.episode = narrative.episode
                        AND other.week = narrative.week AND other.recorded_at = narrative.recorded_at)
        """,
        {"source": source.row, "target": target.row},
    )
    tx.conn.execute("UPDATE narrative SET project = ? WHERE project = ?", (target.row, source.row))


def all_groups(tx: Tx) -> Iterator[NarrativeRow]:
    """All narratives, the older first of two of the same instant."""
    rows = tx.conn.execute(
        """
        SELECT narrative.week, entity.public_id, episode.public_id, narrative.recorded_at
        FROM narrative
        JOIN episode ON episode.id = narrative.episode
        LEFT JOIN entity ON entity.id = narrative.project
        ORDER BY narrative.recorded_at, narrative.id
        """
    )
    return (NarrativeRow(*row) for row in rows)
