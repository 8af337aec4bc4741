"""What retrieval reads besides full text and vectors: names by key, facts of entities, mentions in chunks, counts."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.model import Entity
from keepgraph.store import search_filters
from keepgraph.store.connections import json_array
from keepgraph.store.entities import SELECT_ENTITIES
from keepgraph.store.migrations import FACT_HOLDS
from keepgraph.store.proposals import UNDECIDED
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

MAX_FAN_OUT = 5_000
"""How many facts of an entity are examined, in each direction, and how many mentions of a name."""


def proposed_names(tx: Tx, keys: Sequence[str], *, groups: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
    """The names that are only proposed, by their keys; each with the row of the proposal."""
    rows = tx.conn.execute(
        f"""
        SELECT wanted.value, proposal.id, proposal.subject
        FROM json_each(:keys) AS wanted CROSS JOIN json_each(:groups) AS within
        CROSS JOIN proposal
            ON proposal.group_id = within.value AND proposal.kind = 'entity' AND proposal.key = wanted.value
        WHERE {UNDECIDED}
        """,
        {"keys": json_array(keys), "groups": json_array(groups)},
    )
    names: dict[str, list[tuple[int, str]]] = {}
    for key, row, name in rows:
        names.setdefault(key, []).append((row, name))
    return names


def keys_of_entities(tx: Tx, entities: Sequence[int]) -> set[str]:
    """The keys of the names and aliases of entities."""
    return tx.distinct(
        """
        SELECT name_key FROM entity WHERE id IN (SELECT value FROM json_each(:rows))
        UNION
        SELECT alias_key FROM alias WHERE entity IN (SELECT value FROM json_each(:rows))
        """,
        {"rows": json_array(entities)},
    )


def entities(tx: Tx, rows: Sequence[int], filters: Filters) -> dict[int, Entity]:
    """The entities that pass the filters, by their row numbers."""
    # The + keeps SQLite from using the index of groups: the rows are given.
    passing = tx.conn.execute(
        f"""
        {SELECT_ENTITIES}
        WHERE entity.id IN (SELECT value FROM json_each(:rows))
          AND +entity.group_id IN (SELECT value FROM json_each(:groups))
          AND {" AND ".join(search_filters.entity_conditions(filters) or ["true"])}
        """,
        {**filters.values, "rows": json_array(rows)},
    )
    return {row[0]: Entity(*row) for row in passing}


def newest_chunks(tx: Tx, filters: Filters, *, limit: int) -> list[int]:
    """The first chunks of the texts that pass the filters, by row; newest text first."""
    return tx.column(
        f"""
        SELECT (SELECT first.id FROM chunk AS first WHERE first.episode = episode.id ORDER BY place, first.id LIMIT 1)
        FROM episode
        WHERE episode.group_id IN (SELECT value FROM json_each(:groups))
          AND EXISTS (
              SELECT 1 FROM chunk
              WHERE chunk.episode = episode.id
                AND {" AND ".join(search_filters.chunk_conditions(filters) or ["true"])}
          )
        ORDER BY episode.occurred_at DESC, episode.id DESC
        LIMIT +:limit
        """,
        {**filters.values, "limit": limit},
    )


def chunks(tx: Tx, rows: Sequence[int], filters: Filters) -> set[int]:
    """The chunks that pass the filters, whatever their group."""
    return _passing(tx, "chunk.id", "chunk", rows, filters, search_filters.chunk_conditions(filters))


def proposals(tx: Tx, rows: Sequence[int], filters: Filters) -> set[int]:
    """The proposals with evidence in a text that passes the filters."""
    table = "proposal_evidence JOIN chunk ON chunk.id = proposal_evidence.chunk"
    return _passing(tx, "proposal_evidence.proposal", table, rows, filters, search_filters.chunk_conditions(filters))


def communities(tx: Tx, rows: Sequence[int], filters: Filters) -> set[int]:
    """The communities that pass the filters, whatever their group."""
    return _passing(tx, "community.id", "community", rows, filters, search_filters.community_conditions(filters))


def facts(tx: Tx, rows: Sequence[int], filters: Filters) -> list[int]:
    """The facts that pass the filters, in the given order."""
    in_groups = "entity.group_id IN (SELECT value FROM json_each(:groups))"
    conditions = [in_groups, *search_filters.fact_conditions(filters)]
    passed = _passing(tx, "fact.id", "fact JOIN entity ON entity.id = fact.subject", rows, filters, conditions)
    return [row for row in rows if row in passed]


def _passing(
    tx: Tx, row: str, table: str, rows: Sequence[int], filters: Filters, conditions: Sequence[str]
) -> set[int]:
    """Those of some rows of a table that fulfil the conditions of the filters."""
    fulfilled = " AND ".join([f"{row} IN (SELECT value FROM json_each(:rows))", *conditions])
    values = {**filters.values, "rows": json_array(rows)}
    return tx.distinct(f"SELECT {row} FROM {table} WHERE {fulfilled}", values)


def ends_of_facts(tx: Tx, facts: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """The entities at the ends of facts, by the row number of the fact."""
    rows = tx.conn.execute(
        "SELECT id, subject, object FROM fact WHERE id IN (SELECT value FROM json_each(?))", (json_array(facts),)
    )
    return {row: (subject,) if target is None else (subject, target) for row, subject, target in rows}


def facts_of_entities(
    tx: Tx, entities: Sequence[int], filters: Filters, *, limit: int, max_scanned: int = MAX_FAN_OUT
) -> list[tuple[int, int, int | None]]:
    """The current facts of these entities, newest first: fact, subject, and object if it is an entity.

    Args:
        max_scanned: how many are examined, in each direction.
    """
    conditions = " AND ".join([FACT_HOLDS, *([search_filters.PREDICATE] if filters.predicates is not None else [])])
    types = search_filters.TYPE_OF_EITHER_END if filters.types is not None else "true"
    about = search_filters.FACT_ABOUT if filters.about is not None else "true"
    passing = f"{conditions} AND {types} AND {about} LIMIT {int(max_scanned)}"
    given = "IN (SELECT value FROM json_each(:entities))"
    # Three queries, each through its own index: fact_out, fact_literal and fact_in.
    return tx.rows(
        f"""
        SELECT id, subject, object
        FROM (
            SELECT * FROM (SELECT id, subject, object FROM fact
                           WHERE subject {given} AND object IS NOT NULL AND {passing})
            UNION
            SELECT * FROM (SELECT id, subject, object FROM fact
                           WHERE subject {given} AND literal IS NOT NULL AND {passing})
            UNION
            SELECT * FROM (SELECT id, subject, object FROM fact
                           WHERE object {given} AND object IS NOT NULL AND {passing})
        )
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {**filters.values, "entities": json_array(entities), "limit": limit},
    )


