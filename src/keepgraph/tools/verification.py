"""The verification toolset: whether a relation holds, whether texts contradict each other, and why a fact is there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from keepgraph import errors
from keepgraph.engine import knowledge
from keepgraph.engine.verification import relation_changes, relation_verdicts, text_evidence
from keepgraph.engine.verification.relation_changes import DeletedRelation
from keepgraph.english import count_noun
from keepgraph.language.normalisation import Name
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers, conflict_answers, derived_data, verdict_answers
from keepgraph.tools.contract.catalogue import Effect, tool
from keepgraph.tools.contract.derived_data import Need


@tool(Effect.READ, needs=derived_data.to_resolve("from_entity", "to_entity", besides=derived_data.MENTIONS))
def verify_relation(
    tx: Tx,
    *,
    from_entity: str,
    to_entity: str,
    relation_type: str,
    source_text: str = "",
    target_text: str = "",
    confidence: float = 0.5,
    session_id: str | None = None,
    project: str | None = None,
) -> dict[str, Any]:
    """Check whether a relation holds, before recording or repeating it: by facts, vocabulary, rules, texts, structure.

    Accepted only if it is known, or if a sentence in source_text, target_text or a stored text says it, and nothing
    contradicts it; each judge gives a sentence in reasons. An unknown name or word gives level unverified.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    verdict = relation_verdicts.judge(
        tx, from_entity, relation_type, to_entity, texts=(source_text, target_text), confidence=confidence
    )
    return {
        **verdict_answers.describe(tx, verdict),
        **verdict_answers.ends(verdict),
        "relation_type": relation_type,
        "project": scope.label,
    }


@tool(Effect.READ)
def check_conflict(
    tx: Tx,
    *,
    text_a: str,
    text_b: str,
    entity_a: str | None = None,
    entity_b: str | None = None,
    session_id: str | None = None,
    project: str | None = None,
) -> dict[str, Any]:
    """Check whether a sentence of one text contradicts a sentence of another. Mostly English.

    By rules: negation, opposites, amounts, dates, values of which a thing has one, all and none. If that is not
    certain, the verdict is undecided, with confidence 0. No language model is used.
    """
    scope = knowledge.projects.read(tx, project)
    for name, text in (("text_a", text_a), ("text_b", text_b)):
        if not text.strip():
            raise errors.InvalidArguments(f"{name} is empty; give the two texts to compare")
    checked = text_evidence.check(
        knowledge.projects.enter(tx, scope), text_a, text_b, first_about=entity_a, second_about=entity_b
    )
    comparison = checked.comparison
    is_conflict = comparison.verdict == "contradiction"
    return {
        "conflict_detected": is_conflict,
        "conflict": is_conflict,
        "verdict": comparison.verdict,
        "confidence": comparison.confidence,
        "explanation": comparison.explanation,
        "pairs": [
            {
                "sentence_a": pair.first,
                "sentence_b": pair.second,
                "verdict": pair.verdict,
                "kind": pair.kind,
                "confidence": pair.confidence,
                "explanation": pair.explanation,
            }
            for pair in comparison.pairs
        ],
        **answer_shapes.filled(model=checked.model),
        "truncated": checked.is_cut,
        "project": scope.label,
        "session_id": session_id or tx.session,
    }


