"""What a line of an export becomes in a graph: new, known before, or refused with the reason (see engine/lines.py)."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.exchange.export import DEFAULT_GROUP, IMPORTED, SURE
from keepgraph.engine.upkeep import calls
from keepgraph.language import canonical, normalisation
from keepgraph.model import Entity, Fact
from keepgraph.store.database import Database, Tx
from keepgraph.store.exchange import Assertion, ChunkRow, EntityRow, EpisodeRow, FactRow, Named, Validity
from keepgraph.temporal import timestamps

_TOOL = "import"
_APART = 1_000
"""How far from each other the places of chunks are, at first."""

Line = Mapping[str, Any]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a line: new, or known before; or why it was refused; or which of its names and ids were."""

    new: bool = False
    error: errors.KeepgraphError | None = None
    left_out: tuple[errors.KeepgraphError, ...] = ()


@dataclass(slots=True)
class File:
    """What has to be remembered of a file from batch to batch.

    Attributes:
        entities: the rows of the entities that it has lines for.
        episodes: the rows of the episodes that it has lines for.
        same_texts: the episodes that are in the graph under another id, by their ids in the file.
        whole: the rows of episodes that had all of their text before the first of its chunks that was not there.
        facts: the rows of facts that are in the graph under another id, by their ids in the file.
        refused: the ids of entities, episodes and facts that are something else in the graph.
    """

    entities: set[int] = field(default_factory=set)
    episodes: set[int] = field(default_factory=set)
    same_texts: dict[str, EpisodeRow] = field(default_factory=dict)
    whole: dict[int, bool] = field(default_factory=dict)
    facts: dict[str, int] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)


def take(database: Database, batch: Sequence[Line], *, file: File, strict: bool = False) -> list[Taken]:
    """Take lines that fit the schemas into a graph, in one call; returns what became of each.

    With `strict`, the first bad line ends it: nothing of that line is taken, and those after it are not looked at.
    """
    taken: list[Taken] = []
    with database.write(_TOOL) as tx:
        tx = calls.begin(tx)
        for kind, run in groupby(batch, key=lambda line: str(line["kind"])):
            taken += _TAKEN_BY[kind](tx, list(run), file, strict)
            if strict and taken[-1].error:
                break
    return taken


def _one_by_one(run: Iterable[_T], take_one: Callable[[_T], Taken], *, strict: bool) -> list[Taken]:
    taken: list[Taken] = []
    for line in run:
        try:
            taken.append(take_one(line))
        except errors.KeepgraphError as error:
            taken.append(Taken(error=error))
            if strict:
                break
    return taken


# Words


def _take_words(tx: Tx, run: Sequence[Line], file: File, strict: bool) -> list[Taken]:
    def take_one(line: Line) -> Taken:
        if store.vocabulary.find(tx, line["word_kind"], line["name"]) is not None:
            return Taken()
        store.exchange.insert_word(
            tx, line["word_kind"], name=line["name"], description=line["description"], version=IMPORTED
        )
        return Taken(new=True)

    return _one_by_one(run, take_one, strict=strict)


# Entities


class _EntitySaid(NamedTuple):
    """What a line says of an entity. An alias is what it is, its key, and since when."""

    id: str
    group: str
    type: str
    type_row: int
    name: str
    key: str
    summary: str
    properties: str
    created_at: str
    aliases: tuple[tuple[str, str, str], ...]
    former_ids: tuple[str, ...]


def _take_entities(tx: Tx, run: Sequence[Line], file: File, strict: bool) -> list[Taken]:
    here = _Entities(tx, run, file, strict=strict)
    taken = _one_by_one(run, here.take, strict=strict)
    here.write()
    return taken


