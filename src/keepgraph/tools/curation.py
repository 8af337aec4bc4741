"""The curation toolset: aliases, merges, retraction, deletion, history and undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge, upkeep
from keepgraph.engine.resolution import resolver
from keepgraph.engine.upkeep import history
from keepgraph.language.normalisation import Name
from keepgraph.model import Event, MergeResult
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, derived_data
from keepgraph.tools.contract.catalogue import Effect, tool
from keepgraph.tools.contract.derived_data import Need

MAX_MERGED_FACTS = 200
MAX_EVENTS = 50


@tool(Effect.WRITE)
def add_alias(tx: Tx, *, entity: Mapping[str, Any], alias: str) -> dict[str, Any]:
    """Let an entity be found by another name too: a short form, a former name, another spelling.

    Refused where another entity of the type has that very name; if the two are one, use merge_entities.
    """
    entity_ = knowledge.entities.find(tx, answer_shapes.ref(entity))
    aliases_before = store.entities.aliases(tx, entity_)
    knowledge.entities.add_aliases(tx, entity_, [alias])
    aliases_after = store.entities.aliases(tx, entity_)
    return {
        "entity": answer_shapes.entity_in_full(tx, entity_, aliases_after),
        "added": len(aliases_after) > len(aliases_before),
    }


@tool(Effect.DESTRUCTIVE)
def merge_entities(
    tx: Tx,
    *,
    keep: Mapping[str, Any],
    absorb: Mapping[str, Any],
    dry_run: bool = False,
    across_types: bool = False,
) -> dict[str, Any]:
    """Make two entities that are the same one: `keep` takes over the facts, names and id of `absorb`.

    Facts that both had become one with the sources of both; facts between the two are retracted. dry_run shows
    exactly what would change. Ask the person first; undo takes it back. Refused across types unless across_types.
    """
    survivor, absorbed = (
        knowledge.entities.find(tx, answer_shapes.ref(keep)),
        knowledge.entities.find(tx, answer_shapes.ref(absorb)),
    )

    def merge() -> MergeResult:
        return knowledge.merges.merge(tx, keep=survivor, absorb=absorbed, across_types=across_types)

    if dry_run:
        return {**_describe_merge(tx.dry_run(merge)), "dry_run": True, "call": None}
    return {**_describe_merge(merge()), "dry_run": False}


@tool(Effect.DESTRUCTIVE)
def retract_fact(tx: Tx, *, fact_id: str) -> dict[str, Any]:
    """Say that a fact is not true after all. It is no longer shown, unless one asks what was known before (known_at).

    Where something was true and has ended, record what holds now with `supersedes` instead.
    """
    fact = knowledge.facts.find(tx, fact_id)
    retracted = knowledge.retraction.retract(tx, fact)
    return {
        "fact": answer_shapes.fact(tx, fact),
        "retracted_at": timestamps.format_local(fact.retracted_at or timestamps.from_datetime(tx.now), tx.zone),
        "already_retracted": not retracted,
    }


@tool(Effect.DESTRUCTIVE)
def delete_entity_edge(tx: Tx, *, uuid: str) -> dict[str, Any]:
    """Delete a fact (by its id, fact_…) with its sources, as if it had never been recorded. undo brings it back."""
    fact = knowledge.retraction.delete(tx, uuid)
    return {
        "message": f"{fact.id} deleted successfully: {knowledge.facts.sentence(fact)}",
        "fact": answer_shapes.fact(tx, fact),
    }


def _backup_before_clearing(
    tx: Tx, *, group_ids: list[str] | None = None, everything: bool = False, confirm: bool = False
) -> str | None:
    if not confirm:
        return None
    knowledge.groups.refuse_unknown(tx, group_ids)
    return "before-clear"


@tool(Effect.DESTRUCTIVE, backup=_backup_before_clearing)
def clear_graph(
    tx: Tx, *, group_ids: list[str] | None = None, everything: bool = False, confirm: bool = False
) -> dict[str, Any]:
    """Delete all entities, facts and texts of a group (this one, or group_ids), or with `everything` of all groups.

    Works only with confirm set to true: ask the person first. undo brings all of it back.
    """
    cleared = knowledge.groups.select(tx, group_ids, everything=everything)
    if not confirm:
        raise errors.NotConfirmed(f"this would delete everything in {knowledge.groups.describe(cleared)}")
    counts = knowledge.groups.clear(tx, group_ids, everything=everything)
    return {
        "message": f"Cleared {knowledge.groups.describe(cleared)}: {counts['entity']:,} entities, "
        f"{counts['fact']:,} facts and {counts['episode']:,} episodes.",
        "groups": cleared,
        "entities": counts["entity"],
        "facts": counts["fact"],
        "episodes": counts["episode"],
    }


def _needs_of_history(tx: Tx, *, about: str, **_: object) -> frozenset[Need]:
    is_fact = about.strip().lower().startswith("fact_")
    needs_vectors = not is_fact and resolver.needs_vectors(tx, Name(about))
    return derived_data.NAME_VECTORS if needs_vectors else derived_data.NOTHING


@tool(Effect.READ, needs=_needs_of_history)
def get_history(tx: Tx, *, about: str, limit: int = MAX_EVENTS) -> dict[str, Any]:
    """Tell what happened to an entity (by name or id) or a fact (by id), newest first: what, when, by which tool.

    Each event has the numbers of its call and its change, which undo takes.
    """
    name = Name(about)
    if not name.key:
        raise errors.NameOrAliasRequired("the name is empty")
    if about.strip().lower().startswith("fact_"):
        fact = knowledge.facts.find(tx, about)
        events = history.of_fact(tx, fact, limit=limit + 1)
        return _describe_events(tx, events, limit) | {"fact": answer_shapes.fact(tx, fact)}
    resolution = resolver.resolve(tx, name)
    events = history.of_entity(tx, resolution.entity, limit=limit + 1) if resolution.entity else []
    return _describe_events(tx, events, limit) | {
        "entity": answer_shapes.entity(resolution.entity) if resolution.entity else None,
        "resolution": answer_shapes.resolution(resolution),
    }


@tool(Effect.WRITE)
def undo(tx: Tx, *, call: int | None = None, change: int | None = None) -> dict[str, Any]:
    """Take back a whole call, or one change of it (numbers as in get_history and in answers); else the last call.

    Merges, retractions and clearing can be taken back too, and so can an undo. Refused where something later
    rests on it.
    """
    if call is not None and change is not None:
        raise errors.InvalidArguments("call and change are both given", hint="Give one of them, or neither.")
    undone = upkeep.undo.undo(tx, call=call, change=change)
    counts = Counter(change.table for change in undone.changes)
    changes = ", ".join(f"{number} × {table}" for table, number in counts.items())
    part = "call" if change is None else "part of call"
    return {
        "message": f"Took back {part} {undone.call} ({undone.tool}): {changes}.",
        "undone_call": undone.call,
        "tool": undone.tool,
        "at": timestamps.format_local(undone.at, tx.zone),
        "changes": len(undone.changes),
    }


def _describe_merge(result: MergeResult) -> dict[str, Any]:
    effects = Counter(fact.effect for fact in result.facts)
    facts = result.facts[:MAX_MERGED_FACTS]
    return {
        "entity": answer_shapes.entity(result.entity),
        "absorbed": answer_shapes.entity(result.absorbed),
        "facts": [
            {"id": fact.id, "effect": fact.effect, "was": fact.before, "becomes": fact.after, "into": fact.merged_into}
            for fact in facts
        ],
        "moved": effects["moved"],
        "folded": effects["folded"],
        "retracted": effects["retracted"],
        "aliases_added": list(result.aliases_added),
        "aliases_dropped": list(result.aliases_dropped),
        "truncated": len(facts) < len(result.facts),
    }


def _describe_events(tx: Tx, events: list[Event], limit: int) -> dict[str, Any]:
    return {
        "entity": None,
        "fact": None,
        "resolution": None,
        "events": [answer_shapes.event(tx, event) for event in events[:limit]],
        "truncated": len(events) > limit,
    }
