"""Reads that are no tools: what resources, completions, exports and the log show. And the past, as readers see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.language import normalisation
from keepgraph.model import Candidate, Entity, Ref
from keepgraph.store.database import Database, Stop, Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import shape
from keepgraph.tools.contract.catalogue import Tool

_COMPARED_AT_ONCE = 100


def seen(tx: Tx, *, as_of: str | None, known_at: str | None) -> Tx:
    """The transaction as of another moment, for reading: what held then, of what was known then.

    A date means the end of that local day. Who asks what was known then, and not as of when, means the same moment.

    Raises:
        errors.MomentInvalid: one of them is neither a date nor an instant.
    """
    if as_of is None and known_at is None:
        return tx
    known = _moment(tx, known_at, "known_at") if known_at is not None else None
    held = _moment(tx, as_of, "as_of") if as_of is not None else known
    return replace(tx, now=held or tx.now, known_at=timestamps.stamp(known) if known else None)


def words(database: Database) -> dict[str, list[str]]:
    """The words of the vocabulary by kind, for schemas."""
    with database.read("vocabulary") as tx:
        return {kind: [word.name for word in store.vocabulary.words(tx, kind)] for kind in store.vocabulary.KINDS}


def vocabulary_in_full(database: Database) -> dict[str, Any]:
    """The entity types and predicates that may be used, with what they mean."""
    with database.read("vocabulary") as tx:
        return {
            plural: [
                {"name": word.name, "description": word.description, "version": word.version}
                for word in store.vocabulary.words(tx, kind)
            ]
            for kind, plural in (
                (store.vocabulary.ENTITY_TYPE, "entity_types"),
                (store.vocabulary.PREDICATE, "predicates"),
            )
        }


def schema(database: Database) -> dict[str, Any]:
    """What there is in the graph: how many entities of each type, and which types each predicate connects."""
    with database.read("schema") as tx:
        patterns = store.facts.count_by_pattern(tx, at=timestamps.stamp(tx.now))
        return {
            "entity_types": store.entities.count_by_type(tx),
            "predicates": {
                word.name: {
                    "count": sum(count for predicate, _, _, count in patterns if predicate == word.name),
                    "patterns": [
                        {"subject": subject, "object": target, "count": count}
                        for predicate, subject, target, count in patterns
                        if predicate == word.name
                    ],
                }
                for word in store.vocabulary.words(tx, store.vocabulary.PREDICATE)
            },
        }


def descriptions(database: Database, tools: Iterable[Tool], *, stop: Stop) -> dict[str, str]:
    """The descriptions of tools by name, each completed with what the graph says of itself."""
    with database.read("descriptions", stop=stop) as tx:
        return {
            each.name: each.description if each.told is None else f"{each.description}\n\n{each.told(tx)}"
            for each in tools
        }


def names_starting(
    database: Database, beginning: str, *, of_type: str | None = None, limit: int = 100
) -> list[dict[str, Any]]:
    """Entities whose name begins so, by name, for completing what someone types."""
    key = normalisation.key(beginning) if beginning.strip() else ""
    with database.read("completion") as tx:
        return [shape.entity(found) for found in store.entities.starting_with(tx, key, of_type=of_type, limit=limit)]


def log(database: Database, *, limit: int) -> list[dict[str, Any]]:
    """The calls that changed something, newest first, with what undo takes and whether they were taken back."""
    with database.read("log") as tx:
        return [
            {
                "call": call.id,
                "at": timestamps.shown(call.at, tx.zone),
                "tool": call.tool,
                "session": call.session,
                "touched": dict(call.touched),
                "undoes": call.undoes,
                "undone_by": call.undone_by,
            }
            for call in store.journal.calls(tx, limit=limit)
        ]


def count_entities(database: Database) -> int:
    with database.read("duplicates") as tx:
        return sum(store.entities.count_by_type(tx).values())


def duplicates(database: Database, *, only: dict[str, str] | None = None) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Entities that may be one, some at a time: how many were looked at, and the pairs that were found.

    With `only`, the doubles of this one. Every batch is a short read, so that writers need not wait.
    """
    if only is not None:
        with database.read("duplicates") as tx:
            found = knowledge.entities.find(tx, Ref(**only))
            yield 1, [_pair(found, double) for double in knowledge.entities.possible_duplicates(tx, found)]
        return
    after = 0
    while True:
        with database.read("duplicates") as tx:
            some = store.entities.after(tx, after, limit=_COMPARED_AT_ONCE)
            pairs = [
                _pair(entity, double)
                for entity in some
                for double in knowledge.entities.possible_duplicates(tx, entity)
                if double.entity.row < entity.row
            ]
        if not some:
            return
        yield len(some), pairs
        after = some[-1].row


def export(database: Database) -> Iterator[dict[str, Any]]:
    """The whole graph as it is at this moment, all groups, as the lines that `kg import` reads; see docs/export.md."""
    from keepgraph.engine.exchange import export  # what no other command needs

    with database.read("export") as tx:
        yield from export.lines(tx)


def _pair(entity: Entity, double: Candidate) -> dict[str, Any]:
    return {"entity": shape.entity(double.entity), "double": shape.entity(entity), "score": double.score}


def _moment(tx: Tx, text: str, parameter: str) -> datetime:
    try:
        return timestamps.moment(text, tx.zone)
    except (ValueError, OverflowError) as error:
        raise errors.MomentInvalid(f"{parameter} is {error}") from error
