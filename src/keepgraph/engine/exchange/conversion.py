"""How the records of other programs become ours, and nothing of them is lost: words, entities, facts and texts.

A word that the vocabulary has is that word, and so is another spelling or a synonym that means just the same. An
entity of another type becomes a concept that keeps its type as the property `entityType`. A relation of another kind
stays text: its line is kept as it stands in the file, in an episode that speaks of both ends. Or these words are added
to the vocabulary of the graph, if that is wished. What is there already stays, so that a file may come again.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.exchange.export import IMPORTED
from keepgraph.engine.texts import upserts
from keepgraph.engine.texts.upserts import Effect, Part
from keepgraph.engine.upkeep import calls
from keepgraph.formats import detection
from keepgraph.formats.records import Entity, Episode, Fact, LeftOut, Record, Trouble
from keepgraph.language import canonical, normalisation
from keepgraph.model import Entity as KnownEntity
from keepgraph.model import Ref, Word
from keepgraph.store.database import Database, Tx
from keepgraph.temporal import timestamps

_TOOL = "import"
_OTHERWISE = "concept"
_TYPE_OF_FILE = "entityType"
_LONGEST_WORD = 100
_LONGEST_SOURCE = 1_500
_LONGEST_LINE = upserts.MAX_TEXT // 2

_SYNONYMS = {
    store.vocabulary.ENTITY_TYPE: {
        "person": ("people", "persons", "human", "human_being"),
        "project": ("projects",),
        "decision": ("decisions",),
        "concept": ("concepts", "idea", "ideas"),
        "source": ("sources",),
    },
    store.vocabulary.PREDICATE: {
        "belongs_to": ("part_of", "is_part_of"),
        "blocked_by": ("is_blocked_by",),
        "depends_on": ("is_dependent_on", "requires", "needs"),
        "mentioned_in": ("is_mentioned_in",),
        "reports_to": ("reporting_to",),
        "resolved_by": ("is_resolved_by",),
        "tagged": ("has_tag", "tagged_with", "is_tagged"),
    },
}
"""Words that say just the same as one of ours, spelled as ours are."""


# What a file says, before the graph is asked


@dataclass(slots=True)
class Survey:
    """What there is in a file.

    Attributes:
        counts: records by what they are: entities, facts, episodes; observations and turns.
        types, predicates: the words of the file, and how often they are there.
        declared: the type of each name, by its key, where the file says so apart from the facts about it.
        ends: the keys of the names that facts connect.
        troubles: what cannot be read.
        left_out: what is left out on purpose, and how often it is there.
    """

    counts: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    predicates: Counter[str] = field(default_factory=Counter)
    declared: dict[str, str] = field(default_factory=dict)
    ends: set[str] = field(default_factory=set)
    troubles: list[Trouble] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def undeclared(self) -> int:
        """How many names only stand in facts."""
        return len(self.ends - self.declared.keys())


def survey(records: Iterable[Record]) -> Survey:
    """Go through a file once, and remember what is in it, not what it says."""
    found = Survey()
    for record in records:
        if isinstance(record, Trouble):
            found.troubles.append(Trouble(record.place, record.error))
        elif isinstance(record, LeftOut):
            found.left_out[record.what] += record.times
        elif isinstance(record, Entity):
            found.counts.update(entities=1, observations=len(record.observations))
            found.types[record.type] += 1
            found.declared.setdefault(normalisation.key(record.name), record.type)
        elif isinstance(record, Fact):
            found.counts["facts"] += 1
            found.predicates[record.predicate] += 1
            found.types.update(each for each in (record.subject_type, record.object_type) if each is not None)
            found.ends.update(normalisation.key(each) for each in (record.subject, record.object) if each)
        else:
            found.counts.update(episodes=1, turns=len(record.turns))
            found.left_out.update(record.left_out)
    return found


# Words


@dataclass(frozen=True, slots=True)
class Meant:
    """What a word of the file becomes: a word of the vocabulary, or None.

    Attributes:
        how: "same", "synonym", "added" to the vocabulary; "other", where it is none of it.
    """

    word: str | None
    how: str


@dataclass(frozen=True, slots=True)
class Meanings:
    """What the words of a file become, by the words as they stand there."""

    types: Mapping[str, Meant]
    predicates: Mapping[str, Meant]


def meanings(found: Survey, words: Mapping[str, Sequence[Word]], *, add_words: bool) -> Meanings:
    """What the words of a file become, given those of the vocabulary by kind."""
    return Meanings(
        {said: _meant(said, store.vocabulary.ENTITY_TYPE, words, add_words=add_words) for said in found.types},
        {said: _meant(said, store.vocabulary.PREDICATE, words, add_words=add_words) for said in found.predicates},
    )


def words_of(tx: Tx) -> dict[str, list[Word]]:
    """The words of the vocabulary, by kind."""
    return {kind: store.vocabulary.words(tx, kind) for kind in store.vocabulary.KINDS}


def spelled(said: str) -> str:
    """A word as those of the vocabulary are spelled: `Works at` and `worksAt` are works_at."""
    apart = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", "_", unicodedata.normalize("NFKC", said))
    return re.sub(r"[\W_]+", "_", apart.casefold()).strip("_")[:_LONGEST_WORD].rstrip("_")


def _meant(said: str, kind: str, words: Mapping[str, Sequence[Word]], *, add_words: bool) -> Meant:
    known = {word.name for word in words[kind]}
    word = spelled(said)
    if word in known:
        return Meant(word, "same")
    for ours, synonyms in _SYNONYMS[kind].items():
        if word in synonyms and ours in known:
            return Meant(ours, "synonym")
    if add_words and word:
        return Meant(word, "added")
    return Meant(_OTHERWISE if kind == store.vocabulary.ENTITY_TYPE else None, "other")


# Records


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a record.

    Attributes:
        effect: None where it was refused, or left out on purpose.
        left_out: what of it was refused, while the rest was taken.
        as_text: a relation that was kept as text, as it stands in the file: {from, relationType, to}.
    """

    place: int
    effect: Effect | None = None
    error: errors.KeepgraphError | None = None
    left_out: tuple[errors.KeepgraphError, ...] = ()
    as_text: Mapping[str, str] | None = None


