"""Grounds of a proposal: what it rests on, in words."""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.model import Entity
from keepgraph.store.purge import PUBLIC_ID
from keepgraph.store.review_proposals import ReviewProposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_GROUNDS = 5
_MAX_SENTENCE = 300
_FACTS_OF_ENTITY = 2
_KIND_IN_TEXTS = {"new_entity": "entity", "new_fact": "fact"}


@dataclass(frozen=True, slots=True)
class Ground:
    """One thing on which a proposal rests; `id` is None for what is no fact, entity or episode."""

    id: str | None
    text: str


def read(tx: Tx, proposal: ReviewProposal, *, limit: int = MAX_GROUNDS) -> list[Ground]:
    """The first things on which a proposal rests."""
    sentences = _sentences(tx, proposal) if any(each.startswith("ep_") for each in proposal.rests_on) else {}
    grounds = []
    for each in proposal.rests_on[:limit]:
        if not PUBLIC_ID.fullmatch(each):
            grounds.append(Ground(None, each))
        elif text := _describe(tx, each):
            said = f": “{sentences[each][:_MAX_SENTENCE]}”" if sentences.get(each) else ""
            grounds.append(Ground(each, text + said))
    return grounds


def _describe(tx: Tx, public_id: str) -> str | None:
    """What a fact, an entity or an episode is in words; None where it does not exist any more."""
    if public_id.startswith("fact_"):
        fact = store.facts.by_id(tx, public_id)
        return knowledge.facts.sentence(fact) if fact else None
    if public_id.startswith("ent_"):
        entity = knowledge.entities.find_by_id(tx, public_id)
        return _describe_entity(tx, entity) if entity else None
    episode = store.episodes.by_id(tx, public_id)
    return episode.name if episode else None


def _describe_entity(tx: Tx, entity: Entity) -> str:
    """An entity with the first facts about it."""
    facts = store.facts.about(tx, entity, at=timestamps.from_datetime(tx.now), limit=_FACTS_OF_ENTITY)
    said = "; ".join(knowledge.facts.sentence(fact) for fact in facts)
    return f"{entity.name} ({entity.type}){f': {said}' if said else ''}"


def _sentences(tx: Tx, proposal: ReviewProposal) -> dict[str, str]:
    """The sentence of each text in which a name or a fact was read, by the id of the episode."""
    kind = _KIND_IN_TEXTS.get(proposal.kind)
    found = store.proposals.by_keys(tx, kind, [proposal.key]).get(proposal.key) if kind else None
    if found is None:
        return {}
    places = store.review_evidence.of_text_proposals(tx, [found.row], limit=MAX_GROUNDS)[found.row]
    sentences: dict[str, str] = {}
    for place in places:
        if place.sentence:
            sentences.setdefault(place.episode, " ".join(place.sentence.split()))
    return sentences
