"""The answer of change: what was corrected, in a sentence and in parts; what is empty is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph.engine import knowledge
from keepgraph.engine.texts.corrections import CorrectedText
from keepgraph.english import count_noun
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
    return answer | {name: updated[name] for name in names if updated[name]}


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
    return " ".join(sentences) or f"Nothing changed: {entity['name']} already is so."


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
