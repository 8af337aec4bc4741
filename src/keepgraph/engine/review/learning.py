"""Learning: likely and doubtful facts of a group, offered as proposals. Nothing is recorded or deleted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.analysis import link_prediction
from keepgraph.engine.analysis.link_prediction import DoubtfulFact, Findings, LikelyFact
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.review import proposals
from keepgraph.engine.review.proposals import OfferReport, Proposal
from keepgraph.model import Entity, Fact, Predicate
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.transactions import Tx

MAX_NEW = 20
"""The most new proposals of one run."""

_STEPS = 8


@dataclass(frozen=True, slots=True)
class SuggestedFact:
    """A likely fact, in readable form.

    Attributes:
        likely: its origin; it has at least one rule.
        statement: the fact as a sentence.
        rule: the best rule as a sentence.
        body: the facts that the rule concludes it from.
    """

    subject: Entity
    predicate: Predicate
    object: Entity
    likely: LikelyFact
    statement: str
    rule: str
    body: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class DoubtedFact:
    """A doubtful recorded fact."""

    fact: Fact
    doubtful: DoubtfulFact


@dataclass(frozen=True, slots=True)
class LearningReport:
    """What was learned from a group.

    Attributes:
        offered: what became of the proposals; None in a dry run.
    """

    scope: Scope
    findings: Findings
    suggested: tuple[SuggestedFact, ...]
    doubted: tuple[DoubtedFact, ...]
    offered: OfferReport | None = None


def run(job: Job, *, project: str | None, threshold: float, seed: int, dry_run: bool) -> LearningReport:
    """Learn from the facts of the group of the call or of the named group, and offer the suggestions.

    Args:
        project: a group; or a project, then only facts that it or a direct neighbour of it is an end of.
        threshold: the score, from 0 to 1, from which a fact is doubtful.
        dry_run: offer nothing.

    Raises:
        errors.EntityNotFound: the project does not exist.
    """
    with job.read() as tx:
        scope = knowledge.projects.read_known(tx, project)
    steps = iter(range(_STEPS))

    def report_step(what: str) -> None:
        raise_if_cancelled(job.cancellation)
        job.report_progress(next(steps, _STEPS), _STEPS, what)

    report_step("reading facts")
    with job.read(group=scope.group) as tx:
        graph = link_prediction.read(tx)
    findings = link_prediction.learn(
        graph,
        threshold=threshold,
        seed=seed,
        check=lambda: raise_if_cancelled(job.cancellation),
        report=report_step,
    )
    with job.read(group=scope.group) as tx:
        report = describe(tx, findings, scope)
    if not dry_run:
        # Not a call of the journal: offering changes no entity and no fact.
        with job.database.write(job.tool, session=job.session) as tx:
            offered = proposals.offer(replace(tx, group=scope.group), as_proposals(report), limit=MAX_NEW)
        report = replace(report, offered=offered)
    job.report_progress(_STEPS, _STEPS, "done")
    return report


def describe(tx: Tx, findings: Findings, scope: Scope) -> LearningReport:
    """The findings that can be suggested, with their entities and facts."""
    members = _members(tx, scope)
    likely = tuple(each for each in findings.likely if members is None or {each.subject, each.object} & members)
    fitting = link_prediction.fitting(tx, likely, limit=link_prediction.MAX_SUGGESTIONS)
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, [each.fact for each in findings.doubtful])}
    doubted = [
        DoubtedFact(fact, each)
        for each in findings.doubtful
        if (fact := facts.get(each.fact)) is not None and (members is None or _ends(fact) & members)
    ]
    suggested = tuple(_suggest(tx, each, findings) for each in fitting)
    return LearningReport(scope, findings, suggested, tuple(doubted))


def as_proposals(report: LearningReport) -> list[Proposal]:
    """Suggested facts to record, and doubtful ones to retract: a person decides."""
    return [*map(_propose_new, report.suggested), *map(_propose_retraction, report.doubted)]


def _members(tx: Tx, scope: Scope) -> frozenset[int] | None:
    """The rows of a project and its direct neighbours; None if no project was named."""
    if scope.project is None:
        return None
    ids = store.garden.ids_around(tx, scope.project)
    return frozenset(entity.row for id in ids if (entity := store.entities.by_id(tx, id)) is not None)


def _ends(fact: Fact) -> set[int]:
    return {end.row for end in (fact.subject, fact.object) if end is not None}


def _suggest(tx: Tx, likely: LikelyFact, findings: Findings) -> SuggestedFact:
    entities = store.entities.by_rows(tx, [likely.subject, likely.object])
    subject, target = entities[likely.subject], entities[likely.object]
    return SuggestedFact(
        subject=subject,
        predicate=likely.predicate,
        object=target,
        likely=likely,
        statement=link_prediction.state(likely.predicate, subject.name, target.name),
        rule=link_prediction.describe(likely.rules[0], findings.predicates),
        body=tuple(_in_order(store.facts.by_rows(tx, list(likely.body)), likely.body)),
    )


def _in_order(facts: Iterable[Fact], rows: Iterable[int]) -> list[Fact]:
    by_row = {fact.row: fact for fact in facts}
    return [by_row[row] for row in rows if row in by_row]


def _propose_new(suggested: SuggestedFact) -> Proposal:
    rule = suggested.likely.rules[0]
    body = tuple(fact.id for fact in suggested.body)
    return Proposal(
        kind="new_fact",
        key=f"{suggested.subject.id} {suggested.predicate.name} {suggested.object.id}",
        statement=(
            f"Is it true that {suggested.statement}? {suggested.rule} "
            f"That held in {rule.support:,} of {rule.body_size:,} cases."
        ),
        score=suggested.likely.score,
        rests_on=(*body, suggested.subject.id, suggested.object.id, suggested.rule),
        evidence=(*body, suggested.rule),
        tool="record_fact",
        arguments={
            "subject": {"id": suggested.subject.id},
            "predicate": suggested.predicate.name,
            "object": {"id": suggested.object.id},
            "confidence": suggested.likely.score,
            "source": "link prediction",
        },
    )


def _propose_retraction(doubted: DoubtedFact) -> Proposal:
    fact = doubted.fact
    return Proposal(
        kind="doubtful",
        key=fact.id,
        statement=(
            f"Is it wrong that {knowledge.facts.sentence(fact)}? At least {doubted.doubtful.share:.0%} of the facts "
            f"with {fact.predicate} follow from other facts, and this one does not. Retract it?"
        ),
        score=doubted.doubtful.score,
        rests_on=tuple(filter(None, (fact.id, fact.subject.id, fact.object.id if fact.object else None))),
        evidence=(fact.id,),
        tool="retract_fact",
        arguments={"fact_id": fact.id},
    )