class _Entities:
    """The entities that some lines meet in the graph, and what is to be written of these lines."""

    def __init__(self, tx: Tx, run: Sequence[Line], file: File, *, strict: bool) -> None:
        self._tx, self._file, self._strict = tx, file, strict
        ids = {each for line in run for each in (line["id"], *line.get("former_ids", ()))}
        self._looked_up: set[Named] = {
            (line.get("group", DEFAULT_GROUP), line["type"], normalisation.key(name))
            for line in run
            for name in (line["name"], *(_alias(given) for given in line.get("aliases", ())))
        }
        self._by_id = store.exchange.entities_by_id(tx, ids)
        self._by_former_id = store.exchange.entities_by_former_id(tx, ids)
        self.by_name = store.exchange.entities_by_name(tx, self._looked_up)
        self._by_alias = store.exchange.entities_by_alias(tx, self._looked_up)
        met = [*self._by_id.values(), *self._by_former_id.values(), *self.by_name.values()]
        self._alias_keys: dict[int, set[str]] = defaultdict(set)
        for row, keys in store.exchange.alias_keys(tx, {each.row for each in met}).items():
            self._alias_keys[row] = {key for (key,) in keys}
        self._next = {table: store.exchange.free_row(tx, table) for table in ("entity", "alias", "former_id")}
        self._new: list[tuple[Any, ...]] = []
        self._new_aliases: list[tuple[Any, ...]] = []
        self._new_former_ids: list[tuple[int, str, int]] = []
        self._filled: dict[int, EntityRow] = {}

    def take(self, line: Line) -> Taken:
        said = _entity_said(self._tx, line)
        there, former_ids = self._there(said), said.former_ids
        if there is None:
            self._refuse_an_alias(said)
        elif there.id != said.id:
            self._fill(there, said)
            former_ids = (said.id, *former_ids)
        else:
            self._refuse_another(there, said)
        entity = there or EntityRow(
            self._next["entity"], said.id, said.group, said.type, said.name, said.key, *said[6:9]
        )
        aliases, ids, against = self._lacking(entity, said.aliases, former_ids)
        if against and self._strict:
            raise against[0]
        if there is None:
            self._make(entity, said)
        for alias, key, at in aliases:
            self._new_aliases.append((self._row("alias"), entity.row, alias, key, normalisation.compared(alias), at))
            self._alias_keys[entity.row].add(key)
            self._by_alias.setdefault((entity.group, entity.type, key), []).append(entity)
        for former_id in ids:
            self._new_former_ids.append((self._row("former_id"), former_id, entity.row))
            self._by_former_id[former_id] = entity
        self._file.entities.add(entity.row)
        return Taken(new=there is None, left_out=tuple(against))

    def write(self) -> None:
        store.entities.insert_many(self._tx, self._new)
        for filled in self._filled.values():
            store.entities.set_particulars(self._tx, filled.row, summary=filled.summary, properties=filled.properties)
        store.entities.insert_aliases(self._tx, self._new_aliases)
        store.entities.insert_former_ids(self._tx, self._new_former_ids)

    def _there(self, said: _EntitySaid) -> EntityRow | None:
        """The entity that is meant: of this id, or merged into that, or of this very name."""
        return (
            self._by_id.get(said.id)
            or self._by_former_id.get(said.id)
            or self._named((said.group, said.type, said.key))
        )

    def _refuse_another(self, there: EntityRow, said: _EntitySaid) -> None:
        """
        Raises:
            errors.ImportConflict: the entity with this id is another one, or is told of otherwise.
        """
        if (there.group, there.type, there.key) != (said.group, said.type, said.key):
            self._file.refused.add(said.id)
            raise errors.ImportConflict(
                f"{said.id} is the {there.type} {_short(there.name)} of group {there.group!r} in this graph, "
                f"not the {said.type} {_short(said.name)} of group {said.group!r}"
            )
        differing = {
            "name": there.name != said.name,
            "summary": there.summary != said.summary,
            "properties": _in_order(there.properties) != said.properties,
            "created_at": there.created_at != said.created_at,
        }
        if any(differing.values()):
            raise errors.ImportConflict(f"{said.id} is in this graph with another {_told(differing)}")

    def _refuse_an_alias(self, said: _EntitySaid) -> None:
        """
        Raises:
            errors.ImportConflict: the name of a new entity means another one in this graph.
        """
        for other in self._by_alias.get((said.group, said.type, said.key), ()):
            # Where the file has both, they were so in the graph that it comes from.
            if other.row not in self._file.entities:
                self._file.refused.add(said.id)
                raise errors.ImportConflict(
                    f"{_short(said.name)} is an alias of the {other.type} {_short(other.name)}, {other.id}",
                    hint=f"If they are one, write {other.id} for {said.id} in the file; if not, take the alias back.",
                )

    def _fill(self, there: EntityRow, said: _EntitySaid) -> None:
        """Let an entity of another id have the summary and the properties that it lacks.

        Raises:
            errors.ImportConflict: it has another summary, or another value of a property.
        """
        there = self._filled.get(there.row, there)
        ours, theirs = json.loads(there.properties), json.loads(said.properties)
        differing = {
            "summary": bool(there.summary and said.summary and there.summary != said.summary),
            **{f"property {_short(name)}": ours[name] != theirs[name] for name in theirs if name in ours},
        }
        if any(differing.values()):
            raise errors.ImportConflict(f"{said.id} is {there.id} in this graph, with another {_told(differing)}")
        filled = there._replace(
            summary=there.summary or said.summary,
            properties=_in_order(json.dumps({**theirs, **ours})) if theirs.keys() - ours.keys() else there.properties,
        )
        if filled != there:
            self._filled[there.row] = filled

    def _lacking(
        self, entity: EntityRow, aliases: Iterable[tuple[str, str, str]], former_ids: Iterable[str]
    ) -> tuple[list[tuple[str, str, str]], list[str], list[errors.KeepgraphError]]:
        """The aliases and the former ids that an entity lacks, and what speaks against others."""
        named: dict[str, tuple[str, str, str]] = {}
        merged: dict[str, None] = {}
        against: list[errors.KeepgraphError] = []
        for alias, key, at in aliases:
            if key == entity.key or key in self._alias_keys[entity.row]:
                continue
            other = self._named((entity.group, entity.type, key))
            if other and other.row != entity.row and other.row not in self._file.entities:
                against.append(errors.AliasTaken(f"{_short(alias)} is the name of another {other.type}, {other.id}"))
            else:
                named.setdefault(key, (alias, key, at))
        for former_id in former_ids:
            owner = self._by_former_id.get(former_id)
            if former_id == entity.id or (owner and owner.row == entity.row):
                continue
            if former_id in self._by_id:
                hint = f"If they are one: kg merge {entity.id} {former_id}"
                against.append(errors.ImportConflict(f"{former_id} is an entity of its own in this graph", hint=hint))
            elif owner:
                against.append(errors.ImportConflict(f"{former_id} was merged into {owner.id} in this graph"))
            else:
                merged[former_id] = None
        return list(named.values()), list(merged), against

    def _make(self, entity: EntityRow, said: _EntitySaid) -> None:
        kept = (entity.key, normalisation.compared(entity.name), entity.summary, entity.properties, entity.created_at)
        self._new.append((self._row("entity"), entity.id, entity.group, said.type_row, entity.name, *kept))
        self._by_id[entity.id] = self.by_name[entity.group, entity.type, entity.key] = entity

    def _named(self, name: Named) -> EntityRow | None:
        if name not in self._looked_up:
            # Its entity was merged into one of another type.
            self._looked_up.add(name)
            self.by_name.update(store.exchange.entities_by_name(self._tx, [name]))
        return self.by_name.get(name)

    def _row(self, table: str) -> int:
        row = self._next[table]
        self._next[table] += 1
        return row


