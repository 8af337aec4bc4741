"""Passes over facts: gaps in what is recorded, conflicts, facts that have probably ended, and links by rules.

The roles of the vocabulary say what is a decision, a blocker or a project.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby, pairwise

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.analysis import link_prediction
from keepgraph.engine.garden.passes import MAX_CANDIDATES, Outcome
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.review import learning, proposals
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.verification import group_conflicts
from keepgraph.engine.verification.conflicts import Conflict
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.model import Entity, Fact, Predicate
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


def propose_gaps(tx: Tx, position: int) -> Outcome:
    vocabulary = graph_vocabulary.read(tx)
    proposals = [
        *_old_blockers(tx),
        *_decisions_without_project(tx, vocabulary),
        *_silent_projects(tx, vocabulary),
    ]
    return Outcome(tuple(proposals), considered=len(proposals))


def _old_blockers(tx: Tx) -> Iterator[Proposal]:
    since = timestamps.from_datetime(tx.now - BLOCKER_OPEN)
    blockers = knowledge.blockers.open_blockers(tx)
    recorded_at = store.facts.recorded_at(tx, [fact.row for fact in blockers])
    rows = [fact.row for fact in blockers if (fact.valid_from or recorded_at[fact.row]) <= since]
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
    decisions = store.garden.not_connected_with(
        tx, of_types=decision_types, with_types=project_types, limit=_MAX_OF_A_KIND
    )
    for decision in decisions:
        raise_if_cancelled(tx.cancellation)
        near = store.garden.connected_of_types(tx, decision, project_types, limit=2)
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
    silent = store.garden.silent(
        tx,
        of_types=vocabulary.project_types,
        since=timestamps.from_datetime(tx.now - PROJECT_SILENT),
        limit=_MAX_OF_A_KIND,
    )
    for project, last in silent:
        newest = store.facts.about(tx, project, at=tx.at, limit=1)
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


# Conflicts: facts that cannot all be true by the flags, ends and roles of the vocabulary; surfaced, never resolved.

_CONFLICT_SCORES = {
    "irreflexive": 0.95,
    "acyclic": 0.9,
    "asymmetric": 0.9,
    "disjoint_types": 0.9,
    "functional": 0.85,
    "inverse_functional": 0.8,
    "opposite": 0.8,
    "values": 0.75,
    "rests_on_ended": 0.7,
    "ends": 0.7,
    "retracted": 0.6,
}
_OTHER_SCORE = 0.6


def propose_conflicts(tx: Tx, position: int) -> Outcome:
    conflicts = group_conflicts.find(tx)
    proposals = {proposal.key: proposal for conflict in conflicts if (proposal := _proposal_of_conflict(tx, conflict))}
    return Outcome(tuple(proposals.values())[:MAX_CANDIDATES], considered=len(conflicts))


def _proposal_of_conflict(tx: Tx, conflict: Conflict) -> Proposal | None:
    """The call that would settle a conflict; where several could, a person chooses the fact to retract.

    It is the same proposal again if its facts say the same, even after they were retracted and recorded again.
    """
    facts = tuple(fact.id for fact in conflict.facts if not fact.retracted_at)
    if not facts:
        return None
    return Proposal(
        kind="contradiction",
        key=f"{conflict.kind} {' '.join(proposals.evidence_digests(tx, facts))}"[:2000],
        statement=conflict.statement,
        score=_CONFLICT_SCORES.get(conflict.kind, _OTHER_SCORE),
        rests_on=facts,
        tool=conflict.tool or "retract_fact",
        arguments=dict(conflict.arguments or {}),
    )


# Facts that have probably ended: a newer one exists, and a subject usually has one object at a time.
#
# The graph's own counts say what is usual. Functional predicates belong to the conflicts pass.

_MIN_SUBJECTS = 10
_MIN_SHARE_OF_ONE = 0.85
"""The share of a predicate's subjects that must have exactly one object for one to be usual."""

_MIN_DISTANCE = timedelta(days=14)
"""Facts that began closer together were probably meant to hold side by side."""

