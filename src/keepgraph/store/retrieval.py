"""What finds entities, facts, communities and texts in the database: by names, words, vectors, and along facts.

Knows the tables and what is too slow to ask of them; decides nothing. Lists are best first. Groups are always named:
a question may be about several.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from keepgraph.model import Entity
from keepgraph.store import vectors
from keepgraph.store.database import Tx

Scored = list[tuple[int, float]]
"""Row numbers with scores, best first."""

TOO_FREQUENT = 20_000
"""A word in more rows than this is not looked for, where rarer ones are: bm25 looks at all of them."""

_TOO_MANY_VECTORS = 300_000
_FANNED_OUT = 5_000


@dataclass(frozen=True, slots=True)
class Text:
    """A full-text table, and where the group of one of its rows is found.

    Attributes:
        row: SQL for the row number of what is found, by `hit`, a row number of the table.
        joined: SQL that finds the group and whatever else is filtered by.
        group: SQL for the group.
    """

    table: str
    row: str
    joined: str
    group: str
    largest: str


ENTITIES = Text(
    table="entity_text",
    row="entity.id",
    joined="""
        JOIN entity ON entity.id = iif(hit % 2 = 0, hit / 2, (SELECT alias.entity FROM alias WHERE alias.id = hit / 2))
    """,
    group="entity.group_id",
    largest="SELECT 2 * max(id) FROM entity",
)
FACTS = Text(
    table="fact_text",
    row="fact.id",
    joined="JOIN fact ON fact.id = hit JOIN entity ON entity.id = fact.subject",
    group="entity.group_id",
    largest="SELECT max(id) FROM fact",
)
CHUNKS = Text(
    table="chunk_text",
    row="chunk.id",
    joined="JOIN chunk ON chunk.id = hit JOIN episode ON episode.id = chunk.episode",
    group="episode.group_id",
    largest="SELECT max(id) FROM chunk",
)
COMMUNITIES = Text(
    table="community_text",
    row="community.id",
    joined="JOIN community ON community.id = hit",
    group="community.group_id",
    largest="SELECT max(id) FROM community",
)

CURRENT = "fact.retracted_at IS NULL AND fact.valid_from <= :at AND :at < fact.valid_to"
"""Which facts hold at a stamp; a condition for `with_words`."""

OF_TYPES = "entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))"
BY_PREDICATES = "fact.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))"


@dataclass(frozen=True, slots=True)
class Filters:
    """What may be found.

    Attributes:
        at: the stamp at which a fact has to hold.
        types: names of entity types; None is any. A fact passes by either of its ends.
        predicates: names of predicates; None is any.
    """

    groups: tuple[str, ...]
    at: str
    types: tuple[str, ...] | None = None
    predicates: tuple[str, ...] | None = None

    @property
    def values(self) -> dict[str, str | None]:
        return {
            "groups": _json(self.groups),
            "at": self.at,
            "types": None if self.types is None else _json(self.types),
            "predicates": None if self.predicates is None else _json(self.predicates),
        }


@dataclass(frozen=True, slots=True)
class Known:
    """A name that the graph knows: of an entity (or an alias of one), or only proposed. `type` may be a guess then."""

    written: str
    entity: int | None
    proposal: int | None
    is_name: bool
    type: str


def by_keys(tx: Tx, keys: Sequence[str], *, groups: Sequence[str]) -> dict[str, list[Known]]:
    """The names and aliases that have one of these keys."""
    rows = tx.conn.execute(
        """
        WITH wanted (key) AS MATERIALIZED (SELECT value FROM json_each(:keys)),
             within (name) AS MATERIALIZED (SELECT value FROM json_each(:groups))
        SELECT wanted.key, entity.name, entity.id, NULL, 1, entity_type.name
        FROM wanted CROSS JOIN within
        CROSS JOIN entity ON entity.group_id = within.name AND entity.name_key = wanted.key
        JOIN entity_type ON entity_type.id = entity.type
        UNION ALL
        SELECT wanted.key, alias.alias, entity.id, NULL, 0, entity_type.name
        FROM wanted CROSS JOIN alias ON alias.alias_key = wanted.key
        JOIN entity ON entity.id = alias.entity AND entity.group_id IN (SELECT name FROM within)
        JOIN entity_type ON entity_type.id = entity.type
        UNION ALL
        SELECT wanted.key, proposal.subject, NULL, proposal.id, 1, proposal.subject_type
        FROM wanted CROSS JOIN within
        CROSS JOIN proposal
            ON proposal.group_id = within.name AND proposal.kind = 'entity' AND proposal.key = wanted.key
        """,
        {"keys": _json(keys), "groups": _json(groups)},
    )
    found: dict[str, list[Known]] = {}
    for key, written, entity, proposal, is_name, kind in rows:
        found.setdefault(key, []).append(Known(written, entity, proposal, bool(is_name), kind))
    return found


def keys_of(tx: Tx, entities: Sequence[int]) -> set[str]:
    """The keys of the names and aliases of entities."""
    rows = tx.conn.execute(
        """
        SELECT name_key FROM entity WHERE id IN (SELECT value FROM json_each(:rows))
        UNION
        SELECT alias_key FROM alias WHERE entity IN (SELECT value FROM json_each(:rows))
        """,
        {"rows": _json(entities)},
    )
    return {row[0] for row in rows}


def speakers(tx: Tx) -> dict[str, str]:
    """The names of those who speak in texts, by key."""
    rows = tx.conn.execute(
        """
        WITH RECURSIVE each (key) AS (
            SELECT min(speaker_key) FROM chunk WHERE speaker_key IS NOT NULL
            UNION ALL
            SELECT (SELECT min(speaker_key) FROM chunk WHERE speaker_key > each.key)
            FROM each
            WHERE each.key IS NOT NULL
        )
        SELECT key, (SELECT speaker FROM chunk WHERE speaker_key = key LIMIT 1) FROM each WHERE key IS NOT NULL
        """
    )
    return dict(rows.fetchall())


def with_words(
    tx: Tx, text: Text, phrases: Sequence[str], *, filters: Filters, only: Sequence[str] = (), limit: int
) -> Scored:
    """What some words are in, by bm25; each phrase is quoted already, and one is enough.

    Words that are in too many rows are left out, unless all are: then it is the newest rows that are found, unweighed.

    Args:
        only: conditions in SQL, of those above.
    """
    if not phrases:
        return []
    rarer = _rarer(tx, text, phrases)
    alone = not only and text is not ENTITIES and _nothing_else(tx, filters.groups)
    conditions = [f"{text.group} IN (SELECT value FROM json_each(:groups))", *only]
    score, some = (f"-bm25({text.table})", "") if rarer else ("0.0", "ORDER BY rowid DESC LIMIT :some")
    rows = tx.conn.execute(
        f"""
        WITH found AS MATERIALIZED (
            SELECT rowid AS hit, {score} AS score
            FROM {text.table}
            WHERE {text.table} MATCH :match
            {some}
        )
        SELECT {"hit" if alone else text.row} AS row, max(score) AS best
        FROM found
        {"" if alone else text.joined}
        WHERE {"true" if alone else " AND ".join(conditions)}
        GROUP BY row
        ORDER BY best DESC, row DESC
        LIMIT :limit
        """,
        {**filters.values, "match": " OR ".join(rarer or phrases), "limit": limit, "some": 10 * limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def turns_beside(tx: Tx, chunks: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """The turns before and after these, if they are turns of a conversation: in the same text, or in the next message.

    A message is next to the one that came before it, and to the one that came after it, in its group.
    """
    rows = tx.conn.execute(
        f"""
        SELECT chunk.id, {_beside("<", "DESC")}, {_beside(">", "ASC")}
        FROM chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk.id IN (SELECT value FROM json_each(?)) AND (chunk.speaker IS NOT NULL OR episode.kind = 'message')
        """,
        (_json(chunks),),
    )
    return {chunk: (before, after) for chunk, before, after in rows}


def _beside(side: str, order: str) -> str:
    return f"""
        coalesce(
            (SELECT other.id FROM chunk AS other
             WHERE other.episode = chunk.episode AND other.place {side} chunk.place
             ORDER BY other.place {order} LIMIT 1),
            (SELECT other.id FROM chunk AS other
             WHERE other.episode = (
                 SELECT next.id FROM episode AS next
                 WHERE next.group_id = episode.group_id AND next.kind = episode.kind AND next.id {side} episode.id
                 ORDER BY next.id {order} LIMIT 1)
               AND (other.speaker IS NOT NULL OR episode.kind = 'message')
             ORDER BY other.place {order} LIMIT 1))
    """


def spoken_by(tx: Tx, chunks: Sequence[int], speakers: Sequence[str]) -> set[int]:
    """Those of these chunks that one of these speakers says."""
    rows = tx.conn.execute(
        """
        SELECT id FROM chunk
        WHERE id IN (SELECT value FROM json_each(?)) AND speaker_key IN (SELECT value FROM json_each(?))
        """,
        (_json(chunks), _json(speakers)),
    )
    return {row[0] for row in rows}


def unspoken_about(tx: Tx, chunks: Sequence[int], entities: Sequence[int], proposals: Sequence[int]) -> set[int]:
    """Those of these chunks that are nobody's turn and speak of one of these."""
    rows = tx.conn.execute(
        """
        SELECT chunk.id
        FROM chunk
        WHERE chunk.id IN (SELECT value FROM json_each(:chunks)) AND chunk.speaker IS NULL AND (
            EXISTS (SELECT 1 FROM mention
                    WHERE mention.chunk = chunk.id AND entity IN (SELECT value FROM json_each(:entities)))
            OR EXISTS (SELECT 1 FROM proposal_evidence AS seen
                       WHERE seen.chunk = chunk.id AND seen.proposal IN (SELECT value FROM json_each(:proposals))))
        """,
        {"chunks": _json(chunks), "entities": _json(entities), "proposals": _json(proposals)},
    )
    return {row[0] for row in rows}