_Lines: TypeAlias = list[tuple[Entity | Fact, upserts.Named]]
"""Records whose lines are to be kept as they stand, with the entities that they speak of."""


class _SaidBefore(Exception):
    """The same source has said the same fact already; nothing is to be written."""


class Import:
    """Takes records of a file into a graph, some at a time, each time in one call.

    Args:
        source: the file, by which what comes out of it is known.
        found: what there is in the file.
        add_words: whether words that the vocabulary lacks are added to it.
        strict: take nothing of a record of which something is refused, and none after it.
    """

    def __init__(
        self,
        database: Database,
        *,
        format: str,
        source: str,
        found: Survey,
        add_words: bool = False,
        strict: bool = False,
    ) -> None:
        self._database, self._format, self._found, self._strict = database, format, found, strict
        self._source = source[-_LONGEST_SOURCE:]
        self._lines_kept: set[bytes] = set()
        self.counts: Counter[str] = Counter()
        with database.read(_TOOL) as tx:
            self.words = meanings(found, words_of(tx), add_words=add_words)
            for episode in store.episodes.by_source(tx, self._source, kind="json"):
                self._lines_kept.update(map(_line_digest, store.episodes.text(tx, episode).split("\n")))
        if any(each.how == "added" for each in (*self.words.types.values(), *self.words.predicates.values())):
            self._add_words()

    def take(self, batch: Sequence[Record]) -> list[Taken]:
        """Take some records in one call; returns what became of each."""
        taken: list[Taken] = []
        as_text: _Lines = []
        with self._database.write(_TOOL) as tx:
            tx = calls.begin(tx)
            before = Counter(self.counts)
            try:
                for record in batch:
                    taken.append(self._taken(tx, record, as_text))
                    if self._strict and taken[-1].error:
                        break
                self._keep_lines(tx, as_text)
            except BaseException:
                self.counts = before
                raise
        self._lines_kept.update(_line_digest(record.line) for record, _ in as_text)
        return taken

    def _add_words(self) -> None:
        with self._database.write(_TOOL) as tx:
            tx = calls.begin(tx)
            for kind, meant in (
                (store.vocabulary.ENTITY_TYPE, self.words.types),
                (store.vocabulary.PREDICATE, self.words.predicates),
            ):
                for said, each in meant.items():
                    if each.how == "added" and each.word and store.vocabulary.find(tx, kind, each.word) is None:
                        description = f"Imported from {_last(self._source)}, where it is {said[:200]!r}."
                        store.exchange.insert_word(tx, kind, name=each.word, description=description, version=IMPORTED)
                        self.counts["words"] += 1

    def _taken(self, tx: Tx, record: Record, as_text: _Lines) -> Taken:
        if isinstance(record, Trouble):
            return Taken(record.place, error=record.error)
        if isinstance(record, LeftOut):
            return Taken(record.place)
        counts, lines = Counter(self.counts), len(as_text)
        try:
            with tx.savepoint():
                if isinstance(record, Entity):
                    return self._entity(tx, record, as_text)
                if isinstance(record, Episode):
                    return self._conversation(tx, record)
                return self._fact(tx, record, as_text)
        except (errors.InvalidRequest, errors.Conflict) as error:
            self.counts = counts
            del as_text[lines:]
            if isinstance(record, Episode) or not 0 < len(record.line) <= _LONGEST_LINE:
                return Taken(record.place, error=error)
            # What cannot be an entity or a fact stays what it is: a line.
            effect = self._as_text(record, (), as_text)
            return Taken(record.place, effect, as_text={**_shown(record), "because": error.message})

    # Entities

    def _entity(self, tx: Tx, said: Entity, as_text: _Lines) -> Taken:
        meant = self.words.types[said.type]
        entity, created = self._found_or_made(tx, said.type, said.name)
        changed = created
        against: list[errors.KeepgraphError] = []
        known = {normalisation.key(name) for name in (entity.name, *store.entities.aliases(tx, entity))}
        for alias in said.aliases:
            if normalisation.key(alias) in known:
                continue
            try:
                knowledge.entities.add_aliases(tx, entity, [alias])
                changed = True
            except (errors.AliasTaken, errors.AliasInvalid) as error:
                against.append(error)
        changed |= self._fill(tx, entity, said, meant, against)
        if against and self._strict:
            raise against[0]
        changed |= self._observed(tx, entity, said)
        if against and said.line:
            named = ({"how": "given", "id": entity.id},)
            changed |= self._as_text(said, named, as_text) is Effect.ADDED
            because = "; ".join(error.message for error in against)
            return Taken(said.place, _effect(changed), as_text={**_shown(said), "because": because})
        return Taken(said.place, _effect(changed), left_out=tuple(against))

    def _found_or_made(self, tx: Tx, word: str, name: str) -> tuple[KnownEntity, bool]:
        """
        Raises:
            errors.InvalidRequest, errors.Ambiguous: it cannot be a name, or means several.
        """
        meant = self.words.types.get(word, Meant(_OTHERWISE, "same"))
        if meant.word not in (None, _OTHERWISE):
            self._give_type(tx, word, meant, name)
        entity, created = knowledge.entities.find_or_create(
            tx, Ref(type=meant.word, name=name), missing=errors.InvalidArguments
        )
        self.counts["entities"] += created
        if created and word and meant.how != "same":
            self._set(tx, entity, summary="", properties={_TYPE_OF_FILE: word})
        return entity, created

    def _give_type(self, tx: Tx, word: str, meant: Meant, name: str) -> None:
        """Let a concept that came with this word, before it was one of the vocabulary, be of this type."""
        key = normalisation.key(name)
        if store.entities.by_key(tx, key, of_type=meant.word):
            return
        for other in store.entities.by_key(tx, key, of_type=_OTHERWISE):
            kept = json.loads(store.exchange.entities_by_id(tx, [other.id])[other.id].properties)
            if kept.get(_TYPE_OF_FILE) == word:
                store.exchange.set_type(tx, other.row, knowledge.entities.type_of(tx, meant.word))
                tx.memo.clear()

    def _fill(
        self, tx: Tx, entity: KnownEntity, said: Entity, meant: Meant, against: list[errors.KeepgraphError]
    ) -> bool:
        """Let an entity have the summary and the properties that it lacks; whether there were some."""
        there = store.exchange.entities_by_id(tx, [entity.id])[entity.id]
        ours = json.loads(there.properties)
        theirs = dict(said.properties)
        if said.type and meant.how != "same":
            theirs.setdefault(_TYPE_OF_FILE, said.type)
        differing = [name for name in theirs if name in ours and ours[name] != theirs[name]]
        if said.summary and there.summary and said.summary != there.summary:
            differing.insert(0, "summary")
        if differing:
            told = ", ".join(name[:60] for name in differing[:5])
            against.append(errors.ImportConflict(f"{entity.name!r} is in this graph with another {told}"))
        lacking = theirs.keys() - ours.keys()
        if not lacking and not (said.summary and not there.summary):
            return False
        self._set(tx, entity, summary=there.summary or said.summary, properties={**theirs, **ours})
        return True

    def _set(self, tx: Tx, entity: KnownEntity, *, summary: str, properties: Mapping[str, object]) -> None:
        kept = json.dumps(properties, ensure_ascii=False, sort_keys=True)
        store.entities.set_particulars(tx, entity.row, summary=summary, properties=kept)

    def _observed(self, tx: Tx, entity: KnownEntity, said: Entity) -> bool:
        """Keep what was observed of an entity as a text about it, a paragraph each; whether something was new."""
        source = f"{self._source}#{normalisation.key(said.name)}"
        there = next(iter(store.episodes.by_source(tx, source, kind="text")), None)
        before = _paragraphs(store.episodes.text(tx, there)) if there else ""
        new = [each for each in dict.fromkeys(said.observations) if each.strip() and _paragraphs(each) not in before]
        if not new:
            return False
        named = ({"how": "given", "id": entity.id},)
        kept = [Part(chunk.text, named=chunk.named) for chunk in store.episodes.chunks(tx, there)] if there else []
        if kept:
            kept[-1] = Part(f"{kept[-1].text}\n\n", named=named)
        last = len(new) - 1
        parts = [Part(each if number == last else f"{each}\n\n", named=named) for number, each in enumerate(new)]
        if not kept and _is_kept(tx, parts, name=entity.name):
            return False  # the same file, from another place
        effect = upserts.keep(tx, [*kept, *parts], kind="text", name=entity.name, source=source, there=there)
        self.counts["episodes"] += effect is Effect.ADDED
        return True

    # Facts

    def _fact(self, tx: Tx, said: Fact, as_text: _Lines) -> Taken:
        meant = self.words.predicates[said.predicate]
        if meant.word is None and not said.line:
            raise errors.PredicateUnknown(
                f"{said.predicate[:100]!r} is not a predicate",
                hint="Use a word of the vocabulary, or add those of the file: --add-words.",
            )
        subject = self._end(tx, said.subject, said.subject_type)
        target = self._end(tx, said.object, said.object_type) if said.object else None
        effect = None
        # Go and GO are one name here. What such a line says of two is kept, and not taken for something about one.
        two_in_one = bool(said.line) and target is not None and subject.id == target.id and said.subject != said.object
        if meant.word is None or said.properties or two_in_one:
            ends = {each.id: None for each in (subject, target) if each}
            named = tuple({"how": "given", "id": each} for each in ends)
            effect = self._as_text(said, named, as_text)
        if meant.word is None or two_in_one:
            return Taken(said.place, effect, as_text=_shown(said))
        with suppress(_SaidBefore):
            with tx.savepoint():
                self._record(tx, said, meant.word, subject, target)
            effect = Effect.ADDED
        return Taken(said.place, effect or Effect.MERGED)

    def _end(self, tx: Tx, name: str, word: str | None) -> KnownEntity:
        if word is None and self._format == detection.MEMORY_SERVER:
            key = normalisation.key(name)
            known = store.entities.by_key(tx, key) if key not in self._found.declared else []
            if len(known) == 1:
                return known[0]  # the file does not say what it is; the graph does
            return self._found_or_made(tx, self._found.declared.get(key, ""), name)[0]
        if word is None:
            return knowledge.entities.find(tx, Ref(name=name))
        return self._found_or_made(tx, word, name)[0]

    def _record(self, tx: Tx, said: Fact, predicate: str, subject: KnownEntity, target: KnownEntity | None) -> None:
        """
        Raises:
            _SaidBefore: by the same source, with the same confidence.
            errors.InvalidRequest: something in it cannot be.
        """
        source = said.source or self._source
        if len(source) > knowledge.facts.MAX_SOURCE:
            raise errors.InvalidArguments(
                f"the source has {len(source):,} characters; {knowledge.facts.MAX_SOURCE:,} at most"
            )
        confidence = 1.0 if said.confidence is None else said.confidence
        recorded = knowledge.facts.record(
            tx,
            subject=Ref(id=subject.id),
            predicate=predicate,
            object=Ref(id=target.id) if target else said.literal or "",
            source=source,
            confidence=confidence,
            valid_from=said.valid_from,
            valid_to=said.valid_to,
            compare_names=False,
        )
        if recorded.deduplicated and store.exchange.times_said(tx, recorded.fact.row, source, confidence) > 1:
            raise _SaidBefore
        self.counts["facts"] += not recorded.deduplicated

    # Texts

    def _as_text(self, said: Entity | Fact, named: upserts.Named, as_text: _Lines) -> Effect:
        """Let the line of a record be kept as it stands there, unless it is.

        Raises:
            errors.EpisodeInvalid: it is too long.
        """
        if len(said.line) > _LONGEST_LINE:
            raise errors.EpisodeInvalid(f"the line has {len(said.line):,} characters; {_LONGEST_LINE:,} can be kept")
        if _line_digest(said.line) in self._lines_kept or any(said.line == other.line for other, _ in as_text):
            return Effect.MERGED
        as_text.append((said, named))
        return Effect.ADDED

    def _keep_lines(self, tx: Tx, as_text: _Lines) -> None:
        parts: list[Part] = []
        for said, named in as_text:
            if parts and sum(len(part.text) for part in parts) + len(said.line) > _LONGEST_LINE:
                self._keep(tx, parts)
                parts = []
            parts.append(Part(f"{said.line}\n", named=named))
        if parts:
            self._keep(tx, parts)

    def _keep(self, tx: Tx, lines: Sequence[Part]) -> None:
        if _is_kept(tx, lines):
            return
        upserts.keep(tx, lines, kind="json", name=_last(self._source), source=self._source)
        self.counts["episodes"] += 1

    def _conversation(self, tx: Tx, said: Episode) -> Taken:
        there = next(iter(store.episodes.by_source(tx, said.source, kind="message")), None)
        if there and said.text != (before := store.episodes.text(tx, there)) and len(said.text) <= len(before):
            return Taken(said.place, Effect.MERGED)  # the file is older: conversations grow
        parts = [Part(text, speaker=turn.speaker) for text, turn in zip(said.pieces, said.turns, strict=True)]
        at = timestamps.stamp(said.at) if said.at else None
        day = f" of {at[:10]}" if at else ""
        name = said.name or f"Conversation{day}"
        effect = upserts.keep(tx, parts, kind="message", name=name, source=said.source, occurred_at=at, there=there)
        self.counts["episodes"] += effect is Effect.ADDED
        return Taken(said.place, effect)


