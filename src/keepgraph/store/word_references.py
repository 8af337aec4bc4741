"""SQL for what refers to a word of the vocabulary, when words are merged: facts, entities, other words, texts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from keepgraph.lazy import dataclass
from keepgraph.store import derived_tables, vocabulary
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx


def duplicate_facts(tx: Tx, predicate: int, target: int, *, are_reversed: bool) -> list[tuple[int, int]]:
    """The facts of a predicate that facts of another one repeat with the same validity; both, if not retracted.

    Args:
        are_reversed: whether facts repeat each other with their ends exchanged.
    """
    subject, target_object = ("object", "subject") if are_reversed else ("subject", "object")
    return tx.rows(
        f"""
        SELECT fact.id, twin.id
        FROM fact
        CROSS JOIN fact AS twin
            ON twin.subject = fact.{subject} AND twin.predicate = :target AND twin.object = fact.{target_object}
            AND twin.valid_from = fact.valid_from AND twin.valid_to = fact.valid_to
        WHERE fact.predicate = :predicate AND fact.retracted_at IS NULL AND fact.object IS NOT NULL
          AND twin.retracted_at IS NULL AND twin.object IS NOT NULL AND twin.id <> fact.id
        UNION ALL
        SELECT fact.id, twin.id
        FROM fact
        CROSS JOIN fact AS twin
            ON twin.subject = fact.subject AND twin.predicate = :target AND twin.literal = fact.literal
            AND twin.valid_from = fact.valid_from AND twin.valid_to = fact.valid_to
        WHERE fact.predicate = :predicate AND fact.retracted_at IS NULL AND fact.literal IS NOT NULL
          AND twin.retracted_at IS NULL AND twin.literal IS NOT NULL AND twin.id <> fact.id AND NOT :are_reversed
        ORDER BY fact.id, twin.id
        """,
        {"predicate": predicate, "target": target, "are_reversed": are_reversed},
    )


def set_facts(tx: Tx, facts: Iterable[tuple[int, int, int | None, str, int]]) -> None:
    """Update facts, given as rows of: subject, predicate, object, text, and the row of the fact."""
    tx.conn.executemany("UPDATE fact SET subject = ?, predicate = ?, object = ?, text = ? WHERE id = ?", list(facts))


def entities_of_same_name(tx: Tx, entity_type: int, target: int) -> list[tuple[int, int, str]]:
    """The entities of a type with the same name as one of another type in their group: both rows, and the group."""
    return tx.rows(
        """
        SELECT entity.id, other.id, entity.group_id
        FROM entity
        JOIN entity AS other
            ON other.group_id = entity.group_id AND other.name_key = entity.name_key AND other.type = ?
        WHERE entity.type = ?
        ORDER BY entity.id
        """,
        (target, entity_type),
    )


def move_entities(tx: Tx, entity_type: int, target: int) -> int:
    """Give all entities of a type another type, and delete their aliases that are names of others of that type.

    Returns how many entities there were.
    """
    moved = tx.column("SELECT id FROM entity WHERE type = ? ORDER BY id", (entity_type,))
    tx.conn.execute("UPDATE entity SET type = ? WHERE type = ?", (target, entity_type))
    tx.conn.execute(
        """
        DELETE FROM alias
        WHERE id IN (
            SELECT alias.id
            FROM entity AS owner
            JOIN alias ON alias.entity = owner.id
            JOIN entity AS other
                ON other.group_id = owner.group_id AND other.name_key = alias.alias_key AND other.type = owner.type
            WHERE owner.type = ? AND other.id <> owner.id
        )
        """,
        (target,),
    )
    derived_tables.requeue_aliases(tx, moved)
    return len(moved)


def move_references_to_type(tx: Tx, entity_type: int, target: int) -> None:
    """Replace a type in other words: as their parent, as disjoint, at an end, as a replacement."""
    _move_parents(tx, entity_type, target)
    _move_disjoint(tx, entity_type, target)
    _move_ends(tx, entity_type, target)
    tx.conn.execute("UPDATE entity_type SET replaced_by = ? WHERE replaced_by = ?", (target, entity_type))


def move_references_to_predicate(tx: Tx, predicate: int, target: int) -> None:
    """Replace a predicate in other words: as their inverse, and as their replacement."""
    tx.conn.execute("UPDATE predicate SET inverse_of = ? WHERE inverse_of = ?", (target, predicate))
    tx.conn.execute("UPDATE predicate SET replaced_by = ? WHERE replaced_by = ?", (target, predicate))


def rename_type_in_texts(tx: Tx, name: str, new_name: str) -> None:
    """Rename a type in annotations of texts, in proposals and in proposed facts."""
    annotated = tx.conn.execute(
        """
        SELECT id, named
        FROM chunk
        WHERE named <> '[]' AND EXISTS (SELECT 1 FROM json_each(named) WHERE value ->> 'type' = ?)
        """,
        (name,),
    ).fetchall()
    for row, named in annotated:
        annotations = [
            {**annotation, "type": new_name} if annotation.get("type") == name else annotation
            for annotation in json.loads(named)
        ]
        tx.conn.execute("UPDATE chunk SET named = ? WHERE id = ?", (json.dumps(annotations, ensure_ascii=False), row))
    for table in ("proposal", "proposed_fact"):
        for column in ("subject_type", "object_type"):
            tx.conn.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new_name, name))


def _move_parents(tx: Tx, row: int, target: int) -> None:
    """Replace a type as a parent; what would be a duplicate or a loop is deleted."""
    tx.conn.execute(
        """
        DELETE FROM type_parent
        WHERE parent = :row
          AND (type = :target OR type IN (SELECT type FROM type_parent WHERE parent = :target))
        """,
        {"row": row, "target": target},
    )
    tx.conn.execute("UPDATE type_parent SET parent = ? WHERE parent = ?", (target, row))


def _move_disjoint(tx: Tx, row: int, target: int) -> None:
    others = "SELECT iif(type = :row, other, type) FROM type_disjoint WHERE :row IN (type, other) ORDER BY id"
    moved, existing = tx.column(others, {"row": row}), tx.column(others, {"row": target})
    tx.conn.execute("DELETE FROM type_disjoint WHERE :row IN (type, other)", {"row": row})
    vocabulary.insert_disjoint(tx, [(target, other) for other in moved if other not in (*existing, target)])


def _move_ends(tx: Tx, row: int, target: int) -> None:
    tx.conn.execute(
        """
        DELETE FROM predicate_end
        WHERE type = :row
          AND EXISTS (SELECT 1 FROM predicate_end AS same
                      WHERE same.predicate = predicate_end.predicate AND same.side = predicate_end.side
                        AND same.type = :target)
        """,
        {"row": row, "target": target},
    )
    tx.conn.execute("UPDATE predicate_end SET type = ? WHERE type = ?", (target, row))


# SQL for the words of names: those that a mistyped word may mean, and the names that have certain words.
#
# A name or an alias has one number: 2 × entity.id for a name, 2 × alias.id + 1 for an alias (see derived_tables).

_MAX_LENGTHS_APART = 2
_MAX_POSTINGS = 2_000  # of a set of words that are read at once
_SURFACES = "surface FROM name_posting WHERE word IN (SELECT value FROM json_each(?))"
_LAST_CHARACTER = chr(0x10FFFF)


@dataclass(frozen=True, slots=True)
class Fragments:
    """The parts of a word, of which a typo leaves one.

    Attributes:
        length: of the word; others are at most two letters longer or shorter.
        end: at least two letters.
        middle: counts only in words with the same first letter; empty for none.
    """

    length: int
    start: str
    end: str
    middle: str = ""


def near(tx: Tx, spellings: Collection[str], fragments: Sequence[Fragments]) -> dict[str, int]:
    """The words of names that are written in one of these ways, or have one of these fragments, each with its row."""
    selections = ["SELECT word, id FROM name_word WHERE word IN (SELECT value FROM json_each(?))"]
    values: list[object] = [json_array(spellings)]
    for each in fragments:
        lengths = (each.length - _MAX_LENGTHS_APART, each.length + _MAX_LENGTHS_APART)
        selections += [
            "SELECT word, id FROM name_word WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?",
            "SELECT word, id FROM name_word WHERE substr(word, -2) = ? AND length(word) BETWEEN ? AND ? "
            "AND substr(word, ?) = ?",
        ]
        values += [each.start, each.start + _LAST_CHARACTER, *lengths]
        values += [each.end[-2:], *lengths, -len(each.end), each.end]
        if each.middle:
            selections.append(f"{selections[1]} AND instr(word, ?)")
            values += [each.start[0], each.start[0] + _LAST_CHARACTER, *lengths, each.middle]
    return tx.mapping(" UNION ALL ".join(selections), values)


def beginning_with(tx: Tx, letters: Collection[str]) -> dict[str, int]:
    """The words of names that begin with one of these characters, each with its row."""
    one = "SELECT word, id FROM name_word WHERE word >= ? AND word < ?"
    bounds = [bound for letter in letters for bound in (letter, letter + _LAST_CHARACTER)]
    return tx.mapping(" UNION ALL ".join([one] * len(letters)), bounds) if letters else {}


def entity_counts(tx: Tx, words: Collection[str], *, at_most: int) -> dict[str, int]:
    """How many entities have each of these words in their names, up to a number of names."""
    entity = "iif(surface % 2, (SELECT entity FROM alias WHERE id = surface / 2), surface / 2)"
    counts = tx.mapping(
        f"""
        SELECT name_word.word, (
            SELECT count(DISTINCT {entity})
            FROM (SELECT surface FROM name_posting WHERE name_posting.word = name_word.id LIMIT +:at_most)
        )
        FROM json_each(:words) AS asked
        JOIN name_word ON name_word.word = asked.value
        """,
        {"words": json_array(words), "at_most": at_most},
    )
    return dict.fromkeys(words, 0) | counts


def names_with(
    tx: Tx, alternatives: Sequence[Collection[int]], *, of_types: Collection[str] | None, limit: int
) -> list[tuple[str, int]]:
    """Folded names and aliases that have a word of each of these sets, each with the row of its entity.

    Args:
        alternatives: rows of words; at least one set.
        of_types: only of entities of exactly these types; None for any.
    """
    words = [json_array(each) for each in alternatives]
    postings = _postings(tx, words)
    frequent = [each for each, surfaces in zip(words, postings, strict=True) if len(surfaces) == _MAX_POSTINGS]
    rare = [frozenset(surfaces) for surfaces in postings if len(surfaces) < _MAX_POSTINGS]
    if rare:
        selected = "SELECT value AS surface FROM json_each(?)"
        values = [json_array(sorted(map(int, frozenset.intersection(*rare))))]
    else:
        selected = f"SELECT DISTINCT {_SURFACES}"
        values = [frequent.pop()]
    also_has = f"AND EXISTS (SELECT {_SURFACES} AND name_posting.surface = posting.surface)"
    is_of_types = "AND entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(?)))"
    return tx.rows(
        f"""
        SELECT DISTINCT coalesce(alias.alias_folded, entity.name_folded), entity.id
        FROM ({selected}) AS posting
        LEFT JOIN alias ON posting.surface % 2 = 1 AND alias.id = posting.surface / 2
        JOIN entity ON entity.id = iif(posting.surface % 2, alias.entity, posting.surface / 2)
        WHERE true {also_has * len(frequent)} {is_of_types * (of_types is not None)}
        LIMIT +?
        """,
        [*values, *frequent, *([json_array(of_types)] if of_types is not None else []), limit],
    )


def _postings(tx: Tx, words: Sequence[str]) -> list[list[str]]:
    """The numbers of names that have a word of each set, an array in JSON; of frequent words only `_MAX_POSTINGS`."""
    # As one text for each set: a row for each number takes four times as long.
    numbers = f"(SELECT group_concat(surface) FROM (SELECT {_SURFACES} LIMIT {_MAX_POSTINGS}))"
    together = tx.conn.execute(f"SELECT {', '.join([numbers] * len(words))}", words).fetchone()
    return [text.split(",") if text else [] for text in together]
