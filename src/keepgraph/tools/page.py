"""The page toolset, for our own page and never listed: the map, what changed between two instants, and extracts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from keepgraph import errors, store
from keepgraph.engine import knowledge, maintenance
from keepgraph.engine.analysis import graph_map
from keepgraph.engine.knowledge.decisions import DecisionFilter
from keepgraph.engine.retrieval import node_lookup
from keepgraph.model import Decision, Entity, Fact, Resolution
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, catalogue, internal_types
from keepgraph.tools.contract.catalogue import Effect, Need, tool

if TYPE_CHECKING:
    from keepgraph.engine.analysis.graph_map import Extract, MapNode
    from keepgraph.store.graph_extracts import FactRow

_MANY_FACTS = 20_000
_SECONDS_OF_HOUR = 3600
"""Of more facts, the hour says when they were recorded: to the second, that would be a quarter of the file."""

_NONE = -1
"""The position of something absent."""


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """What an extract is asked for.

    Attributes:
        tx: the transaction as of the instant that is asked about.
        about: the name that was given; `centre` is the entity that it means, `resolution` how it was found.
    """

    tx: Tx
    about: str | None
    as_of: str | None
    centre: Entity | None
    resolution: Resolution | None


def needs_of_extract(tx: Tx, *, about: str | None = None, **_: object) -> frozenset[Need]:
    """What a call that extracts needs."""
    if about is None:
        return catalogue.MENTIONS | catalogue.MAP_PLACES
    return catalogue.MENTIONS | catalogue.vectors_if(node_lookup.needs_vectors(tx, about, groups=[tx.group]))


def read_request(tx: Tx, *, about: str | None, as_of: str | None) -> ExtractRequest:
    """What the arguments mean; a name that is only proposed has nothing around it.

    Raises:
        errors.NameOrAliasRequired: the name is blank.
        errors.MomentInvalid: `as_of` is neither a date nor an instant.
    """
    tx = catalogue.to(tx, as_of=as_of, known_at=None)
    if about is None:
        return ExtractRequest(tx, None, as_of, None, None)
    answer_shapes.name(about)
    node, resolution = node_lookup.resolve(tx, about, groups=[tx.group])
    centre = node.record if node and isinstance(node.record, Entity) else None
    return ExtractRequest(tx, about, as_of, centre, resolution)


def around(request: ExtractRequest, *, depth: int, texts: bool, limit: int) -> Extract:
    """The extract around the entity that is meant; an empty one where none is."""
    if request.centre is None:
        return graph_map.EMPTY
    return graph_map.around(
        request.tx,
        request.centre,
        depth=depth,
        at_instant=request.as_of is not None,
        texts=texts,
        limit=limit,
    )


def answer(tx: Tx, request: ExtractRequest, extract: Extract) -> dict[str, Any]:
    """The answer with an extract.

    Args:
        tx: the transaction of the call, whose instant is now.
    """
    rows = [node.row for node in extract.nodes]
    instants = {"generated_at": tx.now, "as_of": request.tx.now if request.as_of is not None else None}
    return {
        **{
            name: instant and timestamps.format_local(timestamps.from_datetime(instant), tx.zone)
            for name, instant in instants.items()
        },
        "title": request.centre.name if request.centre else tx.group,
        "about": rows.index(request.centre.row) if request.centre else None,
        "resolution": answer_shapes.resolution(request.resolution) if request.resolution else None,
        **describe(tx, extract),
    }


def describe(tx: Tx, extract: Extract) -> dict[str, Any]:
    """The columns of an extract. Nodes are referred to by their positions, and so are types, predicates and sources.

    What few have, such as literals and the ends of validities, is an object by the position of the fact as a text.
    """
    numbers = {node.row: number for number, node in enumerate(extract.nodes)}
    types, predicates, sources = _Positions(), _Positions(), _Positions()
    return {
        "nodes": _nodes(tx, extract.nodes, types),
        "facts": _facts(tx, extract.facts, numbers, predicates, sources),
        "texts": [
            {
                "name": text.name,
                "kind": text.kind,
                "at": timestamps.format_local(text.at, tx.zone),
                "text": text.text,
                "nodes": [numbers[row] for row in rows],
            }
            for text, rows in extract.texts
        ],
        "communities": [{"name": area.name, "x": area.x, "y": area.y, "r": area.radius} for area in extract.areas],
        "types": list(types.values),
        "predicates": list(predicates.values),
        "sources": list(sources.values),
        "truncated": extract.truncated,
    }


class _Positions:
    """Gives each value its position, in the order in which they come.

    Attributes:
        values: the values with their positions.
    """

    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    def of(self, value: str | None) -> int:
        return _NONE if value is None else self.values.setdefault(value, len(self.values))


def _nodes(tx: Tx, nodes: Sequence[MapNode], types: _Positions) -> dict[str, Any]:
    numbers = {node.row: number for number, node in enumerate(nodes)}
    aliases: dict[str, list[str]] = {}
    for row, alias in store.graph_extracts.aliases(tx, list(numbers)):
        aliases.setdefault(str(numbers[row]), []).append(alias)
    return {
        "name": [node.name for node in nodes],
        "type": [types.of(node.type) for node in nodes],
        "x": [round(node.x) for node in nodes],
        "y": [round(node.y) for node in nodes],
        "community": [node.community for node in nodes],
        "summary": {
            str(numbers[row]): summary for row, summary in store.graph_extracts.summaries(tx, list(numbers)) if summary
        },
        "aliases": aliases,
    }


def _facts(
    tx: Tx, facts: Sequence[FactRow], numbers: Mapping[int, int], predicates: _Positions, sources: _Positions
) -> dict[str, Any]:
    names = store.graph_extracts.predicate_names(tx)
    unit = _SECONDS_OF_HOUR if len(facts) > _MANY_FACTS else 1
    return {
        "subject": [numbers[fact.subject] for fact in facts],
        "predicate": [predicates.of(names[fact.predicate]) for fact in facts],
        "object": [_NONE if fact.object is None else numbers[fact.object] for fact in facts],
        "literal": _by_position(fact.literal for fact in facts),
        "from": _by_position(_local(tx, fact.valid_from) for fact in facts),
        "to": _by_position(_local(tx, fact.valid_to) for fact in facts),
        "recorded": [_seconds(fact.recorded_at) // unit * unit for fact in facts],
        "source": [sources.of(fact.source) for fact in facts],
    }


def _seconds(timestamp: str) -> int:
    """Seconds since 1970."""
    return int(timestamps.to_datetime(timestamp).timestamp())


def _by_position(values: Iterable[str | None]) -> dict[str, str]:
    return {str(number): value for number, value in enumerate(values) if value is not None}


def _local(tx: Tx, timestamp: str | None) -> str | None:
    return timestamp and timestamps.format_local(timestamp, tx.zone)


# The reports of an extract: its decisions, and the week that ends at its instant.
#
# A part of a graph is made to be sent, so a report says nothing of what is not in the extract.

_MAX_DECISIONS = 200


def describe_report(request: ExtractRequest, extract: Extract, *, texts: bool) -> dict[str, Any]:
    """The decisions and the week of an extract; entities have their positions in it as ids, facts have none.

    Args:
        texts: whether what somebody wrote may be in it: the narrative of the week.
    """
    tx, content = request.tx, _Content.of(extract)
    decisions, total = knowledge.decisions.of_all_projects(tx, DecisionFilter(limit=_MAX_DECISIONS))
    described = [content.decision(tx, decision) for decision in decisions if content.has_decision(decision)]
    is_whole = request.about is None and not extract.truncated
    return {
        "decisions": described,
        "decision_total": total if is_whole else len(described),
        "week": _week(request, content, texts=texts, is_whole=is_whole),
    }


@dataclass(frozen=True, slots=True)
class _Content:
    """What an extract has.

    Attributes:
        positions: of its entities, by id.
        names, literals, sources: of its entities and facts.
    """

    positions: dict[str, int]
    names: frozenset[str]
    literals: frozenset[str]
    sources: frozenset[str]

    @classmethod
    def of(cls, extract: Extract) -> _Content:
        return cls(
            positions={node.id: position for position, node in enumerate(extract.nodes)},
            names=frozenset(node.name for node in extract.nodes),
            literals=frozenset(fact.literal for fact in extract.facts if fact.literal is not None),
            sources=frozenset(fact.source for fact in extract.facts if fact.source is not None),
        )

    def has_decision(self, decision: Decision) -> bool:
        """Whether it is in the extract: as an entity, or, where it is a literal, with one that it is said of."""
        if decision.id in self.positions:
            return True
        ends = (*decision.decided_by, *decision.projects)
        return decision.name in self.literals and any(end.id in self.positions for end in ends)

    def decision(self, tx: Tx, decision: Decision) -> dict[str, Any]:
        described = answer_shapes.decision(tx, decision, names_projects=True)
        if not self.sources:
            described.pop("imported_from", None)
        return {
            **described,
            "id": self._position(decision.id),
            "decided_by": self.entities(decision.decided_by),
            "projects": [name for name in described["projects"] if name in self.names],
            "source": decision.source if decision.source in self.sources else None,
            "supersedes": next(iter(self.entities([decision.supersedes] if decision.supersedes else [])), None),
        }

    def facts(self, tx: Tx, facts: Iterable[Fact]) -> list[dict[str, Any]]:
        return [
            self._fact(tx, fact)
            for fact in facts
            if fact.subject.id in self.positions and (fact.object is None or fact.object.id in self.positions)
        ]

    def entities(self, entities: Iterable[Entity]) -> list[dict[str, Any]]:
        return [
            {**answer_shapes.entity(entity), "id": self._position(entity.id)}
            for entity in entities
            if entity.id in self.positions
        ]

    def _fact(self, tx: Tx, fact: Fact) -> dict[str, Any]:
        described = answer_shapes.fact(tx, fact)
        [subject] = self.entities([fact.subject])
        object_ = self.entities([fact.object])[0] if fact.object else described["object"]
        source = fact.source if fact.source in self.sources else None
        return {**described, "id": "", "subject": subject, "object": object_, "source": source}

    def _position(self, public_id: str) -> str:
        return str(self.positions[public_id]) if public_id in self.positions else ""


def _week(request: ExtractRequest, content: _Content, *, texts: bool, is_whole: bool) -> dict[str, Any]:
    """The week, as weekly_rollup and list_next_steps name its parts; sentences about the graph only for all of it."""
    tx = request.tx
    rollup = knowledge.rollup.week(tx)
    narrative = None
    if texts and is_whole:
        narrative = knowledge.rollup.read(tx, knowledge.rollup.week_of(rollup.end), project=None)
    decisions = [content.decision(tx, decision) for decision in rollup.decisions if content.has_decision(decision)]
    return {
        "period": {"start": rollup.start, "end": rollup.end},
        "summary": knowledge.rollup.summarise(rollup, project=None) if is_whole else "",
        "narrative": answer_shapes.narrative(tx, narrative)["text"] if narrative else "",
        "decisions": decisions,
        "blockers": content.facts(tx, rollup.blockers),
        "next_actions": list(rollup.next_actions) if is_whole else [],
        "steps": _steps(tx, content) if request.as_of is None else None,
    }


def _steps(tx: Tx, content: _Content) -> dict[str, Any]:
    steps = knowledge.next_steps.next_steps(tx)
    return {
        "actions": content.entities(steps.actions),
        "due": content.facts(tx, steps.due),
        "coming": content.facts(tx, steps.coming),
    }


MAX_NODES = 50_000


def _needs_of_map(tx: Tx, *, as_of: str | None = None, **_: object) -> frozenset[Need]:
    """The places; an invalid moment is refused before they are made."""
    catalogue.to(tx, as_of=as_of, known_at=None)
    return catalogue.MAP_PLACES


@tool(Effect.READ, needs=_needs_of_map)
def get_map(
    tx: Tx, *, as_of: internal_types.AsOf | None = None, limit: internal_types.NodeLimit = MAX_NODES
) -> internal_types.Map:
    """Show where each entity is on the map, what connects them, and the areas of the communities."""
    tx = catalogue.to(tx, as_of=as_of, known_at=None)
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
        timestamps.from_datetime(catalogue.to(tx, as_of=moment, known_at=None).now) for moment in (since, until)
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


@tool(Effect.READ, needs=needs_of_extract)
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
    request = read_request(tx, about=about, as_of=as_of)
    extract = (
        graph_map.of_group(request.tx, at_instant=as_of is not None, texts=texts, limit=limit)
        if about is None
        else around(request, depth=depth, texts=texts, limit=limit)
    )
    return {
        **answer(tx, request, extract),  # type: ignore[typeddict-item]  # a part of the answer
        **describe_report(request, extract, texts=texts),
    }