def _entity_said(tx: Tx, line: Line) -> _EntitySaid:
    """
    Raises:
        errors.EntityTypeUnknown, errors.AliasInvalid, errors.InvalidArguments: something in it cannot be.
    """
    type_row = knowledge.entities.type_of(tx, line["type"])
    name = normalisation.clean(line["name"])
    key = normalisation.key(name)
    if not key or len(name) > knowledge.entities.MAX_NAME:
        raise errors.InvalidArguments(
            f"a name has 1 to {knowledge.entities.MAX_NAME} characters, and this one {len(name)}"
        )
    created_at = _instant(line["created_at"])
    return _EntitySaid(
        id=line["id"],
        group=line.get("group", DEFAULT_GROUP),
        type=line["type"],
        type_row=type_row,
        name=name,
        key=key,
        summary=line.get("summary", ""),
        properties=_in_order(json.dumps(line.get("properties", {}))),
        created_at=created_at,
        aliases=tuple(_alias_said(given, created_at) for given in line.get("aliases", ())),
        former_ids=tuple(line.get("former_ids", ())),
    )


def _alias_said(given: str | Line, created_at: str) -> tuple[str, str, str]:
    alias = normalisation.clean(_alias(given))
    key = normalisation.key(alias)
    if not key or len(alias) > knowledge.entities.MAX_NAME:
        raise errors.AliasInvalid(
            f"an alias has 1 to {knowledge.entities.MAX_NAME} characters, and this one {len(alias)}"
        )
    return alias, key, created_at if isinstance(given, str) else _instant(given["created_at"])


