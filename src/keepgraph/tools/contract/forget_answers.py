"""The answer of forget: what was forgotten, the first of what fell with it and of what stays, and the counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepgraph.engine import knowledge
from keepgraph.engine.texts.forgetting import Forgotten
from keepgraph.english import count_noun
from keepgraph.model import Entity, Episode, Fact
from keepgraph.tools.contract import answer_shapes

MAX_SHOWN = 10


def describe(forgotten: Forgotten, *, dry_run: bool) -> dict[str, Any]:
    """What was forgotten, as an answer. Lists that are empty are left out."""
    lists: dict[str, Sequence[Any]] = {
        "facts": forgotten.facts,
        "entities": forgotten.entities,
        "texts": forgotten.texts,
        "aliases": forgotten.aliases,
        "kept_texts": forgotten.kept_texts,
        "kept": forgotten.kept,
        "reopened_blockers": forgotten.reopened,
    }
    thing = {"id": forgotten.id, "name": forgotten.name}
    return {
        "message": _message(forgotten, dry_run=dry_run),
        "kind": forgotten.kind,
        "forgotten": {**thing, "type": forgotten.type} if forgotten.type else thing,
        **{name: [_shape(part) for part in parts[:MAX_SHOWN]] for name, parts in lists.items() if parts},
        "totals": {name: len(parts) for name, parts in lists.items() if parts}
        | {name: count for name, count in forgotten.counts.items() if count},
        "truncated": any(len(parts) > MAX_SHOWN for parts in lists.values()),
        "remains": answer_shapes.REMAINS,
    }


def _shape(part: Any) -> Any:
    if isinstance(part, Fact):
        return {"id": part.id, "name": knowledge.facts.sentence(part)}
    if isinstance(part, Episode):
        return {"id": part.id, "name": part.name}
    if isinstance(part, Entity):
        return answer_shapes.entity(part)
    if isinstance(part, str):
        return part
    kept = _shape(part.object)
    return {"id": kept["id"], "name": kept["name"], "why": part.reason}


def _message(forgotten: Forgotten, *, dry_run: bool) -> str:
    what = {
        "entity": f"the {forgotten.type} {forgotten.name!r}",
        "fact": f"the fact {forgotten.name!r}",
        "text": f"the text {forgotten.name!r}",
        "call": f"{forgotten.id} ({forgotten.name})",
    }[forgotten.kind]
    fallen = [
        count_noun(len(parts), noun)
        for noun, parts in (
            ("fact", forgotten.facts if forgotten.kind != "fact" else ()),
            ("entity", forgotten.entities),
            ("text", forgotten.texts),
            ("alias", forgotten.aliases),
        )
        if parts
    ]
    with_it = f", with {', '.join(fallen)}" if fallen else ""
    kept = len(forgotten.kept_texts)
    has_it = (
        ("says it stays", "say it stay") if forgotten.kind == "fact" else ("has the name stays", "have the name stay")
    )
    stays = f" {count_noun(kept, 'text')} that {has_it[kept > 1]}." if kept else ""
    reopened = count_noun(len(forgotten.reopened), "blocker")
    opens = f" {reopened} {'is' if len(forgotten.reopened) == 1 else 'are'} open again." if forgotten.reopened else ""
    return f"{'Would forget' if dry_run else 'Forgot'} {what}{with_it}.{stays}{opens}"
