"""Reads texts against the graph: what they mention, and what they seem to say. Writes no fact and no entity.

What is read is derived from the chunks and the names of the graph, and read again when either changes: at once where a
text comes in, else before the next question, in short writes. Nothing slow happens inside those.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from keepgraph import store
from keepgraph.engine.backfill import requests
from keepgraph.language import common_words, mentions, normalisation, relations
from keepgraph.language.mentions import Named, Text
from keepgraph.model import Chunk, Episode, Inferred, Mention
from keepgraph.store.database import Database, Tx
from keepgraph.temporal import timestamps

BOUND_SECONDS = 1.5
"""How long a question waits for texts to be read, at most about one batch longer."""

MAX_NAMES = 200
"""Of one chunk no more names, and no more facts, are proposed."""

_CHUNKS_AT_ONCE = 40
_CHARACTERS_AT_ONCE = 400_000
_NAMES_AT_ONCE = 200
_CHUNKS_OF_A_NAME = 100_000
_PERSONS_WEIGHED = 50
_TRIES = 3
_NAME_SEEN, _NAME_TOLD = 0.5, 0.8
_MAX_NAME = 200
_NOBODY = frozenset("user assistant human system ai bot me you agent tool model unknown speaker".split())
_KEY_ENDS = re.compile(r'"\s*:')
_BETWEEN_KEYS = "\x1f"


def see_to(tx: Tx) -> None:
    """Ask that the texts be read that wait, before a question that depends on it; see engine/pending.py."""
    if store.mentions.any_waiting(tx):
        requests.want(tx, requests.READINGS, some)


def some(database: Database) -> None:
    """Read as many texts as a question may wait for."""
    fill(database, seconds=BOUND_SECONDS)


def due(database: Database) -> int:
    """How many chunks and names wait to be read."""
    with database.read("reading") as tx:
        return waiting(tx)


def waiting(tx: Tx) -> int:
    """How many chunks and names wait to be read."""
    return sum(store.mentions.waiting(tx))


def fill(database: Database, *, seconds: float | None = None, at_most: int | None = None) -> int:
    """Read what waits, some at a time: first new names are looked for, then chunks are read; returns how many wait.

    Args:
        seconds: stop after the batch in which these have passed, and do not wait long for other writers; None goes
            on to the end.
        at_most: stop after so many chunks.

    Raises:
        errors.GraphTrouble: the graph cannot be written.
    """
    until = time.monotonic() + seconds if seconds is not None else None
    done = conflicts = 0
    while True:
        stop = requests.impatient() if until else None
        with database.read("reading") as tx:
            left = waiting(tx)
            tired = until is not None and done and time.monotonic() > until
            if not left or tired or (at_most is not None and done >= at_most):
                return left
            version = store.mentions.version(tx)
            work = _Work.ahead(tx, seconds=None if until is None else max(until - time.monotonic(), 0.0))
        with database.write("reading", stop=stop) as tx:
            if store.mentions.version(tx) != version:
                # Somebody wrote in the meantime: what was read may have changed.
                if conflicts < _TRIES:
                    conflicts += 1
                    continue
                work = _Work.ahead(tx, seconds=0.0)
            work.write(tx)
        done += len(work.chunks) or 1
        conflicts = 0


def read(tx: Tx, chunks: Sequence[Chunk]) -> None:
    """Read some chunks within the call that wrote them, as many as there is time for in a write; the others wait."""
    budget = _CHARACTERS_AT_ONCE
    at_once: list[Chunk] = []
    for chunk in chunks:
        budget -= len(chunk.text)
        if budget < 0 and at_once:
            break
        at_once.append(chunk)
    for chunk, reading in _read(tx, at_once):
        _keep(tx, chunk, reading)


def unread(tx: Tx, chunks: Sequence[Chunk]) -> int:
    """How many of these chunks wait to be read."""
    return store.mentions.count_unread(tx, [chunk.row for chunk in chunks])


def catch_up(tx: Tx, *, seconds: float) -> bool:
    """Read what waits within a call that depends on it; whether nothing waits any more."""
    until = time.monotonic() + seconds
    while store.mentions.any_waiting(tx) and time.monotonic() < until:
        _Work.ahead(tx, seconds=max(until - time.monotonic(), 0.0)).write(tx)
    return not store.mentions.any_waiting(tx)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in one chunk, and in which group it is."""

    group: str
    mentions: tuple[Mention, ...]
    inferred: tuple[Inferred, ...]


