"""The answer with an extract of a graph: columns of numbers that refer to each other by position, to be small."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.analysis import graph_extract
from keepgraph.engine.knowledge.decisions import DecisionFilter
from keepgraph.engine.retrieval import node_lookup
from keepgraph.model import Decision, Entity, Fact, Resolution
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, derived_data
from keepgraph.tools.contract.derived_data import Need

if TYPE_CHECKING:
    from keepgraph.engine.analysis.graph_extract import Extract
    from keepgraph.engine.analysis.graph_map import MapNode
    from keepgraph.store.graph_extracts import FactRow

_MANY_FACTS = 20_000
_SECONDS_OF_HOUR = 3600
"""Of more facts, the hour says when they were recorded: to the second, that would be a quarter of the file."""

_NONE = -1
"""The position of what is not there."""


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


def needs(tx: Tx, *, about: str | None = None, **_: object) -> frozenset[Need]:
    """What a call that extracts needs."""
    if about is None:
        return derived_data.MENTIONS | derived_data.MAP_PLACES
    return derived_data.MENTIONS | derived_data.vectors_if(node_lookup.needs_vectors(tx, about, groups=[tx.group]))


def read_request(tx: Tx, *, about: str | None, as_of: str | None) -> ExtractRequest:
    """What is meant by the arguments; a name that is only proposed has nothing around it.

    Raises:
        errors.NameOrAliasRequired: the name is blank.
        errors.MomentInvalid: `as_of` is neither a date nor an instant.
    """
    tx = derived_data.to(tx, as_of=as_of, known_at=None)
    if about is None:
        return ExtractRequest(tx, None, as_of, None, None)
    answer_shapes.name(about)
    node, resolution = node_lookup.resolve(tx, about, groups=[tx.group])
    centre = node.record if node and isinstance(node.record, Entity) else None
    return ExtractRequest(tx, about, as_of, centre, resolution)


def around(request: ExtractRequest, *, depth: int, texts: bool, limit: int) -> Extract:
    """The extract around the entity that is meant; an empty one where none is."""
    if request.centre is None:
        return graph_extract.EMPTY
    return graph_extract.around(
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