def _alias(given: str | Line) -> str:
    return given if isinstance(given, str) else str(given["alias"])


def _in_order(properties: str) -> str:
    """An object as it is kept: its names in order, at every depth."""
    if properties == "{}":
        return properties
    return json.dumps(json.loads(properties), ensure_ascii=False, sort_keys=True)


# Texts


def _take_episodes(tx: Tx, run: Sequence[Line], file: File, strict: bool) -> list[Taken]:
    here = _Episodes(tx, run, file)
    taken = _one_by_one(run, here.take, strict=strict)
    here.write()
    return taken


class _Episodes:
    """The episodes that some lines meet in the graph, and what is to be written of these lines."""

    def __init__(self, tx: Tx, run: Sequence[Line], file: File) -> None:
        self._tx, self._file = tx, file
        self._by_id = store.exchange.episodes_by_id(tx, (line["id"] for line in run))
        self._by_digest: dict[str, list[EpisodeRow]] = defaultdict(list)
        for episode in store.exchange.episodes_by_digest(tx, {line["digest"] for line in run}):
            self._by_digest[episode.digest].append(episode)
        self._next = store.exchange.free_row(tx, "episode")
        self._new: list[EpisodeRow] = []
        self._chunks = _NewChunks(tx)

    def take(self, line: Line) -> Taken:
        said = _episode_said(line)
        chunks = [_chunk_said(given, place=place) for place, given in enumerate(line.get("chunks", ()))]
        if not line.get("following") and canonical.digest("".join(chunk.text for chunk in chunks)) != said.digest:
            raise errors.EpisodeInvalid(
                f"the text of {said.id} is not the one that its digest tells of",
                hint="Was it changed by hand? Then give it to `kg remember` or `kg ingest` instead.",
            )
        if there := self._by_id.get(said.id):
            self._refuse_another(there, said, chunks)
        elif there := next((each for each in self._by_digest[said.digest] if self._is_the_same(each, said)), None):
            self._file.same_texts[said.id] = there
        episode = there or self._made(said, chunks)
        self._file.episodes.add(episode.row)
        return Taken(new=there is None)

    def write(self) -> None:
        store.exchange.insert_episodes(self._tx, self._new)
        self._chunks.write()

    def _is_the_same(self, there: EpisodeRow, said: EpisodeRow) -> bool:
        """Whether an episode of another id tells the same. What stands in one file under two ids does not."""
        same = said._replace(row=there.row, id=there.id, recorded_at=there.recorded_at, session=there.session)
        return there == same and there.row not in self._file.episodes

    def _refuse_another(self, there: EpisodeRow, said: EpisodeRow, chunks: Sequence[ChunkRow]) -> None:
        """
        Raises:
            errors.ImportConflict: the episode with this id is another one, or is divided or told of otherwise.
        """
        differing = {
            name: one != other
            for name, one, other in zip(there._fields, there, said._replace(row=there.row), strict=True)
        }
        if not any(differing.values()):
            kept = self._chunks.of(there.row) or _in_their_order(store.exchange.chunks(self._tx, there.row))
            differing = {"text in its chunks": kept[: len(chunks)] != chunks}
        if any(differing.values()):
            self._file.refused.add(said.id)
            raise errors.ImportConflict(f"{said.id} is in this graph with another {_told(differing)}")

    def _made(self, said: EpisodeRow, chunks: Sequence[ChunkRow]) -> EpisodeRow:
        episode = said._replace(row=self._next)
        self._next += 1
        self._new.append(episode)
        self._by_id[episode.id] = episode
        self._file.whole[episode.row] = False
        for chunk in chunks:
            self._chunks.add(episode.row, chunk)
        return episode


