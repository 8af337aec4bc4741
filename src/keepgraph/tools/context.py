"""The context toolset: what a conversation should know before it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.retrieval import neighbourhood, search
from keepgraph.engine.retrieval.search import EDGES, EPISODES, NODES, Found, Node, Passage
from keepgraph.model import Entity, Fact
from keepgraph.store.database import Tx
from keepgraph.store.retrieval import Filters
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import shape
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_NAMED = 5
MAX_FACTS = 10
MAX_NEIGHBOURS = 10
MAX_NAMES = 20
_BETWEEN = "\n---\n"


@tool(Effect.READ)
def priming_context(
    tx: Tx, *, query: str, k: int = 3, project: str | None = None, session_id: str | None = None
) -> dict[str, Any]:
    """Give what is known for the next turn of a conversation: the k best pieces of texts, facts, and neighbours.

    `context` is all of it as one text, each piece with its source; `entities` are the names in the query and in the
    pieces. `project` is another partition of the graph (group_id). Quick, and no language model is asked.
    """
    tx = replace(tx, group=project or tx.group)
    at = timestamps.stamp(tx.now)
    found = search.search(
        tx,
        search.Wanted(
            question=query,
            kinds=frozenset((NODES, EDGES, EPISODES)),
            filters=Filters(groups=(tx.group,), at=at),
            limit=max(k, MAX_FACTS),
        ),
    )
    passages = found.episodes[:k]
    named = [each.entity for each in found.nodes if each.entity and "names" in each.ranked.why][:MAX_NAMED]
    facts = _facts(tx, named, found, at=at)
    backing = store.neighbourhood.backing(tx, [fact.row for fact in facts])
    return {
        "chunks": [_chunk(tx, each) for each in passages],
        "context": _context(passages, facts),
        "entities": _names(tx, found, passages),
        "facts": [shape.edge(tx, fact, backing[fact.row]) for fact in facts],
        "neighbours": _neighbours(tx, named),
        "project": tx.group,
        "session_id": session_id or tx.session,
        "truncated": bool(found.more) or len(found.episodes) > k or len(facts) == MAX_FACTS,
        "embedding": found.meaning,
    }


def _facts(tx: Tx, named: Sequence[Entity], found: Found, *, at: str) -> list[Fact]:
    """What holds of those that are named, the newest first of each, then what was found besides."""
    each_of = max(MAX_FACTS // max(len(named), 1), 2)
    told = [fact for entity in named for fact in store.facts.about(tx, entity, at=at, limit=each_of)]
    told += [each.fact for each in found.edges]
    return list({fact.row: fact for fact in told}.values())[:MAX_FACTS]


def _chunk(tx: Tx, found: Passage) -> dict[str, Any]:
    return {
        "id": f"{found.episode.id}#{found.chunk.place}",
        "text": found.chunk.text,
        "source": _source(found),
        "doc_id": found.episode.id,
        "chunk_idx": found.chunk.place,
        "score": found.ranked.score,
        "valid_at": timestamps.shown(found.episode.occurred_at, tx.zone),
        "project": found.episode.group,
    }


def _context(passages: Sequence[Passage], facts: Sequence[Fact]) -> str:
    pieces = [
        f"[{number}] Source: {_source(each)}\n{each.chunk.text.strip()}" for number, each in enumerate(passages, 1)
    ]
    if facts:
        pieces.append("\n".join(["Facts", *(f"- {knowledge.facts.sentence(fact)}" for fact in facts)]))
    return _BETWEEN.join(pieces)


def _source(found: Passage) -> str:
    """Where a text comes from, else what it is called."""
    return found.episode.source or found.episode.name


def _names(tx: Tx, found: Found, passages: Sequence[Passage]) -> list[str]:
    named = [_name(each) for each in found.nodes if "names" in each.ranked.why]
    named += [each.name for each in store.neighbourhood.named_in(tx, [each.chunk.row for each in passages])]
    return list(dict.fromkeys(named))[:MAX_NAMES]


def _name(found: Node) -> str:
    if found.proposal is not None:
        return found.proposal.subject
    return found.entity.name if found.entity else ""


def _neighbours(tx: Tx, named: Sequence[Entity]) -> list[dict[str, Any]]:
    """What is one fact away from those that are named, in turn."""
    theirs = {entity.row for entity in named}
    reached = [
        each
        for entity in named
        for each in neighbourhood.neighbourhood(tx, entity, depth=1, limit=MAX_NEIGHBOURS).reached
        if each.entity.row not in theirs
    ]
    first = {each.entity.row: each for each in reversed(reached)}
    once = [each for each in reached if first[each.entity.row] is each]
    return [{"uuid": each.entity.id, **shape.entity(each.entity), "path": each.path} for each in once[:MAX_NEIGHBOURS]]