def nearest_chunks(tx: Tx, asked: tuple[bytes, bytes], *, groups: Sequence[str], paired: bool, limit: int) -> Scored:
    """The chunks whose vectors are nearest to one, with the cosine; `paired` those of turns with the turn before.

    Args:
        asked: embedding and signs, as they are stored.
    """
    within = "1" if _nothing_else(tx, groups) else "group_id IN (SELECT value FROM json_each(:groups))"
    return _nearest(
        tx,
        vectors.CHUNK,
        asked,
        condition=f"{within} AND reading % 2 = {int(paired)}",
        values={"groups": _json(groups)},
        shown="number / 2",
        limit=limit,
    )


def nearest_names(tx: Tx, asked: tuple[bytes, bytes], *, filters: Filters, limit: int) -> Scored:
    """The entities with a name or alias nearest to a vector, each once, with the cosine."""
    types = "1" if filters.types is None else OF_TYPES.replace("entity.type", "type")
    found = _nearest(
        tx,
        vectors.NAME,
        asked,
        condition=f"group_id IN (SELECT value FROM json_each(:groups)) AND {types}",
        values=filters.values,
        shown="iif(number % 2 = 0, number / 2, (SELECT entity FROM alias WHERE id = number / 2))",
        limit=2 * limit,
    )
    best: dict[int, float] = {}
    for row, cosine in found:
        if row is not None:
            best.setdefault(row, cosine)
    return list(best.items())[:limit]


