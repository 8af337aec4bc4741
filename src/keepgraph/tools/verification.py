"""The verification toolset: whether a relation holds, whether texts contradict each other, and why a fact is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from keepgraph import errors
from keepgraph.engine import knowledge, provenance
from keepgraph.engine.provenance.explanations import Dependent, Explanation, Objection, Origin, Passage
from keepgraph.engine.verification import relation_verdicts, text_evidence
from keepgraph.engine.verification.relation_verdicts import DeletedRelation, RelationVerdict
from keepgraph.english import count_noun
from keepgraph.language.normalisation import Name
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers, catalogue
from keepgraph.tools.contract.answer_shapes import filled
from keepgraph.tools.contract.brief_answers import Entries
from keepgraph.tools.contract.catalogue import Effect, Need, tool


@tool(Effect.READ, needs=catalogue.to_resolve("from_entity", "to_entity", besides=catalogue.MENTIONS))
def verify_relation(
    tx: Tx,
    *,
    from_entity: str,
    to_entity: str,
    relation_type: str,
    source_text: str = "",
    target_text: str = "",
    confidence: float = 0.5,
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
        **describe(tx, verdict),
        **_ends(verdict),
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
        "session_id": tx.session,
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
    project: str | None = None,
) -> dict[str, Any]:
    """Record a relation between two names or ids as its caller says it; verification has the verdict on it.

    With verify, it is recorded only if it is known or a text says it; else created is false, and reason says why. Two
    relation types between one pair are two facts.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
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
    described = {"verification": describe(tx, verdict), "project": scope.label}
    if verify and not verdict.is_accepted:
        reason = f"It is {verdict.level}: {' '.join(judgement.reason for judgement in verdict.judgements)}"
        return {"created": False, "reason": reason, **described}
    if verdict.predicate is None:
        (unknown,) = (judgement.reason for judgement in verdict.judgements if judgement.judge == "vocabulary")
        return {"created": False, "reason": unknown, **described}
    recorded = relation_verdicts.create(
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
        **answer_shapes.of_recorded(tx, recorded),
        **described,
    }


@tool(Effect.DESTRUCTIVE)
def delete_relation(
    tx: Tx,
    *,
    from_entity: str,
    to_entity: str,
    relation_type: str,
    project: str | None = None,
) -> dict[str, Any]:
    """Retract the facts of one relation type between two things, and of no other type; `undo` restores them.

    Takes exact names or aliases. If there is none, deleted is false, and others lists what is between the two.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    deleted = relation_verdicts.delete(tx, from_entity, relation_type, to_entity)
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
    return catalogue.NOTHING if kind == "call" else catalogue.MENTIONS


@tool(Effect.READ, needs=_needs_to_explain)
def explain(
    tx: Tx, *, what: str, kind: str | None = None, project: str | None = None, detail: str = "full"
) -> dict[str, Any]:
    """Explain why something is in the graph: a fact, an entity, a text, or a call.

    For a fact: the sentence, source, tool, call and conversation of each assertion, what changed it, what speaks
    against it, what depends on it. For a text: what would be deleted with it. For a call: what it did, and whether it
    can be undone.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    explanation = provenance.record_explanations.explain_anything(tx, what, kind=kind)
    answer = {**_describe(tx, explanation), "project": scope.label}
    return _brief(answer) if detail == brief_answers.BRIEF else answer


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


# The answer of explain: the chain of each origin, changes, objections and dependents; and its brief form.

_Answer = dict[str, Any]

_LISTS = ("origins", "objections", "dependents", "changes", "sources")
_MAX_BRIEF_NAME = 300
_COUNTED = ("origins", "changes", "objections", "dependents")


def _describe(tx: Tx, explanation: Explanation) -> _Answer:
    """An explanation as an answer; keys that have nothing to say are left out, the lists are not."""
    said = explanation.confirmation
    answer: _Answer = {
        "message": explanation.statement,
        "kind": explanation.kind,
        "id": explanation.id,
        "name": explanation.name,
        **filled(type=explanation.type, state=explanation.state),
        "origins": [_origin(tx, origin) for origin in explanation.origins],
        "objections": [_objection(tx, objection) for objection in explanation.objections],
        **filled(confirmed_by=said and {"sentence": said.sentence, **filled(doc_id=said.text)}),
        "dependents": [_dependent(dependent) for dependent in explanation.dependents],
        "changes": [answer_shapes.event(tx, event) for event in explanation.changes],
        **filled(sources=[{"source": source, "facts": facts} for source, facts in explanation.sources]),
        "totals": dict(explanation.totals),
    }
    if explanation.kind == "call":
        answer["undo"] = {"possible": explanation.can_be_undone, "note": explanation.undo_note}
    if explanation.resolution is not None:
        answer["resolution"] = answer_shapes.resolution(explanation.resolution)
    is_truncated = any(answer["totals"].get(name, 0) > len(answer[name]) for name in _COUNTED)
    return {**answer, "truncated": is_truncated}