@tool(Effect.WRITE)
def create_relation(
    tx: Tx,
    *,
    from_entity: str,
    to_entity: str,
    relation_type: str,
    confidence: float = 1.0,
    verify: bool = False,
    valid_from: str | None = None,
    valid_to: str | None = None,
    from_type: str | None = None,
    to_type: str | None = None,
    source: str | None = None,
    source_text: str = "",
    target_text: str = "",
    session_id: str | None = None,
    project: str | None = None,
) -> dict[str, Any]:
    """Record a relation between two names or ids as its caller says it; verification has the verdict on it.

    With verify, it is recorded only if it is known or a text says it; else created is false, and reason says why. Two
    relation types between one pair are two facts.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    tx = replace(tx, session=session_id or tx.session)
    for name, error_class in ((from_entity, errors.SubjectRequired), (to_entity, errors.ObjectRequired)):
        if not Name(name).key:
            raise error_class(f"{name[:60]!r} is not a name")
    verdict = relation_verdicts.judge(
        tx,
        from_entity,
        relation_type,
        to_entity,
        texts=(source_text, target_text),
        confidence=confidence,
        asks_rules=False,
    )
    described = {"verification": verdict_answers.describe(tx, verdict), "project": scope.label}
    if verify and not verdict.is_accepted:
        reason = f"It is {verdict.level}: {' '.join(judgement.reason for judgement in verdict.judgements)}"
        return {"created": False, "reason": reason, **described}
    if verdict.predicate is None:
        (unknown,) = (judgement.reason for judgement in verdict.judgements if judgement.judge == "vocabulary")
        return {"created": False, "reason": unknown, **described}
    recorded = relation_changes.create(
        tx,
        from_entity,
        relation_type,
        to_entity,
        subject_type=from_type,
        object_type=to_type,
        source=source,
        confidence=confidence,
        valid_from=valid_from or None,
        valid_to=valid_to or None,
    )
    fact = recorded.fact
    return {
        "created": not recorded.deduplicated,
        "relation": {
            "from": fact.subject.name,
            "to": fact.object.name if fact.object else fact.literal,
            "relation_type": fact.predicate,
            "confidence": fact.confidence,
            **answer_shapes.validity(tx, fact),
            "fact_id": fact.id,
            "text": knowledge.facts.sentence(fact),
            "recorded_at": timestamps.format_local(fact.recorded_at, tx.zone),
        },
        "effect": recorded.effect,
        "auto_created_entities": [answer_shapes.entity(entity) for entity in recorded.created],
        **answer_shapes.alias(tx, recorded),
        **conflict_answers.of_recorded(tx, recorded),
        **described,
    }


@tool(Effect.DESTRUCTIVE)
def delete_relation(
    tx: Tx,
    *,
    from_entity: str,
    to_entity: str,
    relation_type: str,
    session_id: str | None = None,
    project: str | None = None,
) -> dict[str, Any]:
    """Retract the facts of one relation type between two things, and of no other type; `undo` restores them.

    Takes exact names or aliases. If there is none, deleted is false, and others lists what is between the two.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    tx = replace(tx, session=session_id or tx.session)
    deleted = relation_changes.delete(tx, from_entity, relation_type, to_entity)
    subject, target = deleted.subject.entity, deleted.object.entity
    return {
        "deleted": bool(deleted.facts),
        "from": subject.name if subject else from_entity,
        "to": target.name if target else to_entity,
        "relation_type": deleted.predicate or relation_type,
        "count": len(deleted.facts),
        "facts": [answer_shapes.fact_as_text(tx, fact) for fact in deleted.facts],
        "others": [answer_shapes.fact_as_text(tx, fact) for fact in deleted.others],
        "resolution": {
            "from": answer_shapes.resolution(deleted.subject),
            "to": answer_shapes.resolution(deleted.object),
        },
        "message": _describe_deletion(deleted, from_entity, relation_type, to_entity),
        "project": scope.label,
    }


def _needs_to_explain(tx: Tx, *, what: str, kind: str | None = None, **_: Any) -> frozenset[Need]:
    """Mentions in the stored texts. Names need no vectors: one that letters do not find is a question for recall."""
    return derived_data.NOTHING if kind == "call" else derived_data.MENTIONS


@tool(Effect.READ, needs=_needs_to_explain)
def explain(
    tx: Tx, *, what: str, kind: str | None = None, project: str | None = None, detail: str = "full"
) -> dict[str, Any]:
    """Explain why something is in the graph: a fact, an entity, a text, or a call.

    For a fact: the sentence, source, tool, call and conversation of each assertion, what changed it, what speaks
    against it, what depends on it. For a text: what would be deleted with it. For a call: what it did, and whether it
    can be undone.
    """
    from keepgraph.engine import provenance
    from keepgraph.tools.contract import explanation_answers

    tx, scope = knowledge.projects.enter_named(tx, project)
    explanation = provenance.explanation_requests.explain(tx, what, kind=kind)
    answer = {**explanation_answers.describe(tx, explanation), "project": scope.label}
    return explanation_answers.brief(answer) if detail == brief_answers.BRIEF else answer


def _describe_deletion(deleted: DeletedRelation, subject: str, wording: str, target: str) -> str:
    if deleted.facts:
        number = f"{count_noun(len(deleted.facts), 'fact')}"
        return f"Retracted {number}: {knowledge.facts.sentence(deleted.facts[0])}."
    unknown = [
        name
        for name, resolution, is_open in (
            (subject, deleted.subject, False),
            (target, deleted.object, bool(deleted.others)),
        )
        if resolution.entity is None and not is_open
    ]
    if unknown:
        names = " and ".join(f"“{name.strip()[:80]}”" for name in unknown)
        return f"Nothing was deleted: {names} {'is' if len(unknown) == 1 else 'are'} not known."
    if deleted.predicate is None:
        return f"Nothing was deleted: “{wording.strip()[:80]}” is not a relation type of the vocabulary."
    if not deleted.others:
        return f"Nothing was deleted: {deleted.predicate} is not recorded between the two, and nothing else is."
    others = "; ".join(knowledge.facts.sentence(fact) for fact in deleted.others[:5])
    return f"Nothing was deleted: {deleted.predicate} is not recorded between the two. There is: {others}."
