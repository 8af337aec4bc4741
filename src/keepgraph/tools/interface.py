"""The interface toolset, for our own interfaces and never listed: vocabulary, completion of names, log, duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.vocabulary import common_words, graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.model import Candidate, Entity
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, catalogue
from keepgraph.tools.contract.catalogue import Effect, tool

_BATCH = 100


@tool(Effect.READ)
def get_vocabulary(tx: Tx) -> dict[str, Any]:
    """Show the entity types and predicates that may be used, with what they mean."""
    return {
        plural: [
            {"name": term.name, "description": term.description, "version": term.version}
            for term in graph_vocabulary.read(tx).terms(kind)
        ]
        for kind, plural in (
            (store.vocabulary.ENTITY_TYPE, "entity_types"),
            (store.vocabulary.PREDICATE, "predicates"),
        )
    }


@tool(Effect.READ)
def list_common_words(tx: Tx) -> dict[str, Any]:
    """List the entity types and predicates that are used most, for the schemas of tools, and how many there are."""
    return {
        kind: {"names": list(words.names), "total": words.total}
        for kind in store.vocabulary.KINDS
        for words in [common_words.of_graph(tx, kind)]
    }


@tool(Effect.READ)
def count_entities(tx: Tx) -> dict[str, Any]:
    """Count the entities of the group."""
    return {"count": sum(store.entities.count_by_type(tx).values())}


@tool(Effect.READ)
def count_types_and_predicates(tx: Tx) -> dict[str, Any]:
    """Count the entities of each type, and the facts of each predicate by the types that they connect."""
    patterns = store.facts.count_by_pattern(tx, at=timestamps.from_datetime(tx.now))
    return {
        "entity_types": store.entities.count_by_type(tx),
        "predicates": {
            term.name: {
                "count": sum(count for predicate, _, _, count in patterns if predicate == term.name),
                "patterns": [
                    {"subject": subject, "object": target, "count": count}
                    for predicate, subject, target, count in patterns
                    if predicate == term.name
                ],
            }
            for term in graph_vocabulary.read(tx).predicates
        },
    }


@tool(Effect.READ)
def describe_tools(tx: Tx, *, tools: Sequence[str]) -> dict[str, Any]:
    """Give the descriptions of tools by name, completed with the vocabulary of the graph."""
    return {"descriptions": {name: _describe_tool(tx, catalogue.find(name)) for name in tools}}


@tool(Effect.READ)
def complete_name(
    tx: Tx, *, prefix: str, type: str | None = None, only_projects: bool = False, limit: int = 100
) -> dict[str, Any]:
    """List the entities whose name begins so, by name; with a type, those of it and of its subtypes."""
    vocabulary = graph_vocabulary.read(tx)
    of_types = vocabulary.with_subtypes([type]) if type else vocabulary.project_types if only_projects else None
    key = normalisation.key(prefix) if prefix.strip() else ""
    entities = store.entities.by_prefix(tx, key, of_types=of_types, limit=limit)
    return {"entities": [answer_shapes.entity(entity) for entity in entities]}


@tool(Effect.READ)
def list_calls(tx: Tx, *, limit: int) -> dict[str, Any]:
    """List the calls that changed the graph, newest first, with what they touched and whether they were undone."""
    return {
        "calls": [
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
    }


@tool(Effect.READ)
def find_duplicates(tx: Tx, *, entity: Mapping[str, Any]) -> dict[str, Any]:
    """Propose the entities that may be the same as one."""
    entity_ = knowledge.entities.find(tx, answer_shapes.ref(entity))
    candidates = knowledge.entities.possible_duplicates(tx, entity_)
    return {"pairs": [_describe_pair(entity_, duplicate) for duplicate in candidates]}


@tool(Effect.READ)
def list_duplicates(tx: Tx, *, after: int = 0) -> dict[str, Any]:
    """Propose the pairs that may be one entity among the next hundred, each compared with all: `next` goes on.

    Every batch is a short read of its own, so that writers need not wait.
    """
    batch = store.entities.page(tx, after, limit=_BATCH)
    return {
        "compared": len(batch),
        "pairs": [
            _describe_pair(entity, duplicate)
            for entity in batch
            for duplicate in knowledge.entities.possible_duplicates(tx, entity)
            if duplicate.entity.row < entity.row
        ],
        "next": batch[-1].row if batch else None,
    }


def _describe_tool(tx: Tx, listed: catalogue.Tool) -> str:
    suffix = listed.description_suffix
    return listed.description if suffix is None else f"{listed.description}\n\n{suffix(tx)}"


def _describe_pair(entity: Entity, duplicate: Candidate) -> dict[str, Any]:
    return {
        "entity": answer_shapes.entity(duplicate.entity),
        "double": answer_shapes.entity(entity),
        "score": duplicate.score,
    }