@dataclass(frozen=True, slots=True)
class _Work:
    """A batch: names that were looked for, the chunks in which they may stand, and chunks that were read.

    `everything` says that there are more new names than chunks: then it is quicker to read all of those again.
    """

    names: tuple[int, ...] = ()
    found: tuple[int, ...] = ()
    chunks: tuple[tuple[Chunk, Reading], ...] = ()
    gone: tuple[int, ...] = ()
    everything: bool = False

    @classmethod
    def ahead(cls, tx: Tx, *, seconds: float | None) -> _Work:
        """What comes next, as far as these seconds go, and at least one of it."""
        until = None if seconds is None else time.monotonic() + seconds
        _, new_names = store.mentions.waiting(tx)
        if new_names and new_names > store.mentions.count_chunks(tx):
            return cls(everything=True)
        if new_names:
            return cls._of_names(tx, until)
        rows = store.mentions.unread_chunks(tx, limit=_CHUNKS_AT_ONCE)
        known = store.episodes.chunks_by_rows(tx, rows)
        done: list[tuple[Chunk, Reading]] = []
        for each in _read(tx, [known[row] for row in rows if row in known]):
            done.append(each)
            if until is not None and time.monotonic() > until:
                break
        return cls(chunks=tuple(done), gone=tuple(row for row in rows if row not in known))

    @classmethod
    def _of_names(cls, tx: Tx, until: float | None) -> _Work:
        looked_for: list[int] = []
        found: set[int] = set()
        for surface, name, group, kind in store.mentions.unread_names(tx, limit=_NAMES_AT_ONCE):
            if name and group:
                found.update(_chunks_with(tx, name, group=group, kind=kind))
                # A link, a tag or a title need not be among the words.
                found.update(store.proposals.chunks_of_name(tx, normalisation.key(name), group=group))
            looked_for.append(surface)
            if until is not None and time.monotonic() > until:
                break
        return cls(names=tuple(looked_for), found=tuple(sorted(found)))

    def write(self, tx: Tx) -> None:
        if self.everything:
            store.mentions.let_all_wait(tx)
        store.mentions.let_wait(tx, self.found)
        store.mentions.name_was_read(tx, self.names)
        for chunk, reading in self.chunks:
            _keep(tx, chunk, reading)
        store.mentions.forget_waiting(tx, self.gone)


def _keep(tx: Tx, chunk: Chunk, reading: Reading) -> None:
    store.mentions.replace(tx, chunk, reading.mentions)
    store.proposals.replace(
        tx, chunk, reading.inferred, group=reading.group, new_id=tx.new_id, created_at=timestamps.stamp(tx.now)
    )


def _chunks_with(tx: Tx, name: str, *, group: str, kind: str | None) -> set[int]:
    """The chunks in which a name may stand; for a person also those with the first or the last part of it alone."""
    spaced = normalisation.spaced(name) or name
    if not any(c.isalnum() for c in spaced):
        return set(store.mentions.chunks_with_letters(tx, name, group=group, limit=_CHUNKS_OF_A_NAME))
    parts = spaced.split()
    phrases = {spaced, parts[0], parts[-1]} if kind == "person" and len(parts) > 1 else {spaced}
    found: set[int] = set()
    for phrase in phrases:
        if any(c.isalnum() for c in phrase):
            # Of a name that is an ordinary word, only those count that have it with a capital.
            ordinary_word = phrase != phrase.lower() and common_words.is_ordinary(phrase.lower())
            found.update(
                store.mentions.chunks_with_words(
                    tx,
                    f'"{_quoted(phrase)}"',
                    group=group,
                    limit=_CHUNKS_OF_A_NAME,
                    spelled=[phrase, phrase.upper()] if ordinary_word else (),
                )
            )
    return found


def _quoted(phrase: str) -> str:
    return phrase.replace('"', '""').replace("\0", "")


def _read(tx: Tx, chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, Reading]]:
    of_episodes = store.episodes.by_rows(tx, list({chunk.episode for chunk in chunks}))
    first = store.mentions.first_chunks(tx, list(of_episodes))
    known: dict[str, _Known] = {}
    for chunk in chunks:
        episode = of_episodes[chunk.episode]
        if episode.group not in known:
            known[episode.group] = _Known(tx, episode.group)
        yield chunk, _Reader(known[episode.group], episode, chunk, is_first=chunk.row in first).read()