def chunks_mentioning(
    tx: Tx, entities: Sequence[int], proposals: Sequence[int], filters: Filters
) -> list[tuple[int, int]]:
    """The chunks that mention some entities or proposed names, with their episodes, newest first."""
    return tx.rows(
        f"""
        SELECT chunk.id, chunk.episode
        FROM (
            SELECT chunk FROM mention WHERE entity IN (SELECT value FROM json_each(:entities))
            UNION
            SELECT chunk FROM proposal_evidence WHERE proposal IN (SELECT value FROM json_each(:proposals))
        ) AS mentioning
        JOIN chunk ON chunk.id = mentioning.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE episode.group_id IN (SELECT value FROM json_each(:groups))
          AND {" AND ".join(search_filters.chunk_conditions(filters) or ["true"])}
        ORDER BY chunk.id DESC
        LIMIT {MAX_FAN_OUT}
        """,
        {**filters.values, "entities": json_array(entities), "proposals": json_array(proposals)},
    )


def mentioned_in_chunks(tx: Tx, chunks: Sequence[int], *, with_speakers: bool = True) -> list[tuple[int, int]]:
    """What chunks mention: the chunk, and the row number of an entity, or minus that of a proposed name.

    Args:
        with_speakers: whether the speaker of a turn counts as mentioned in it.
    """
    return tx.rows(
        """
        SELECT chunk, entity FROM mention
        WHERE chunk IN (SELECT value FROM json_each(:chunks)) AND (:with_speakers OR how <> 'speaker')
        UNION ALL
        SELECT evidence.chunk, -proposal.id
        FROM proposal_evidence AS evidence JOIN proposal ON proposal.id = evidence.proposal
        WHERE evidence.chunk IN (SELECT value FROM json_each(:chunks)) AND proposal.kind = 'entity'
        """,
        {"chunks": json_array(chunks), "with_speakers": with_speakers},
    )


def unspoken_mentioning(tx: Tx, chunks: Sequence[int], entities: Sequence[int], proposals: Sequence[int]) -> set[int]:
    """The chunks without a speaker that mention one of these entities or proposed names."""
    return tx.distinct(
        """
        SELECT chunk.id
        FROM chunk
        WHERE chunk.id IN (SELECT value FROM json_each(:chunks)) AND chunk.speaker IS NULL AND (
            EXISTS (SELECT 1 FROM mention
                    WHERE mention.chunk = chunk.id AND entity IN (SELECT value FROM json_each(:entities)))
            OR EXISTS (SELECT 1 FROM proposal_evidence AS evidence
                       WHERE evidence.chunk = chunk.id
                         AND evidence.proposal IN (SELECT value FROM json_each(:proposals))))
        """,
        {"chunks": json_array(chunks), "entities": json_array(entities), "proposals": json_array(proposals)},
    )


def chunks_of_episodes(tx: Tx, episodes: Sequence[int]) -> list[int]:
    """The chunks of some episodes; of very many, not all."""
    return tx.column(
        f"SELECT id FROM chunk WHERE episode IN (SELECT value FROM json_each(?)) LIMIT {MAX_FAN_OUT}",
        (json_array(episodes),),
    )


def episodes_of_chunks(tx: Tx, chunks: Sequence[int]) -> dict[int, int]:
    """The episode of each chunk."""
    return tx.mapping(
        "SELECT id, episode FROM chunk WHERE id IN (SELECT value FROM json_each(?))", (json_array(chunks),)
    )


def groups_of_proposals(tx: Tx, proposals: Sequence[int]) -> dict[int, str]:
    """The group of each proposal."""
    return tx.mapping(
        "SELECT id, group_id FROM proposal WHERE id IN (SELECT value FROM json_each(?))", (json_array(proposals),)
    )


def count_episodes_of_proposals(tx: Tx, proposals: Sequence[int]) -> dict[int, int]:
    """In how many episodes each of these proposals is seen."""
    return tx.mapping(
        """
        SELECT evidence.proposal, count(DISTINCT chunk.episode)
        FROM proposal_evidence AS evidence JOIN chunk ON chunk.id = evidence.chunk
        WHERE evidence.proposal IN (SELECT value FROM json_each(?))
        GROUP BY 1
        """,
        (json_array(proposals),),
    )


def count_episodes_of_facts(tx: Tx, facts: Sequence[int]) -> dict[int, int]:
    """From how many episodes each of these facts comes."""
    return tx.mapping(
        """
        SELECT fact, count(DISTINCT episode) FROM provenance
        WHERE fact IN (SELECT value FROM json_each(?)) AND episode IS NOT NULL
        GROUP BY fact
        """,
        (json_array(facts),),
    )
