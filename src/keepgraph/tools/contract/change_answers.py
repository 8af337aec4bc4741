"""The answers of change and forget: what was corrected or deleted, in a sentence and in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph.engine import knowledge
from keepgraph.engine.texts.corrections import CorrectedText
from keepgraph.engine.texts.forgetting import Forgotten
from keepgraph.english import count_noun
from keepgraph.model import Entity, Episode, Fact
from keepgraph.tools.contract import answer_shapes

MAX_LINES = 20
MAX_SHOWN = 10

Answer = Mapping[str, Any]


def of_entity(entity: Answer, *, updated: Answer | None, merged: Answer | None, dry_run: bool) -> dict[str, Any]:
    """An entity that was changed.

    Args:
        updated, merged: the answers of update_entity and of merge_entities, as far as these were called.
    """
    parts = [*(["merged"] if merged else []), *(updated["changed"] if updated else [])]
    answer: dict[str, Any] = {
        "message": _message_of_entity(entity, updated, merged, dry_run=dry_run),
        "changed": parts,
        "entity": entity,
    }
    if merged:
        answer["merged"] = {
            **{name: merged[name] for name in ("absorbed", "moved", "folded", "retracted")},
            "facts": [_line(fact) for fact in merged["facts"][:MAX_LINES]],
        }
    if updated is None:
        return answer
    if {"name", "type"} & set(parts):
        answer["before"] = updated["before"]
    # Numbers and lists of nothing say nothing.
    names = ("facts_rewritten", "misfits", "misfits_total", "possible_duplicates", "aliases_added", "aliases_removed")
    return answer | {name: updated[name] for name in (*names, "conflicts") if updated.get(name)}


def of_text(corrected: CorrectedText, *, proposed_facts: Sequence[dict[str, Any]], dry_run: bool) -> dict[str, Any]:
    """A text that was corrected, with the shapes of what it proposes."""
    lists: dict[str, list[Any]] = {
        "mentions": [answer_shapes.entity(entity) for entity in corrected.mentions],
        "proposed_facts": list(proposed_facts),
        "recorded_facts": [
            {"id": fact.id, "text": knowledge.facts.sentence(fact)} for fact in corrected.recorded_facts
        ],
    }
    return {
        "message": _message_of_text(corrected, dry_run=dry_run),
        "changed": list(corrected.changed),
        "text": {
            "id": corrected.episode.id,
            "name": corrected.episode.name,
            **answer_shapes.filled(
                replaced=corrected.replaced,
                passage=corrected.passage,
                **{name: entries[:MAX_SHOWN] for name, entries in lists.items()},
            ),
        },
    }


def _message_of_entity(entity: Answer, updated: Answer | None, merged: Answer | None, *, dry_run: bool) -> str:
    would = "Would change" if dry_run else "Changed"
    sentences = []
    if merged:
        takes = "would take over" if dry_run else "has taken over"
        facts = count_noun(merged["moved"] + merged["folded"], "fact")
        sentences.append(f"{merged['entity']['name']} {takes} {merged['absorbed']['name']}, with {facts}.")
    if updated and updated["changed"]:
        before = updated["before"]["name"]
        renamed = f" from “{before}” to “{entity['name']}”" if "name" in updated["changed"] else ""
        others = [part for part in updated["changed"] if part != "name"]
        listed = ", ".join([*(["name"] if renamed else []), *others])
        sentences.append(f"{would} {before}: {listed}{renamed}.")
    return " ".join(sentences) or f"Nothing changed: {entity['name']} already has these values."


def _message_of_text(corrected: CorrectedText, *, dry_run: bool) -> str:
    name = corrected.episode.name
    if not corrected.changed:
        return f"Nothing changed: “{name}” says so already."
    times = f" in {count_noun(corrected.replaced, 'place')}" if corrected.replaced else ""
    return (
        f"{'Would correct' if dry_run else 'Corrected'} the {' and the '.join(corrected.changed)} of “{name}”{times}."
    )


def _line(fact: Answer) -> str:
    if fact["effect"] == "moved":
        return f"{fact['was']} → {fact['becomes']}"
    return f"{fact['was']}: {'one with ' + fact['into'] if fact['into'] else fact['effect']}"


# The answer of forget: what was forgotten, the first of what fell with it and of what stays, and the counts.


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
    again = f" Its file is still there, and `kg ingest` reads it again: {forgotten.file}." if forgotten.file else ""
    return f"{'Would forget' if dry_run else 'Forgot'} {what}{with_it}.{stays}{opens}{again}"