@dataclass(frozen=True, slots=True)
class _Called:
    """An entity by one of its names: as it is written there, and how that is its name."""

    written: str
    row: int
    type: str
    name: str
    how: str


class _Known:
    """The names of a group, looked up as they are needed, each once."""

    def __init__(self, tx: Tx, group: str) -> None:
        self.tx = replace(tx, group=group)
        self.group = group
        self._called: dict[str, tuple[_Called, ...]] = {}
        self._alone: dict[str, _Called | None] = {}
        self._beginnings: dict[str, bool] = {}
        self.in_titles: dict[str, list[tuple[Named, _Called]]] = {}

    def look_up(self, keys: Iterable[str]) -> dict[str, tuple[_Called, ...]]:
        """Those of the keys that are names, each with the entities that have it."""
        wanted = set(keys)
        new = sorted(wanted - self._called.keys())
        found: dict[str, list[_Called]] = defaultdict(list)
        for key, written, row, kind, name, how in store.mentions.called(self.tx, new, group=self.group) if new else ():
            found[key].append(_Called(written, row, kind, name, how))
        self._called.update({key: tuple(found.get(key, ())) for key in new})
        return {key: self._called[key] for key in wanted if self._called[key]}

    def beginnings(self, parts: Iterable[str]) -> set[str]:
        """Those of the parts of a text with which some name begins."""
        wanted = set(parts)
        if new := sorted(wanted - self._beginnings.keys()):
            found = set(store.mentions.beginning(self.tx, new, group=self.group))
            self._beginnings.update({part: part in found for part in new})
        return {part for part in wanted if self._beginnings[part]}

    def alone(self, word: str) -> _Called | None:
        """The only person whose first or last name this word is, by its key; None where there is none or several."""
        if word not in self._alone:
            self._alone[word] = self._only_person(word)
        return self._alone[word]

    def _only_person(self, word: str) -> _Called | None:
        rows = store.mentions.persons_with_word(self.tx, f'"{_quoted(word)}"', group=self.group, limit=_PERSONS_WEIGHED)
        found: dict[int, _Called] = {}
        for row, name, surface in rows:
            parts = surface.split()
            part = next((each for each in (parts[0], parts[-1]) if normalisation.key(each) == word), None)
            if part and len(parts) > 1:
                found[row] = _Called(part, row, "person", name, "name")
        return next(iter(found.values())) if len(found) == 1 and len(rows) < _PERSONS_WEIGHED else None


def _says_its_name(episode: Episode, chunk: Chunk) -> bool:
    """Whether the name of an episode is only how its text begins, or, of a message, no title at all."""
    begins = normalisation.clean(chunk.text[: 2 * len(episode.name) + _MAX_NAME])
    return episode.kind == "message" or begins.startswith(normalisation.clean(episode.name).rstrip("…").rstrip())


