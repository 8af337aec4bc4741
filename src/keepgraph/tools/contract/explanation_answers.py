"""The answer of explain: the chain of each origin, changes, objections and dependents; and its brief form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from keepgraph.engine.provenance.explanations import Dependent, Explanation, Objection, Origin, Passage
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers
from keepgraph.tools.contract.answer_shapes import filled
from keepgraph.tools.contract.brief_answers import Entries

Answer = dict[str, Any]

_LISTS = ("origins", "objections", "dependents", "changes", "sources")
_MAX_BRIEF_NAME = 300
_COUNTED = ("origins", "changes", "objections", "dependents")


def describe(tx: Tx, explanation: Explanation) -> Answer:
    """An explanation as an answer; keys that have nothing to say are left out, the lists are not."""
    said = explanation.confirmation
    answer: Answer = {
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
    return {**answer, "truncated": _is_truncated(answer)}


def brief(answer: Answer) -> Answer:
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


def _is_truncated(answer: Answer) -> bool:
    return any(answer["totals"].get(name, 0) > len(answer[name]) for name in _COUNTED)


def _origin(tx: Tx, origin: Origin) -> Answer:
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


def _passage(tx: Tx, passage: Passage) -> Answer:
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


def _objection(tx: Tx, objection: Objection) -> Answer:
    return {
        "kind": objection.kind,
        "sentence": objection.statement,
        **filled(
            facts=[answer_shapes.fact_as_text(tx, fact) for fact in objection.facts],
            doc_id=objection.text,
        ),
        **answer_shapes.settled_by(objection.tool, objection.arguments),
    }


def _dependent(dependent: Dependent) -> Answer:
    return {"kind": dependent.kind, "id": dependent.id, "text": dependent.text, "effect": dependent.effect}


def _without_long_parts(entry: Mapping[str, Any]) -> Answer:
    """An entry with quotes and texts at most as long as a brief answer quotes."""
    short: Answer = {
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


def _line_of_change(event: Mapping[str, Any]) -> str:
    return f"{event['at'][:10]} {event['what']} by {event['tool']} (call {event['call']})"


def _line_of_objection(objection: Mapping[str, Any]) -> str:
    return str(objection["sentence"])


def _line_of_source(source: Mapping[str, Any]) -> str:
    return f"{source['source']}: {source['facts']}"


def _line_of_dependent(dependent: Mapping[str, Any]) -> str:
    return f"{dependent['kind']}: {dependent['text']} ({dependent['effect']})"


_LINES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "origins": _line_of_origin,
    "objections": _line_of_objection,
    "dependents": _line_of_dependent,
    "changes": _line_of_change,
    "sources": _line_of_source,
}
