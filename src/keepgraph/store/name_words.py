"""SQL for the words of names: the words that may be meant by a mistyped one, and the names that have certain words.

A name or an alias has one number: 2 × entity.id for a name, 2 × alias.id + 1 for an alias (see derived_tables).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from keepgraph.lazy import dataclass
from keepgraph.store.transactions import Tx

_MAX_LENGTHS_APART = 2
_MAX_POSTINGS = 2_000  # of a set of words that are read at once
_SURFACES = "surface FROM name_posting WHERE word IN (SELECT value FROM json_each(?))"
_LAST_CHARACTER = chr(0x10FFFF)


@dataclass(frozen=True, slots=True)
class Fragments:
    """The parts of a word of which a typo leaves one.

    Attributes:
        length: of the word; others are at most two letters longer or shorter.
        end: two letters at least.
        middle: where it stands in a word, its first letter has to be the same; empty for none.
    """

    length: int
    start: str
    end: str
    middle: str = ""


def near(tx: Tx, spellings: Collection[str], fragments: Sequence[Fragments]) -> dict[str, int]:
    """The words of names that are written in one of these ways, or have one of these fragments, each with its row."""
    selections = ["SELECT word, id FROM name_word WHERE word IN (SELECT value FROM json_each(?))"]
    values: list[object] = [json.dumps(list(spellings))]
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
    return dict(tx.conn.execute(" UNION ALL ".join(selections), values).fetchall())


def beginning_with(tx: Tx, letters: Collection[str]) -> dict[str, int]:
    """The words of names that begin with one of these characters, each with its row."""
    one = "SELECT word, id FROM name_word WHERE word >= ? AND word < ?"
    bounds = [bound for letter in letters for bound in (letter, letter + _LAST_CHARACTER)]
    return dict(tx.conn.execute(" UNION ALL ".join([one] * len(letters)), bounds).fetchall()) if letters else {}


def entity_counts(tx: Tx, words: Collection[str], *, at_most: int) -> dict[str, int]:
    """In the names of how many entities each of these words stands, up to a number of names; 0 where it is in none."""
    entity = "iif(surface % 2, (SELECT entity FROM alias WHERE id = surface / 2), surface / 2)"
    counts = tx.conn.execute(
        f"""
        SELECT name_word.word, (
            SELECT count(DISTINCT {entity})
            FROM (SELECT surface FROM name_posting WHERE name_posting.word = name_word.id LIMIT +:at_most)
        )
        FROM json_each(:words) AS asked
        JOIN name_word ON name_word.word = asked.value
        """,
        {"words": json.dumps(list(words)), "at_most": at_most},
    )
    return dict.fromkeys(words, 0) | dict(counts.fetchall())


def names_with(
    tx: Tx, alternatives: Sequence[Collection[int]], *, of_types: Collection[str] | None, limit: int
) -> list[tuple[str, int]]:
    """Folded names and aliases that have a word of each of these sets, each with the row of its entity.

    Args:
        alternatives: rows of words; one set at least.
        of_types: only of entities of exactly these types; None for any.
    """
    words = [json.dumps(list(each)) for each in alternatives]
    postings = _postings(tx, words)
    frequent = [each for each, surfaces in zip(words, postings, strict=True) if len(surfaces) == _MAX_POSTINGS]
    rare = [frozenset(surfaces) for surfaces in postings if len(surfaces) < _MAX_POSTINGS]
    if rare:
        selected = "SELECT value AS surface FROM json_each(?)"
        values = [json.dumps(sorted(map(int, frozenset.intersection(*rare))))]
    else:
        selected = f"SELECT DISTINCT {_SURFACES}"
        values = [frequent.pop()]
    also_has = f"AND EXISTS (SELECT {_SURFACES} AND name_posting.surface = posting.surface)"
    is_of_types = "AND entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(?)))"
    rows = tx.conn.execute(
        f"""
        SELECT DISTINCT coalesce(alias.alias_folded, entity.name_folded), entity.id
        FROM ({selected}) AS posting
        LEFT JOIN alias ON posting.surface % 2 = 1 AND alias.id = posting.surface / 2
        JOIN entity ON entity.id = iif(posting.surface % 2, alias.entity, posting.surface / 2)
        WHERE true {also_has * len(frequent)} {is_of_types * (of_types is not None)}
        LIMIT +?
        """,
        [*values, *frequent, *([json.dumps(list(of_types))] if of_types is not None else []), limit],
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def _postings(tx: Tx, words: Sequence[str]) -> list[list[str]]:
    """The numbers of names that have a word of each set, an array in JSON; of frequent words only `_MAX_POSTINGS`."""
    # As one text for each set: a row for each number takes four times as long.
    numbers = f"(SELECT group_concat(surface) FROM (SELECT {_SURFACES} LIMIT {_MAX_POSTINGS}))"
    together = tx.conn.execute(f"SELECT {', '.join([numbers] * len(words))}", words).fetchone()
    return [text.split(",") if text else [] for text in together]
