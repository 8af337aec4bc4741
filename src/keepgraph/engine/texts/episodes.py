"""Episodes: texts that are remembered. They are added once, replaced by id, and looked up.

Deletion is in `episode_deletion`; what a text mentions and proposes is in `episode_context`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.texts import client_extraction, mention_index, storage
from keepgraph.engine.texts.storage import Annotation, Outcome
from keepgraph.language import chunking, normalisation, utf8
from keepgraph.model import Chunk, Entity, Episode, Fact, Proposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

KINDS = (storage.TEXT, storage.JSON, storage.MESSAGE)
MAX_TITLE = 80


@dataclass(frozen=True, slots=True)
class UpsertedEpisode:
    """What became of a text.

    Attributes:
        deduplicated: whether the very same text was there under this name; then only annotations may be new.
        replaced: whether it replaced the text of an existing episode.
        identical: other episodes of the group with the very same text.
        chunks: its chunks, in their order.
        chunks_added: how many of them are new.
    """

    episode: Episode
    deduplicated: bool
    replaced: bool
    identical: tuple[Episode, ...]
    chunks: tuple[Chunk, ...]
    chunks_added: int


def upsert(
    tx: Tx,
    *,
    name: str,
    text: Any,
    kind: str | None = None,
    source: str | None = None,
    occurred_at: str | None = None,
    uuid: str | None = None,
    annotations: Sequence[Annotation] = (),
) -> UpsertedEpisode:
    """Store a text as an episode of the group, divided into chunks; or replace the text of the episode `uuid`.

    The same text under the same name, and at the same time if one is given, is not stored twice.

    Args:
        text: a text; with the kind json also an object or a list.
        kind: one of KINDS; None for text, or for the kind of an existing episode.
        occurred_at: a date or an instant; None for now, or for that of an existing episode.
        annotations: entities that it is about besides its words.

    Raises:
        errors.EpisodeInvalid: the name or the text is empty or too long, the kind is unknown, or it is not JSON.
        errors.MomentInvalid: `occurred_at` is neither a date nor an instant.
        errors.EpisodeNotFound: there is no episode `uuid`.
    """
    title, valid_source, timestamp = _valid_name(name), _valid_source(source), _timestamp(tx, occurred_at)
    existing = find(tx, uuid) if uuid else None
    if existing is not None:
        kind = kind or existing.kind
        _refuse_replacement(existing, kind)
        tx = replace(tx, group=existing.group)
    body = _body(text, kind := kind or storage.TEXT)
    digest = utf8.digest(body)
    same_text = store.episodes.by_digest(tx, digest)
    if existing is None:
        for episode in same_text:
            if (episode.kind, episode.name) == (kind, title) and timestamp in (None, episode.occurred_at):
                annotated = _add_annotations(tx, episode, annotations)
                return UpsertedEpisode(episode, True, False, _without(same_text, episode), tuple(annotated), 0)
    stored = storage.upsert(
        tx,
        existing=existing,
        kind=kind,
        name=title,
        source=valid_source,
        digest=digest,
        occurred_at=timestamp,
        chunks=lambda: ((text_chunk, annotations) for text_chunk in chunking.split(body, kind=kind)),
    )
    return UpsertedEpisode(
        stored.episode,
        deduplicated=stored.outcome is Outcome.UNCHANGED,
        replaced=stored.outcome is Outcome.UPDATED,
        identical=_without(same_text, stored.episode),
        chunks=tuple(store.episodes.chunks(tx, stored.episode)) if stored.is_same_text else stored.chunk_update.chunks,
        chunks_added=stored.chunk_update.added,
    )


def index(tx: Tx, results: Sequence[UpsertedEpisode]) -> None:
    """Detect mentions in those of some texts that are new or changed."""
    mention_index.update(tx, [chunk for result in results if not result.deduplicated for chunk in result.chunks])


def derive_title(text: str) -> str:
    """A name for a text: its first line with a letter or digit, at most MAX_TITLE characters."""
    lines = map(normalisation.clean, text.splitlines())
    line = next((line for line in lines if any(c.isalnum() for c in line)), "")
    line = line.lstrip("#>*- ").strip() or normalisation.clean(text)
    if len(line) <= MAX_TITLE:
        return line
    space = line.rfind(" ", MAX_TITLE // 2, MAX_TITLE)
    return line[: space if space > 0 else MAX_TITLE - 1].rstrip(" ,;:.-") + "…"


def find(tx: Tx, uuid: str) -> Episode:
    """The episode with this id, of whatever group.

    Raises:
        errors.EpisodeNotFound: there is none.
    """
    episode = store.episodes.by_id(tx, uuid.strip().lower())
    if episode is None:
        raise errors.EpisodeNotFound(f"there is no episode {uuid.strip()[:60]!r}")
    return episode


def refuse_another_group(episode: Episode, group: str) -> None:
    """Refuse to replace a text of one group where another group was named.

    Raises:
        errors.InvalidArguments: the episode is in another group.
    """
    if episode.group != group:
        raise errors.InvalidArguments(
            f"{episode.id} is in group {episode.group!r}, and not in {group!r}",
            hint=f"Name the group {episode.group!r}.",
        )


def _valid_name(name: str) -> str:
    title = normalisation.clean(utf8.replace_surrogates(name))
    if not title:
        raise errors.EpisodeInvalid("the name is empty")
    if len(title) > storage.MAX_NAME:
        raise errors.EpisodeInvalid(f"the name has {len(title):,} characters; at most {storage.MAX_NAME} are allowed")
    return title


def _valid_source(source: str | None) -> str | None:
    if source is None:
        return None
    cleaned = normalisation.clean(utf8.replace_surrogates(source))
    if len(cleaned) > storage.MAX_SOURCE:
        raise errors.EpisodeInvalid(
            f"the source has {len(cleaned):,} characters; at most {storage.MAX_SOURCE:,} are allowed"
        )
    return cleaned


def _timestamp(tx: Tx, occurred_at: str | None) -> str | None:
    if occurred_at is None:
        return None
    try:
        return timestamps.parse(occurred_at.strip(), tx.zone)
    except (ValueError, OverflowError) as error:
        raise errors.MomentInvalid(
            f"reference_time is {error}: {occurred_at[:60]!r}",
            hint="Give a date (2026-05-01) or an instant (2026-05-01T09:30:00+02:00).",
        ) from error


def _refuse_replacement(existing: Episode, kind: str) -> None:
    if existing.kind == storage.DOCUMENT:
        raise errors.EpisodeInvalid(
            f"{existing.id} is the text of a document ({existing.name})",
            hint="Change the document, and ingest it again.",
        )
    if kind != existing.kind:
        raise errors.EpisodeInvalid(
            f"{existing.id} is of the kind {existing.kind}, which cannot change", hint="Leave out source."
        )


def _body(text: Any, kind: str) -> str:
    """The text as it is stored; an object or a list as JSON."""
    if kind not in KINDS:
        raise errors.EpisodeInvalid(
            f"{kind[:40]!r} is not a kind of episode", hint=f"source is one of {', '.join(KINDS)}."
        )
    if not isinstance(text, str):
        if kind != storage.JSON:
            raise errors.EpisodeInvalid("the body is JSON, not a text", hint='Set source to "json", or give a text.')
        return json.dumps(text, ensure_ascii=False, indent=1)
    body = utf8.replace_surrogates(text)
    if not body.strip():
        raise errors.EpisodeInvalid("the text is empty")
    if kind == storage.JSON:
        _validate_json(body)
    return body


def _validate_json(text: str) -> None:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise errors.EpisodeInvalid(
            f"the body is not JSON{where}", hint='Give valid JSON, or set source to "text".'
        ) from error


def _refuse_constant(constant: str) -> None:
    """Refuse NaN and Infinity, which Python reads and JSON does not have."""
    raise ValueError(f"{constant} is not a JSON number")


def _without(episodes: Sequence[Episode], episode: Episode) -> tuple[Episode, ...]:
    return tuple(other for other in episodes if other.row != episode.row)


def _add_annotations(tx: Tx, episode: Episode, annotations: Sequence[Annotation]) -> Sequence[Chunk]:
    """Add annotations to an existing text, and detect mentions in those chunks for which some are new."""
    changed = storage.annotate(tx, episode, annotations)
    mention_index.update(tx, changed)
    by_row = {chunk.row: chunk for chunk in changed}
    return [by_row.get(chunk.row, chunk) for chunk in store.episodes.chunks(tx, episode)]


# The context of episodes: the entities that they mention, facts recorded from them, and open proposals.


@dataclass(frozen=True, slots=True)
class _Context:
    """What some episodes mention, state and propose, each entity, fact and proposal once."""

    episodes: tuple[Episode, ...]
    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    proposed_entities: tuple[Proposal, ...]
    proposed_facts: tuple[Proposal, ...]


def collect(tx: Tx, uuids: Sequence[str]) -> _Context:
    """The context of the episodes with these ids.

    Raises:
        errors.EpisodeNotFound: one is unknown; the message names it.
    """
    unique = list({episode.row: episode for episode in (find(tx, uuid) for uuid in uuids)}.values())
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
    return _Context(
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
        client_extraction.of_episode(tx, proposal, episode)
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