def _brief(answer: _Answer) -> _Answer:
    """The brief answer: the first entries of each list in full, the next as lines, within the bound of a brief one."""
    short = {**answer, "message": brief_answers.quote(answer["message"], limit=2 * _MAX_BRIEF_NAME)}
    short["name"] = brief_answers.quote(answer["name"], limit=_MAX_BRIEF_NAME)
    if "resolution" in short:
        short["resolution"] = {**short["resolution"], "candidates": short["resolution"]["candidates"][:3]}
    lists = {name: short.pop(name) for name in _LISTS if name in short}
    cut = brief_answers.shorten(
        {
            name: Entries([_without_long_parts(entry) for entry in entries], [_LINES[name](entry) for entry in entries])
            for name, entries in lists.items()
        },
        rest=short,
    )
    return {
        **{name: cut[name].full if name in cut else short[name] for name in answer if name in cut or name in short},
        **{f"more_{name}": cut[name].lines for name in cut if cut[name].lines},
        "truncated": answer["truncated"] or any(shortened.is_cut for shortened in cut.values()),
    }


def _origin(tx: Tx, origin: Origin) -> _Answer:
    return {
        "what": origin.what,
        "at": timestamps.format_local(origin.at, tx.zone),
        "tool": origin.tool,
        "call": origin.call,
        "session": origin.session,
        "ends_in": origin.end,
        **filled(source=origin.source),
        **({"confidence": origin.confidence} if origin.confidence is not None else {}),
        **filled(
            text=origin.passage and _passage(tx, origin.passage),
            decisions=[
                {"decision": made.decision, "proposal": made.statement, "rested_on": list(made.rests_on[:10])}
                for made in origin.decisions
            ],
            note=origin.note,
        ),
        **answer_shapes.imported(tx, origin.imported),
    }


def _passage(tx: Tx, passage: Passage) -> _Answer:
    episode = passage.episode
    return {
        "doc_id": episode.id,
        "name": episode.name,
        "quote": passage.quote,
        "names": passage.names,
        "valid_at": timestamps.format_local(episode.occurred_at, tx.zone),
        **filled(source=episode.source, speaker=passage.speaker, heading=passage.heading),
        **({"part": passage.part, "parts": passage.parts} if passage.parts > 1 else {}),
    }


def _objection(tx: Tx, objection: Objection) -> _Answer:
    return {
        "kind": objection.kind,
        "sentence": objection.statement,
        **filled(
            facts=[answer_shapes.fact_as_text(tx, fact) for fact in objection.facts],
            doc_id=objection.text,
        ),
        **answer_shapes.settled_by(objection.tool, objection.arguments),
    }


def _dependent(dependent: Dependent) -> _Answer:
    return {"kind": dependent.kind, "id": dependent.id, "text": dependent.text, "effect": dependent.effect}


def _without_long_parts(entry: Mapping[str, Any]) -> _Answer:
    """An entry with quotes and texts at most as long as a brief answer quotes."""
    short: _Answer = {
        name: brief_answers.quote(value, limit=_MAX_BRIEF_NAME) if isinstance(value, str) else value
        for name, value in entry.items()
    }
    if isinstance(short.get("text"), str):
        short["text"] = brief_answers.quote(short["text"])
    elif "text" in short:
        short["text"] = {**short["text"], "quote": brief_answers.quote(short["text"]["quote"])}
    return short


def _line_of_origin(origin: Mapping[str, Any]) -> str:
    by = f" {origin['tool']}" if origin["tool"] else ""
    call = f" (call {origin['call']})" if origin["call"] else ""
    where = origin["text"]["name"] if "text" in origin else origin.get("source", "")
    return f"{origin['at'][:10]} {origin['what']}{by}{call}{f': {where}' if where else ''}"


_LINES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "origins": _line_of_origin,
    "objections": lambda objection: str(objection["sentence"]),
    "dependents": lambda dependent: f"{dependent['kind']}: {dependent['text']} ({dependent['effect']})",
    "changes": lambda event: f"{event['at'][:10]} {event['what']} by {event['tool']} (call {event['call']})",
    "sources": lambda source: f"{source['source']}: {source['facts']}",
}


# Verdicts on relations in an answer: the level, the scores, what each judge says, and the evidence.


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
        "conflicts": answer_shapes.describe(tx, verdict.conflicts),
    }


def _ends(verdict: RelationVerdict) -> dict[str, Any]:
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
