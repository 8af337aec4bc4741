"""What a caller has read in a text and hands in: chunks, entities, relations. Decides what is taken, and says why not.

Nothing is dropped in silence: what goes beyond the limits is counted, what cannot be taken is told with its reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.texts import chunks, episodes, mention_index
from keepgraph.language import canonical, normalisation
from keepgraph.language.chunking import Piece
from keepgraph.model import Entity, Episode, Fact, Ref
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

MAX_CHUNKS = 200
MAX_ENTITIES = 1000
MAX_RELATIONS = 500

_BETWEEN = "\n\n"
_OTHERWISE = "concept"
_TYPES = {
    "people": "person",
    "human": "person",
    "user": "person",
    "individual": "person",
    "employee": "person",
    "author": "person",
    "product": "project",
    "initiative": "project",
    "repository": "project",
    "repo": "project",
    "choice": "decision",
    "adr": "decision",
    "document": "source",
    "doc": "source",
    "file": "source",
    "page": "source",
    "url": "source",
    "website": "source",
    "article": "source",
    "book": "source",
    "paper": "source",
    "meeting": "source",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that was not taken: where it stands in what was handed in, why, and what was perhaps meant."""

    where: str
    what: str
    why: str
    near: tuple[str, ...] = ()


@dataclass(slots=True)
class Taken:
    """What became of what was handed in.

    Attributes:
        created: entities that are new; `found` are those that were there.
        facts: those that hold now; `recorded` counts the new ones, `repeated` those that were known.
        mapped_types: types that the vocabulary lacks, with the type that was taken in their place.
        refused_entities, refused_relations: what was not taken.
        proposed: how many relations were handed in, those beyond the limit left out.
        truncated_entities, truncated_relations, truncated_chunks: how many were beyond the limits.
        withdrawn: facts that an earlier version of the text said, and that nothing supports any more.
        forgotten: entities that came with it, and of which nothing is left.
    """

    created: list[Entity] = field(default_factory=list)
    found: list[Entity] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    recorded: int = 0
    repeated: int = 0
    mapped_types: dict[str, str] = field(default_factory=dict)
    refused_entities: list[Refused] = field(default_factory=list)
    refused_relations: list[Refused] = field(default_factory=list)
    proposed: int = 0
    truncated_entities: int = 0
    truncated_relations: int = 0
    truncated_chunks: int = 0
    withdrawn: list[Fact] = field(default_factory=list)
    forgotten: list[Entity] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Document:
    """A text that was handed in in chunks; and how many of them came, went, stayed, are blank, or wait to be read."""

    episode: Episode
    is_new: bool
    added: int
    removed: int
    kept: int
    blank: int
    unread: int


@dataclass(frozen=True, slots=True)
class _Given:
    """A chunk as it was handed in."""

    place: int
    text: str
    entities: Sequence[Any]
    relations: Sequence[Any]


def take_document(
    tx: Tx, given: Sequence[Mapping[str, Any]], *, source: str, doc_id: str | None = None
) -> tuple[Document, Taken]:
    """Keep a text that a caller has cut into chunks, with what it read in them; or bring it up to date.

    The text is the chunks in the order of their `idx`, with an empty line between them. A document is known again by
    its doc_id, or by its source. What an earlier version said, and this one does not, is withdrawn.

    Raises:
        errors.EpisodeInvalid: there is no source, or no chunk with a text.
        errors.EpisodeNotFound: doc_id has the form of an id, and there is no such episode.
    """
    told_from = normalisation.clean(canonical.valid(source))
    if not told_from:
        raise errors.EpisodeInvalid("the source is empty", hint="Name the document by its path or its address.")
    taken = Taken(truncated_chunks=max(len(given) - MAX_CHUNKS, 0))
    every = _in_order(given[:MAX_CHUNKS])
    with_text = [each for each in every if each.text.strip()]
    if not with_text:
        raise errors.EpisodeInvalid("no chunk has a text", hint="Give at least one chunk with a text.")
    episode, is_new = _document(tx, told_from, doc_id, _joined(with_text))
    tx = replace(tx, group=episode.group, episode=episode.row)
    before = store.provenance.of_episode(tx, episode.row)
    spoken_of = episodes.spoken_of(tx, store.episodes.chunks(tx, episode))
    known = _Entities(tx, taken)
    about = [known.declare(each.entities, where=f"chunks[{each.place}]") for each in every]
    put = chunks.put(tx, episode, _pieces(with_text), _named(every, about))
    _Relations(tx, known, taken, source=told_from).record(
        [
            (f"chunks[{each.place}].relations[{number}]", relation)
            for each in every
            for number, relation in enumerate(each.relations)
        ]
    )
    _withdraw_what_is_no_longer_said(tx, episode, [row for row, _, _ in before], taken)
    mention_index.read(tx, put.chunks)
    unread = mention_index.unread(tx, put.chunks)
    if not is_new:
        came_with_it = {episode.recorded_at, *(recorded_at for _, _, recorded_at in before)}
        taken.forgotten += episodes.forget_entities(tx, [*spoken_of, *episodes.ends(taken.withdrawn)], came_with_it)[0]
    return Document(episode, is_new, put.added, put.removed, put.kept, len(every) - len(with_text), unread), taken


