"""The page toolset, for our own page and never listed: the map, what changed between two instants, and extracts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from keepgraph import errors, store
from keepgraph.engine import maintenance
from keepgraph.engine.analysis import graph_extract, graph_map
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, derived_data, extract_answers
from keepgraph.tools.contract.catalogue import Effect, tool
from keepgraph.tools.contract.derived_data import Need

if TYPE_CHECKING:
    from keepgraph.tools.contract import internal_types

MAX_NODES = 50_000


def _needs_of_map(tx: Tx, *, as_of: str | None = None, **_: object) -> frozenset[Need]:
    """The places; a moment that is none is refused before they are made."""
    derived_data.to(tx, as_of=as_of, known_at=None)
    return derived_data.MAP_PLACES


@tool(Effect.READ, needs=_needs_of_map)
def get_map(
    tx: Tx, *, as_of: internal_types.AsOf | None = None, limit: internal_types.NodeLimit = MAX_NODES
) -> internal_types.Map:
    """Show where each entity is on the map, what connects them, and the areas of the communities."""
    tx = derived_data.to(tx, as_of=as_of, known_at=None)
    drawn = graph_map.read(tx, limit=limit)
    predicates = store.graph_extracts.predicate_names(tx)
    return {
        "nodes": [(node.id, node.x, node.y, node.degree, node.community, node.name, node.type) for node in drawn.nodes],
        "edges": [(source, target, predicates[predicate]) for source, target, predicate in drawn.edges],
        "communities": [
            {"id": area.id, "name": area.name, "x": area.x, "y": area.y, "r": area.radius} for area in drawn.areas
        ],
        "total": drawn.total,
        "truncated": drawn.total > len(drawn.nodes),
    }


@tool(Effect.READ)
def get_changes(
    tx: Tx,
    *,
    since: Annotated[
        internal_types.Moment, internal_types.Field(example="2026-05-01"), "Changes from this instant on."
    ],
    until: Annotated[internal_types.Moment, internal_types.Field(example="2026-06-01"), "Changes up to this instant."],
    limit: Annotated[internal_types.Limit, internal_types.Field(maximum=1000)] = 200,
) -> internal_types.Changes:
    """List the facts that began, ended and were learnt after one instant and not after another, newest first.

    A date means the end of that local day, as in `as_of`: these are the changes from what held then to what held later.
    """
    first, last = (
        timestamps.from_datetime(derived_data.to(tx, as_of=moment, known_at=None).now) for moment in (since, until)
    )
    if first > last:
        raise errors.MomentInvalid("since is after until", hint="Exchange them.")
    changed = {
        column: store.graph_extracts.changed_facts(tx, column, since=first, until=last, limit=limit + 1)
        for column in ("valid_from", "valid_to", "recorded_at")
    }
    facts = {
        column: [answer_shapes.fact(tx, by_row[row]) for row in rows[:limit]]
        for column, rows in changed.items()
        for by_row in [{fact.row: fact for fact in store.facts.by_rows(tx, rows[:limit])}]
    }
    return {
        "began": facts["valid_from"],
        "ended": facts["valid_to"],
        "learnt": facts["recorded_at"],
        "truncated": any(len(rows) > limit for rows in changed.values()),
    }


@tool(Effect.READ)
def get_call(
    tx: Tx,
    *,
    call: internal_types.CallNumber,
    limit: Annotated[internal_types.Limit, internal_types.Field(maximum=500)] = 50,
) -> internal_types.CallEvents:
    """Tell what a call did to the graph, a line for each change, with the entity or the fact that it was about."""
    calls = store.journal.list_calls(tx, limit=1, only=call)
    if not calls:
        raise errors.ChangeNotFound(f"there is no call {call}", hint="list_calls has the calls that are kept.")
    done = maintenance.call_descriptions.list_changes(tx, call, limit=limit)
    return {
        "call": call,
        "events": [
            {
                "what": change.what,
                "text": change.text,
                "entity_id": change.id if change.id and change.id.startswith("ent_") else None,
                "fact_id": change.id if change.id and change.id.startswith("fact_") else None,
            }
            for change in done.changes
        ],
        "total": calls[0].change_count,
        "truncated": done.truncated,
    }


@tool(Effect.READ, needs=extract_answers.needs)
def extract_graph(
    tx: Tx,
    *,
    about: Annotated[
        internal_types.Text,
        internal_types.NAME_CODES,
        internal_types.Field(example="Atlas"),
        "Only what surrounds this entity: a name or an id.",
    ]
    | None = None,
    depth: Annotated[int, internal_types.Field(minimum=1, maximum=4), "How many facts away from it."] = 2,
    as_of: internal_types.AsOf | None = None,
    texts: Annotated[bool, "Include the texts."] = True,
    limit: internal_types.NodeLimit = MAX_NODES,
) -> internal_types.Extract:
    """Extract the graph, or what is around an entity, as columns, with its decisions and the week that ends then."""
    request = extract_answers.read_request(tx, about=about, as_of=as_of)
    extract = (
        graph_extract.of_group(request.tx, at_instant=as_of is not None, texts=texts, limit=limit)
        if about is None
        else extract_answers.around(request, depth=depth, texts=texts, limit=limit)
    )
    return {
        **extract_answers.answer(tx, request, extract),  # type: ignore[typeddict-item]
        **extract_answers.describe_report(request, extract, texts=texts),
    }
