"""Texts that are remembered: added once, replaced, looked up, and deleted with what nothing else supports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.texts import chunks, mention_index
from keepgraph.engine.texts.chunks import Put
from keepgraph.language import canonical, chunking, normalisation
from keepgraph.model import Chunk, Entity, Episode, Fact, Proposal
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

TEXT, MESSAGE, JSON, DOCUMENT, PRECHUNKED = "text", "message", "json", "document", "prechunked"
KINDS = (TEXT, JSON, MESSAGE)
MAX_NAME = 500
MAX_TITLE = 80
MAX_SOURCE = 4096

_CATCH_UP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Added:
    """What adding a text did.

    Attributes:
        deduplicated: whether it was there already, to the letter and under this name; then it may only have become
            about more.
        replaced: whether the text of an episode that was there was replaced by it.
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


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that stays although its episode goes, and why."""

    what: Fact | Entity
    why: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """What goes with an episode, and what stays."""

    episode: Episode
    chunks: int
    assertions: int
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    kept: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What some episodes speak of: entities, facts that were recorded out of them, and what they only seem to say."""

    episodes: tuple[Episode, ...]
    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    proposed_entities: tuple[Proposal, ...]
    proposed_facts: tuple[Proposal, ...]


def add(
    tx: Tx,
    *,
    name: str,
    text: Any,
    kind: str | None = None,
    source: str | None = None,
    at: str | None = None,
    uuid: str | None = None,
    about: Sequence[chunks.Named] = (),
) -> Added:
    """Keep a text as an episode, as `keep` does, and read it at once."""
    added = keep(tx, name=name, text=text, kind=kind, source=source, at=at, uuid=uuid, about=about)
    read(tx, [added])
    return added


def read(tx: Tx, added: Sequence[Added]) -> None:
    """Read what is new or changed of some texts."""
    mention_index.read(tx, [chunk for each in added if not each.deduplicated for chunk in each.chunks])


def keep(
    tx: Tx,
    *,
    name: str,
    text: Any,
    kind: str | None = None,
    source: str | None = None,
    at: str | None = None,
    uuid: str | None = None,
    about: Sequence[chunks.Named] = (),
) -> Added:
    """Keep a text as an episode of the group, cut into chunks; or replace that of the episode `uuid`.

    The same text under the same name, and at the same time if one is given, is not kept twice.

    Args:
        text: a text; with the kind json also an object or a list.
        kind: one of KINDS; text if None, or, of an episode that is there, what it is.
        at: when it is of, a date or an instant; now, or, of an episode that is there, what it was, if None.
        about: what it is about besides its words.

    Raises:
        errors.EpisodeInvalid: the name or the text is empty or too long, the kind is unknown, or it is no JSON.
        errors.MomentInvalid: `at` is neither a date nor an instant.
        errors.EpisodeNotFound: there is no episode `uuid`.
    """
    title, told_from = _named(name), _source(source)
    moment = _moment(tx, at)
    old = find(tx, uuid) if uuid else None
    if old is not None:
        kind = kind or old.kind
        _refuse_to_replace(old, kind)
        tx = replace(tx, group=old.group)
    kind = kind or TEXT
    body = _body(text, kind)
    digest = canonical.digest(body)
    same = [each for each in store.episodes.by_digest(tx, digest) if old is None or each.row != old.row]
    if old is not None:
        return _replaced(tx, old, title, body, digest, told_from, moment, about, tuple(same))
    twin = next(
        (each for each in same if (each.kind, each.name) == (kind, title) and moment in (None, each.occurred_at)), None
    )
    if twin is not None:
        others = tuple(each for each in same if each.row != twin.row)
        return Added(twin, True, False, others, tuple(_about_too(tx, store.episodes.chunks(tx, twin), about)), 0)
    now = timestamps.stamp(tx.now)
    episode = store.episodes.insert(
        tx,
        public_id=tx.new_id("ep"),
        kind=kind,
        name=title,
        source=told_from or "",
        digest=digest,
        occurred_at=moment or now,
        recorded_at=now,
    )
    put = _put(tx, episode, body, about)
    return Added(episode, False, False, tuple(same), put.chunks, put.added)


