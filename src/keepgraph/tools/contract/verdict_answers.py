"""Verdicts on relations in an answer: the level, the scores, what each judge says, and the evidence."""

from __future__ import annotations

from typing import Any

from keepgraph.engine import knowledge
from keepgraph.engine.verification.relation_verdicts import RelationVerdict
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import answer_shapes, conflict_answers


def describe(tx: Tx, verdict: RelationVerdict) -> dict[str, Any]:
    """A verdict with its reasons, one sentence for each judge."""
    return {
        "accepted": verdict.is_accepted,
        "level": verdict.level,
        "srmkg_score": verdict.structure_score,
        "vog_score": verdict.text_score,
        "reasons": [
            {"judge": judgement.judge, "verdict": judgement.verdict, "sentence": judgement.reason}
            for judgement in verdict.judgements
        ],
        "evidence": _evidence(tx, verdict),
        "conflicts": conflict_answers.describe(tx, verdict.conflicts),
    }


def ends(verdict: RelationVerdict) -> dict[str, Any]:
    """How the names and the relation of a verdict were understood."""
    subject, target = verdict.subject.entity, verdict.object.entity
    return {
        "from": answer_shapes.entity(subject) if subject else None,
        "to": answer_shapes.entity(target) if target else None,
        "predicate": verdict.predicate,
        "resolution": {
            "from": answer_shapes.resolution(verdict.subject),
            "to": answer_shapes.resolution(verdict.object),
        },
    }


def _evidence(tx: Tx, verdict: RelationVerdict) -> list[dict[str, Any]]:
    """What the verdict rests on: facts, each with its source, and the sentence that decided."""
    evidence: list[dict[str, Any]] = [
        {"kind": "fact", "text": knowledge.facts.sentence(fact), "fact_id": fact.id, "source": fact.source}
        for fact in verdict.evidence
    ]
    if verdict.sentence.sentence:
        text = {"kind": verdict.sentence.verdict, "text": verdict.sentence.sentence}
        evidence.append(text | answer_shapes.filled(doc_id=verdict.sentence.source))
    return evidence
