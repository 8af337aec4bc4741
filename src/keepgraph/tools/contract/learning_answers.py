"""Answers about what was learned: likely facts with their rules, doubtful facts, and the figures of the methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepgraph.engine import knowledge
from keepgraph.engine.analysis import link_prediction
from keepgraph.engine.analysis.link_prediction import Findings, MethodFigures
from keepgraph.engine.review.learning import DoubtedFact, LearningReport, SuggestedFact
from keepgraph.english import count_noun
from keepgraph.tools.contract import answer_shapes

MAX_PREDICTED = 50
MAX_DOUBTFUL = 100
MAX_RULES = 20


def learning(report: LearningReport, *, dry_run: bool) -> dict[str, Any]:
    """A report; the lists are cut to what a caller reads, with the counts of all."""
    findings = report.findings
    doubted = report.doubted[:MAX_DOUBTFUL]
    return {
        "message": _message(report, dry_run=dry_run),
        "method": findings.method,
        "project": report.scope.label,
        "dry_run": dry_run,
        "edges_analysed": findings.analysed,
        "held_out": findings.comparison.held_out,
        "methods": [_method(each) for each in findings.comparison.methods],
        "predicted_facts": [_predicted(each) for each in report.suggested[:MAX_PREDICTED]],
        "predicted_count": len(report.suggested),
        **_edges(doubted),
        "suggested_count": len(report.doubted),
        "doubtful_facts": [_doubtful(each) for each in doubted],
        "rules": _rules(findings),
        "rule_count": len(findings.rules),
        **_offered(report),
        "truncated": (
            len(report.suggested) > MAX_PREDICTED
            or len(report.doubted) > MAX_DOUBTFUL
            or len(findings.rules) > MAX_RULES
        ),
    }


def _message(report: LearningReport, *, dry_run: bool) -> str:
    findings = report.findings
    if findings.method == link_prediction.TOO_FEW_FACTS:
        if findings.analysed < link_prediction.MIN_FACTS:
            return (
                f"The graph has {count_noun(findings.analysed, 'fact')} between entities, too few to learn from: "
                f"{link_prediction.MIN_FACTS:,} are needed. Nothing is suggested."
            )
        return (
            f"Of {findings.analysed:,} facts no method learns to predict the newest ones better than counting does; "
            "nothing is suggested."
        )
    likely = count_noun(len(report.suggested), "likely fact")
    doubtful = count_noun(len(report.doubted), "doubtful one")
    done = "Nothing was changed" if dry_run else f"{_new(report)} for review; no fact was changed"
    return f"{likely}, {doubtful}, from {count_noun(findings.analysed, 'fact')}. {done}."


def _new(report: LearningReport) -> str:
    return count_noun(len(report.offered.new) if report.offered else 0, "new proposal")


def _method(measured: MethodFigures) -> dict[str, Any]:
    figures = measured.figures
    if figures is None:
        return {"method": measured.method, "left_out": "It would take minutes with so many facts and entities."}
    return {
        "method": measured.method,
        "mrr": round(figures.mrr, 4),
        "mrr_low": round(figures.low, 4),
        "mrr_high": round(figures.high, 4),
        "hits_at_1": round(figures.hits_at_1, 4),
        "hits_at_10": round(figures.hits_at_10, 4),
    }


def _predicted(suggested: SuggestedFact) -> dict[str, Any]:
    rule = suggested.likely.rules[0]
    return {
        "subject": answer_shapes.entity(suggested.subject),
        "predicate": suggested.predicate.name,
        "object": answer_shapes.entity(suggested.object),
        "statement": suggested.statement,
        "score": suggested.likely.score,
        "rule": suggested.rule,
        "support": rule.support,
        "counter_examples": rule.counter_examples,
        "because": [{"fact_id": fact.id, "text": knowledge.facts.sentence(fact)} for fact in suggested.body],
    }


def _edges(doubted: Sequence[DoubtedFact]) -> dict[str, Any]:
    """The ends of doubtful facts, each pair once, with the highest score of its facts."""
    scores: dict[tuple[str, str], float] = {}
    for each in doubted:
        if each.fact.object is not None:
            scores.setdefault((each.fact.subject.id, each.fact.object.id), each.doubtful.score)
    return {
        "suggested_edges": [list(ends) for ends in scores],
        "scores": {"|".join(ends): score for ends, score in scores.items()},
    }


def _doubtful(doubted: DoubtedFact) -> dict[str, Any]:
    fact = doubted.fact
    return {
        "fact_id": fact.id,
        "from": fact.subject.id,
        "to": fact.object.id if fact.object else "",
        "predicate": fact.predicate,
        "statement": knowledge.facts.sentence(fact),
        "score": doubted.doubtful.score,
        "share": doubted.doubtful.share,
    }


def _rules(findings: Findings) -> list[dict[str, Any]]:
    return [
        {
            "rule": link_prediction.describe(rule, findings.predicates),
            "confidence": round(rule.confidence, 4),
            "support": rule.support,
            "counter_examples": rule.counter_examples,
        }
        for rule in findings.rules[:MAX_RULES]
    ]


def _offered(report: LearningReport) -> dict[str, Any]:
    offered = report.offered
    if offered is None:
        return {}
    counts = {"open": offered.open, "decided": offered.decided, "quiet": offered.quiet}
    return {"offered": {"new": len(offered.new), **counts, "over_limit": offered.over_limit}}
