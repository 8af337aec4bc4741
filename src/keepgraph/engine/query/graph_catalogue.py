"""The graph as queries see it: which labels, relationship types and properties there are, and how they lie in tables.

Labels are entity types in PascalCase, relationship types are predicates in UPPER_SNAKE. A literal is a node with the
label Literal; equal texts are one node.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from keepgraph import store
from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue, Column, Edges, Literals, Nodes, counted
from keepgraph.cypher.table_graph import Arrays, Statements
from keepgraph.model import Word
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

LITERAL = "Literal"
ENTITY = "Entity"
"""A label that every entity answers to, and that is never shown: many are used to writing it."""

LITERAL_PROPERTIES = ("value", "name")
DATES = frozenset(("created_at", "recorded_at", "valid_from", "valid_to"))
"""Properties whose values are instants as text: UTC, `2026-11-21T08:44:39.123Z`, so that text order is time order."""

_TEXT = value_types.STRING | value_types.NULL
_UNIQUE = 1e-6

NODE_COLUMNS: Mapping[str, Column] = {
    "id": Column("{row}.public_id", value_types.STRING, _UNIQUE),
    "name": Column("{row}.name", value_types.STRING, _UNIQUE),
    "summary": Column("nullif({row}.summary, '')", _TEXT),
    "aliases": Column(store.compiled_queries.ALIASES_OF, value_types.LIST),
    "group_id": Column("{row}.group_id", value_types.STRING, 1.0),
    "created_at": Column("{row}.created_at", value_types.STRING),
}
EDGE_COLUMNS: Mapping[str, Column] = {
    "id": Column("{row}.public_id", value_types.STRING, _UNIQUE),
    "text": Column("{row}.text", value_types.STRING),
    "confidence": Column("{row}.confidence", value_types.FLOAT, 0.1),
    "source": Column(store.compiled_queries.SOURCE_OF, _TEXT),
    "recorded_at": Column("{row}.recorded_at", value_types.STRING),
    "valid_from": Column("nullif({row}.valid_from, '')", _TEXT),
    "valid_to": Column("nullif({row}.valid_to, '~')", _TEXT),
}


def label(word: str) -> str:
    """An entity type as a label: `research_paper` is `ResearchPaper`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\s-]+", word) if part)


def relationship_type(word: str) -> str:
    """A predicate as a relationship type: `reports_to` is `REPORTS_TO`."""
    return re.sub(r"[\s-]+", "_", word).upper()


def statements(tx: Tx) -> Statements:
    """The catalogue of the graph at the instant of the call, with the statements written for it.

    Written anew when what it says of the graph has changed: the words, the groups, whether all facts hold, and
    roughly how many there are.
    """
    shape = store.change_cache.kept(tx, ("shape", tx.group), lambda: _shape(tx))
    # One connection reads as of many moments.
    all_hold = tx.known_at is None and shape.settled <= timestamps.stamp(tx.now)
    key = ("statements", tx.group, tx.known_at is None, all_hold, shape)
    if key not in tx.kept:
        for old in [each for each in tx.kept if isinstance(each, tuple) and each[:4] == key[:4]]:
            del tx.kept[old]
        tx.kept[key] = Statements(_catalogue(tx, shape, all_hold=all_hold))
    found: Statements = tx.kept[key]
    return found


def arrays(tx: Tx) -> Arrays | None:
    """Where the arrays of the graph at the instant of the call are kept; None for the past as it was known."""
    if tx.known_at is not None:
        return None
    at = timestamps.stamp(tx.now)
    kept = store.change_cache.kept(
        tx, ("arrays", tx.group), lambda: [_Laid(at, store.compiled_queries.next_boundary(tx, at=at), Arrays())]
    )
    if not kept[0].since <= at < kept[0].until:
        kept[0] = _Laid(at, store.compiled_queries.next_boundary(tx, at=at), Arrays())
    return kept[0].arrays


@dataclass(frozen=True, slots=True)
class _Laid:
    """Arrays, and from when until when they are of what holds."""

    since: str
    until: str
    arrays: Arrays


def values(tx: Tx) -> dict[str, object]:
    """What the conditions of the catalogue bind."""
    return {"at": timestamps.stamp(tx.now), "group": tx.group, "known": tx.known_at}


