"""The traversal toolset: walks over the graph step by step, by a handle, or a whole chain in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import traversals
from keepgraph.engine.traversals import TIMES, Kind, Record, Stream, Traversal
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import catalogue, schemas, traversal_arguments
from keepgraph.tools.contract.catalogue import NOTHING, Effect, Need, Tool, tool

MAX_COLLECTED = 1_000
_MAX_SKIPPED_AT_ONCE = 1_000
_TO_VECTORS = {
    *("vec", traversals.LINK_NAMES[Kind.LINKS_TO_VECTOR].lower()),
    *("traversal_search_vector", "traversal_search_vector_text"),
}
_TYPE_NAMES = {"string": "String", "integer": "I64", "number": "F64", "boolean": "Boolean", "array": "Array"}


def _needs_of_vectors(tx: Tx, *, connection_id: str, **_: object) -> frozenset[Need]:
    """The vectors of facts; a traversal that is not open is refused before they are made."""
    with traversals.of_process(tx).use(connection_id, tx.now):
        return frozenset([Need.VECTORS])


def _needs_of_step(tx: Tx, *, connection_id: str, **said: object) -> frozenset[Need]:
    """The vectors of facts, where a step leads to vectors or along the links to them."""
    return _needs_of_vectors(tx, connection_id=connection_id) if _leads_to_vectors(said) else NOTHING


def _needs_of_chain(_tx: Tx, *, steps: list[Any], **_: object) -> frozenset[Need]:
    return frozenset([Need.VECTORS]) if _leads_to_vectors(steps) else NOTHING


def _leads_to_vectors(said: object) -> bool:
    """Whether arguments, at any depth, name a step or a label that leads to vectors."""
    if isinstance(said, Mapping | list):
        return any(map(_leads_to_vectors, said.values() if isinstance(said, Mapping) else said))
    return isinstance(said, str) and catalogue.tool_name(said.strip().lower()) in _TO_VECTORS


@tool(Effect.READ)
def traversal_init(tx: Tx) -> dict[str, Any]:
    """Start a traversal: a walk over the graph that grows by one step with each call. Returns its connection_id.

    Continue with n_from_type or a search, then steps and filters; next or collect read what was reached. For a whole
    chain in one call use `traverse`. A traversal is closed after 30 minutes without use; at most 64 are open at once.
    """
    traversal = traversals.of_process(tx).begin(tx.now)
    return {
        "connection_id": traversal.id,
        "idle_minutes": traversals.IDLE.seconds // 60,
        "max_open": traversals.MAX_OPEN,
    }


@tool(Effect.READ)
def traversal_next(tx: Tx, *, connection_id: str, include_vector: bool = False) -> dict[str, Any]:
    """Give the next item of a traversal; null at its end. What was deleted since the step is skipped and counted."""
    with traversals.of_process(tx).use(connection_id, tx.now) as traversal:
        item = None
        end = min(len(traversal.stream), traversal.position + _MAX_SKIPPED_AT_ONCE)
        while item is None and traversal.position < end:
            item = _item_at(tx, traversal.stream, traversal.position, include_vector=include_vector)
            traversal.position += 1
            traversal.skipped += item is None
        return {
            "connection_id": traversal.id,
            "item": item,
            "position": traversal.position,
            "remaining": len(traversal.stream) - traversal.position,
            "skipped": traversal.skipped,
        }


@tool(Effect.READ)
def traversal_collect(
    tx: Tx,
    *,
    connection_id: str,
    range: Mapping[str, Any] | None = None,
    drop: bool = True,
    include_vector: bool = False,
) -> dict[str, Any]:
    """Give the items of a traversal, up to 1000 in one call; then empty it, unless drop is false.

    range {start, end} selects some: end is not included, and −1 or none is the end. If `truncated`, nothing is dropped:
    continue with the range in `next_range`.
    """
    with traversals.of_process(tx).use(connection_id, tx.now) as traversal:
        start, end = _range(range or {}, len(traversal.stream))
        shown = min(end, start + MAX_COLLECTED)
        items, skipped = _items(tx, traversal.stream, start, shown, include_vector=include_vector)
        truncated = shown < end
        total = len(traversal.stream)
        if drop and not truncated:
            traversal.reset()
        return {
            "connection_id": traversal.id,
            "items": items,
            "count": len(items),
            "total": total,
            "skipped": skipped,
            "truncated": truncated,
            "next_range": {"start": shown, "end": end} if truncated else None,
            "dropped": drop and not truncated,
        }


@tool(Effect.READ)
def traversal_reset(tx: Tx, *, connection_id: str) -> dict[str, Any]:
    """Empty a traversal; its connection_id stays."""
    with traversals.of_process(tx).use(connection_id, tx.now) as traversal:
        traversal.reset()
        return {"connection_id": traversal.id}


@tool(Effect.READ)
def traversal_schema_resource(tx: Tx, *, connection_id: str) -> dict[str, Any]:
    """List the labels of nodes, edges and vectors that a traversal can name, and the queries that other tools answer.

    Entity is every entity; Triplet is every current fact as a node, linked by Triplet_to_Subject, Triplet_to_Object
    and Triplet_to_Embedding.
    """
    with traversals.of_process(tx).use(connection_id, tx.now):
        pass
    vocabulary = graph_vocabulary.read(tx)
    of_entity = dict.fromkeys(("uuid", "name", "entity_type", "description"), "String") | {"created_at": "Date"}
    of_fact = {"uuid": "String", "summary": "String", "confidence": "F64", "source": "String"} | dict.fromkeys(
        sorted(TIMES), "Date"
    )
    types = [word.name for word in vocabulary.types if word.retired_at is None]
    predicates = [word.name for word in vocabulary.predicates if word.retired_at is None]
    return {
        "schema": {
            "nodes": [
                {"name": "Entity", "properties": of_entity},
                {"name": traversals.TRIPLET, "properties": of_fact | {"predicate": "String", "value": "String"}},
                *({"name": name, "properties": of_entity} for name in types),
            ],
            "vectors": [{"name": traversals.VECTOR, "properties": {"triplet": "String", "summary": "String"}}],
            "edges": [
                *({"name": name, "properties": {}} for name in traversals.LINK_NAMES.values()),
                *({"name": name, "properties": of_fact} for name in predicates),
            ],
        },
        "queries": [_query(reader) for reader in catalogue.tools(catalogue.DEFAULT_TOOLSETS, read_only=True)],
    }


@tool(Effect.READ)
def traversal_n_from_type(
    tx: Tx, *, connection_id: str, data: Mapping[str, Any] | None = None, node_type: str | None = None
) -> dict[str, Any]:
    """Start with all nodes of a type: an entity type with its subtypes, Entity (all), or Triplet (all current facts).

    This replaces what the traversal held. Each step returns the count and the first item, and consumes nothing.
    """
    return _step(tx, connection_id, "n_from_type", data=data, node_type=node_type)


@tool(Effect.READ, needs=_needs_of_step)
def traversal_e_from_type(
    tx: Tx, *, connection_id: str, data: Mapping[str, Any] | None = None, edge_type: str | None = None
) -> dict[str, Any]:
    """Start with all edges of a type: the current facts of a predicate, or Triplet_to_Subject and the like."""
    return _step(tx, connection_id, "e_from_type", data=data, edge_type=edge_type)


@tool(Effect.READ, needs=_needs_of_step)
def traversal_out_step(
    tx: Tx,
    *,
    connection_id: str,
    data: Mapping[str, Any] | None = None,
    edge_type: str | None = None,
    edge_label: str | None = None,
    filter: Any = None,
) -> dict[str, Any]:
    """Go from the nodes reached along edges with edge_label to their targets: nodes, or vectors (edge_type vec).

    What is reached twice is listed twice. From edges it goes on to their targets.
    """
    return _step(tx, connection_id, "out_step", data=data, edge_type=edge_type, edge_label=edge_label, filter=filter)


@tool(Effect.READ, needs=_needs_of_step)
def traversal_out_e_step(
    tx: Tx,
    *,
    connection_id: str,
    data: Mapping[str, Any] | None = None,
    edge_label: str | None = None,
    filter: Any = None,
) -> dict[str, Any]:
    """Go from the nodes reached to their outgoing edges with edge_label; from edges on to their targets."""
    return _step(tx, connection_id, "out_e_step", data=data, edge_label=edge_label, filter=filter)


@tool(Effect.READ)
def traversal_in_step(
    tx: Tx,
    *,
    connection_id: str,
    data: Mapping[str, Any] | None = None,
    edge_type: str | None = None,
    edge_label: str | None = None,
    filter: Any = None,
) -> dict[str, Any]:
    """Go from the nodes or vectors reached back along edges with edge_label to their sources."""
    return _step(tx, connection_id, "in_step", data=data, edge_type=edge_type, edge_label=edge_label, filter=filter)


@tool(Effect.READ)
def traversal_in_e_step(
    tx: Tx,
    *,
    connection_id: str,
    data: Mapping[str, Any] | None = None,
    edge_label: str | None = None,
    filter: Any = None,
) -> dict[str, Any]:
    """Go from the nodes reached to their incoming edges with edge_label; from edges on to their sources."""
    return _step(tx, connection_id, "in_e_step", data=data, edge_label=edge_label, filter=filter)


@tool(Effect.READ, needs=_needs_of_step)
def traversal_filter_items(
    tx: Tx, *, connection_id: str, data: Mapping[str, Any] | None = None, filter: Any = None
) -> dict[str, Any]:
    """Keep the items that pass a filter: by properties (outer list OR, inner lists AND), and by where steps lead.

    {"properties": [[{"key", "operator", "value"}]], "filter_traversals": [{"tool_name", "args"}]}. A list as value
    means any of them; with != none of them. Filters nest up to 4 deep.
    """
    return _step(tx, connection_id, "filter_items", data=data, filter=filter)


@tool(Effect.READ, needs=_needs_of_vectors)
def traversal_search_vector(
    tx: Tx,
    *,
    connection_id: str,
    data: Mapping[str, Any] | None = None,
    vector: list[float] | None = None,
    k: int | None = None,
    min_score: float | None = None,
) -> dict[str, Any]:
    """Keep the k vectors of the traversal nearest to the given one, above min_score (cosine), most similar first."""
    return _step_with_items(tx, connection_id, "search_vector", data=data, vector=vector, k=k, min_score=min_score)


@tool(Effect.READ, needs=_needs_of_vectors)
def traversal_search_vector_text(
    tx: Tx,
    *,
    connection_id: str,
    data: Mapping[str, Any] | None = None,
    query: str | None = None,
    label: str | None = None,
    k: int | None = None,
) -> dict[str, Any]:
    """Start with the k vectors of facts (Triplet_Embedding) whose sentences are nearest in meaning to a text."""
    return _step_with_items(tx, connection_id, "search_vector_text", data=data, query=query, label=label, k=k)


@tool(Effect.READ)
def traversal_search_keyword(
    tx: Tx,
    *,
    connection_id: str,
    data: Mapping[str, Any] | None = None,
    query: str | None = None,
    label: str | None = None,
    limit: int | None = None,
) -> dict[str, Any]:
    """Start with the nodes of a label (an entity type, Entity or Triplet) that contain words of a query, by BM25."""
    return _step_with_items(tx, connection_id, "search_keyword", data=data, query=query, label=label, limit=limit)


@tool(Effect.READ, needs=_needs_of_chain)
def traverse(tx: Tx, *, steps: list[Any], limit: int = 100, offset: int = 0) -> dict[str, Any]:
    """Walk over the graph by a whole chain of steps in one call, without a handle, and give what is reached.

    Each step names its tool (n_from_type, out_step, filter_items, …) and has the arguments of that tool. `steps` in the
    answer counts what each one reached. For patterns with several variables use run_cypher.
    """
    stream, acknowledgements = Stream(), []
    for number, raw in enumerate(steps):
        try:
            arguments = dict(raw)
            name = arguments.pop("tool", None) or arguments.pop("tool_name", "")
            step = traversal_arguments.read(tx, str(name), arguments.pop("args", None) or arguments)
            stream = step.step(stream)
        except errors.KeepgraphError as error:
            error.message = f"steps[{number}]: {error.message}"
            raise
        acknowledgements.append({"tool": str(name), "count": len(stream), "notes": step.notes})
    end = min(len(stream), offset + limit)
    items, skipped = _items(tx, stream, min(offset, end), end)
    return {
        "items": items,
        "count": len(items),
        "total": len(stream),
        "skipped": skipped,
        "truncated": end < len(stream),
        "kind": stream.kind.value,
        "steps": acknowledgements,
    }


def _query(reader: Tool) -> dict[str, Any]:
    """A tool that reads, as a query with typed parameters."""
    parameters = schemas.load(reader.toolset, reader.name, "input")
    return {
        "name": reader.name,
        "parameters": {
            name: _TYPE_NAMES.get(str(schemas.resolve_reference(part, parameters).get("type", "string")), "Object")
            for name, part in parameters["properties"].items()
        },
        "returns": schemas.load(reader.toolset, reader.name, "output")["required"],
    }


def _step(tx: Tx, connection_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """Make a step; where it is refused, the traversal stays as it was."""
    with traversals.of_process(tx).use(connection_id, tx.now) as traversal:
        return _acknowledgement(tx, traversal, _advance(tx, traversal, name, arguments))


def _step_with_items(tx: Tx, connection_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """Make a step that leads to few items, and show them."""
    with traversals.of_process(tx).use(connection_id, tx.now) as traversal:
        notes = _advance(tx, traversal, name, arguments)
        items, _ = _items(tx, traversal.stream, 0, MAX_COLLECTED)
        return {**_acknowledgement(tx, traversal, notes), "items": items}


def _advance(tx: Tx, traversal: Traversal, name: str, arguments: Mapping[str, Any]) -> list[str]:
    """Let a step lead on; in words, what was understood otherwise than it was written."""
    step = traversal_arguments.read(tx, name, arguments)
    traversal.advance(step.step)
    waiting = traversals.waiting_note(tx, traversal.stream)
    return [*step.notes, *([waiting] if waiting else [])]


def _acknowledgement(tx: Tx, traversal: Traversal, notes: list[str]) -> dict[str, Any]:
    stream = traversal.stream
    return {
        "connection_id": traversal.id,
        "count": len(stream),
        "kind": stream.kind.value,
        "first": _item_at(tx, stream, 0) if len(stream) else None,
        "steps": traversal.steps,
        "notes": notes,
    }


def _range(range: Mapping[str, Any], length: int) -> tuple[int, int]:
    """The first position, and that after the last; a negative end counts from behind, −1 being the end itself.

    Raises:
        errors.InvalidArguments: the end is before the start.
    """
    start, end = int(range.get("start") or 0), range.get("end")  # 1.0 is an integer in JSON Schema
    last = length if end is None or end == -1 else min(int(end), length)
    if end is not None and end != -1 and end < start:
        raise errors.InvalidArguments(f"range ends ({end}) before it starts ({start})")
    return min(start, length), max(last, min(start, length))


def _item_at(tx: Tx, stream: Stream, position: int, *, include_vector: bool = False) -> dict[str, Any] | None:
    items, _ = _items(tx, stream, position, position + 1, include_vector=include_vector)
    return items[0] if items else None


def _items(
    tx: Tx, stream: Stream, start: int, end: int, *, include_vector: bool = False
) -> tuple[list[dict[str, Any]], int]:
    """The items of a stream from one position to another, and how many were skipped since they are deleted."""
    part = stream.select(range(start, min(end, len(stream))))
    by_row = traversals.read(tx, part) if part.kind is not Kind.NOTHING else {}
    dimension = _dimension(tx, part)
    numbers = traversals.numbers(tx, part.rows) if include_vector and part.kind is Kind.VECTORS else {}
    items = []
    for position, row in enumerate(part.rows):
        if record := by_row.get(row):
            score = {} if part.scores is None else {"score": part.scores[position]}
            data = {"data": numbers[row]} if row in numbers else {}
            items.append({**_shown(tx, record), **dimension, **score, **data})
    return items, len(part) - len(items)


def _shown(tx: Tx, record: Record) -> dict[str, Any]:
    return {
        name: timestamps.format_local(value, tx.zone) if name in TIMES and isinstance(value, str) else value
        for name, value in record.items()
    }


def _dimension(tx: Tx, stream: Stream) -> dict[str, int]:
    """The dimension of vectors; their numbers would fill the answer, and are given on request."""
    model = store.vectors.model_and_dimension(tx) if stream.kind is Kind.VECTORS else None
    return {} if model is None else {"dimension": model[1]}
