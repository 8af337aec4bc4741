"""SQL for mentions: which chunks mention which entities and where, and the queue of chunks and names to be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Mention, Proposal
from keepgraph.store import derived_tables
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx


def in_chunks(tx: Tx, chunks: Sequence[int]) -> list[Mention]:
    """The mentions in some chunks, by chunk and by offset."""
    rows = tx.conn.execute(
        """
        SELECT chunk, entity, how, start, stop
        FROM mention
        WHERE chunk IN (SELECT value FROM json_each(?))
        ORDER BY chunk, start IS NULL, start, entity
        """,
        (json_array(chunks),),
    )
    return [Mention(*row) for row in rows]


def chunks_with_both(tx: Tx, one: Entity, other: Entity, *, limit: int) -> list[int]:
    """The chunks that mention both entities, newest episode first."""
    return tx.column(
        """
        SELECT one.chunk
        FROM mention AS one
        JOIN mention AS other ON other.chunk = one.chunk AND other.entity = :other
        JOIN chunk ON chunk.id = one.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE one.entity = :one AND (:known IS NULL OR episode.recorded_at <= :known)
        ORDER BY episode.recorded_at DESC, episode.id DESC, chunk.place, chunk.id
        LIMIT +:limit
        """,
        {"one": one.row, "other": other.row, "limit": limit, "known": tx.known_at},
    )


def in_group(tx: Tx) -> Iterator[tuple[int, int]]:
    """The chunks of the group with the entities that each mentions, as pairs of row numbers, by chunk."""
    rows: Iterator[tuple[int, int]] = tx.conn.execute(
        """
        SELECT mention.chunk, mention.entity
        FROM mention JOIN entity ON entity.id = mention.entity
        WHERE entity.group_id = ?
        ORDER BY mention.chunk, mention.entity
        """,
        (tx.group,),
    )
    return rows


def count_episodes(tx: Tx, entities: Sequence[int]) -> dict[int, int]:
    """How many episodes mention each of these entities; unmentioned ones are left out."""
    return tx.mapping(
        """
        SELECT mention.entity, count(DISTINCT chunk.episode)
        FROM mention
        JOIN chunk ON chunk.id = mention.chunk
        WHERE mention.entity IN (SELECT value FROM json_each(?))
        GROUP BY mention.entity
        """,
        (json_array(entities),),
    )


def count_of_entity(tx: Tx, entity: Entity) -> int:
    """How many chunks mention an entity."""
    return tx.number("SELECT count(*) FROM mention WHERE entity = ?", (entity.row,))


def episodes_of_entity(tx: Tx, entity: Entity, *, limit: int) -> list[int]:
    """The rows of the episodes that mention an entity, newest first."""
    return tx.column(
        """
        SELECT DISTINCT chunk.episode
        FROM mention
        JOIN chunk ON chunk.id = mention.chunk
        WHERE mention.entity = ?
        ORDER BY chunk.episode DESC
        LIMIT +?
        """,
        (entity.row, limit),
    )


def replace(tx: Tx, chunks: Sequence[int], mentions: Iterable[Mention]) -> None:
    """Replace the mentions of chunks, given by row, each entity once in each, and mark the chunks as read."""
    rows = json_array(chunks)
    tx.conn.execute("DELETE FROM mention WHERE chunk IN (SELECT value FROM json_each(?))", (rows,))
    tx.conn.executemany(
        "INSERT OR IGNORE INTO mention (chunk, entity, how, start, stop) VALUES (?, ?, ?, ?, ?)",
        [(mention.chunk, mention.entity, mention.how, mention.start, mention.stop) for mention in mentions],
    )
    tx.conn.execute("DELETE FROM chunk_unread WHERE chunk IN (SELECT value FROM json_each(?))", (rows,))


def is_in_episode(tx: Tx, entity: Entity, episode: int) -> bool:
    """Whether an episode, given by its row, mentions an entity."""
    return tx.is_true(
        """
        SELECT EXISTS (
            SELECT 1 FROM mention JOIN chunk ON chunk.id = mention.chunk
            WHERE mention.entity = ? AND chunk.episode = ?
        )
        """,
        (entity.row, episode),
    )


def count_in_episodes(tx: Tx, episodes: Sequence[int]) -> int:
    """How many mentions the chunks of these episodes have."""
    return tx.number(
        """
        SELECT count(*)
        FROM mention
        JOIN chunk ON chunk.id = mention.chunk
        WHERE chunk.episode IN (SELECT value FROM json_each(?))
        """,
        (json_array(episodes),),
    )


# SQL for the lookups of mention detection: entities by the words of a text, and chunks by the words of a name.


@dataclass(frozen=True, slots=True)
class NameHit:
    """A name or an alias that was looked up.

    Attributes:
        written: the name or alias as it is written, or the part of it that was looked up.
        group: that of the entity.
        scope: the ids of the only projects in which an alias holds; empty: it holds everywhere.
    """

    written: str
    entity: Entity
    group: str
    is_alias: bool
    scope: frozenset[str]


def names_by_keys(tx: Tx, keys: Sequence[str], *, groups: Sequence[str]) -> dict[str, list[NameHit]]:
    """The names and aliases in these groups by their keys."""
    # By the unique key, names are looked up in each group.
    return _names(tx, [("{0}_key = asked.value", "entity.group_id")], keys, groups) if keys else {}


def names_by_letters(tx: Tx, letters: Sequence[str], *, groups: Sequence[str]) -> dict[str, list[NameHit]]:
    """The names and aliases in these groups with exactly these folded letters, with or without spaces."""
    # They are looked up in all groups, then filtered.
    folded = "replace({0}_folded, ' ', '')"
    lookups = [(f"{folded} = asked.value", "+entity.group_id")]
    if any(not each.isascii() for each in letters):
        # For a name in another script, the form in Latin letters follows on a second line.
        also_latin = f"{folded} > asked.value || char(10) AND {folded} < asked.value || char(11)"
        lookups.append((also_latin, "+entity.group_id"))
    return _names(tx, lookups, letters, groups) if letters else {}


def _names(
    tx: Tx, lookups: Sequence[tuple[str, str]], asked: Sequence[str], groups: Sequence[str]
) -> dict[str, list[NameHit]]:
    selections = []
    for condition, group in lookups:
        selections += [
            f"""
            SELECT asked.value, entity.name, 0, '[]', entity.group_id,
                   entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
            FROM json_each(:asked) AS asked
            CROSS JOIN entity
                ON {condition.format("entity.name")} AND {group} IN (SELECT value FROM json_each(:groups))
            JOIN entity_type ON entity_type.id = entity.type
            """,
            f"""
            SELECT asked.value, alias.alias, 1, alias.scope, entity.group_id,
                   entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
            FROM json_each(:asked) AS asked
            CROSS JOIN alias ON {condition.format("alias.alias")}
            JOIN entity ON entity.id = alias.entity AND +entity.group_id IN (SELECT value FROM json_each(:groups))
            JOIN entity_type ON entity_type.id = entity.type
            """,
        ]
    hits: dict[str, list[NameHit]] = {}
    rows = tx.conn.execute(" UNION ALL ".join(selections), {"asked": json_array(asked), "groups": json_array(groups)})
    for key, written, is_alias, scope, group, *entity in rows:
        within = frozenset(json.loads(scope)) if scope != "[]" else frozenset()
        hits.setdefault(key, []).append(NameHit(written, Entity(*entity), group, bool(is_alias), within))
    return hits


def prefixes_of_names(tx: Tx, prefixes: Sequence[str], *, groups: Sequence[str]) -> list[str]:
    """The prefixes that a name in the groups or any alias begins with; up to two letters have to be a whole word."""
    ends = "(length(asked.value) > 2 OR substr({0}, length(asked.value) + 1, 1) NOT GLOB '[a-z0-9]')"
    return tx.column(
        f"""
        SELECT asked.value
        FROM json_each(:parts) AS asked
        WHERE EXISTS (
                SELECT 1 FROM entity
                WHERE group_id IN (SELECT value FROM json_each(:groups))
                  AND name_key >= asked.value AND name_key < asked.value || char(1114111) AND {ends.format("name_key")})
           OR EXISTS (
                SELECT 1 FROM alias
                WHERE alias_key >= asked.value AND alias_key < asked.value || char(1114111)
                  AND {ends.format("alias_key")})
        """,
        {"parts": json_array(prefixes), "groups": json_array(groups)},
    )


def entities_with_word(
    tx: Tx, match: str, *, of_types: Sequence[str], groups: Sequence[str], limit: int
) -> list[tuple[Entity, str, str]]:
    """The entities of these types with a name or alias that a full-text query matches, with group and that name."""
    rows = tx.conn.execute(
        """
        SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at,
               entity.group_id, coalesce(alias.alias, entity.name)
        FROM entity_text
        LEFT JOIN alias ON entity_text.rowid % 2 = 1 AND alias.id = entity_text.rowid / 2
        JOIN entity ON entity.id = iif(entity_text.rowid % 2 = 0, entity_text.rowid / 2, alias.entity)
        JOIN entity_type ON entity_type.id = entity.type
        WHERE entity_text MATCH :match
          AND entity_type.name IN (SELECT value FROM json_each(:types))
          AND entity.group_id IN (SELECT value FROM json_each(:groups))
        LIMIT +:limit
        """,
        {"match": match, "types": json_array(of_types), "groups": json_array(groups), "limit": limit},
    )
    return [(Entity(*row[:5]), *row[5:]) for row in rows]


def count_words_recorded(tx: Tx, entity: Entity, name: str, words: Sequence[str]) -> int | None:
    """How many of some words occur in facts about an entity or texts that mention it, together with its name.

    None if nothing is recorded about it.

    Args:
        name: already quoted for FTS5.
        words: only letters, in lower case; compared by their stems.
    """
    count = tx.value(
        """
        WITH word AS (SELECT :name || ' AND "' || value || '"' AS phrases FROM json_each(:words))
        SELECT count(*) FROM word
        WHERE EXISTS (
            SELECT 1 FROM fact_text JOIN fact ON fact.id = fact_text.rowid
            WHERE fact_text MATCH word.phrases AND :entity IN (fact.subject, fact.object)
        ) OR EXISTS (
            SELECT 1 FROM chunk_text JOIN mention ON mention.chunk = chunk_text.rowid
            WHERE chunk_text MATCH word.phrases AND mention.entity = :entity
        )
        HAVING EXISTS (SELECT 1 FROM fact WHERE subject = :entity)
        OR EXISTS (SELECT 1 FROM fact WHERE object = :entity)
        OR EXISTS (SELECT 1 FROM mention WHERE entity = :entity)
        """,
        {"entity": entity.row, "name": name, "words": json_array(words)},
    )
    return count if count is None else int(count)


def chunks_with_words(tx: Tx, match: str, *, group: str, limit: int, spelled: Sequence[str] = ()) -> list[int]:
    """The chunks of a group that a full-text query matches, in their text or in the name of their episode.

    Args:
        spelled: only chunks with one of these, case-sensitive, in their text or in the name of their episode.
    """
    return tx.column(
        """
        SELECT chunk.id
        FROM chunk_text
        JOIN chunk ON chunk.id = chunk_text.rowid
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk_text MATCH :match AND episode.group_id = :group
          AND (:spelled = '[]' OR EXISTS (SELECT 1 FROM json_each(:spelled) AS asked
                                          WHERE instr(chunk.text, asked.value) + instr(episode.name, asked.value) > 0))
        LIMIT +:limit
        """,
        {"match": match, "group": group, "limit": limit, "spelled": json_array(spelled)},
    )


def chunks_with_letters(tx: Tx, letters: str, *, group: str, limit: int) -> list[int]:
    """The chunks of a group that contain this text: a full scan, for scripts without spaces between words."""
    return tx.column(
        """
        SELECT chunk.id
        FROM chunk JOIN episode ON episode.id = chunk.episode
        WHERE instr(chunk.text, ?) > 0 AND episode.group_id = ?
        LIMIT +?
        """,
        (letters, group, limit),
    )


# For an entity, and for a name that is only proposed.
_PLACES = {
    Entity: "SELECT chunk, start, stop FROM mention WHERE entity = :node",
    Proposal: "SELECT chunk, start, stop FROM proposal_evidence WHERE proposal = :node",
}

_IN_TIME = """
    (:known IS NULL OR episode.recorded_at <= :known)
    AND (:since IS NULL OR :since <= episode.occurred_at)
    AND (:until IS NULL OR episode.occurred_at <= :until)