class _NewChunks:
    """Chunks that are to be written."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._next = store.exchange.free_row(tx, "chunk")
        self._new: list[tuple[Any, ...]] = []
        self._of: dict[int, list[ChunkRow]] = defaultdict(list)

    def add(self, episode: int, chunk: ChunkRow) -> None:
        speaker_key = normalisation.key(chunk.speaker) if chunk.speaker is not None else None
        place = (chunk.place + 1) * _APART
        self._new.append((self._next, episode, place, *chunk[1:], speaker_key, normalisation.spaced(chunk.text)))
        self._of[episode].append(chunk)
        self._next += 1

    def of(self, episode: int) -> list[ChunkRow]:
        return self._of.get(episode, [])

    def write(self) -> None:
        store.exchange.insert_chunks(self._tx, self._new)


def _take_chunks(tx: Tx, run: Sequence[Line], file: File, strict: bool) -> list[Taken]:
    """Chunks of texts that are too long for the lines of their episodes."""
    known = store.exchange.episodes_by_id(tx, {line["episode"] for line in run}) | file.same_texts
    held = {
        each: store.exchange.chunks(tx, known[each].row) for each in {line["episode"] for line in run} & known.keys()
    }
    new = _NewChunks(tx)
    here = {each: _by_number(known[each], chunks, file) for each, chunks in held.items()}

    def take_one(line: Line) -> Taken:
        if line["episode"] in file.refused:
            raise errors.ImportConflict(f"{line['episode']} is another text in this graph: its line was refused")
        if line["episode"] not in known:
            raise errors.EpisodeNotFound(f"there is no episode {line['episode']}, in this graph or in the file")
        episode = known[line["episode"]]
        said = _chunk_said(line, place=line["place"])
        there = here[line["episode"]].get(said.place)
        if there == said or line["episode"] in file.same_texts:
            return Taken()
        if there is not None or file.whole[episode.row]:
            raise errors.ImportConflict(f"the text of {episode.id} is another one in this graph")
        here[line["episode"]][said.place] = said
        new.add(episode.row, said)
        return Taken(new=True)

    taken = _one_by_one(run, take_one, strict=strict)
    new.write()
    return taken


def _by_number(episode: EpisodeRow, kept: Sequence[ChunkRow], file: File) -> dict[int, ChunkRow]:
    """The chunks of an episode by their numbers; of one that was not whole when its lines came, by their places."""
    if episode.row not in file.whole:
        file.whole[episode.row] = canonical.digest("".join(chunk.text for chunk in kept)) == episode.digest
    if file.whole[episode.row]:
        return dict(enumerate(_in_their_order(kept)))
    return {number: chunk._replace(place=number) for chunk in kept for number in [chunk.place // _APART - 1]}


def _in_their_order(kept: Sequence[ChunkRow]) -> list[ChunkRow]:
    """Chunks with their numbers in the place of their places, which may leave gaps."""
    return [chunk._replace(place=number) for number, chunk in enumerate(kept)]


def _episode_said(line: Line) -> EpisodeRow:
    """
    Raises:
        errors.InvalidArguments: a time in it cannot be.
    """
    occurred_at = _instant(line["occurred_at"])
    return EpisodeRow(
        row=0,
        id=line["id"],
        group=line.get("group", DEFAULT_GROUP),
        kind=line["episode_kind"],
        name=line["name"],
        source=line.get("source", ""),
        digest=line["digest"],
        occurred_at=occurred_at,
        recorded_at=_instant(line["recorded_at"]) if "recorded_at" in line else occurred_at,
        session=line.get("session"),
    )


def _chunk_said(given: Line, *, place: int) -> ChunkRow:
    """
    Raises:
        errors.EpisodeInvalid: its speaker has no name that can be told from others.
    """
    speaker = given.get("speaker")
    if speaker is not None and not normalisation.key(speaker):
        raise errors.EpisodeInvalid(f"the speaker {_short(speaker)} has no letters")
    named = json.dumps(given.get("named", []), ensure_ascii=False, separators=(",", ":"))
    return ChunkRow(place, given["text"], given.get("heading", ""), speaker, named)


# Facts


class _FactSaid(NamedTuple):
    """What a line says of a fact; the fact has no row yet."""

    fact: FactRow
    earlier: tuple[Validity, ...]
    assertions: tuple[Assertion, ...]


class _Assertions:
    """What was said of some facts, and what is to be written."""

    def __init__(self, tx: Tx, known: Iterable[int], episodes: Mapping[str, EpisodeRow]) -> None:
        self._tx, self._episodes = tx, episodes
        self._said = {
            fact: Counter(said for _, said in every) for fact, every in store.exchange.assertions(tx, known).items()
        }
        self._next = store.exchange.free_row(tx, "provenance")
        self._new: list[tuple[Any, ...]] = []

    def add(self, fact: int, said: Assertion, *, nth: int, apart: bool = False) -> bool:
        """Add what was not said so often yet; `apart`, not in the row next to what was said before."""
        before = self._said.setdefault(fact, Counter())
        if before[said] >= nth:
            return False
        before[said] += 1
        self._next += apart
        episode = self._episodes[said.episode].row if said.episode else None
        self._new.append((self._next, fact, *said[:-1], episode))
        self._next += 1
        return True

    def write(self) -> None:
        store.provenance.insert_many(self._tx, self._new)


def _take_facts(tx: Tx, run: Sequence[Line], file: File, strict: bool) -> list[Taken]:
    here = _Facts(tx, run, file)
    taken = _one_by_one(here.said, here.take, strict=strict)
    here.write()
    return taken


class _Facts:
    """The facts that some lines meet in the graph, and what is to be written of these lines."""

    def __init__(self, tx: Tx, run: Sequence[Line], file: File) -> None:
        self._tx, self._file = tx, file
        ids = {line[end] for line in run for end in ("subject", "object") if end in line}
        known = {**store.exchange.entities_by_former_id(tx, ids), **store.exchange.entities_by_id(tx, ids)}
        self._episodes = _episodes_named(tx, (each for line in run for each in line.get("provenance", ())), file)
        self.said = [_fact_said(tx, line, known, self._episodes, file) for line in run]
        sound = [said.fact for said in self.said if isinstance(said, _FactSaid)]
        self._by_id = store.exchange.facts_by_id(tx, (fact.id for fact in sound))
        unknown = (fact for fact in sound if fact.id not in self._by_id and fact.retracted_at is None)
        self._by_words = {_words(fact): fact for fact in store.exchange.twins(tx, unknown)}
        there = [fact.row for fact in (*self._by_id.values(), *self._by_words.values())]
        self._earlier = store.exchange.earlier(tx, there)
        self._assertions = _Assertions(tx, there, {each.id: each for each in self._episodes.values()})
        self._next, self._next_earlier = (
            store.exchange.free_row(tx, "fact"),
            store.exchange.free_row(tx, "earlier_validity"),
        )
        self._new: list[FactRow] = []
        self._new_earlier: list[tuple[Any, ...]] = []

    def take(self, said: _FactSaid | errors.KeepgraphError) -> Taken:
        if isinstance(said, errors.KeepgraphError):
            raise said
        there = self._by_id.get(said.fact.id)
        if there is not None:
            self._refuse_another(there, said)
        elif said.fact.retracted_at is None and (there := self._by_words.get(_words(said.fact))):
            self._file.facts[said.fact.id] = there.row
        fact = there or self._made(said)
        often: Counter[Assertion] = Counter()
        for each in said.assertions:
            often[each] += 1
            self._assertions.add(fact.row, each, nth=often[each])
        return Taken(new=there is None)

    def write(self) -> None:
        store.facts.insert_many(self._tx, self._new)
        store.facts.insert_earlier(self._tx, self._new_earlier)
        self._assertions.write()

    def _refuse_another(self, there: FactRow, said: _FactSaid) -> None:
        """
        Raises:
            errors.ImportConflict: the fact with this id says something else.
        """
        same = said.fact._replace(row=there.row, text=there.text)
        if there == same and tuple(self._earlier.get(there.row, ())) == said.earlier:
            return
        self._file.refused.add(said.fact.id)
        differing = {name: one != other for name, one, other in zip(there._fields, there, same, strict=True)}
        what = _told(differing) or "validity known before"
        raise errors.ImportConflict(f"{said.fact.id} is in this graph with another {what}")

    def _made(self, said: _FactSaid) -> FactRow:
        fact = said.fact._replace(row=self._next)
        self._next += 1
        self._new.append(fact)
        self._by_id[fact.id] = fact
        if fact.retracted_at is None:
            self._by_words[_words(fact)] = fact
        if said.earlier:
            self._earlier[fact.row] = list(said.earlier)
        for each in said.earlier:
            self._new_earlier.append((self._next_earlier, fact.row, *each))
            self._next_earlier += 1
        return fact


def _fact_said(
    tx: Tx, line: Line, known: Mapping[str, EntityRow], episodes: Mapping[str, EpisodeRow], file: File
) -> _FactSaid | errors.KeepgraphError:
    try:
        return _read_fact(tx, line, known, episodes, file)
    except errors.KeepgraphError as error:
        return error


def _read_fact(
    tx: Tx, line: Line, known: Mapping[str, EntityRow], episodes: Mapping[str, EpisodeRow], file: File
) -> _FactSaid:
    """
    Raises:
        errors.InvalidRequest: something in it cannot be, or it is about entities or out of texts that are not here.
        errors.ImportConflict: it is about an entity, or out of a text, that was refused.
    """
    if ("object" in line) == ("literal" in line):
        raise errors.ObjectRequired("a fact has either an object or a literal", hint="Give one of them.")
    predicate = _predicate(tx, line["predicate"])
    subject = _entity(line["subject"], known, file)
    target = _entity(line["object"], known, file) if "object" in line else None
    if target and target.group != subject.group:
        raise errors.InvalidArguments(f"{subject.id} and {target.id} are of different groups, which no fact connects")
    literal = line["literal"].strip() if "literal" in line else None
    if literal == "":
        raise errors.ObjectRequired("the literal is empty")
    recorded_at, confidence = _instant(line["recorded_at"]), float(line.get("confidence", SURE))
    start, end = _validity(line)
    fact = FactRow(
        row=0,
        id=line["id"],
        subject=subject.row,
        predicate=predicate,
        object=target.row if target else None,
        literal=literal,
        text=_sentence(subject, line["predicate"], target, literal),
        confidence=confidence,
        recorded_at=recorded_at,
        valid_from=start,
        valid_to=end,
        retracted_at=_instant(line["retracted_at"]) if "retracted_at" in line else None,
        known_from=_instant(line["known_from"]) if "known_from" in line else None,
    )
    return _FactSaid(
        fact,
        tuple(sorted(map(_validity_said, line.get("earlier", ())), key=_as_listed)),
        tuple(
            _assertion(each, episodes, file, confidence=confidence, recorded_at=recorded_at)
            for each in line.get("provenance", ())
        ),
    )


def _entity(public_id: str, known: Mapping[str, EntityRow], file: File) -> EntityRow:
    if public_id in file.refused:
        raise errors.ImportConflict(
            f"{public_id} is something else in this graph: its line was refused",
            hint="Put that line right first.",
        )
    if public_id not in known:
        raise errors.EntityNotFound(
            f"there is no entity {public_id}, in this graph or in the file",
            hint="Import the line of the entity as well.",
        )
    return known[public_id]


def _predicate(tx: Tx, name: str) -> int:
    row = store.vocabulary.find(tx, store.vocabulary.PREDICATE, name)
    if row is None:
        allowed = store.vocabulary.words(tx, store.vocabulary.PREDICATE)
        raise errors.PredicateUnknown(
            f"{name!r} is not a predicate", candidates=knowledge.entities.meant(name, allowed)
        )
    return row


def _sentence(subject: EntityRow, predicate: str, target: EntityRow | None, literal: str | None) -> str:
    return knowledge.facts.sentence(
        Fact(
            row=0,
            id="",
            subject=_as_entity(subject),
            predicate=predicate,
            object=_as_entity(target) if target else None,
            literal=literal,
            confidence=SURE,
            recorded_at="",
            valid_from=None,
            valid_to=None,
        )
    )


def _as_entity(row: EntityRow) -> Entity:
    return Entity(row.row, row.id, row.type, row.name, row.created_at)


def _words(fact: FactRow) -> tuple[Any, ...]:
    """What no two facts that are not retracted have in common."""
    return fact.subject, fact.predicate, fact.object, fact.literal, fact.valid_from, fact.valid_to


def _validity(line: Line) -> tuple[str | None, str | None]:
    start = _instant(line["valid_from"]) if "valid_from" in line else None
    end = _instant(line["valid_to"]) if "valid_to" in line else None
    if start and end and start >= end:
        raise errors.ValidityInvalid(f"valid_from ({start}) is not before valid_to ({end})")
    return start, end


def _validity_said(given: Line) -> Validity:
    return Validity(*_validity(given), _instant(given["known_from"]), _instant(given["known_to"]))


def _as_listed(known: Validity) -> tuple[str, ...]:
    return known.known_from, known.known_to, known.valid_from or "", known.valid_to or "~"


# What was said of facts


def _take_provenance(tx: Tx, run: Sequence[Line], file: File, strict: bool) -> list[Taken]:
    found = store.exchange.facts_by_id(tx, (line["fact"] for line in run))
    here = {fact.id: fact.row for fact in found.values()} | {
        line["fact"]: file.facts[line["fact"]] for line in run if line["fact"] in file.facts
    }
    episodes = _episodes_named(tx, run, file)
    said = _Assertions(tx, here.values(), {each.id: each for each in episodes.values()})

    def take_one(line: Line) -> Taken:
        if line["fact"] in file.refused:
            raise errors.ImportConflict(f"{line['fact']} is something else in this graph: its line was refused")
        if line["fact"] not in here:
            raise errors.FactNotFound(f"there is no fact {line['fact']}, in this graph or in the file")
        new = said.add(
            here[line["fact"]],
            _assertion(line, episodes, file, confidence=SURE, recorded_at=line["recorded_at"]),
            nth=line.get("nth", 1),
            apart=True,
        )
        return Taken(new=new)

    taken = _one_by_one(run, take_one, strict=strict)
    said.write()
    return taken


def _episodes_named(tx: Tx, said: Iterable[Line], file: File) -> dict[str, EpisodeRow]:
    """The episodes out of which something was said, by their ids in the file."""
    wanted = {each["episode"] for each in said if "episode" in each}
    return store.exchange.episodes_by_id(tx, wanted) | {
        each: file.same_texts[each] for each in wanted & file.same_texts.keys()
    }


def _assertion(
    given: Line, episodes: Mapping[str, EpisodeRow], file: File, *, confidence: float, recorded_at: str
) -> Assertion:
    """
    Raises:
        errors.EpisodeNotFound: it came out of a text that is not here.
        errors.ImportConflict: that text was refused.
    """
    episode = given.get("episode")
    if episode in file.refused:
        raise errors.ImportConflict(f"{episode} is another text in this graph: its line was refused")
    if episode is not None and episode not in episodes:
        raise errors.EpisodeNotFound(
            f"there is no episode {episode}, in this graph or in the file", hint="Import the line of it as well."
        )
    return Assertion(
        given.get("source"),
        float(given.get("confidence", confidence)),
        _instant(given.get("recorded_at", recorded_at)),
        given.get("session"),
        given["tool"],
        episodes[episode].id if episode else None,
    )


@lru_cache(maxsize=8192)
def _instant(text: str) -> str:
    """
    Raises:
        errors.InvalidArguments: it is not a stamp as it is stored, of an instant that there is.
    """
    try:
        if timestamps.stamp(timestamps.instant(text)) == text:
            return text
    except (ValueError, OverflowError):
        pass
    raise errors.InvalidArguments(
        f"{text!r} is not an instant in UTC with milliseconds", hint="Write it like this: 2026-11-21T08:44:39.123Z"
    )


def _told(differing: Mapping[str, bool]) -> str:
    return " and ".join(name for name, differs in differing.items() if differs)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")


_TAKEN_BY = {
    "word": _take_words,
    "entity": _take_entities,
    "episode": _take_episodes,
    "chunk": _take_chunks,
    "fact": _take_facts,
    "provenance": _take_provenance,
}
KINDS = tuple(_TAKEN_BY)
