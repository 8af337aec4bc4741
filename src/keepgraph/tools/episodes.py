"""The episodes toolset: remember texts, look back on them, and forget them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge, texts
from keepgraph.engine.texts import mention_index
from keepgraph.engine.texts.episodes import Added, Deleted
from keepgraph.model import Entity, Episode, Fact, Proposal
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import shape
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_SHOWN = 100
MAX_CONTENT = 10_000
RECOGNISED = (
    "without a model: names that the graph knows (mentions), names and plainly worded facts that it does not "
    "(proposals, in English); what else the text says is kept in the text alone. Record what matters with record_facts."
)


@tool(Effect.WRITE)
def add_memory(
    tx: Tx,
    *,
    name: str | None = None,
    episode_body: Any = None,
    group_id: str | None = None,
    source: str | None = None,
    source_description: str | None = None,
    reference_time: str | None = None,
    uuid: str | None = None,
    episodes: list[Mapping[str, Any]] | None = None,
    sync: bool = True,
) -> dict[str, Any]:
    """Keep a text as an episode: a note, a message, JSON; one (name, episode_body) or many (episodes, up to 1,000).

    SEARCH FIRST, THEN ADD: search_nodes for what the text is about, get_entity_connections of what you find, then name
    those entities in episode_body as they are called there: that is what connects the text with what is known.

    Stored when it answers; nothing is queued (sync changes nothing). The answer tells the entities that it mentions,
    and proposes names and plainly worded facts that the graph does not know: nothing of that is recorded; pass what is
    right on to record_fact. The same text under the same name is kept once. With uuid, the text of that episode is
    replaced. reference_time (a date or an instant) is when it is of; now, if left out. Of many, all are kept or none.
    """
    if group_id and uuid:
        texts.episodes.refuse_another_group(texts.episodes.find(tx, uuid), group_id)
    tx = replace(tx, group=group_id) if group_id else tx
    if episodes is not None:
        alone = {"name": name, "episode_body": episode_body, "uuid": uuid, "source": source}
        alone |= {"source_description": source_description, "reference_time": reference_time}
        if given := [word for word, value in alone.items() if value is not None]:
            raise errors.EpisodeInvalid(
                f"{', '.join(given)} cannot be given beside episodes", hint="Put it into each of the episodes."
            )
        return _add_many(tx, episodes)
    if name is None or episode_body is None:
        missing = "name" if name is None else "episode_body"
        raise errors.EpisodeInvalid(f"{missing} is missing", hint="Give name and episode_body, or episodes.")
    added = texts.episodes.add(
        tx,
        name=name,
        text=episode_body,
        kind=source,
        source=source_description,
        at=reference_time,
        uuid=uuid,
    )
    return told(tx, added)


@tool(Effect.READ)
def get_episodes(
    tx: Tx,
    *,
    group_ids: list[str] | None = None,
    group_id: str | None = None,
    max_episodes: int | None = None,
    last_n: int | None = None,
) -> dict[str, Any]:
    """List the newest episodes, newest first by the time that they are of, then by their coming here.

    last_n is another name of max_episodes (10 if neither is given). Of a long text the beginning is shown, and
    content_truncated is set; get_full_document gives all of it.
    """
    if max_episodes is not None and last_n is not None and max_episodes != last_n:
        raise errors.InvalidArguments("max_episodes and last_n say different things", hint="Give one of them.")
    groups = list(dict.fromkeys([*(group_ids or ()), *([group_id] if group_id else ())])) or [tx.group]
    limit = max_episodes or last_n or 10
    found = store.episodes.newest(tx, groups, limit=limit)
    total = store.episodes.count(tx, groups)
    return {
        "message": f"Found {len(found)} of {total} episode(s)" if found else "No episodes found",
        "episodes": [_shown(tx, each) for each in found],
        "total": total,
        "truncated": len(found) < total,
    }


@tool(Effect.READ)
def get_episode_context(tx: Tx, *, episode_uuids: list[str]) -> dict[str, Any]:
    """Show what some episodes speak of: the entities they mention (nodes), the facts recorded out of them (edges).

    Nodes with `proposed` are names that the graph does not know, and proposed_facts what the texts only seem to say:
    nobody has recorded it.
    """
    mention_index.see_to(tx)
    found = texts.episodes.context(tx, episode_uuids)
    known, edges = found.entities[:MAX_SHOWN], found.facts[:MAX_SHOWN]
    proposed = found.proposed_entities[: MAX_SHOWN - len(known)]
    particulars = store.neighbourhood.particulars(tx, [each.row for each in known])
    backing = store.neighbourhood.backing(tx, [each.row for each in edges])
    nodes = len(found.entities) + len(found.proposed_entities)
    return {
        "message": f"Found {nodes} nodes and {len(found.facts)} edges from {len(found.episodes)} episodes",
        "episodes": [{"uuid": each.id, "name": each.name, "group_id": each.group} for each in found.episodes],
        "nodes": [shape.node(tx, each, particulars[each.row]) for each in known]
        + [shape.proposed_node(tx, each) for each in proposed],
        "edges": [shape.edge(tx, each, backing.get(each.row)) for each in edges],
        "proposed_facts": [proposed_fact(each) for each in found.proposed_facts[:MAX_SHOWN]],
        "total_nodes": nodes,
        "total_edges": len(found.facts),
        "total_proposed_facts": len(found.proposed_facts),
        "truncated": max(nodes, len(found.facts), len(found.proposed_facts)) > MAX_SHOWN,
        "unread": mention_index.waiting(tx),
    }


@tool(Effect.DESTRUCTIVE)
def delete_episode(tx: Tx, *, uuid: str, dry_run: bool = False) -> dict[str, Any]:
    """Delete an episode, with what nothing else supports; dry_run shows what would go and what would stay, and why.

    With it go the facts recorded out of it that nobody else has asserted, and entities that came with it, of which no
    fact is left and which no other text mentions. Ask the person first; undo brings all of it back.
    """
    episode = texts.episodes.find(tx, uuid)
    if not dry_run:
        return {**_deleted(tx, texts.episodes.delete(tx, episode)), "dry_run": False}
    shown = tx.rehearse(lambda: _deleted(tx, texts.episodes.delete(tx, episode)))
    return {**shown, "dry_run": True, "call": None}


def told(tx: Tx, added: Added) -> dict[str, Any]:
    """What became of one text, for an answer."""
    tx = replace(tx, group=added.episode.group)
    new_names, new_facts = texts.episodes.proposed(tx, added.episode)
    mentioned = texts.episodes.spoken_of(tx, added.chunks)
    return {
        "message": _message(added),
        "uuid": added.episode.id,
        "episode": shape.episode(tx, added.episode),
        "deduplicated": added.deduplicated,
        "replaced": added.replaced,
        "identical_to": [_named(each.id, each.name) for each in added.identical[:MAX_SHOWN]],
        "chunks": len(added.chunks),
        "mentions": [shape.entity(each) for each in mentioned[:MAX_SHOWN]],
        **_proposals(new_names, new_facts, source=_source_of(added)),
        "totals": {
            "mentions": len(mentioned),
            "proposed_entities": len(new_names),
            "proposed_facts": len(new_facts),
        },
        "truncated": max(len(mentioned), len(new_names), len(new_facts)) > MAX_SHOWN,
        "unread": mention_index.unread(tx, added.chunks),
        "recognised": RECOGNISED,
    }


def proposed_entity(found: Proposal) -> dict[str, Any]:
    """A name that a text says and the graph does not know; its type is a guess."""
    return {
        "id": found.id,
        "name": found.subject,
        "type": found.subject_type,
        "confidence": found.confidence,
        "evidence": found.evidence or "",
    }


def proposed_fact(found: Proposal, *, source: str | None = None) -> dict[str, Any]:
    """A fact that a text seems to say, as record_fact takes it."""
    target = {"literal": found.literal} if found.object is None else {"type": found.object_type, "name": found.object}
    arguments: dict[str, Any] = {
        "subject": {"type": found.subject_type, "name": found.subject},
        "predicate": found.predicate,
        "object": target,
        "confidence": found.confidence,
    }
    if source:
        arguments["source"] = source
    return {"id": found.id, "arguments": arguments, "evidence": found.evidence or ""}


def _add_many(tx: Tx, given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not given:
        raise errors.EpisodeInvalid("episodes is empty", hint="Give at least one, with name and content.")
    done: list[Added] = []
    for index, each in enumerate(given):
        try:
            if missing := [word for word in ("name", "content") if each.get(word) is None]:
                raise errors.EpisodeInvalid(f"missing required key(s): {', '.join(missing)}")
            done.append(
                texts.episodes.keep(
                    tx,
                    name=each["name"],
                    text=each["content"],
                    kind=each.get("source"),
                    source=each.get("source_description"),
                    at=each.get("reference_time"),
                )
            )
        except errors.InvalidRequest as error:
            error.message = f"Episode at index {index}: {error.message.rstrip('.')}; nothing was kept"
            raise
    texts.episodes.read(tx, done)
    shown = [_briefly(tx, index, each) for index, each in enumerate(done)]
    new = sum(not each.deduplicated for each in done)
    return {
        "message": f"Stored {new} episode(s) in {tx.group!r}; {len(done) - new} were there already.",
        "episodes": shown,
        "added": new,
        "deduplicated_episodes": len(done) - new,
        "chunks": sum(each["chunks"] for each in shown),
        "unread": mention_index.unread(tx, [chunk for each in done for chunk in each.chunks]),
        "recognised": RECOGNISED,
    }


def _briefly(tx: Tx, index: int, added: Added) -> dict[str, Any]:
    new_names, new_facts = texts.episodes.proposed(tx, added.episode)
    return {
        "index": index,
        "uuid": added.episode.id,
        "name": added.episode.name,
        "deduplicated": added.deduplicated,
        "identical_to": [each.id for each in added.identical[:MAX_SHOWN]],
        "chunks": len(added.chunks),
        "mentions": [each.name for each in texts.episodes.spoken_of(tx, added.chunks)[:MAX_SHOWN]],
        "proposed_entities": [each.subject for each in new_names[:MAX_SHOWN]],
        "proposed_facts": len(new_facts),
    }


def _message(added: Added) -> str:
    name = f"Episode {added.episode.name!r}"
    if added.deduplicated:
        return f"{name} was there already, word for word; nothing was changed"
    done = "was replaced" if added.replaced else f"was stored in group {added.episode.group!r}"
    return f"{name} {done}"


def _source_of(added: Added) -> str:
    """Where a fact comes from that is recorded out of a text."""
    return f"{added.episode.name} ({added.episode.id})"


def _proposals(
    new_names: Sequence[Proposal], new_facts: Sequence[Proposal], *, source: str | None = None
) -> dict[str, Any]:
    return {
        "proposed_entities": [proposed_entity(each) for each in new_names[:MAX_SHOWN]],
        "proposed_facts": [proposed_fact(each, source=source) for each in new_facts[:MAX_SHOWN]],
    }


def _shown(tx: Tx, episode: Episode) -> dict[str, Any]:
    content = store.episodes.text(tx, episode)
    return {
        **shape.episode(tx, episode, content=content[:MAX_CONTENT]),
        "content_truncated": len(content) > MAX_CONTENT,
    }


def _deleted(tx: Tx, done: Deleted) -> dict[str, Any]:
    kept = [
        {
            **(_named(each.what.id, each.what.name) if isinstance(each.what, Entity) else _fact(each.what)),
            "why": each.why,
        }
        for each in done.kept
    ]
    gone = f"{len(done.facts)} facts and {len(done.entities)} entities"
    lists = (done.facts, done.entities, done.kept)
    return {
        "message": f"Episode {done.episode.id} ({done.episode.name}) deleted successfully, with {gone}",
        "episode": {
            **_named(done.episode.id, done.episode.name),
            "valid_at": timestamps.shown(done.episode.occurred_at, tx.zone),
        },
        "chunks": done.chunks,
        "assertions": done.assertions,
        "facts": [_fact(each) for each in done.facts[:MAX_SHOWN]],
        "entities": [shape.entity(each) for each in done.entities[:MAX_SHOWN]],
        "kept": kept[:MAX_SHOWN],
        "totals": {"facts": len(done.facts), "entities": len(done.entities), "kept": len(done.kept)},
        "truncated": any(len(each) > MAX_SHOWN for each in lists),
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {"id": fact.id, "name": knowledge.facts.sentence(fact)}


def _named(public_id: str, name: str) -> dict[str, Any]:
    return {"id": public_id, "name": name}
