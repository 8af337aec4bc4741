"""Reads that are no tools: what resources, completions and exports show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keepgraph.engine import instants, names
from keepgraph.store import entities, facts, vocabulary
from keepgraph.store.db import Database
from keepgraph.tools import shape


def words(database: Database) -> dict[str, list[str]]:
    """The words of the vocabulary by kind, for schemas."""
    with database.read("vocabulary") as tx:
        return {kind: [word.name for word in vocabulary.words(tx, kind)] for kind in vocabulary.KINDS}


def vocabulary_in_full(database: Database) -> dict[str, Any]:
    """The entity types and predicates that may be used, with what they mean."""
    with database.read("vocabulary") as tx:
        return {
            plural: [
                {"name": word.name, "description": word.description, "version": word.version}
                for word in vocabulary.words(tx, kind)
            ]
            for kind, plural in (
                (vocabulary.ENTITY_TYPE, "entity_types"),
                (vocabulary.PREDICATE, "predicates"),
            )
        }


def schema(database: Database) -> dict[str, Any]:
    """What there is in the graph: how many entities of each type, and which types each predicate connects."""
    with database.read("schema") as tx:
        patterns = facts.count_by_pattern(tx, at=instants.stamp(tx.now))
        return {
            "entity_types": entities.count_by_type(tx),
            "predicates": {
                word.name: {
                    "count": sum(count for predicate, _, _, count in patterns if predicate == word.name),
                    "patterns": [
                        {"subject": subject, "object": target, "count": count}
                        for predicate, subject, target, count in patterns
                        if predicate == word.name
                    ],
                }
                for word in vocabulary.words(tx, vocabulary.PREDICATE)
            },
        }


def names_starting(
    database: Database, beginning: str, *, of_type: str | None = None, limit: int = 100
) -> list[dict[str, Any]]:
    """Entities whose name begins so, by name, for completing what someone types."""
    key = names.key(beginning) if beginning.strip() else ""
    with database.read("completion") as tx:
        return [shape.entity(found) for found in entities.starting_with(tx, key, of_type=of_type, limit=limit)]


def export(database: Database) -> Iterator[dict[str, Any]]:
    """Every assertion of every fact of the group, as the arguments of record_fact, in the order of recording."""
    with database.read("export") as tx:
        aliases = {entity.row: found for entity, found in entities.aliased(tx)}
        for fact in facts.every(tx):
            line: dict[str, Any] = {
                "subject": {"type": fact.subject.type, "name": fact.subject.name},
                "predicate": fact.predicate,
                "object": {"type": fact.object.type, "name": fact.object.name}
                if fact.object
                else {"literal": fact.literal},
                "source": fact.source,
                "confidence": fact.confidence,
                "valid_from": fact.valid_from,
                "valid_to": fact.valid_to,
                "aliases": aliases.pop(fact.subject.row, None),
            }
            yield {name: value for name, value in line.items() if value is not None}