def words(tx: Tx) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """The entity types and the predicates of the graph."""
    shape = store.change_cache.kept(tx, ("shape", tx.group), lambda: _shape(tx))
    return shape.types, shape.predicates


class Directions(Mapping[str, tuple[frozenset[str], frozenset[str]]]):
    """For each relationship type, the labels it is meant to lead from and to; an empty set means any.

    A type that some fact uses otherwise is meant for any: what is in the graph can be asked for. Whether there is
    such a fact is looked up when somebody asks about the type. Of one transaction.
    """

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        types, predicates = words(tx)
        self._labels = {word.row: label(word.name) for word in types}
        self._predicates = {relationship_type(word.name): word.row for word in predicates}

    def __getitem__(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        predicate = self._predicates[name]
        meant = [(side, row) for which, side, row in store.compiled_queries.meant_ends(self._tx) if which == predicate]
        subjects = [row for side, row in meant if side == "subject"]
        objects = [row for side, row in meant if side == "object"]
        if not meant or store.change_cache.kept(
            self._tx,
            ("contradicted", predicate),
            lambda: store.compiled_queries.contradicted(self._tx, predicate, subjects, objects),
        ):
            return frozenset(), frozenset()
        return frozenset(self._labels[row] for row in subjects), frozenset(self._labels[row] for row in objects)

    def __iter__(self) -> Iterator[str]:
        return iter(self._predicates)

    def __len__(self) -> int:
        return len(self._predicates)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a catalogue depends on besides the moment and the group.

    Attributes:
        alone: whether there is no other group.
        settled: the stamp from which on every fact holds for ever; `~` if there is none.
        magnitude: how many facts there are, roughly: estimates may be that old.
    """

    alone: bool
    settled: str = field(compare=False)
    magnitude: int
    types: tuple[Word, ...]
    predicates: tuple[Word, ...]


def _shape(tx: Tx) -> _Shape:
    return _Shape(
        alone=store.groups.alone(tx),
        settled=store.compiled_queries.settled(tx),
        magnitude=int(4 * math.log2(store.compiled_queries.newest_fact(tx) + 1)),
        types=tuple(store.vocabulary.words(tx, store.vocabulary.ENTITY_TYPE)),
        predicates=tuple(store.vocabulary.words(tx, store.vocabulary.PREDICATE)),
    )


def _catalogue(tx: Tx, shape: _Shape, *, all_hold: bool) -> Catalogue:
    indexed = tx.known_at is None
    held = "" if all_hold else " AND {row}.valid_from <= {at} AND {at} < {row}.valid_to"
    grouped = "" if shape.alone else f" AND {store.compiled_queries.GROUP_OF} = {{group}}"
    current = "{row}.retracted_at IS NULL" + held + grouped
    described = Catalogue(
        nodes=Nodes(
            table="entity",
            id="id",
            code="type",
            labels={word.row: (label(word.name),) for word in shape.types},
            condition="" if shape.alone else "{row}.group_id = {group}",
            columns=NODE_COLUMNS,
            bag="properties",
            public_id="{row}.public_id",
            implied=(ENTITY,),
            sorted_by=("group_id",),
        ),
        edges=Edges(
            table="fact" if indexed else store.compiled_queries.KNOWN_ONCE,
            id="id",
            code="predicate",
            types={word.row: relationship_type(word.name) for word in shape.predicates},
            source="subject",
            target="object",
            condition=current,
            to_node="+{row}.object IS NOT NULL",
            columns=EDGE_COLUMNS,
            bag=None,
            public_id="{row}.public_id",
            code_leads=True,
            out_index="fact_by_predicate" if indexed else "",
            in_index="fact_in" if indexed else "",
        ),
        literals=Literals(
            column="literal",
            label=LITERAL,
            properties=LITERAL_PROPERTIES,
            condition=current + " AND {row}.literal IS NOT NULL",
            index="fact_with_literal" if indexed else "",
        ),
        values=values(tx),
    )
    return counted(
        described, store.compiled_queries.entities_by_type(tx), store.compiled_queries.facts_by_predicate(tx)
    )