"""


@dataclass(frozen=True, slots=True)
class MentionPlace:
    """A place that mentions something: chunk and episode by row number, and the offsets in the chunk, if known."""

    chunk: int
    episode: int
    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class MentionedNode:
    """What a chunk mentions: an entity, or a name that is only proposed; both chunk and node by row number."""

    chunk: int
    row: int
    id: str
    name: str
    type: str
    proposed: bool


def by_chunk(
    tx: Tx,
    node: Entity | Proposal,
    *,
    limit: int,
    offset: int = 0,
    since: str | None = None,
    until: str | None = None,
) -> list[MentionPlace]:
    """Every place that mentions a node: the most recently recorded episode first, its chunks in order.

    Args:
        since, until: timestamps; leave out episodes that occurred before the one, or after the other.
    """
    rows = tx.conn.execute(
        f"""
        SELECT chunk.id, chunk.episode, place.start, place.stop
        FROM ({_PLACES[type(node)]}) AS place
        JOIN chunk ON chunk.id = place.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE {_IN_TIME}
        ORDER BY episode.recorded_at DESC, episode.id DESC, chunk.place, chunk.id
        LIMIT +:limit OFFSET :offset
        """,
        {"node": node.row, "limit": limit, "offset": offset, "known": tx.known_at, "since": since, "until": until},
    )
    return [MentionPlace(*row) for row in rows]


def of_chunks(tx: Tx, chunks: Sequence[int], *, until: str | None, limit: int) -> list[MentionPlace]:
    """These chunks as places, those of the newest episode first.

    Args:
        until: leave out episodes that occurred after this timestamp.
    """
    rows = tx.conn.execute(
        """
        SELECT chunk.id, chunk.episode, NULL, NULL
        FROM json_each(:chunks) AS asked
        JOIN chunk ON chunk.id = asked.value
        JOIN episode ON episode.id = chunk.episode
        WHERE (:known IS NULL OR recorded_at <= :known)
          AND (:until IS NULL OR occurred_at <= :until)
        ORDER BY occurred_at DESC, episode.id DESC, chunk.place, chunk.id
        LIMIT +:limit
        """,
        {"chunks": json_array(chunks), "limit": limit, "known": tx.known_at, "until": until},
    )
    return [MentionPlace(*row) for row in rows]


def count_chunks(tx: Tx, node: Entity | Proposal, *, since: str | None = None, until: str | None = None) -> int:
    """In how many chunks a node is mentioned; `since` and `until` as in `by_chunk`."""
    return _count(tx, node, "chunk.id", since=since, until=until)


def by_episode(
    tx: Tx,
    node: Entity | Proposal,
    *,
    until: str | None,
    limit: int,
    since: str | None = None,
    offset: int = 0,
    newest_first: bool = False,
) -> list[MentionPlace]:
    """The first place in each episode that mentions a node, by the time when the episode occurred.

    Args:
        since, until: timestamps; leave out episodes that occurred before the one, or after the other.
    """
    order = "DESC" if newest_first else "ASC"
    rows = tx.conn.execute(
        f"""
        WITH numbered AS (
            SELECT chunk.id AS chunk, chunk.episode AS episode, place.start AS start, place.stop AS stop,
                   row_number() OVER (PARTITION BY chunk.episode ORDER BY chunk.place, chunk.id) AS nth
            FROM ({_PLACES[type(node)]}) AS place
            JOIN chunk ON chunk.id = place.chunk
        )
        SELECT numbered.chunk, numbered.episode, numbered.start, numbered.stop
        FROM numbered JOIN episode ON episode.id = numbered.episode
        WHERE nth = 1 AND {_IN_TIME}
        ORDER BY occurred_at {order}, episode.id {order}
        LIMIT +:limit OFFSET :offset
        """,
        {"node": node.row, "limit": limit, "offset": offset, "known": tx.known_at, "since": since, "until": until},
    )
    return [MentionPlace(*row) for row in rows]


def count_episodes_of(tx: Tx, node: Entity | Proposal, *, until: str | None, since: str | None = None) -> int:
    """How many episodes mention a node; `since` and `until` as in `by_episode`."""
    return _count(tx, node, "DISTINCT episode.id", since=since, until=until)


def _count(tx: Tx, node: Entity | Proposal, counted: str, *, since: str | None, until: str | None) -> int:
    return tx.number(
        f"""
        SELECT count({counted})
        FROM ({_PLACES[type(node)]}) AS place
        JOIN chunk ON chunk.id = place.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE {_IN_TIME}
        """,
        {"node": node.row, "known": tx.known_at, "since": since, "until": until},
    )


def find(tx: Tx, chunk: int, key: str) -> tuple[str, MentionPlace] | None:
    """The place where a chunk mentions a node, with the id of the node.

    Args:
        key: the row number of an entity, or the id of a proposal.
    """
    row = tx.conn.execute(
        """
        SELECT entity.public_id, chunk.id, chunk.episode, mention.start, mention.stop
        FROM mention
        JOIN entity ON entity.id = mention.entity
        JOIN chunk ON chunk.id = mention.chunk
        WHERE mention.chunk = :chunk AND CAST(mention.entity AS TEXT) = :key
        UNION ALL
        SELECT proposal.public_id, chunk.id, chunk.episode, evidence.start, evidence.stop
        FROM proposal_evidence AS evidence
        JOIN proposal ON proposal.id = evidence.proposal
        JOIN chunk ON chunk.id = evidence.chunk
        WHERE evidence.chunk = :chunk AND proposal.public_id = :key
        """,
        {"chunk": chunk, "key": key},
    ).fetchone()
    return (row[0], MentionPlace(*row[1:])) if row else None


def nodes_in_chunks(tx: Tx, chunks: Sequence[int]) -> list[MentionedNode]:
    """What chunks mention, by chunk, entities before proposed names, and by the place of the words."""
    rows = tx.conn.execute(
        """
        SELECT mention.chunk, entity.id, entity.public_id, entity.name, entity_type.name, 0, mention.start
        FROM mention
        JOIN entity ON entity.id = mention.entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE mention.chunk IN (SELECT value FROM json_each(:chunks))
        UNION ALL
        SELECT evidence.chunk, proposal.id, public_id, subject, subject_type, 1, evidence.start
        FROM proposal_evidence AS evidence
        JOIN proposal ON proposal.id = evidence.proposal
        WHERE evidence.chunk IN (SELECT value FROM json_each(:chunks)) AND kind = 'entity'
        ORDER BY 1, 6, 7, 2
        """,
        {"chunks": json_array(chunks)},
    )
    return [
        MentionedNode(chunk, row, public_id, name, kind, bool(proposed))
        for chunk, row, public_id, name, kind, proposed, _ in rows
    ]


# SQL for the queues of the mention backfill.
#
# A chunk is "unread" until mentions were detected in it; a name, until earlier read chunks were searched for it.
# A name has the number 2 × entity.id, an alias 2 × alias.id + 1.


def any_unread(tx: Tx) -> bool:
    """Whether there are unread chunks or names."""
    return tx.is_true("SELECT EXISTS (SELECT 1 FROM chunk_unread) OR EXISTS (SELECT 1 FROM name_unread)")


def is_longer_than(tx: Tx, number: int) -> bool:
    """Whether more chunks and names than this are unread: quicker than counting them."""
    unread = tx.number(
        """
        SELECT count(*)
        FROM (SELECT * FROM (SELECT 1 FROM chunk_unread LIMIT +:most)
              UNION ALL
              SELECT * FROM (SELECT 1 FROM name_unread LIMIT +:most))
        """,
        {"most": number + 1},
    )
    return unread > number


def next_chunks(tx: Tx, *, limit: int, episodes: Sequence[int] | None = None) -> list[int]:
    """Some unread chunks of all groups, newest first; only of these episodes, if given."""
    return tx.column(
        """
        SELECT chunk
        FROM chunk_unread
        WHERE :episodes IS NULL
            OR chunk IN (SELECT id FROM chunk WHERE episode IN (SELECT value FROM json_each(:episodes)))
        ORDER BY chunk DESC
        LIMIT +:limit
        """,
        {"episodes": None if episodes is None else json_array(episodes), "limit": limit},
    )


def next_names(tx: Tx, *, limit: int) -> list[tuple[int, str | None, str | None, str | None]]:
    """Some unread names of all groups, newest first: the number, the name, the group, and the type of the entity.

    If the name was deleted in the meantime, all but the number is None.
    """
    return tx.rows(
        """
        SELECT surface, coalesce(named.name, alias.alias), coalesce(named.group_id, owner.group_id), entity_type.name
        FROM name_unread
        LEFT JOIN entity AS named ON surface % 2 = 0 AND named.id = surface / 2
        LEFT JOIN alias ON surface % 2 = 1 AND alias.id = surface / 2
        LEFT JOIN entity AS owner ON owner.id = alias.entity
        LEFT JOIN entity_type ON entity_type.id = coalesce(named.type, owner.type)
        ORDER BY surface DESC
        LIMIT +?
        """,
        (limit,),
    )


def remove_names(tx: Tx, surfaces: Sequence[int]) -> None:
    """Take names off the queue: texts were searched for them."""
    tx.conn.execute(
        "DELETE FROM name_unread WHERE surface IN (SELECT value FROM json_each(?))", (json_array(surfaces),)
    )


def add_chunks(tx: Tx, chunks: Sequence[int]) -> None:
    """Queue chunks, so that mentions are detected in them again."""
    tx.conn.executemany("INSERT OR IGNORE INTO chunk_unread VALUES (?)", [(row,) for row in chunks])


def add_all_chunks(tx: Tx) -> None:
    """Queue all chunks; then no name has to be searched for separately."""
    derived_tables.fill(tx, derived_tables.UNREAD_CHUNKS)
    tx.conn.execute("DELETE FROM name_unread")


def count(tx: Tx) -> tuple[int, int]:
    """How many chunks and how many names are on the queues."""
    row = tx.conn.execute("SELECT (SELECT count(*) FROM chunk_unread), (SELECT count(*) FROM name_unread)").fetchone()
    return int(row[0]), int(row[1])


def count_waiting_chunks(tx: Tx, chunks: Sequence[int]) -> int:
    """How many of these chunks are unread."""
    return tx.number(
        "SELECT count(*) FROM chunk_unread WHERE chunk IN (SELECT value FROM json_each(?))", (json_array(chunks),)
    )


def count_unread_in_episodes(tx: Tx, episodes: Sequence[int]) -> int:
    """How many chunks of these episodes are unread."""
    return tx.number(
        """
        SELECT count(*)
        FROM chunk_unread
        JOIN chunk ON chunk.id = chunk_unread.chunk
        WHERE chunk.episode IN (SELECT value FROM json_each(?))
        """,
        (json_array(episodes),),
    )


def remove_chunks(tx: Tx, chunks: Sequence[int]) -> None:
    """Take deleted chunks off the queue."""
    tx.conn.executemany("DELETE FROM chunk_unread WHERE chunk = ?", [(row,) for row in chunks])


def journal_version(tx: Tx) -> int:
    """The number of the last change in the journal: it grows with every change to what mentions depend on."""
    return tx.number("SELECT coalesce(max(id), 0) FROM journal")
