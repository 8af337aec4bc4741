"""Folders of notes: the note that a link, a path, a day or a name means."""

from __future__ import annotations

import os
import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from urllib.parse import unquote

from keepgraph import lazy
from keepgraph.engine.knowledge import entities
from keepgraph.engine.texts.document_files import MARKDOWN_SUFFIXES
from keepgraph.language import markdown, normalisation, notes
from keepgraph.language.notes import NoteContent
from keepgraph.model import Entity
from keepgraph.temporal import date_phrases

_MAX_WIDE_NAME = entities.MAX_KEY // 18
"""In characters: one may become eighteen in a key."""
_BETWEEN_WORDS = lazy.compile(r"[\s_-]+")
_JOURNAL = lazy.compile(r"\d{4}_\d{2}_\d{2}")
_DAY = lazy.compile(
    r"(?:[^\W\d_]+\.?, )?"  # Tuesday
    r"(?:\d{4}([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2\d{4}"
    r"|(?:[^\W\d_]{3,}\.? \d\d?(?:st|nd|rd|th)?|\d\d?(?:st|nd|rd|th|\.)? [^\W\d_]{3,}\.?),? \d{4})"
)
_NUMBER = lazy.compile(r"\d+")
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Note:
    """A note that is ready to be recorded.

    Attributes:
        path: its path within the folder, with `/`.
        content: its structure.
    """

    path: str
    content: NoteContent

    @cached_property
    def stem(self) -> str:
        return stem(self.path)

    @cached_property
    def name(self) -> str:
        """The name that the note gets if no other note has it."""
        return bounded(self.content.title or self.stem) or "untitled"

    @cached_property
    def aliases(self) -> list[str]:
        """Other names; for a journal page, also the title that Logseq gives it by default, `Nov 3rd, 2026`."""
        is_journal = self.content.is_daily and last_part(without_suffix(self.path)) != self.stem
        return [*self.content.aliases, *([_journal_title(date.fromisoformat(self.stem))] if is_journal else [])]


@dataclass(slots=True)
class Folder:
    """A folder of notes during one ingestion.

    Attributes:
        root: its path, with a separator at the end.
        has_decisions: whether decisions become facts instead of proposals.
        types: the type of notes in each folder, as the settings give it.
        owners: the id of the entity of each stored note, by its path within the folder.
        outside: the ids of the entities of notes in other folders, by source.
        given: the type that the settings gave each note when it was last read, by its path within the folder.
    """

    root: str
    has_decisions: bool = False
    types: Mapping[str, str] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)
    given: dict[str, str | None] = field(default_factory=dict)
    _by_path: dict[str, str] = field(default_factory=dict)
    _by_stem: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _by_slug: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _owned: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return last_part(self.root.replace("\\", "/").rstrip("/"))

    def add(self, paths: Iterable[str]) -> None:
        """Add notes that exist in the folder, by their paths within it."""
        for path in paths:
            key = path_key(path)
            if self._by_path.setdefault(key, path) == path:
                self._by_stem[last_part(key)].append(path)
                self._by_slug[slug(last_part(key))].append(path)

    def own(self, path: str, entity_id: str) -> None:
        self.owners[path] = entity_id
        self._owned[entity_id] = path

    def own_outside(self, source: str, entity_id: str) -> None:
        self.outside[source] = entity_id
        self._owned.setdefault(entity_id, source)

    def within(self, source: str) -> str:
        """The path of a source within the folder, with `/`."""
        return source[len(self.root) :].replace(os.sep, "/")

    def is_a_note(self, entity: Entity) -> bool:
        """Whether an entity is that of a note."""
        return entity.id in self._owned

    def is_of_other(self, entity: Entity, path: str) -> bool:
        """Whether an entity is that of another note that still exists."""
        owner = self._owned.get(entity.id)
        if owner is None or owner in self.outside:
            return owner is not None
        return owner != path and self._by_path.get(path_key(owner)) == owner

    def find(self, target: str, *, within: str) -> str | None:
        """The path of the note that a target in the note `within` means, found as Obsidian does, in any case.

        The target is a path from the root or from the note, the end of a path, or such an end with hyphens for spaces;
        of several notes, the one in the same folder counts, else the one with the shortest path. A folder means the
        note with its name, or its index; a day, however written, the daily note.
        """
        here = posixpath.dirname(within)
        wanted = target.replace("\\", "/")
        if wanted.endswith("/"):
            name = wanted.rstrip("/")
            return next(
                filter(None, (self.find(f"{name}/{one}", within=within) for one in (last_part(name), "index"))), None
            )
        key = path_key(posixpath.normpath(wanted.lstrip("/")))
        beside = path_key(posixpath.normpath(posixpath.join(here, wanted)))
        if "/" in wanted and (path := self._by_path.get(key) or self._by_path.get(beside)):
            return path
        paths = self._by_stem.get(last_part(key), ())
        ends = [path for path in paths if f"/{path_key(path)}".endswith(f"/{key}")]
        if not ends and "-" in key:
            paths = self._by_slug.get(slug(last_part(key)), ())
            ends = [path for path in paths if f"/{slug(path_key(path))}".endswith(f"/{slug(key)}")]
        if not ends and (day := day_meant(target)):
            ends = self._by_stem.get(day, [])
        return min(
            ends, key=lambda path: (posixpath.dirname(path) != here, path_key(path).count("/"), path), default=None
        )

    def names_of(self, path: str) -> list[str]:
        """The names that a link may have given a note before it was read: its stem, if unique, and its path."""
        name = stem(path)
        is_alone = len(self.notes_named(name)) < 2
        return [*([name] if is_alone else ()), without_suffix(path)]

    def notes_named(self, name: str) -> list[str]:
        """The paths of the notes whose file has this name."""
        return self._by_stem.get(path_key(name), [])

    def titles_of(self, note: Note) -> list[str]:
        """The title of a note, unless a file has that name: then links to the name mean the file."""
        others = [path for path in self.notes_named(note.name) if path != note.path]
        return [] if others and normalisation.key(note.name) != normalisation.key(note.stem) else [note.name]