_MAX_SUBJECTS = 200
_FLAGS = frozenset({"functional", "symmetric"})
_ROLES = ("blocks", "resolves", "tags", "mentions", "depends")
"""Roles in which several objects at a time are normal, whatever is usual in a graph."""


def propose_ended(tx: Tx, position: int) -> Outcome:
    vocabulary = graph_vocabulary.read(tx)
    proposals: list[Proposal] = []
    considered = 0
    for name, subjects, with_one in store.garden.subjects_by_objects(tx):
        raise_if_cancelled(tx.cancellation)
        predicate = vocabulary.predicate_by_name[name]
        considered += subjects
        share = with_one / subjects
        if subjects < _MIN_SUBJECTS or with_one == subjects or share < _MIN_SHARE_OF_ONE or _is_free(predicate):
            continue
        rows = store.garden.facts_beside_each_other(tx, name, limit=_MAX_SUBJECTS)
        proposals += _of_predicate(tx, store.facts.by_rows(tx, rows), share=share)
    return Outcome(tuple(proposals[:MAX_CANDIDATES]), considered=considered)


def _is_free(predicate: Predicate) -> bool:
    """Whether several objects at a time are normal, or already a conflict."""
    return bool(predicate.flags & _FLAGS) or predicate.role in _ROLES


def _of_predicate(tx: Tx, facts: Sequence[Fact], *, share: float) -> Iterator[Proposal]:
    by_subject = sorted(facts, key=lambda fact: (fact.subject.row, _began(fact), fact.row))
    for _, group in groupby(by_subject, key=lambda fact: fact.subject.row):
        for older, newer in pairwise(group):
            distance = timestamps.to_datetime(_began(newer)) - timestamps.to_datetime(_began(older))
            if distance >= _MIN_DISTANCE and older.recorded_at < newer.recorded_at:
                yield _proposal_of_ended(tx, older, newer, share=share)


def _proposal_of_ended(tx: Tx, older: Fact, newer: Fact, *, share: float) -> Proposal:
    began_on = timestamps.local_date(_began(newer), tx.zone)
    return Proposal(
        kind="probably_ended",
        key=older.id,
        statement=(
            f"“{knowledge.facts.sentence(older)}” has probably ended: since {began_on}, "
            f"“{knowledge.facts.sentence(newer)}”, and {share:.0%} of such subjects have one at a time."
        ),
        score=round(share * 0.8, 3),
        rests_on=(older.id, newer.id),
        tool="end_fact",
        arguments={"fact_id": older.id, "valid_to": _began(newer)},
    )


def _began(fact: Fact) -> str:
    return fact.valid_from or fact.recorded_at


# Links: facts that rules predict, and facts that rules put in doubt, if rules reliably beat counting.

_MAX_FACTS = 200_000
"""More would take longer than a few seconds; train_gnn examines them on request."""

_THRESHOLD = 0.6
_SEED = 0
_MAX_ROWS = 2_000_000
_MAX_HELD_OUT = 300


def propose_links(tx: Tx, position: int) -> Outcome:
    recorded = store.facts.count(tx)
    if recorded > _MAX_FACTS:
        return Outcome((), note=f"{recorded:,} facts are too many for this pass; use train_gnn.")
    graph = link_prediction.read(tx)
    count = len(graph.triples)
    findings = link_prediction.learn(
        graph,
        threshold=_THRESHOLD,
        seed=_SEED,
        methods=(link_prediction.HORN_RULES,),
        max_rows=_MAX_ROWS,
        max_held_out=_MAX_HELD_OUT,
        check=lambda: raise_if_cancelled(tx.cancellation),
    )
    if findings.method == link_prediction.TOO_FEW_FACTS:
        return Outcome((), considered=count, note="Rules predict nothing here better than counting does.")
    report = learning.describe(tx, findings, Scope(tx.group))
    best = sorted(learning.as_proposals(report), key=lambda each: (-each.score, each.kind, each.key))
    return Outcome(tuple(best[:MAX_CANDIDATES]), considered=count)