def title_of(text: str) -> str:
    """An automatic name: the first line that says something, at most MAX_TITLE characters."""
    line = next((each for each in map(normalisation.clean, text.splitlines()) if any(c.isalnum() for c in each)), "")
    line = line.lstrip("#>*- ").strip() or normalisation.clean(text)
    if len(line) <= MAX_TITLE:
        return line
    cut = line.rfind(" ", MAX_TITLE // 2, MAX_TITLE)
    return line[: cut if cut > 0 else MAX_TITLE - 1].rstrip(" ,;:.-") + "…"


def find(tx: Tx, uuid: str) -> Episode:
    """The episode with this id, of whatever group.

    Raises:
        errors.EpisodeNotFound: there is none.
    """
    found = store.episodes.by_id(tx, uuid.strip().lower())
    if found is None:
        raise errors.EpisodeNotFound(f"there is no episode {uuid.strip()[:60]!r}")
    return found


def spoken_of(tx: Tx, of_chunks: Sequence[Chunk]) -> list[Entity]:
    """The entities that these chunks mention, in the order of the text."""
    rows = list(dict.fromkeys(each.entity for each in _in_order(tx, of_chunks)))
    found = store.entities.by_rows(tx, rows)
    return [found[row] for row in rows if row in found]


def proposed(tx: Tx, episode: Episode) -> tuple[list[Proposal], list[Proposal]]:
    """The names that an episode has and the graph does not, and the facts that it seems to say and nobody has said."""
    tx = replace(tx, group=episode.group)
    every = store.proposals.of_episode(tx, episode)
    return (
        [each for each in every if each.kind == "entity"],
        [each for each in every if each.kind == "fact" and not _is_said(tx, each)],
    )


def context(tx: Tx, uuids: Sequence[str]) -> Context:
    """What some episodes speak of, each thing once.

    Raises:
        errors.EpisodeNotFound: one is unknown; the message names it.
    """
    found = list({episode.row: episode for episode in (find(tx, uuid) for uuid in uuids)}.values())
    known: dict[int, Entity] = {}
    facts: dict[int, Fact] = {}
    names_seen: dict[int, Proposal] = {}
    facts_seen: dict[int, Proposal] = {}
    for episode in found:
        its = replace(tx, group=episode.group)
        known |= {each.row: each for each in spoken_of(its, store.episodes.chunks(its, episode))}
        rows = list(dict.fromkeys(row for _, row, _ in store.provenance.of_episode(its, episode.row)))
        facts |= {fact.row: fact for fact in store.facts.by_rows(its, rows)}
        new_names, new_facts = proposed(its, episode)
        names_seen |= {each.row: each for each in new_names}
        facts_seen |= {each.row: each for each in new_facts}
    return Context(
        tuple(found),
        tuple(known.values()),
        tuple(facts.values()),
        tuple(names_seen.values()),
        tuple(facts_seen.values()),
    )


def delete(tx: Tx, episode: Episode) -> Deleted:
    """Delete an episode with what nothing else supports. What others say, or other texts mention, stays.

    With it go its assertions, the facts that nobody else has asserted, and the entities that came with it or with
    those, of which there is no fact any more and which no other text mentions.
    """
    tx = replace(tx, group=episode.group)
    its_chunks = store.episodes.chunks(tx, episode)
    mentioned = spoken_of(tx, its_chunks)
    asserted = store.provenance.of_episode(tx, episode.row)
    facts, kept = withdraw(tx, episode, [row for row, _, _ in asserted])
    stamps = {episode.recorded_at, *(recorded_at for _, _, recorded_at in asserted)}
    store.episodes.delete(tx, episode)
    gone, staying = forget_entities(tx, [*mentioned, *ends(facts)], stamps)
    return Deleted(episode, len(its_chunks), len(asserted), tuple(facts), tuple(gone), (*kept, *staying))


def withdraw(tx: Tx, episode: Episode, assertions: Sequence[int]) -> tuple[list[Fact], list[Kept]]:
    """Take back assertions (by their rows): the facts that are gone with them, and those that others support."""
    rows = {row: fact for row, fact, _ in store.provenance.of_episode(tx, episode.row) if row in set(assertions)}
    left = store.provenance.others(tx, list(set(rows.values())), besides=list(rows))
    gone, kept = [], []
    for fact in store.facts.by_rows(tx, sorted(set(rows.values()))):
        if count := left.get(fact.row, 0):
            kept.append(Kept(fact, f"it has {count} other assertion{'s' if count > 1 else ''}"))
        else:
            gone.append(fact)
    store.provenance.delete(tx, list(rows))
    for fact in gone:
        store.facts.delete(tx, fact)
    return gone, kept


def ends(facts: Sequence[Fact]) -> list[Entity]:
    """The entities at both ends of some facts."""
    return [end for fact in facts for end in (fact.subject, fact.object) if end is not None]


def forget_entities(tx: Tx, touched: Sequence[Entity], stamps: set[str]) -> tuple[list[Entity], list[Kept]]:
    """Delete those that came with an episode and of which nothing is left; and why the others of them stay."""
    candidates = {each.row: each for each in touched if each.created_at in stamps}
    if not candidates:
        return [], []
    up_to_date = mention_index.catch_up(tx, seconds=_CATCH_UP_SECONDS)
    gone, kept = [], []
    for entity in candidates.values():
        if why := _support(tx, entity, up_to_date=up_to_date):
            kept.append(Kept(entity, why))
            continue
        for alias in store.entities.aliases(tx, entity):
            store.entities.delete_alias(tx, entity, normalisation.key(alias))
        store.entities.delete(tx, entity)
        gone.append(entity)
    tx.memo.clear()
    return gone, kept


def _about_too(tx: Tx, there: Sequence[Chunk], about: Sequence[chunks.Named]) -> Sequence[Chunk]:
    """Let the chunks of a text that is there be about these, too, and read those of which that is new."""
    renewed: dict[int, Chunk] = {}
    for chunk in there:
        if new := [each for each in about if each not in chunk.named]:
            renewed[chunk.row] = replace(chunk, named=(*chunk.named, *new))
            store.episodes.move_chunk(
                tx, chunk, place=chunk.place, heading=chunk.heading, named=renewed[chunk.row].named
            )
    mention_index.read(tx, list(renewed.values()))
    return [renewed.get(chunk.row, chunk) for chunk in there]


def _named(name: str) -> str:
    title = normalisation.clean(canonical.valid(name))
    if not title:
        raise errors.EpisodeInvalid("the name is empty")
    if len(title) > MAX_NAME:
        raise errors.EpisodeInvalid(f"the name has {len(title):,} characters; {MAX_NAME} are the most")
    return title


def _source(source: str | None) -> str | None:
    if source is None:
        return None
    told = normalisation.clean(canonical.valid(source))
    if len(told) > MAX_SOURCE:
        raise errors.EpisodeInvalid(f"the source has {len(told):,} characters; {MAX_SOURCE:,} are the most")
    return told


def _moment(tx: Tx, at: str | None) -> str | None:
    if at is None:
        return None
    try:
        return timestamps.parse(at.strip(), tx.zone)
    except (ValueError, OverflowError) as error:
        raise errors.MomentInvalid(
            f"reference_time is {error}: {at[:60]!r}",
            hint="Give a date (2026-05-01) or an instant (2026-05-01T09:30:00+02:00).",
        ) from error


def _body(text: Any, kind: str) -> str:
    """The text as it is kept."""
    if kind not in KINDS:
        raise errors.EpisodeInvalid(
            f"{kind[:40]!r} is no kind of episode", hint=f"source is one of {', '.join(KINDS)}."
        )
    if not isinstance(text, str):
        if kind != JSON:
            raise errors.EpisodeInvalid("the body is JSON, not a text", hint='Set source to "json", or give a text.')
        return json.dumps(text, ensure_ascii=False, indent=1)
    body = canonical.valid(text)
    if not body.strip():
        raise errors.EpisodeInvalid("the text is empty")
    if kind == JSON:
        _refuse_what_is_no_json(body)
    return body


def _refuse_what_is_no_json(text: str) -> None:
    try:
        json.loads(text, parse_constant=_is_no_number)
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise errors.EpisodeInvalid(
            f"the body is not JSON{where}", hint='Give valid JSON, or set source to "text".'
        ) from error


def _is_no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def refuse_another_group(old: Episode, group: str) -> None:
    """Refuse to replace a text of one group where another was named.

    Raises:
        errors.InvalidArguments: the text is in another.
    """
    if old.group != group:
        raise errors.InvalidArguments(
            f"{old.id} is in group {old.group!r}, and not in {group!r}", hint=f"Name the group {old.group!r}."
        )


def _refuse_to_replace(old: Episode, kind: str) -> None:
    if old.kind == DOCUMENT:
        raise errors.EpisodeInvalid(
            f"{old.id} is the text of a document ({old.name})", hint="Change the document, and ingest it again."
        )
    if kind != old.kind:
        raise errors.EpisodeInvalid(f"{old.id} is of the kind {old.kind}, and stays so", hint="Leave out source.")


def _replaced(
    tx: Tx,
    old: Episode,
    name: str,
    body: str,
    digest: str,
    source: str | None,
    moment: str | None,
    about: Sequence[chunks.Named],
    same: tuple[Episode, ...],
) -> Added:
    new = replace(
        old,
        name=name,
        digest=digest,
        source=old.source if source is None else source,
        occurred_at=moment or old.occurred_at,
    )
    if new == old:
        return Added(old, True, False, same, tuple(store.episodes.chunks(tx, old)), 0)
    store.episodes.update(tx, old, name=new.name, source=new.source, digest=digest, occurred_at=new.occurred_at)
    if digest == old.digest:
        return Added(new, False, True, same, tuple(store.episodes.chunks(tx, new)), 0)
    put = _put(tx, new, body, about)
    return Added(new, False, True, same, put.chunks, put.added)


def _put(tx: Tx, episode: Episode, body: str, about: Sequence[chunks.Named]) -> Put:
    pieces = chunking.split(body, kind=episode.kind)
    return chunks.put(tx, episode, pieces, [about] * len(pieces))


def _in_order(tx: Tx, of_chunks: Sequence[Chunk]) -> list[Any]:
    place = {chunk.row: number for number, chunk in enumerate(of_chunks)}
    found = store.mentions.in_chunks(tx, list(place))
    return sorted(found, key=lambda each: (place[each.chunk], each.start is None, each.start or 0, each.entity))


def _is_said(tx: Tx, proposal: Proposal) -> bool:
    """Whether what a text seems to say has been recorded in the meantime."""
    if proposal.object is None or proposal.predicate is None:
        return False
    sides = [
        [each.row for each in store.entities.by_key(tx, normalisation.key(name))]
        for name in (proposal.subject, proposal.object)
    ]
    return store.proposals.is_said(tx, sides[0], proposal.predicate, sides[1])


def _support(tx: Tx, entity: Entity, *, up_to_date: bool) -> str | None:
    """What speaks for keeping an entity, in words."""
    if count := len(store.facts.every_about(tx, entity)):
        return f"{count} other fact{'s are' if count > 1 else ' is'} about it"
    if count := store.episodes.count_mentioning(tx, entity):
        return f"{count} other episode{'s mention' if count > 1 else ' mentions'} it"
    if store.entities.has_former_ids(tx, entity):
        return "another entity was merged into it"
    if any(since > entity.created_at for _, _, since in store.entities.alias_rows(tx, entity)):
        return "it was given another name since"
    return None if up_to_date else "texts that may mention it have not been read yet"