def nearest_facts(tx: Tx, asked: tuple[bytes, bytes], *, limit: int) -> Scored:
    """The facts whose sentences are nearest to a vector, with the cosine; of any group and time."""
    return _nearest(tx, vectors.FACT, asked, condition="1", values={}, shown="number", limit=limit)


def vectors_of(tx: Tx, kind: vectors.Kind, numbers: Sequence[int]) -> dict[int, bytes]:
    """The vectors of some of a kind, as they are stored: a byte a dimension."""
    rows = tx.conn.execute(
        f"SELECT {kind.key}, embedding FROM {kind.vectors} WHERE {kind.key} IN (SELECT value FROM json_each(?))",
        (_json(numbers),),
    )
    return dict(rows.fetchall())


def facts_that_pass(tx: Tx, facts: Sequence[int], filters: Filters) -> list[int]:
    """Those of these facts that may be found, in the order they have here."""
    rows = tx.conn.execute(
        f"""
        SELECT fact.id
        FROM fact
        JOIN entity ON entity.id = fact.subject
        WHERE fact.id IN (SELECT value FROM json_each(:rows))
          AND entity.group_id IN (SELECT value FROM json_each(:groups))
          AND {" AND ".join(of_facts(filters))}
        """,
        {**filters.values, "rows": _json(facts)},
    )
    passed = {row[0] for row in rows}
    return [row for row in facts if row in passed]


