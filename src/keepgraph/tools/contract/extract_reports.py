"""The reports of an extract: its decisions, and the week that ends at its instant.

A part of a graph is made to be sent, so a report says nothing of what is not in the extract.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from keepgraph.engine import knowledge
from keepgraph.engine.knowledge.decisions import DecisionFilter
from keepgraph.model import Decision, Entity, Fact
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import answer_shapes
from keepgraph.tools.contract.extract_answers import ExtractRequest

if TYPE_CHECKING:
    from keepgraph.engine.analysis.graph_extract import Extract

_MAX_DECISIONS = 200


def describe(request: ExtractRequest, extract: Extract, *, texts: bool) -> dict[str, Any]:
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

    def has_fact(self, fact: Fact) -> bool:
        return fact.subject.id in self.positions and (fact.object is None or fact.object.id in self.positions)

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
        return [self._fact(tx, fact) for fact in facts if self.has_fact(fact)]

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
        narrative = knowledge.narratives.read(tx, knowledge.narratives.week_of(rollup.end), project=None)
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