def _is_kept(tx: Tx, parts: Sequence[Part], *, name: str | None = None) -> bool:
    """Whether there is this very text already, wherever it came from; with `name`, under that."""
    same = store.episodes.by_digest(tx, canonical.digest("".join(part.text for part in parts)))
    return any(name in (None, each.name) for each in same)


def batches(records: Iterable[Record], *, most: int, characters: int) -> Iterator[list[Record]]:
    """Records in batches that are neither many nor long."""
    batch: list[Record] = []
    length = 0
    for record in records:
        batch.append(record)
        length += _length(record)
        if len(batch) == most or length > characters:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _length(record: Record) -> int:
    if isinstance(record, Episode):
        return sum(len(turn.text) for turn in record.turns)
    return sum(map(len, record.observations)) if isinstance(record, Entity) else 0


def _effect(changed: bool) -> Effect:
    return Effect.ADDED if changed else Effect.MERGED


def _shown(said: Entity | Fact) -> dict[str, str]:
    """What of a line a report shows."""
    if isinstance(said, Fact):
        return {"from": said.subject[:200], "relationType": said.predicate[:200], "to": (said.object or "")[:200]}
    return {"name": said.name[:200], "entityType": said.type[:200]}


def _paragraphs(text: str) -> str:
    return f"\n\n{text}\n\n"


def _line_digest(line: str) -> bytes:
    return hashlib.sha256(line.strip().encode()).digest()


def _last(path: str) -> str:
    """The name of a file without its folders."""
    return re.split(r"[\\/]", path)[-1] or path