def read(text: str, path: str, parsed: markdown.Note | None = None) -> Note:
    """The structure of the text of a note. Needs no graph.

    Args:
        parsed: the text, if it is already parsed.
    """
    return Note(path, notes.read(parsed or markdown.parse(text), stem=stem(path)))


def stem(path: str) -> str:
    """The name of a page, from its file; Logseq writes `a/b?` as `a___b%3F`, and a day as `2026_11_03`."""
    name = without_suffix(last_part(path))
    if "_" not in name and "%" not in name:
        return name
    return name.replace("_", "-") if _JOURNAL.fullmatch(name) else unquote(name).replace("___", "/")


def _journal_title(day: date) -> str:
    ending = "th" if 4 <= day.day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return f"{day:%b} {day.day}{ending}, {day.year}"


def day_meant(name: str) -> str | None:
    """The day, with its year, that a name means in any spelling: `Nov 3rd, 2026`, `03.11.2026`. A week is not a day."""
    if not _DAY.fullmatch(name):
        return None
    with suppress(date_phrases.DateUnclear):
        day = notes.day_of(date_phrases.parse_as_said(name, now=_ANY_DAY))
        if day and int(day[-2:]) in map(int, _NUMBER.findall(name)):
            return day
    return None


def last_part(path: str) -> str:
    return path.rpartition("/")[2]


def without_suffix(path: str) -> str:
    return next((path[: -len(end)] for end in MARKDOWN_SUFFIXES if path.lower().endswith(end)), path)


@lru_cache(10_000)
def path_key(path: str) -> str:
    """The key by which paths are compared: without the suffix, in any case."""
    folder, slash, _ = path.rpartition("/")
    return normalisation.key(folder + slash + stem(path))


def slug(path: str) -> str:
    """A path as in an address, by which basic-memory links to a note: `people/ada-lovelace`."""
    return _BETWEEN_WORDS.sub("-", path)


def bounded(name: str) -> str:
    """A name cut to the limits of a name and of its key, in which signs are written out."""
    name = normalisation.clean(name)[: entities.MAX_NAME].rstrip()
    return name if len(normalisation.key(name)) <= entities.MAX_KEY else name[:_MAX_WIDE_NAME].rstrip()