class _Reader:
    """Reads one chunk."""

    def __init__(self, known: _Known, episode: Episode, chunk: Chunk, *, is_first: bool) -> None:
        self._known = known
        self._episode = episode
        self._chunk = chunk
        self._text = Text(chunk.text)
        self._title = episode.name if is_first and not _says_its_name(episode, chunk) else ""
        self._mentions: dict[int, Mention] = {}
        self._inferred: dict[tuple[str, str], Inferred] = {}

    def read(self) -> Reading:
        in_text = self._mentioned(self._text)
        for named, called in in_text:
            self._mention(called, start=named.start, stop=named.end)
        in_title = self._mentioned_in_title(self._title) if self._title else []
        for _, called in in_title:
            self._mention(called)
        self._read_speaker()
        self._read_named()
        self._propose_names(self._text, [named for named, _ in in_text], places=True)
        if self._title:
            self._propose_names(Text(self._title), [named for named, _ in in_title], places=False)
        self._propose_facts()
        inferred = [each for each in self._inferred.values() if not self._is_part_of_another(each)]
        return Reading(
            group=self._known.group,
            mentions=tuple(self._mentions.values()),
            inferred=tuple(inferred[: 2 * MAX_NAMES]),
        )

    def _mentioned(self, text: Text) -> list[tuple[Named, _Called]]:
        """The known names in a text, each with every entity that has it."""
        spans = list(mentions.spans(text, self._known.beginnings(mentions.parts(text))))
        called = self._known.look_up(span.key for span in spans)
        single = [
            span
            for span in mentions.words(text)
            if span.key not in called and _may_be_part_of_a_name(text.text[span.start : span.end], span.key)
        ]
        alone = {key: person for key in {span.key for span in single} if (person := self._known.alone(key))}
        found = mentions.mentions(
            text,
            {key: [each.written for each in every] for key, every in called.items()},
            {word: [person.written] for word, person in alone.items()},
            among=[*(span for span in spans if span.key in called), *(span for span in single if span.key in alone)],
        )
        return [
            (named, each)
            for named in found
            for each in (called[named.key] if named.key in called else (alone[named.key],))
        ]

    def _mentioned_in_title(self, title: str) -> list[tuple[Named, _Called]]:
        """The same of a heading or a name, which many chunks have."""
        if title not in self._known.in_titles:
            self._known.in_titles[title] = self._mentioned(Text(title))
        return self._known.in_titles[title]

    def _mention(
        self, called: _Called, *, how: str | None = None, start: int | None = None, stop: int | None = None
    ) -> None:
        if called.row not in self._mentions:
            self._mentions[called.row] = Mention(self._chunk.row, called.row, how or called.how, start, stop)

    def _read_speaker(self) -> None:
        speaker = normalisation.clean(self._chunk.speaker or "")
        key = normalisation.key(speaker)
        if not key or key in _NOBODY:
            return
        called = self._named_by(speaker, of_type=None)
        for each in called:
            self._mention(each, how="speaker")
        if (
            not called
            and len(speaker) <= _MAX_NAME
            and speaker[:1].isupper()
            and not common_words.is_only_ordinary(key)
        ):
            self._infer(Inferred("entity", key, "person", speaker, confidence=_NAME_TOLD))

    def _read_named(self) -> None:
        """What the chunk is about besides its words: links, tags, and what the caller said."""
        for named in self._chunk.named:
            how = named.get("how") or "given"
            if public_id := named.get("id"):
                row = store.mentions.row_of(self._known.tx, public_id)
                if row is not None and row not in self._mentions:
                    self._mentions[row] = Mention(self._chunk.row, row, how)
                continue
            name = normalisation.clean(named.get("name") or "")
            if not normalisation.key(name):
                continue
            called = self._named_by(name, of_type=named.get("type") if how == "given" else None)
            for each in called:
                self._mention(each, how=how)
            if not called and len(name) <= _MAX_NAME:
                kind = named.get("type") or mentions.kind_of(name)
                self._infer(Inferred("entity", normalisation.key(name), kind, name, confidence=_NAME_TOLD))

    def _named_by(self, name: str, *, of_type: str | None) -> tuple[_Called, ...]:
        key = normalisation.key(name)
        called = self._known.look_up([key]).get(key, ())
        if fitting := tuple(each for each in called if of_type in (None, each.type)):
            return fitting
        person = self._known.alone(key) if of_type in (None, "person") and " " not in key else None
        return (person,) if person else ()

    def _propose_names(self, text: Text, known: Sequence[Named], *, places: bool) -> None:
        proposals_of_text = mentions.proposed_names(text, besides=known)[:MAX_NAMES]
        called = self._known.look_up(normalisation.key(each.name) for each in proposals_of_text)
        for proposed in proposals_of_text:
            key = normalisation.key(proposed.name)
            if not key or len(proposed.name) > _MAX_NAME or key in called:
                continue
            if self._episode.kind == "json" and _KEY_ENDS.match(text.text, proposed.end):
                continue  # what a value is called there, not what it is
            start, stop = text.sentence_around(proposed.start, proposed.end) if places else (None, None)
            kind = proposed.kind
            self._infer(Inferred("entity", key, kind, proposed.name, confidence=_NAME_SEEN, start=start, stop=stop))

    def _propose_facts(self) -> None:
        about = self._about()
        for decided in relations.decisions(self._text.text)[:MAX_NAMES]:
            key = normalisation.key(decided.name)
            if key and not self._known.look_up([key]):
                self._infer(
                    Inferred(
                        "entity",
                        key,
                        "decision",
                        decided.name,
                        confidence=decided.confidence,
                        start=decided.start,
                        stop=decided.end,
                    )
                )
        for worded in relations.facts(self._text.text, about=about)[:MAX_NAMES]:
            if inferred := self._of_worded(worded):
                self._infer(inferred)

    def _of_worded(self, worded: relations.Worded) -> Inferred | None:
        if store.vocabulary.find(self._known.tx, store.vocabulary.PREDICATE, worded.predicate) is None:
            return None
        subjects = self._named_by(worded.subject, of_type=None)
        objects = self._named_by(worded.object, of_type=None)
        if worded.object_kind == "project" and objects and all(each.type != "project" for each in objects):
            return None  # a decision belongs to a project
        rows = [each.row for each in subjects], [each.row for each in objects]
        if subjects and objects and store.proposals.is_said(self._known.tx, rows[0], worded.predicate, rows[1]):
            return None
        subject, subject_type = _side(subjects, worded.subject, worded.subject_kind)
        target, object_type = _side(objects, worded.object, worded.object_kind)
        if max(len(subject), len(target)) > _MAX_NAME:
            return None
        for called, name, kind in ((subjects, subject, subject_type), (objects, target, object_type)):
            if not called:
                self._name_side(name, kind, worded)
        return Inferred(
            kind="fact",
            key=_BETWEEN_KEYS.join((normalisation.key(subject), worded.predicate, normalisation.key(target))),
            subject_type=subject_type,
            subject=subject,
            predicate=worded.predicate,
            object_type=object_type,
            object=target,
            confidence=worded.confidence,
            start=worded.start,
            stop=worded.end,
        )

    def _name_side(self, name: str, kind: str, worded: relations.Worded) -> None:
        """Propose the name of one side of a fact, if it is written like one; the fact tells best what type it is of."""
        key = normalisation.key(name)
        seen = self._inferred.get(("entity", key))
        if seen is not None:
            if kind != "concept":
                self._inferred["entity", key] = replace(seen, subject_type=kind)
        elif any(c.isupper() for c in name) and kind != "decision":
            inferred = Inferred("entity", key, kind, name, confidence=_NAME_SEEN)
            self._infer(replace(inferred, start=worded.start, stop=worded.end))

    def _about(self) -> str | None:
        """What the chunk is about: a known project in its heading or title, or what one of these is the name of."""
        given = [each for each in self._chunk.named if each.get("how") == "given" and each.get("name")]
        told_by_caller = {each["name"] for each in given if each.get("type") in (None, "project")}
        if len(told_by_caller) == 1:
            return told_by_caller.pop()
        headings = [part.strip() for part in self._chunk.heading.split("›") if part.strip()]
        title = [self._episode.name] if self._episode.kind != "message" else []
        for told in [*reversed(headings), *title]:
            projects = {each.name for _, each in self._mentioned_in_title(told) if each.type == "project"}
            if len(projects) == 1:
                return projects.pop()
            if called := self._known.look_up([normalisation.key(told)]):
                return next(iter(called.values()))[0].name
        return None

    def _infer(self, inferred: Inferred) -> None:
        self._inferred.setdefault((inferred.kind, inferred.key), inferred)

    def _is_part_of_another(self, inferred: Inferred) -> bool:
        """Whether a single name is the first or the last of a longer one in the same chunk: Priya of Priya Raman."""
        if inferred.kind != "entity" or " " in inferred.key:
            return False
        longer = [
            key for kind, key in self._inferred if kind == "entity" and " " in key and inferred.key in _ends_of(key)
        ]
        return any(self._inferred["entity", key].subject_type != "decision" for key in longer)


def _side(called: Sequence[_Called], said: str, kind: str) -> tuple[str, str]:
    """The name and the type of one side of a fact: as the graph has it, else as the text does."""
    fitting = [each for each in called if each.type == kind] or list(called)
    return (fitting[0].name, fitting[0].type) if fitting else (said, kind)


def _ends_of(key: str) -> Mapping[str, None]:
    parts = key.split()
    return dict.fromkeys((parts[0], parts[-1]))


def _may_be_part_of_a_name(said: str, key: str) -> bool:
    """Whether a word may be somebody's first or last name: written with a capital, or known as a given name."""
    if len(key) < 2 or not key.isalpha():
        return False
    return said[:1].isupper() or (common_words.is_given_name(key) and not common_words.is_ordinary(key))