def take(tx: Tx, given: Sequence[Any], relations: Sequence[Any], *, source: str) -> Taken:
    """Take entities and relations that were found in a conversation, without any text."""
    taken = Taken()
    known = _Entities(tx, taken)
    known.declare(given, where="")
    _Relations(tx, known, taken, source=source).record(
        [(f"relations[{number}]", relation) for number, relation in enumerate(relations)]
    )
    return taken


def _in_order(given: Sequence[Mapping[str, Any]]) -> list[_Given]:
    """The chunks by their idx; those without stand where they were handed in."""
    found = []
    for place, each in enumerate(given):
        text = each.get("text")
        idx = each.get("idx")
        entities_of, relations_of = each.get("entities") or [], each.get("relations") or []
        found.append(
            (place if idx is None else idx, _Given(place, canonical.valid(text or ""), entities_of, relations_of))
        )
    return [each for _, each in sorted(found, key=lambda one: (one[0], one[1].place))]


def _joined(given: Sequence[_Given]) -> str:
    return _BETWEEN.join(each.text for each in given)


def _pieces(given: Sequence[_Given]) -> list[Piece]:
    last = len(given) - 1
    return [Piece(each.text + (_BETWEEN if place < last else "")) for place, each in enumerate(given)]


def _named(every: Sequence[_Given], about: Sequence[Sequence[Entity]]) -> list[list[chunks.Named]]:
    """For each chunk with a text what the caller read in it; what was read in a blank one counts for the one before."""
    found: list[list[chunks.Named]] = []
    early: list[chunks.Named] = []
    for each, told in zip(every, about, strict=True):
        named: list[chunks.Named] = [{"how": "given", "type": entity.type, "name": entity.name} for entity in told]
        if each.text.strip():
            found.append(early + named)
            early = []
        elif found:
            found[-1] += named
        else:
            early += named
    return [list({(one["type"], one["name"]): one for one in named}.values()) for named in found]


def _document(tx: Tx, source: str, doc_id: str | None, text: str) -> tuple[Episode, bool]:
    """The episode that a document is, made if there is none. A doc_id of the caller's own is kept as its source."""
    asked = normalisation.clean(doc_id or "")
    identity = asked or source
    digest = canonical.digest(text)
    old: Episode | None
    if asked.lower().startswith("ep_"):
        old = episodes.find(tx, asked)
        if old.kind != episodes.PRECHUNKED:
            raise errors.EpisodeInvalid(
                f"{old.id} did not come in chunks", hint="Replace its text with add_memory and uuid."
            )
        identity = old.source
    else:
        old = next(iter(store.episodes.by_source(tx, identity, kind=episodes.PRECHUNKED)), None)
    now = timestamps.stamp(tx.now)
    name = source[: episodes.MAX_NAME]
    if old is not None:
        moment = now if digest != old.digest else old.occurred_at
        store.episodes.update(tx, old, name=name, source=identity, digest=digest, occurred_at=moment)
        return replace(old, name=name, digest=digest, occurred_at=moment), False
    episode = store.episodes.insert(
        tx,
        public_id=tx.new_id("ep"),
        kind=episodes.PRECHUNKED,
        name=name,
        source=identity[: episodes.MAX_SOURCE],
        digest=digest,
        occurred_at=now,
        recorded_at=now,
    )
    return episode, True


