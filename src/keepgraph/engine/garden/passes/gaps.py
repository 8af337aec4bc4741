"""Gaps: decisions without a project, blockers that have been open for long, projects that have long been silent.

The roles of the vocabulary say what is a decision, a blocker or a project.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.model import Entity
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

BLOCKER_OPEN = timedelta(days=30)
PROJECT_SILENT = timedelta(days=60)

_MAX_OF_A_KIND = MAX_CANDIDATES // 3
_OLD_BLOCKER_SCORE = 0.7
_GUESSED_PROJECT_SCORE = 0.6
_NO_PROJECT_SCORE = 0.4
_SILENT_SCORE = 0.5


def propose(tx: Tx, position: int) -> Outcome:
    vocabulary = graph_vocabulary.read(tx)
    proposals = [
        *_old_blockers(tx),
        *_decisions_without_project(tx, vocabulary),
        *_silent_projects(tx, vocabulary),
    ]
    return Outcome(tuple(proposals), considered=len(proposals))


def _old_blockers(tx: Tx) -> Iterator[Proposal]:
    since = timestamps.from_datetime(tx.now - BLOCKER_OPEN)
    rows = [
        fact.row
        for fact in knowledge.blockers.open_blockers(tx)
        if max(fact.recorded_at if fact.valid_from is None else fact.valid_from, "") <= since
    ]
    for fact in store.facts.by_rows(tx, rows[:_MAX_OF_A_KIND]):
        began = fact.valid_from or fact.recorded_at
        yield Proposal(
            kind="gap",
            key=f"blocker {fact.id}",
            statement=f"“{knowledge.facts.sentence(fact)}” has been open since {_day(tx, began)}. Is it over?",
            score=_OLD_BLOCKER_SCORE,
            rests_on=(fact.id,),
            tool="end_fact",
            arguments={"fact_id": fact.id},
        )


def _decisions_without_project(tx: Tx, vocabulary: Vocabulary) -> Iterator[Proposal]:
    """Each with the project that its neighbours suggest; without one, only a person can name it."""
    decision_types, project_types = vocabulary.decision_types, vocabulary.project_types
    if not decision_types or not project_types:
        return
    at = timestamps.from_datetime(tx.now)
    decisions = store.garden_candidates.not_connected_with(
        tx, of_types=decision_types, with_types=project_types, at=at, limit=_MAX_OF_A_KIND
    )
    for decision in decisions:
        raise_if_cancelled(tx.cancellation)
        near = store.garden_candidates.connected_of_types(tx, decision, project_types, at=at, limit=2)
        project = near[0] if len(near) == 1 else None
        predicate = _linking_predicate(vocabulary, decision, project)
        if predicate is None:
            continue
        yield _project_of_decision(decision, project, predicate)


def _project_of_decision(decision: Entity, project: Entity | None, predicate: str) -> Proposal:
    arguments: dict[str, object] = {"subject": {"id": decision.id}, "predicate": predicate}
    if project is None:
        question = f"The decision “{decision.name}” has no known project. Which one does it belong to?"
    else:
        question = f"The decision “{decision.name}” has no known project. Does it belong to {project.name}?"
        arguments["object"] = {"id": project.id}
    return Proposal(
        kind="gap",
        key=f"project of {decision.id}",
        statement=question,
        score=_NO_PROJECT_SCORE if project is None else _GUESSED_PROJECT_SCORE,
        rests_on=(decision.id,) if project is None else (decision.id, project.id),
        tool="record_fact",
        arguments=arguments,
    )


def _linking_predicate(vocabulary: Vocabulary, decision: Entity, project: Entity | None) -> str | None:
    """The first usable predicate that makes a decision part of a project."""
    project_type = project.type if project else next(iter(vocabulary.project_types))
    return next(
        (
            term.name
            for term in vocabulary.of_role("part_of")
            if term.retired_at is None and vocabulary.fits(term, decision.type, project_type)
        ),
        None,
    )


def _silent_projects(tx: Tx, vocabulary: Vocabulary) -> Iterator[Proposal]:
    silent = store.garden_candidates.silent(
        tx,
        of_types=vocabulary.project_types,
        since=timestamps.from_datetime(tx.now - PROJECT_SILENT),
        at=timestamps.from_datetime(tx.now),
        limit=_MAX_OF_A_KIND,
    )
    for project, last in silent:
        newest = store.facts.about(tx, project, at=timestamps.from_datetime(tx.now), limit=1)
        yield Proposal(
            kind="gap",
            key=f"silence of {project.id}",
            statement=(
                f"{project.name} has been silent since {_day(tx, last)}, {_days(tx.now, last)} days ago. "
                "Is it over? If you accept, its status becomes “inactive”."
            ),
            score=_SILENT_SCORE,
            rests_on=(project.id, *(fact.id for fact in newest)),
            tool="update_entity",
            arguments={"entity": {"id": project.id}, "properties": {"status": "inactive"}},
        )


def _day(tx: Tx, timestamp: str) -> str:
    return timestamps.local_date(timestamp, tx.zone)


def _days(now: datetime, timestamp: str) -> int:
    return (now - timestamps.to_datetime(timestamp)).days
