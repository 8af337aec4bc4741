"""The context of episodes: the entities that they mention, facts recorded from them, and open proposals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from keepgraph import store
from keepgraph.engine.texts import episodes, fact_arguments
from keepgraph.language import normalisation
from keepgraph.model import Chunk, Entity, Episode, Fact, Proposal
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class Context:
    """What some episodes mention, state and propose, each entity, fact and proposal once."""

    episodes: tuple[Episode, ...]
    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    proposed_entities: tuple[Proposal, ...]
    proposed_facts: tuple[Proposal, ...]


def collect(tx: Tx, uuids: Sequence[str]) -> Context:
    """The context of the episodes with these ids.

    Raises:
        errors.EpisodeNotFound: one is unknown; the message names it.
    """
    unique = list({episode.row: episode for episode in (episodes.find(tx, uuid) for uuid in uuids)}.values())
    entities: dict[int, Entity] = {}
    facts: dict[int, Fact] = {}
    proposed_entities: dict[int, Proposal] = {}
    proposed_facts: dict[int, Proposal] = {}
    for episode in unique:
        in_group = replace(tx, group=episode.group)
        mentioned = mentioned_entities(in_group, store.episodes.chunks(in_group, episode))
        entities |= {entity.row: entity for entity in mentioned}
        facts |= {fact.row: fact for fact in recorded_facts(in_group, episode)}
        names, statements = open_proposals(in_group, episode)
        proposed_entities |= {proposal.row: proposal for proposal in names}
        proposed_facts |= {proposal.row: proposal for proposal in statements}
    return Context(
        tuple(unique),
        tuple(entities.values()),
        tuple(facts.values()),
        tuple(proposed_entities.values()),
        tuple(proposed_facts.values()),
    )


def recorded_facts(tx: Tx, episode: Episode) -> list[Fact]:
    """The facts that were recorded out of an episode, each once."""
    rows = dict.fromkeys(row for _, row, _ in store.provenance.of_episode(tx, episode.row))
    return store.facts.by_rows(tx, list(rows))


def mentioned_entities(tx: Tx, chunks: Sequence[Chunk]) -> list[Entity]:
    """The entities that these chunks mention, in the order of the text."""
    order = {chunk.row: number for number, chunk in enumerate(chunks)}
    mentions = sorted(
        store.mentions.in_chunks(tx, list(order)),
        key=lambda mention: (order[mention.chunk], mention.start is None, mention.start or 0, mention.entity),
    )
    rows = list(dict.fromkeys(mention.entity for mention in mentions))
    entities = store.entities.by_rows(tx, rows)
    return [entities[row] for row in rows if row in entities]


def open_proposals(tx: Tx, episode: Episode) -> tuple[list[Proposal], list[Proposal]]:
    """The proposals of an episode: entities, and those facts that have not been recorded since."""
    tx = replace(tx, group=episode.group)
    proposals = store.proposals.of_episode(tx, episode)
    facts = [
        fact_arguments.of_episode(tx, proposal, episode)
        for proposal in proposals
        if proposal.kind == "fact" and not _is_recorded(tx, proposal)
    ]
    return [proposal for proposal in proposals if proposal.kind == "entity"], facts


def _is_recorded(tx: Tx, proposal: Proposal) -> bool:
    """Whether the graph has a proposed fact by now."""
    if proposal.object is None or proposal.predicate is None:
        return False
    subjects, objects = (
        [entity.row for entity in store.entities.by_key(tx, normalisation.key(name))]
        for name in (proposal.subject, proposal.object)
    )
    return store.proposals.fact_exists(tx, subjects, proposal.predicate, objects)