def _withdraw_what_is_no_longer_said(tx: Tx, episode: Episode, before: Sequence[int], taken: Taken) -> None:
    """Take back the assertions of an earlier version, but for those that are said again: of these the first stays."""
    assertions = store.provenance.of_episode(tx, episode.row)
    old = {row: fact for row, fact, _ in assertions if row in set(before)}
    new = {row: fact for row, fact, _ in assertions if row not in old}
    store.provenance.delete(tx, [row for row, fact in new.items() if fact in set(old.values())])
    gone = [row for row, fact in old.items() if fact not in set(new.values())]
    taken.withdrawn += episodes.withdraw(tx, episode, gone)[0] if gone else []


class _Entities:
    """The entities that were handed in, found or made; relations name them by their keys."""

    def __init__(self, tx: Tx, taken: Taken) -> None:
        self._tx = tx
        self._taken = taken
        self._declared: dict[str, list[Entity]] = {}
        self._seen: set[int] = set()
        self._count = 0

    def declare(self, given: Sequence[Any], *, where: str) -> list[Entity]:
        """The entities of a list; of those that cannot be taken the reason is kept."""
        found = []
        for number, each in enumerate(given):
            if self._count >= MAX_ENTITIES:
                self._taken.truncated_entities += 1
                continue
            self._count += 1
            place = f"{where}{'.' if where else ''}entities[{number}]"
            entity = self._taken_in(each, place)
            if entity is not None:
                found.append(entity)
                declared = self._declared.setdefault(normalisation.key(str(each["name"])), [])
                if entity not in declared:
                    declared.append(entity)
        return found

    def called(self, name: str) -> list[Entity]:
        """The entities that a relation may mean by a name: those that were handed in, else those that there are."""
        key = normalisation.key(name)
        if found := self._declared.get(key):
            return found
        exact = store.entities.by_key(self._tx, key)
        return exact or [entity for entity, _ in store.entities.by_alias_key(self._tx, key)]

    def _taken_in(self, given: Any, place: str) -> Entity | None:
        name = given.get("name") if isinstance(given, Mapping) else None
        if not isinstance(name, str) or not normalisation.key(name):
            self._refuse(place, str(name)[:80], "it has no name")
            return None
        if len(normalisation.clean(name)) > knowledge.entities.MAX_NAME:
            self._refuse(place, name[:80] + "…", f"its name has more than {knowledge.entities.MAX_NAME} characters")
            return None
        said = given.get("type")
        kind = self._type(said) if isinstance(said, str) else _OTHERWISE
        there = self._there_already(name) if kind != said else None
        if there is not None:
            entity, created = there, False
        else:
            try:
                with self._tx.savepoint():
                    entity, created = knowledge.entities.find_or_create(
                        self._tx, Ref(type=kind, name=name), missing=errors.SubjectRequired
                    )
            except errors.KeepgraphError as error:
                self._refuse(place, name, error.message)
                return None
        if entity.type != said:
            self._taken.mapped_types.setdefault(said if isinstance(said, str) else "", entity.type)
        if entity.row not in self._seen:
            self._seen.add(entity.row)
            (self._taken.created if created else self._taken.found).append(entity)
        return entity

    def _there_already(self, name: str) -> Entity | None:
        """The one entity of this name, whatever its type: better than another one of a type that nobody meant."""
        found = self.called(name)
        return found[0] if len(found) == 1 else None

    def _type(self, said: str) -> str:
        """The type of the vocabulary that is meant."""
        plain = said.strip().casefold().replace("-", "_").replace(" ", "_")
        for word in (said, plain, _TYPES.get(plain, ""), plain.removesuffix("s")):
            if word and store.vocabulary.find(self._tx, store.vocabulary.ENTITY_TYPE, word) is not None:
                return word
        return _OTHERWISE

    def _refuse(self, place: str, what: str, why: str) -> None:
        self._taken.refused_entities.append(Refused(place, what, why))


