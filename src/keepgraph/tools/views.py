"""Read-only views that are no tools: vocabulary, schema, completions, calls, duplicates and the export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.language import normalisation
from keepgraph.model import Candidate, Entity, Ref
from keepgraph.store.cancellation import CancellationCheck
from keepgraph.store.database import Database
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import shape
from keepgraph.tools.contract.catalogue import Tool

_BATCH = 100


def vocabulary(database: Database) -> dict[str, list[str]]:
    """The entity types and the predicates of the vocabulary, by kind, as schemas advertise them."""
    with database.read("vocabulary") as tx:
        return {kind: [word.name for word in store.vocabulary.terms(tx, kind)] for kind in store.vocabulary.KINDS}


def vocabulary_with_descriptions(database: Database) -> dict[str, Any]:
    """The vocabulary with descriptions."""
    with database.read("vocabulary") as tx:
        return {
            plural: [
                {"name": word.name, "description": word.description, "version": word.version}
                for word in store.vocabulary.terms(tx, kind)
            ]
            for kind, plural in (
                (store.vocabulary.ENTITY_TYPE, "entity_types"),
                (store.vocabulary.PREDICATE, "predicates"),
            )
        }


def schema(database: Database) -> dict[str, Any]:
    """How many entities of each type there are, and which types each predicate connects, how often."""
    with database.read("schema") as tx:
        patterns = store.facts.count_by_pattern(tx, at=timestamps.from_datetime(tx.now))
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
                for word in store.vocabulary.terms(tx, store.vocabulary.PREDICATE)
            },
        }


def descriptions(database: Database, tools: Iterable[Tool], *, cancellation: CancellationCheck) -> dict[str, str]:
    """The descriptions of tools by name, completed with the vocabulary of the graph."""
    with database.read("descriptions", cancellation=cancellation) as tx:
        return {
            tool.name: tool.description
            if tool.description_suffix is None
            else f"{tool.description}\n\n{tool.description_suffix(tx)}"
            for tool in tools
        }


def complete_names(
    database: Database, prefix: str, *, of_type: str | None = None, limit: int = 100
) -> list[dict[str, Any]]:
    """Entities whose name has this prefix, by name, for completion."""
    key = normalisation.key(prefix) if prefix.strip() else ""
    with database.read("completion") as tx:
        return [shape.entity(entity) for entity in store.entities.by_prefix(tx, key, of_type=of_type, limit=limit)]


def calls(database: Database, *, limit: int) -> list[dict[str, Any]]:
    """The calls that changed something, newest first, with their numbers for undo and whether they were undone."""
    with database.read("log") as tx:
        return [
            {
                "call": call.id,
                "at": timestamps.format_local(call.at, tx.zone),
                "tool": call.tool,
                "session": call.session,
                "touched": dict(call.row_counts),
                "undoes": call.undoes,
                "undone_by": call.undone_by,
            }
            for call in store.journal.list_calls(tx, limit=limit)
        ]


def count_entities(database: Database) -> int:
    with database.read("duplicates") as tx:
        return sum(store.entities.count_by_type(tx).values())


def duplicates(database: Database, *, only: dict[str, str] | None = None) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Pairs of entities that may be the same one, in batches: how many entities were compared, and the pairs.

    Every batch is a short read of its own, so that writers need not wait.

    Args:
        only: the type and name, or the id, of one entity: only its duplicates.
    """
    if only is not None:
        with database.read("duplicates") as tx:
            entity = knowledge.entities.find(tx, Ref(**only))
            candidates = knowledge.entities.possible_duplicates(tx, entity)
            yield 1, [_describe_pair(entity, duplicate) for duplicate in candidates]
        return
    after = 0
    while True:
        with database.read("duplicates") as tx:
            batch = store.entities.page(tx, after, limit=_BATCH)
            pairs = [
                _describe_pair(entity, duplicate)
                for entity in batch
                for duplicate in knowledge.entities.possible_duplicates(tx, entity)
                if duplicate.entity.row < entity.row
            ]
        if not batch:
            return
        yield len(batch), pairs
        after = batch[-1].row


def export(database: Database) -> Iterator[dict[str, Any]]:
    """The whole graph as it is at this moment, all groups, as the lines that `kg import` reads; see docs/export.md."""
    from keepgraph.engine.exchange import export  # what no other command needs

    with database.read("export") as tx:
        yield from export.generate_lines(tx)


def _describe_pair(entity: Entity, duplicate: Candidate) -> dict[str, Any]:
    return {"entity": shape.entity(duplicate.entity), "double": shape.entity(entity), "score": duplicate.score}
