"""The episodes toolset: add, list and delete episodes, and show what they mention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge, texts
from keepgraph.engine.texts import mention_index
from keepgraph.engine.texts.episodes import UpsertedEpisode
from keepgraph.engine.texts.forgetting import DeletedEpisode
from keepgraph.english import count_noun
from keepgraph.model import Entity, Episode, Fact, Proposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, catalogue
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_SHOWN = 100
MAX_CONTENT = 10_000
RECOGNISED = (
    "without a model: known names (mentions), and unknown names and plainly worded English facts (proposals). Whatever "
    "else the text says is only in the text. Record what matters with record_facts."
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
    """Store a text as an episode: a note, a message, JSON; one (name, episode_body) or many (episodes, up to 1,000).

    SEARCH FIRST, THEN ADD: call search_nodes for what the text is about, and get_entity_connections on what you find;
    then use their names in episode_body: that connects the text with what is known.

    Stored when the call returns (sync changes nothing). The answer lists the known entities it mentions, and proposes
    unknown names and plainly worded facts; none of these are recorded: pass what is right to record_fact. The same text
    under the same name is stored once. With uuid, the text of that episode is replaced. reference_time (a date or an
    instant) is when it was written; default now. Of many, all are stored or none.
    """
    if group_id and uuid:
        texts.episodes.refuse_another_group(texts.episodes.find(tx, uuid), group_id)
    tx = replace(tx, group=group_id) if group_id else tx
    if episodes is not None:
        single = {"name": name, "episode_body": episode_body, "uuid": uuid, "source": source}
        single |= {"source_description": source_description, "reference_time": reference_time}
        if conflicting := [argument for argument, value in single.items() if value is not None]:
            raise errors.EpisodeInvalid(
                f"{', '.join(conflicting)} cannot be given beside episodes", hint="Put it into each of the episodes."
            )
        return _add_many(tx, episodes)
    if name is None or episode_body is None:
        missing = "name" if name is None else "episode_body"
        raise errors.EpisodeInvalid(f"{missing} is missing", hint="Give name and episode_body, or episodes.")
    added = texts.episodes.upsert(
        tx,
        name=name,
        text=episode_body,
        kind=source,
        source=source_description,
        occurred_at=reference_time,
        uuid=uuid,
    )
    texts.episodes.index(tx, [added])
    return describe_added(tx, added)


@tool(Effect.READ)
def get_episodes(
    tx: Tx,
    *,
    group_ids: list[str] | None = None,
    max_episodes: int = 10,
) -> dict[str, Any]:
    """List the newest episodes, by their own date, then by when they were stored.

    Long texts are cut (content_truncated); get_full_document gives all of it.
    """
    groups = list(dict.fromkeys(group_ids or ())) or [tx.group]
    episodes = store.episodes.newest(tx, groups, limit=max_episodes)
    total = store.episodes.count(tx, groups)
    return {
        "message": f"Found {len(episodes):,} of {count_noun(total, 'episode')}" if episodes else "No episodes found",
        "episodes": [_with_content(tx, episode) for episode in episodes],
        "total": total,
        "truncated": len(episodes) < total,
    }


@tool(Effect.READ, needs=catalogue.MENTIONS)
def get_episode_context(tx: Tx, *, episode_uuids: list[str]) -> dict[str, Any]:
    """Show what episodes are about: the entities they mention (nodes), and the facts recorded from them (edges).

    Nodes marked `proposed` are names that are not entities yet, and proposed_facts is what the texts seem to say:
    neither is recorded.
    """
    context = texts.episodes.collect(tx, episode_uuids)
    entities, edges = context.entities[:MAX_SHOWN], context.facts[:MAX_SHOWN]
    proposed = context.proposed_entities[: MAX_SHOWN - len(entities)]
    entity_details = store.details.of_entities(tx, [entity.row for entity in entities])
    fact_details = store.details.of_facts(tx, [fact.row for fact in edges])
    nodes = len(context.entities) + len(context.proposed_entities)
    return {
        "message": f"Found {count_noun(nodes, 'node')} and {count_noun(len(context.facts), 'edge')} "
        f"from {count_noun(len(context.episodes), 'episode')}",
        "episodes": [
            {"uuid": episode.id, "name": episode.name, "group_id": episode.group} for episode in context.episodes
        ],
        "nodes": [answer_shapes.node(tx, entity, entity_details[entity.row]) for entity in entities]
        + [answer_shapes.proposed_node(tx, proposal) for proposal in proposed],
        "edges": [answer_shapes.edge(tx, each, fact_details.get(each.row)) for each in edges],
        "proposed_facts": [proposed_fact(proposal) for proposal in context.proposed_facts[:MAX_SHOWN]],
        "total_nodes": nodes,
        "total_edges": len(context.facts),
        "total_proposed_facts": len(context.proposed_facts),
        "truncated": max(nodes, len(context.facts), len(context.proposed_facts)) > MAX_SHOWN,
        "unread": mention_index.count_unread(tx),
    }


@tool(Effect.DESTRUCTIVE)
def delete_episode(tx: Tx, *, uuid: str, dry_run: bool = False) -> dict[str, Any]:
    """Delete an episode, with what nothing else supports; dry_run shows what would be deleted, what stays, and why.

    Deleted with it: facts recorded from it that nobody else asserted, and entities that came with it, if no fact and no
    other text mentions them. Ask the user first; `undo` restores all of it.
    """
    episode = texts.episodes.find(tx, uuid)
    return {**_describe_deleted(tx, texts.forgetting.delete(tx, episode)), "dry_run": dry_run}


def describe_added(tx: Tx, added: UpsertedEpisode) -> dict[str, Any]:
    """The result of adding one text, as an answer."""
    tx = replace(tx, group=added.episode.group)
    new_names, new_facts = texts.episodes.open_proposals(tx, added.episode)
    mentioned = texts.episodes.mentioned_entities(tx, added.chunks)
    return {
        "message": _message(added),
        "uuid": added.episode.id,
        "episode": answer_shapes.episode(tx, added.episode),
        "deduplicated": added.deduplicated,
        "replaced": added.replaced,
        "identical_to": [_reference(episode.id, episode.name) for episode in added.identical[:MAX_SHOWN]],
        "chunks": len(added.chunks),
        "mentions": [answer_shapes.entity(entity) for entity in mentioned[:MAX_SHOWN]],
        "proposed_entities": [proposed_entity(proposal) for proposal in new_names[:MAX_SHOWN]],
        "proposed_facts": [proposed_fact(proposal) for proposal in new_facts[:MAX_SHOWN]],
        "totals": {
            "mentions": len(mentioned),
            "proposed_entities": len(new_names),
            "proposed_facts": len(new_facts),
        },
        "truncated": max(len(mentioned), len(new_names), len(new_facts)) > MAX_SHOWN,
        "unread": mention_index.count_unread_chunks(tx, added.chunks),
        "recognised": RECOGNISED,
    }


def proposed_entity(proposal: Proposal) -> dict[str, Any]:
    """A proposed entity: a name in a text that no entity has. Its type is a guess."""
    return {
        "id": proposal.id,
        "name": proposal.subject,
        "type": proposal.subject_type,
        "confidence": proposal.confidence,
        "evidence": proposal.evidence or "",
    }


def proposed_fact(proposal: Proposal) -> dict[str, Any]:
    """A proposed fact, with the arguments for record_fact."""
    arguments = {**texts.client_extraction.arguments(proposal), "confidence": proposal.confidence}
    return {"id": proposal.id, "arguments": arguments, "evidence": proposal.evidence or ""}


def _add_many(tx: Tx, episodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not episodes:
        raise errors.EpisodeInvalid("episodes is empty", hint="Give at least one, with name and content.")
    added: list[UpsertedEpisode] = []
    for index, episode in enumerate(episodes):
        try:
            if missing := [key for key in ("name", "content") if episode.get(key) is None]:
                raise errors.EpisodeInvalid(f"missing required key(s): {', '.join(missing)}")
            added.append(
                texts.episodes.upsert(
                    tx,
                    name=episode["name"],
                    text=episode["content"],
                    kind=episode.get("source"),
                    source=episode.get("source_description"),
                    occurred_at=episode.get("reference_time"),
                )
            )
        except errors.InvalidRequest as error:
            error.message = f"Episode at index {index}: {error.message.rstrip('.')}; nothing was kept"
            raise
    texts.episodes.index(tx, added)
    summaries = [_summarise(tx, index, result) for index, result in enumerate(added)]
    new_count = sum(not result.deduplicated for result in added)
    return {
        "message": f"Stored {count_noun(new_count, 'episode')} in {tx.group!r}; "
        f"{len(added) - new_count} existed already.",
        "episodes": summaries,
        "added": new_count,
        "deduplicated_episodes": len(added) - new_count,
        "chunks": sum(summary["chunks"] for summary in summaries),
        "unread": mention_index.count_unread_chunks(tx, [chunk for result in added for chunk in result.chunks]),
        "recognised": RECOGNISED,
    }


def _summarise(tx: Tx, index: int, added: UpsertedEpisode) -> dict[str, Any]:
    new_names, new_facts = texts.episodes.open_proposals(tx, added.episode)
    return {
        "index": index,
        "uuid": added.episode.id,
        "name": added.episode.name,
        "deduplicated": added.deduplicated,
        "identical_to": [episode.id for episode in added.identical[:MAX_SHOWN]],
        "chunks": len(added.chunks),
        "mentions": [entity.name for entity in texts.episodes.mentioned_entities(tx, added.chunks)[:MAX_SHOWN]],
        "proposed_entities": [proposal.subject for proposal in new_names[:MAX_SHOWN]],
        "proposed_facts": len(new_facts),
    }


def _message(added: UpsertedEpisode) -> str:
    name = f"Episode {added.episode.name!r}"
    if added.deduplicated:
        return f"{name} already existed, word for word; nothing was changed"
    outcome = "was replaced" if added.replaced else f"was stored in group {added.episode.group!r}"
    return f"{name} {outcome}"


def _with_content(tx: Tx, episode: Episode) -> dict[str, Any]:
    content = store.episodes.text(tx, episode)
    return {
        **answer_shapes.episode(tx, episode, content=content[:MAX_CONTENT]),
        "content_truncated": len(content) > MAX_CONTENT,
    }


def _describe_deleted(tx: Tx, deleted: DeletedEpisode) -> dict[str, Any]:
    kept = [
        {
            **(
                _reference(survivor.object.id, survivor.object.name)
                if isinstance(survivor.object, Entity)
                else _fact_reference(survivor.object)
            ),
            "why": survivor.reason,
        }
        for survivor in deleted.kept
    ]
    counts = f"{count_noun(len(deleted.facts), 'fact')} and {count_noun(len(deleted.entities), 'entity')}"
    lists = (deleted.facts, deleted.entities, deleted.kept)
    return {
        "message": f"Episode {deleted.episode.id} ({deleted.episode.name}) deleted successfully, with {counts}",
        "episode": {
            **_reference(deleted.episode.id, deleted.episode.name),
            "valid_at": timestamps.format_local(deleted.episode.occurred_at, tx.zone),
        },
        "chunks": deleted.chunks,
        "assertions": deleted.assertions,
        "facts": [_fact_reference(fact) for fact in deleted.facts[:MAX_SHOWN]],
        "entities": [answer_shapes.entity(entity) for entity in deleted.entities[:MAX_SHOWN]],
        "kept": kept[:MAX_SHOWN],
        "totals": {"facts": len(deleted.facts), "entities": len(deleted.entities), "kept": len(deleted.kept)},
        "truncated": any(len(entries) > MAX_SHOWN for entries in lists),
        "remains": answer_shapes.REMAINS,
    }


def _fact_reference(fact: Fact) -> dict[str, Any]:
    return {"id": fact.id, "name": knowledge.facts.sentence(fact)}


def _reference(public_id: str, name: str) -> dict[str, Any]:
    return {"id": public_id, "name": name}
