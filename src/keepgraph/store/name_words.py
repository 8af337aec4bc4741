"""SQL for the words of names: the words that may be meant by a mistyped one, and the names that have certain words.

A name or an alias has one number: 2 × entity.id for a name, 2 × alias.id + 1 for an alias (see derived_tables).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from keepgraph.store.transactions import Tx

_MAX_LENGTHS_APART = 2
_MAX_COUNTED = 1_000
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


def names_with(tx: Tx, alternatives: Sequence[Collection[int]], *, limit: int) -> list[tuple[str, int]]:
    """Folded names and aliases that have a word of each of these sets, each with the row of its entity.

    Args:
        alternatives: rows of words; one set at least.
    """
    # Few names have the rarest words: only these are read, and looked for among the others.
    words = _rarest_first(tx, [json.dumps(list(each)) for each in alternatives])
    has_others = """
        AND EXISTS (
            SELECT 1 FROM name_posting AS other
            WHERE other.word IN (SELECT value FROM json_each(?)) AND other.surface = posting.surface
        )
    """
    rows = tx.conn.execute(
        f"""
        SELECT DISTINCT coalesce(named.name_folded, alias.alias_folded), coalesce(named.id, alias.entity)
        FROM name_posting AS posting
        LEFT JOIN entity AS named ON posting.surface % 2 = 0 AND named.id = posting.surface / 2
        LEFT JOIN alias ON posting.surface % 2 = 1 AND alias.id = posting.surface / 2
        WHERE posting.word IN (SELECT value FROM json_each(?)){has_others * (len(words) - 1)}
        LIMIT ?
        """,
        [*words, limit],
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def _rarest_first(tx: Tx, alternatives: Sequence[str]) -> Sequence[str]:
    """Sets of words, as arrays in JSON, those in the fewest names first; frequent ones in any order."""
    if len(alternatives) == 1:
        return alternatives
    count = f"""
        (SELECT count(*) FROM (
            SELECT 1 FROM name_posting WHERE word IN (SELECT value FROM json_each(?)) LIMIT {_MAX_COUNTED}
        ))
    """
    counts = tx.conn.execute(f"SELECT {', '.join([count] * len(alternatives))}", alternatives).fetchone()
    return [words for _, words in sorted(zip(counts, alternatives, strict=True))]
