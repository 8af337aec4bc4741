"""SQL for scopes and pins: the only projects in which a fact or an alias holds, and what is always included."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from keepgraph.model import Entity, Episode, Fact
from keepgraph.store.connections import json_array
from keepgraph.store.migrations import FACT_HOLDS, HOLDS
from keepgraph.store.transactions import Tx


def set_of_fact(tx: Tx, fact: Fact, projects: Sequence[str]) -> None:
    """Let a fact hold only in these projects, given by their ids; with an empty list, everywhere."""
    tx.conn.execute("UPDATE fact SET scope = ? WHERE id = ?", (json.dumps(list(projects)), fact.row))


def unite(tx: Tx, kept: Fact, other: Fact) -> None:
    """Let a fact hold wherever an equal one does that is folded into it, and be pinned if that is."""
    tx.conn.execute(
        """
        UPDATE fact
        SET scope = iif(fact.scope = '[]' OR other.scope = '[]', '[]', (
                SELECT json_group_array(value)
                FROM (SELECT value FROM json_each(fact.scope) UNION SELECT value FROM json_each(other.scope))
            )),
            pinned = max(fact.pinned, other.pinned)
        FROM fact AS other
        WHERE fact.id = ? AND other.id = ? AND (fact.scope, fact.pinned) <> (other.scope, other.pinned)
        """,
        (kept.row, other.row),
    )


def of_alias(tx: Tx, entity: Entity, key: str) -> list[str] | None:
    """The ids of the only projects in which an alias of an entity holds; None without such an alias."""
    row = tx.conn.execute("SELECT scope FROM alias WHERE entity = ? AND alias_key = ?", (entity.row, key)).fetchone()
    return json.loads(row[0]) if row else None


def set_of_alias(tx: Tx, entity: Entity, key: str, projects: Sequence[str]) -> None:
    """Let an alias hold only in these projects, given by their ids."""
    tx.conn.execute(
        "UPDATE alias SET scope = ? WHERE entity = ? AND alias_key = ?", (json.dumps(list(projects)), entity.row, key)
    )


_IN_ONE_OF = (
    "scope <> '[]' AND EXISTS (SELECT 1 FROM json_each(scope) WHERE value IN (SELECT value FROM json_each(:ids)))"
)
_OTHERS = (
    "(SELECT json_group_array(value) FROM json_each(scope) WHERE value NOT IN (SELECT value FROM json_each(:ids)))"
)


def facts_in(tx: Tx, projects: Collection[str], *, alone: bool = False) -> list[int]:
    """The rows of the facts that hold in one of these projects, given by their ids; with `alone`, in no other."""
    return tx.column(
        f"SELECT id FROM fact WHERE {_IN_ONE_OF} AND (NOT :alone OR {_OTHERS} = '[]') ORDER BY id",
        {"ids": json_array(projects), "alone": alone},
    )


def aliases_in(tx: Tx, projects: Collection[str]) -> int:
    """How many aliases hold in one of these projects, given by their ids."""
    values = {"ids": json_array(projects)}
    return tx.number(f"SELECT count(*) FROM alias WHERE {_IN_ONE_OF}", values)


def leave(tx: Tx, projects: Collection[str]) -> None:
    """Take these projects, given by their ids, out of all scopes; aliases that hold in no other are deleted.

    Facts that hold in no other have to be deleted before.
    """
    values = {"ids": json_array(projects)}
    tx.conn.execute(f"DELETE FROM alias WHERE {_IN_ONE_OF} AND {_OTHERS} = '[]'", values)
    for table in ("alias", "fact"):
        tx.conn.execute(f"UPDATE {table} SET scope = {_OTHERS} WHERE {_IN_ONE_OF}", values)


def hidden_aliases(tx: Tx) -> frozenset[tuple[int, str]]:
    """The aliases that hold in none of the projects of the call, each as the row of its entity and its folded forms."""
    if not tx.projects:
        return frozenset()
    rows = tx.conn.execute(
        """
        SELECT entity, alias_folded FROM alias
        WHERE scope <> '[]'
          AND NOT EXISTS (SELECT 1 FROM json_each(scope) WHERE value IN (SELECT value FROM json_each(?)))
        """,
        (json_array(tx.projects),),
    )
    return frozenset(rows.fetchall())


def former_ids(tx: Tx, projects: Sequence[Entity]) -> set[str]:
    """The ids of projects, and those of what was merged into them."""
    rows = tx.conn.execute(
        "SELECT public_id FROM former_id WHERE entity IN (SELECT value FROM json_each(?))",
        (json_array([project.row for project in projects]),),
    )
    return {project.id for project in projects} | {row[0] for row in rows}


def pin_fact(tx: Tx, fact: Fact, *, pinned: bool) -> bool:
    """Pin a fact, or let it be one of many again; returns whether that changes anything."""
    return bool(
        tx.conn.execute("UPDATE fact SET pinned = ? WHERE id = ? AND pinned <> ?", (pinned, fact.row, pinned)).rowcount
    )


def replace_fact(tx: Tx, old: Fact, new: Fact) -> None:
    """Let a new fact hold where an old one held, and be pinned if that was."""
    tx.conn.execute(
        """
        UPDATE fact
        SET (scope, pinned) = (SELECT scope, pinned FROM fact WHERE id = :old)
        WHERE id = :new
        """,
        {"old": old.row, "new": new.row},
    )


def pin_episode(tx: Tx, episode: Episode, *, pinned: bool) -> bool:
    """Pin a text, or let it be one of many again; returns whether that changes anything."""
    return bool(
        tx.conn.execute(
            "UPDATE episode SET pinned = ? WHERE id = ? AND pinned <> ?", (pinned, episode.row, pinned)
        ).rowcount
    )


def pinned_facts(tx: Tx, *, groups: Sequence[str]) -> list[int]:
    """The rows of the pinned facts that hold, oldest first."""
    return tx.column(
        f"""
        SELECT fact.id
        FROM fact JOIN entity ON entity.id = fact.subject
        WHERE fact.pinned AND {FACT_HOLDS}
          AND fact.recorded_at <= :at AND +entity.group_id IN (SELECT value FROM json_each(:groups))
        ORDER BY fact.id
        """,
        {"at": tx.at, "groups": json_array(groups)},
    )


def pinned_episodes(tx: Tx, *, groups: Sequence[str]) -> list[int]:
    """The rows of the pinned texts, oldest first."""
    return tx.column(
        """
        SELECT id FROM episode
        WHERE pinned AND recorded_at <= :at AND group_id IN (SELECT value FROM json_each(:groups))
        ORDER BY id
        """,
        {"at": tx.at, "groups": json_array(groups)},
    )


def subjects_of_episodes(tx: Tx, episodes: Sequence[int]) -> list[tuple[int, str | None, str | None, str | None]]:
    """What callers said that texts are about: the row of the text, and an id, or a name and perhaps its type."""
    return tx.rows(
        """
        SELECT DISTINCT chunk.episode, said.value ->> 'id', said.value ->> 'type', said.value ->> 'name'
        FROM chunk JOIN json_each(chunk.named) AS said
        WHERE chunk.episode IN (SELECT value FROM json_each(?)) AND said.value ->> 'how' = 'given'
        """,
        (json_array(episodes),),
    )


def open_questions(
    tx: Tx,
    entities: Sequence[int],
    *,
    groups: Sequence[str],
    of_types: Collection[str],
    answering: Sequence[str],
    limit: int,
) -> list[Entity]:
    """The entities of these types that a fact connects with some entities, or that are among them, and unanswered.

    Args:
        answering: the predicates that answer a question.
    """
    rows = tx.conn.execute(
        f"""
        WITH named (id) AS MATERIALIZED (SELECT value FROM json_each(:entities)),
        question (id) AS MATERIALIZED (
            SELECT id FROM entity
            WHERE type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))
              AND +group_id IN (SELECT value FROM json_each(:groups))
        ),
        near (id) AS (
            SELECT id FROM named WHERE id IN question
            UNION SELECT subject FROM fact
            WHERE object IN named AND object IS NOT NULL AND +subject IN question
              AND {HOLDS}
            UNION SELECT object FROM fact
            WHERE subject IN named AND object IS NOT NULL AND +object IN question
              AND {HOLDS}
        )
        SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
        FROM near
        JOIN entity ON entity.id = near.id
        JOIN entity_type ON entity_type.id = entity.type
        WHERE NOT EXISTS (
            SELECT 1 FROM fact JOIN predicate ON predicate.id = fact.predicate
            WHERE fact.subject = entity.id AND predicate.name IN (SELECT value FROM json_each(:answering))
              AND {FACT_HOLDS}
        )
        ORDER BY entity.created_at DESC, entity.id DESC
        LIMIT +:limit
        """,
        {
            "entities": json_array(entities),
            "groups": json_array(groups),
            "types": json_array(of_types),
            "answering": json_array(answering),
            "at": tx.at,
            "limit": limit,
        },
    )
    return [Entity(*row) for row in rows]