class _Relations:
    """The relations that were handed in: each becomes a fact, or is refused with the reason."""

    def __init__(self, tx: Tx, known: _Entities, taken: Taken, *, source: str) -> None:
        self._tx = tx
        self._known = known
        self._taken = taken
        self._source = source[: knowledge.facts.MAX_SOURCE]

    def record(self, given: Sequence[tuple[str, Any]]) -> None:
        self._taken.truncated_relations += max(len(given) - MAX_RELATIONS, 0)
        for place, relation in given[:MAX_RELATIONS]:
            self._taken.proposed += 1
            try:
                with self._tx.savepoint():
                    self._record(relation)
            except _Unfit as unfit:
                self._refuse(place, relation, unfit.why, unfit.near)
            except errors.KeepgraphError as error:
                near = tuple(each for each in error.candidates if isinstance(each, str))
                self._refuse(place, relation, error.message, near)

    def _record(self, relation: Any) -> None:
        if not isinstance(relation, Mapping):
            raise _Unfit("it is not an object")
        subject, target = self._end(relation, "from"), self._end(relation, "to")
        predicate = self._predicate(relation)
        if subject.row == target.row:
            raise _Unfit("both of its ends are the same entity")
        done = knowledge.facts.record(
            self._tx,
            subject=Ref(id=subject.id),
            predicate=predicate,
            object=Ref(id=target.id),
            source=self._source,
            confidence=_confidence(relation),
            compare_names=False,
        )
        self._taken.repeated += done.deduplicated
        self._taken.recorded += not done.deduplicated
        if done.fact.row not in {fact.row for fact in self._taken.facts}:
            self._taken.facts.append(done.fact)

    def _end(self, relation: Mapping[str, Any], side: str) -> Entity:
        name = relation.get(side)
        if not isinstance(name, str) or not normalisation.key(name):
            raise _Unfit(f"it does not say {side!r}: the name of an entity")
        found = self._known.called(name)
        if len(found) == 1:
            return found[0]
        if found:
            types = tuple(f"{each.type}:{each.name}" for each in found)
            raise _Unfit(f"{len(found)} entities are called {name[:80]!r}", types)
        raise _Unfit(f"{name[:80]!r} is neither among the entities handed in nor in the graph")

    def _predicate(self, relation: Mapping[str, Any]) -> str:
        said = relation.get("type") or relation.get("relation_type")
        if not isinstance(said, str) or not said.strip():
            raise _Unfit("it has no type")
        plain = "_".join(said.strip().casefold().replace("-", " ").replace("_", " ").split())
        if store.vocabulary.find(self._tx, store.vocabulary.PREDICATE, plain) is None:
            allowed = store.vocabulary.words(self._tx, store.vocabulary.PREDICATE)
            near = tuple(knowledge.entities.meant(plain, allowed))
            raise _Unfit(f"{said[:80]!r} is not a predicate of the vocabulary", near)
        return plain

    def _refuse(self, place: str, relation: Any, why: str, near: tuple[str, ...] = ()) -> None:
        self._taken.refused_relations.append(Refused(place, _shown(relation), why, near))


class _Unfit(Exception):
    """A relation that cannot become a fact."""

    def __init__(self, why: str, near: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.why = why
        self.near = near


def _confidence(relation: Mapping[str, Any]) -> float:
    given = relation.get("confidence", 1.0)
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given) or not 0 <= given <= 1:
        raise _Unfit("its confidence is not a number from 0 to 1")
    return float(given)


def _shown(relation: Any) -> str:
    if not isinstance(relation, Mapping):
        return str(relation)[:80]
    said = relation.get("type") or relation.get("relation_type") or "?"
    return f"{str(relation.get('from', '?'))[:80]} {str(said)[:80]} {str(relation.get('to', '?'))[:80]}"
