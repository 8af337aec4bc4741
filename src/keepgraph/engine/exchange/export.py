"""What a graph is as lines: its own words, one line for every entity, every text, and every fact.

They stand in the order of their ids, so that what is new comes last. What was said of a fact stands in its line, in
order. The order of what was said of different facts counts too: it decides which blockers are open. Their stamps tell
it, and within one moment the ids of the facts. Where that would be wrong, because something was said again, the rest of
that moment follows in lines of its own, after the facts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from keepgraph import store
from keepgraph.store.database import Tx
from keepgraph.store.exchange import Assertion, ChunkRow, EntityRow, EpisodeRow, FactInWords, Said, Validity

FORMAT = 2
"""The newest that is known. A graph without texts and words of its own is written in format 1, which has none."""

IMPORTED = "imported"
"""The version of the words that came into a vocabulary with a file."""

DEFAULT_GROUP = "default"
SURE = 1.0
"""What a line does not say: the group and the confidence."""

SAID_IN_LINE = 50
"""How often a fact is said in its own line, at most."""

CHARACTERS_IN_LINE = 400_000
"""How much of a text stands in the line of its episode, at most; the rest follows chunk by chunk."""


def lines(tx: Tx) -> Iterator[dict[str, Any]]:
    """The whole graph, all groups, as lines: a header, words, entities, texts, facts, what was said late."""
    words = store.exchange.words(tx, version=IMPORTED)
    yield {"keepgraph": "graph", "format": FORMAT if words or store.exchange.any_episodes(tx) else 1}
    for word in words:
        yield {"kind": "word", "word_kind": word.kind, "name": word.name, "description": word.description}
    for entities_here in store.exchange.entities(tx):
        rows = [entity.row for entity in entities_here]
        aliases, former_ids = store.exchange.aliases(tx, rows), store.exchange.former_ids(tx, rows)
        for entity in entities_here:
            yield _entity_line(entity, aliases.get(entity.row, ()), former_ids.get(entity.row, ()))
    for episode in store.exchange.episodes(tx):
        yield from _episode_lines(episode, store.exchange.chunks(tx, episode.row))
    late = _said_late(tx)
    follow: dict[int, int] = {}
    for facts_here in store.exchange.facts(tx):
        rows = [fact.row for fact in facts_here]
        earlier, said = store.exchange.earlier(tx, rows), store.exchange.assertions(tx, rows)
        for fact in facts_here:
            every = said.get(fact.row, [])
            if late and any(row in late for row, _ in every):
                follow |= {row: nth for row, nth in _numbered(every) if row in late}
            in_line = [assertion for row, assertion in every if row not in late]
            yield _fact_line(fact, earlier.get(fact.row, ()), in_line)
    yield from _provenance_lines(tx, follow)


def _entity_line(
    entity: EntityRow, aliases: Sequence[tuple[str, str]], former_ids: Sequence[tuple[str]]
) -> dict[str, Any]:
    line = {
        "kind": "entity",
        "id": entity.id,
        "group": entity.group if entity.group != DEFAULT_GROUP else None,
        "type": entity.type,
        "name": entity.name,
        "summary": entity.summary or None,
        "properties": json.loads(entity.properties, object_pairs_hook=by_name) or None,
        "created_at": entity.created_at,
        "aliases": [alias if at == entity.created_at else {"alias": alias, "created_at": at} for alias, at in aliases]
        or None,
        "former_ids": [former_id for (former_id,) in former_ids] or None,
    }
    return _without_nothing(line)


def _episode_lines(episode: EpisodeRow, chunks: Sequence[ChunkRow]) -> Iterator[dict[str, Any]]:
    """An episode with the chunks that fit into its line, and then the others, each in its own."""
    room = CHARACTERS_IN_LINE
    within = 0
    while within < len(chunks) and room > 0:
        room -= len(chunks[within].text) + len(chunks[within].named)
        within += 1
    line = {
        "kind": "episode",
        "id": episode.id,
        "group": _unless(episode.group, DEFAULT_GROUP),
        "episode_kind": episode.kind,
        "name": episode.name,
        "source": episode.source or None,
        "digest": episode.digest,
        "occurred_at": episode.occurred_at,
        "recorded_at": _unless(episode.recorded_at, episode.occurred_at),
        "session": episode.session,
        "chunks": [_chunk_part(chunk) for chunk in chunks[:within]] or None,
        "following": len(chunks) - within or None,
    }
    yield _without_nothing(line)
    for place, chunk in enumerate(chunks[within:], start=within):
        yield {"kind": "chunk", "episode": episode.id, "place": place, **_chunk_part(chunk)}


def _chunk_part(chunk: ChunkRow) -> dict[str, Any]:
    line = {
        "text": chunk.text,
        "heading": chunk.heading or None,
        "speaker": chunk.speaker,
        "named": json.loads(chunk.named) or None,
    }
    return _without_nothing(line)


def _fact_line(fact: FactInWords, earlier: Sequence[Validity], said: Sequence[Assertion]) -> dict[str, Any]:
    line = {
        "kind": "fact",
        "id": fact.id,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "literal": fact.literal,
        "text": fact.text,
        "confidence": _unless(fact.confidence, SURE),
        "recorded_at": fact.recorded_at,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "retracted_at": fact.retracted_at,
        "known_from": fact.known_from,
        "earlier": [_without_nothing(each._asdict()) for each in earlier] or None,
        "provenance": [_assertion_part(each, fact) for each in said] or None,
    }
    return _without_nothing(line)


def _assertion_part(said: Assertion, fact: FactInWords) -> dict[str, Any]:
    return _without_nothing(
        {
            "source": said.source,
            "confidence": _unless(said.confidence, fact.confidence),
            "recorded_at": _unless(said.recorded_at, fact.recorded_at),
            "session": said.session,
            "tool": said.tool,
            "episode": said.episode,
        }
    )


def _provenance_lines(tx: Tx, follow: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    for row, fact, said in store.exchange.assertions_by_row(tx, follow) if follow else ():
        yield _without_nothing(
            {
                "kind": "provenance",
                "fact": fact,
                "source": said.source,
                "confidence": _unless(said.confidence, SURE),
                "recorded_at": said.recorded_at,
                "session": said.session,
                "tool": said.tool,
                "episode": said.episode,
                "nth": _unless(follow[row], 1),
            }
        )


def _numbered(every: Iterable[tuple[int, Assertion]]) -> Iterator[tuple[int, int]]:
    """The row of each assertion, and which it is of those that are alike in all."""
    often: Counter[Assertion] = Counter()
    for row, said in every:
        often[said] += 1
        yield row, often[said]


def _said_late(tx: Tx) -> set[int]:
    """The rows of what cannot be told in the lines of the facts: what was said again in a moment, and the rest of it.

    Also what was said of one fact so often that its line would be too long.
    """
    late: set[int] = set()
    for _, moment in groupby(store.exchange.said_where_some_repeats(tx), key=lambda said: said.recorded_at):
        highest, following = "", False
        for said in moment:
            following = following or _is_late(said, highest)
            highest = max(highest, said.fact)
            if following:
                late.add(said.row)
    return late


def _is_late(said: Said, highest: str) -> bool:
    """Whether the ids of the facts would put an assertion before another one of its moment that it followed.

    What stands in one line lies together, in whatever order the lines came; what does not has a row apart.
    """
    if said.nth is None or said.before is None:
        return False
    return said.nth > SAID_IN_LINE or (said.row != said.before + 1 and highest > said.fact)


def _unless(value: Any, usual: Any) -> Any:
    return None if value == usual else value


def _without_nothing(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if value is not None}


def by_name(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(sorted(pairs))