def of_facts(filters: Filters) -> list[str]:
    """The conditions that a fact has to fulfil, but for its group."""
    return [
        CURRENT,
        *([BY_PREDICATES] if filters.predicates is not None else []),
        *([_EITHER_END] if filters.types is not None else []),
    ]


_TYPED = OF_TYPES.replace("entity.type", "the_end.type")
_EITHER_END = f"""
    EXISTS (SELECT 1 FROM entity AS the_end WHERE the_end.id IN (fact.subject, fact.object) AND {_TYPED})
"""


def entities(tx: Tx, rows: Sequence[int], filters: Filters) -> dict[int, Entity]:
    """Entities by their row numbers, if they may be found."""
    types = "true" if filters.types is None else OF_TYPES
    found = tx.conn.execute(
        f"""
        SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
        FROM entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE entity.id IN (SELECT value FROM json_each(:rows))
          AND +entity.group_id IN (SELECT value FROM json_each(:groups))
          AND {types}
        """,
        {**filters.values, "rows": _json(rows)},
    )
    return {row[0]: Entity(*row) for row in found}


def ends(tx: Tx, facts: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """The entities at the ends of facts, by the row number of the fact."""
    rows = tx.conn.execute(
        "SELECT id, subject, object FROM fact WHERE id IN (SELECT value FROM json_each(?))", (_json(facts),)
    )
    return {row: (subject,) if other is None else (subject, other) for row, subject, other in rows}


def facts_at(
    tx: Tx, entities: Sequence[int], filters: Filters, *, limit: int, at_most: int = _FANNED_OUT
) -> list[tuple[int, int, int | None]]:
    """Facts that touch these entities and hold, the newest first: the fact, its subject, and its object if it has one.

    Args:
        at_most: how many are looked at, in each direction, where very many facts touch an entity.
    """
    conditions = " AND ".join([CURRENT, *([BY_PREDICATES] if filters.predicates is not None else [])])
    either = _EITHER_END if filters.types is not None else "true"
    some = f"{conditions} AND {either} LIMIT {int(at_most)}"
    of_each = "IN (SELECT value FROM json_each(:entities))"
    rows = tx.conn.execute(
        f"""
        SELECT id, subject, object
        FROM (
            SELECT * FROM (SELECT id, subject, object FROM fact
                           WHERE subject {of_each} AND object IS NOT NULL AND {some})
            UNION
            SELECT * FROM (SELECT id, subject, object FROM fact
                           WHERE subject {of_each} AND literal IS NOT NULL AND {some})
            UNION
            SELECT * FROM (SELECT id, subject, object FROM fact
                           WHERE object {of_each} AND object IS NOT NULL AND {some})
        )
        ORDER BY id DESC
        LIMIT :limit
        """,
        {**filters.values, "entities": _json(entities), "limit": limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def episodes_of(tx: Tx, entities: Sequence[int], proposals: Sequence[int], filters: Filters) -> list[tuple[int, int]]:
    """The chunks that speak of some entities or proposed names, with their episodes, the newest first."""
    rows = tx.conn.execute(
        f"""
        SELECT chunk.id, chunk.episode
        FROM (
            SELECT chunk FROM mention WHERE entity IN (SELECT value FROM json_each(:entities))
            UNION
            SELECT chunk FROM proposal_evidence WHERE proposal IN (SELECT value FROM json_each(:proposals))
        ) AS told
        JOIN chunk ON chunk.id = told.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE episode.group_id IN (SELECT value FROM json_each(:groups))
        ORDER BY chunk.id DESC
        LIMIT {_FANNED_OUT}
        """,
        {**filters.values, "entities": _json(entities), "proposals": _json(proposals)},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def named_in(tx: Tx, chunks: Sequence[int], *, spoken: bool = True) -> list[tuple[int, int]]:
    """What chunks speak of: the chunk, and the row of an entity, or that of a proposed name with a minus.

    Args:
        spoken: whether the one who speaks counts.
    """
    rows = tx.conn.execute(
        """
        SELECT chunk, entity FROM mention
        WHERE chunk IN (SELECT value FROM json_each(:chunks)) AND (:spoken OR how <> 'speaker')
        UNION ALL
        SELECT seen.chunk, -proposal.id
        FROM proposal_evidence AS seen JOIN proposal ON proposal.id = seen.proposal
        WHERE seen.chunk IN (SELECT value FROM json_each(:chunks)) AND proposal.kind = 'entity'
        """,
        {"chunks": _json(chunks), "spoken": spoken},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def chunks_of_episodes(tx: Tx, episodes: Sequence[int]) -> list[int]:
    """The chunks of some episodes; of very many, only so many."""
    rows = tx.conn.execute(
        f"SELECT id FROM chunk WHERE episode IN (SELECT value FROM json_each(?)) LIMIT {_FANNED_OUT}",
        (_json(episodes),),
    )
    return [row[0] for row in rows]


def episodes_by_chunks(tx: Tx, chunks: Sequence[int]) -> dict[int, int]:
    """The episode of each chunk."""
    rows = tx.conn.execute(
        "SELECT id, episode FROM chunk WHERE id IN (SELECT value FROM json_each(?))", (_json(chunks),)
    )
    return dict(rows.fetchall())


def proposal_groups(tx: Tx, proposals: Sequence[int]) -> dict[int, str]:
    """The group of each proposal."""
    rows = tx.conn.execute(
        "SELECT id, group_id FROM proposal WHERE id IN (SELECT value FROM json_each(?))", (_json(proposals),)
    )
    return dict(rows.fetchall())


def episodes_mentioning_proposals(tx: Tx, proposals: Sequence[int]) -> dict[int, int]:
    """In how many episodes each of these names is seen."""
    rows = tx.conn.execute(
        """
        SELECT seen.proposal, count(DISTINCT chunk.episode)
        FROM proposal_evidence AS seen JOIN chunk ON chunk.id = seen.chunk
        WHERE seen.proposal IN (SELECT value FROM json_each(?))
        GROUP BY 1
        """,
        (_json(proposals),),
    )
    return dict(rows.fetchall())


def episodes_saying(tx: Tx, facts: Sequence[int]) -> dict[int, int]:
    """How many episodes each of these facts came out of."""
    rows = tx.conn.execute(
        """
        SELECT fact, count(DISTINCT episode) FROM provenance
        WHERE fact IN (SELECT value FROM json_each(?)) AND episode IS NOT NULL
        GROUP BY fact
        """,
        (_json(facts),),
    )
    return dict(rows.fetchall())


def communities(tx: Tx, rows: Sequence[int]) -> list[tuple[int, str, str, str, str, str, int]]:
    """Communities by row: row, id, group, name, summary, created_at, and how many belong to it."""
    found = tx.conn.execute(
        """
        SELECT id, public_id, group_id, name, summary, created_at,
               (SELECT count(*) FROM community_member WHERE community = community.id)
        FROM community
        WHERE id IN (SELECT value FROM json_each(?))
        """,
        (_json(rows),),
    )
    return found.fetchall()  # type: ignore[no-any-return]


def communities_with(tx: Tx, entities: Sequence[int], *, groups: Sequence[str]) -> list[tuple[int, int]]:
    """The communities that entities belong to: the entity and the community."""
    rows = tx.conn.execute(
        """
        SELECT member.entity, member.community
        FROM community_member AS member JOIN community ON community.id = member.community
        WHERE member.entity IN (SELECT value FROM json_each(?))
          AND community.group_id IN (SELECT value FROM json_each(?))
        """,
        (_json(entities), _json(groups)),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def members(tx: Tx, communities: Sequence[int], *, limit: int) -> list[tuple[int, int]]:
    """What belongs to communities: the community and the entity."""
    rows = tx.conn.execute(
        "SELECT community, entity FROM community_member WHERE community IN (SELECT value FROM json_each(?)) LIMIT ?",
        (_json(communities), limit),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def any_community(tx: Tx) -> bool:
    """Whether communities have been built."""
    return tx.conn.execute("SELECT 1 FROM community LIMIT 1").fetchone() is not None


def _rarer(tx: Tx, text: Text, phrases: Sequence[str]) -> list[str]:
    """Those of the phrases that are not in too many rows. Where there are few rows, they are not counted."""
    largest = tx.conn.execute(text.largest).fetchone()[0] or 0
    if largest <= TOO_FREQUENT:
        return list(phrases)
    return [
        phrase
        for phrase in phrases
        if tx.conn.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM {text.table} WHERE {text.table} MATCH ? LIMIT ?)",
            (phrase, TOO_FREQUENT + 1),
        ).fetchone()[0]
        <= TOO_FREQUENT
    ]


def _nothing_else(tx: Tx, groups: Sequence[str]) -> bool:
    """Whether nothing is in another group than this one."""
    if len(groups) != 1:
        return False
    if ("only group", groups[0]) not in tx.memo:
        others = tx.conn.execute(
            """
            SELECT EXISTS (SELECT 1 FROM entity WHERE group_id < :group)
                OR EXISTS (SELECT 1 FROM entity WHERE group_id > :group)
                OR EXISTS (SELECT 1 FROM episode WHERE group_id < :group)
                OR EXISTS (SELECT 1 FROM episode WHERE group_id > :group)
            """,
            {"group": groups[0]},
        ).fetchone()[0]
        tx.memo["only group", groups[0]] = not others
    return bool(tx.memo["only group", groups[0]])


def _nearest(
    tx: Tx,
    kind: vectors.Kind,
    asked: tuple[bytes, bytes],
    *,
    condition: str,
    values: Mapping[str, str | None],
    shown: str,
    limit: int,
) -> Scored:
    """What is nearest: the signs of all are compared, and the bytes of twice as many as are wanted.

    Of so many vectors that it would take seconds, none is looked at.
    """
    largest = tx.conn.execute(f"SELECT max({kind.key}) FROM {kind.signs}").fetchone()[0]
    if largest is None or largest > 2 * _TOO_MANY_VECTORS:
        return []
    vectors.load_extension(tx.conn)
    rows = tx.conn.execute(
        f"""
        WITH near AS MATERIALIZED (
            SELECT {kind.key} AS number
            FROM {kind.signs}
            WHERE {condition}
            ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(:signs))
            LIMIT :weighed
        )
        SELECT {shown}, 1 - vec_distance_cosine(vec_int8(embedding), vec_int8(:embedding)) AS cosine
        FROM near
        JOIN {kind.vectors} ON {kind.key} = number
        ORDER BY cosine DESC, number
        LIMIT :limit
        """,
        {**values, "embedding": asked[0], "signs": asked[1], "weighed": 2 * limit, "limit": limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def too_many_vectors(tx: Tx, kind: vectors.Kind) -> bool:
    """Whether there are so many vectors of a kind that they are not looked through."""
    largest = tx.conn.execute(f"SELECT max({kind.key}) FROM {kind.signs}").fetchone()[0]
    return largest is not None and largest > 2 * _TOO_MANY_VECTORS


def _json(values: Sequence[int] | Sequence[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
