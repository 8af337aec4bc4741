"""Proposals from what waits elsewhere: names and facts from texts, wordings of extracted facts, similar entities.

All of it only reads; `collect` offers what it finds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.review import decisions, proposals
from keepgraph.engine.review.proposals import OfferReport, Proposal
from keepgraph.engine.texts import client_extraction
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.wording_groups import WordingGroup
from keepgraph.english import with_article
from keepgraph.language import normalisation
from keepgraph.model import Entity
from keepgraph.model import Proposal as TextProposal
from keepgraph.store.review_proposals import TextEvidence
from keepgraph.store.transactions import Tx

MAX_COLLECTED = 100
"""The most proposals from elsewhere that are open at once, to leave room for those of a garden run."""

MAX_COMPARED = 300
"""In a graph with at most this many entities, all pairs are compared; in a larger one the gardener does it."""

_EVIDENCE_READ = 50
_SURE_WORD = 0.6
_WORDINGS_NAMED = 4
_MORE_TEXTS = 0.85
_MAX_SCORE = 0.97
_NOT_IN_NAME = re.compile(r"[^a-z0-9]+")


def collect(job: Job, *, kinds: Collection[str] | None = None, group: str | None = None) -> OfferReport:
    """Offer what waits elsewhere, in one short write.

    Args:
        kinds: only these kinds of proposals; None for all.
        group: a group other than that of the job.
    """
    with job.read(group=group) as tx:
        room = MAX_COLLECTED - len(decisions.open_and_stale(tx)[0])
        found = [
            proposal
            for proposal in [*texts(tx, limit=MAX_COLLECTED), *wordings(tx, limit=MAX_COLLECTED), *_duplicates(tx)]
            if kinds is None or proposal.kind in kinds
        ]
        if proposals.are_up_to_date(tx, found, has_room=room > 0):
            return OfferReport()
    # Not a call of the journal: offering changes nothing that is journalled.
    with job.database.write(job.tool, session=job.session) as tx:
        return proposals.offer(replace(tx, group=group or tx.group), found, limit=max(room, 0))


def texts(tx: Tx, *, limit: int) -> list[Proposal]:
    """Names and facts read in texts (engine/texts/proposals.py), at most `limit`, the most certain first.

    Decided ones come on top, so that `offer` sees whether a new text supports them.
    """
    waiting = store.review_proposals.text_proposals(tx, are_decided=False, limit=limit)
    decided = store.review_proposals.text_proposals(tx, are_decided=True, limit=limit)
    rows = [row for row, _, _ in [*waiting, *decided]]
    found = store.proposals.by_rows(tx, rows)
    evidence = store.review_proposals.of_text_proposals(tx, rows, limit=_EVIDENCE_READ)
    return [
        proposal
        for row, kind, key in [*waiting, *decided]
        for proposal in [_of_text(tx, found[row], kind, key, evidence[row])]
        if proposal is not None
    ]


def waiting_statements(tx: Tx, *, limit: int) -> list[str]:
    """What waits for a decision, offered or not yet offered, a sentence each: at most `limit`."""
    offered = store.review_proposals.list_open(tx)
    keys = {(proposal.kind, proposal.key) for proposal in offered}
    read = [] if len(offered) >= limit else texts(tx, limit=limit)
    unread = [proposal.statement for proposal in read if (proposal.kind, proposal.key) not in keys]
    return [*(proposal.statement for proposal in offered), *unread][:limit]


def of_text(tx: Tx, public_id: str) -> Proposal | None:
    """The name or fact read in a text that has this public id."""
    found = store.proposals.by_id(tx, public_id)
    if found is None:
        return None
    kind, key = f"new_{found.kind}", store.proposals.key_of(tx, found.row)
    return _of_text(
        tx, found, kind, key, store.review_proposals.of_text_proposals(tx, [found.row], limit=_EVIDENCE_READ)[found.row]
    )


def wordings(tx: Tx, *, limit: int) -> list[Proposal]:
    """The wordings that extracted facts wait in, grouped by meaning, at most `limit`, most frequent first."""
    if not store.proposals.count(tx):
        return []
    groups = [group for group in knowledge.proposed_facts.group(tx) if group.reasons.get("wording")]
    return [_of_wordings(group) for group in groups[:limit]]


def of_pair(keep: Entity, absorb: Entity, *, score: float) -> Proposal:
    """The question whether two entities are one; the first would absorb the second."""
    return Proposal(
        kind="same_as",
        key=pair_key(keep, absorb),
        statement=f"Are {_named(keep)} and {_named(absorb)} the same?",
        score=min(score, _MAX_SCORE),
        rests_on=(keep.id, absorb.id),
        tool="merge_entities",
        arguments={
            "keep": {"id": keep.id},
            "absorb": {"id": absorb.id},
            **({"across_types": True} if keep.type != absorb.type else {}),
        },
    )


def pair_key(one: Entity, other: Entity) -> str:
    """Identifies a question about two entities, in either order."""
    return " ".join(sorted((one.id, other.id)))


def is_decided(tx: Tx, one: Entity, other: Entity) -> bool:
    """Whether somebody has already decided whether two entities are one."""
    return store.review_proposals.last(tx, "same_as", pair_key(one, other)) is not None


def _duplicates(tx: Tx) -> list[Proposal]:
    """The pairs of entities that may be one entity; none in a graph of too many entities."""
    if sum(store.entities.count_by_type(tx).values()) > MAX_COMPARED:
        return []
    pairs = knowledge.merges.possible_duplicates(tx, store.entities.page(tx, 0, limit=MAX_COMPARED))
    return [of_pair(each.older, each.newer, score=each.score) for each in pairs]


def _of_text(tx: Tx, found: TextProposal, kind: str, key: str, evidence: Sequence[TextEvidence]) -> Proposal | None:
    episodes = tuple(dict.fromkeys(place.episode for place in evidence))
    if not episodes:
        return None
    sentences = tuple(place.sentence or f"in {place.episode_name}" for place in evidence)
    score = min(_MAX_SCORE, 1 - (1 - found.confidence) * _MORE_TEXTS ** (len(episodes) - 1))
    if kind == "new_entity":
        statement = (
            f"Is “{found.subject}” {with_article(found.subject_type)}? {_count_texts(episodes, verb='name')} it."
        )
        return Proposal(
            "new_entity",
            key,
            statement,
            score,
            episodes,
            tool="add_entity",
            arguments={"entity": {"type": found.subject_type, "name": found.subject}},
            evidence=sentences,
            id=found.id,
        )
    if episode := store.episodes.by_id(tx, evidence[0].episode):
        found = client_extraction.of_episode(tx, replace(found, evidence=evidence[0].sentence), episode)
    arguments = client_extraction.arguments(
        found,
        subject=_reference(tx, found.subject_type, found.subject),
        target=None if found.object is None else _reference(tx, found.object_type, found.object),
    )
    said = f"{found.subject} {(found.predicate or '').replace('_', ' ')} {found.object or found.literal}"
    statement = f"Is it a fact that {said}? {_count_texts(episodes, verb='say')} so."
    return Proposal(
        "new_fact", key, statement, score, episodes, "record_fact", arguments, evidence=sentences, id=found.id
    )


def _count_texts(episodes: Sequence[str], *, verb: str) -> str:
    return f"1 text {verb}s" if len(episodes) == 1 else f"{len(episodes):,} texts {verb}"


def _reference(tx: Tx, entity_type: str | None, name: str) -> dict[str, str | None]:
    """The entity with this name, by its id if exactly one has the type, in case it is renamed."""
    key = normalisation.key(name)
    of_types = graph_vocabulary.read(tx).with_subtypes([entity_type]) if entity_type else None
    named = store.entities.by_key(tx, key, of_types=of_types)
    named = named or [entity for entity, _ in store.entities.by_alias_key(tx, key, of_types=of_types)]
    return {"id": named[0].id} if len(named) == 1 else {"type": entity_type, "name": name}


def _of_wordings(group: WordingGroup) -> Proposal:
    texts_ = [wording for wording, _ in group.wordings]
    quoted = ", ".join(f"“{wording}”" for wording in texts_[:_WORDINGS_NAMED])
    more = f" and {len(texts_) - _WORDINGS_NAMED} more" if len(texts_) > _WORDINGS_NAMED else ""
    relations = f"{group.count:,} extracted {'relation waits' if group.count == 1 else 'relations wait'} in it"
    example = f", such as {group.examples[0]}" if group.examples else ""
    key = normalisation.key(texts_[0])
    if group.says_nothing:
        question = f"{quoted}{more} says nothing by itself: dismiss it? {relations}{example}."
        arguments: dict[str, object] = {"dismiss_wordings": texts_}
        score = 0.5
    elif group.nearest and group.score >= _SURE_WORD:
        question = f"Does {quoted}{more} mean {group.nearest}? {relations}{example}."
        arguments = {"map_wordings": [{"wordings": texts_, "predicate": group.nearest}]}
        score = min(group.score, _MAX_SCORE)
    else:
        name = _NOT_IN_NAME.sub("_", key).strip("_")[:60]
        question = f"Is {quoted}{more} a new predicate, {name}? {relations}{example}."
        mapping = {"wordings": texts_, "predicate": name}
        arguments = {"predicates": {name: {}}, "map_wordings": [mapping]} if name else {}
        score = 0.5
    return Proposal("new_word", key, question, score, tuple(texts_), "extend_vocabulary", arguments)


def _named(entity: Entity) -> str:
    return f"“{entity.name}” ({entity.type})"
