"""What a person wrote as structure in a note: its names, its kind, statements, tags, tasks, observations, decisions.

The notations are those of Obsidian, its plugins Tasks and Dataview, Logseq, basic-memory, and architecture decision
records.
What its prose says is read elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import date
from typing import Any

from keepgraph import lazy
from keepgraph.language import front_matter, markdown, normalisation, sentences
from keepgraph.language.markdown import Link, Section
from keepgraph.lazy import dataclass

MAX_OF_A_KIND = 500
"""At most this many links, tags, statements, tasks … of one note are read."""

_MAX_TEXT = 200
_MAX_WORDING = 60
_MAX_LABELS = 1_000

# Fields that describe the note itself, and state no facts.
_OWN_FIELDS = frozenset(
    "title,aliases,alias,tags,tag,type,date,created,created_at,date created,created at,cssclass,cssclasses,publish,"
    "position,permalink,id,uid,status".split(",")
)
_DECIDERS = frozenset(["decided by", "decider", "deciders", "decision maker", "decision makers"])

_STATES = {
    **dict.fromkeys((" ", "/", "!", "TODO", "DOING", "NOW", "LATER", "WAITING", "WAIT", "IN-PROGRESS")),
    **dict.fromkeys(("x", "X", "DONE"), "done"),
    **dict.fromkeys(("-", "CANCELED", "CANCELLED"), "cancelled"),
}
"""The state that the box of a task in Obsidian, or the word before it in Logseq, stands for; None: open."""

_MARKERS = "|".join(marker for marker in _STATES if len(marker) > 1)
_ITEM = lazy.compile(
    r"(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)])[ \t]+"
    rf"(?:\[(.)\][ \t]+|(?:#{{1,6}}[ \t]+)?({_MARKERS})[ \t]+(?:\[#[ABC]\][ \t]+)?)?(?=\S)"
)
_PLANNED = lazy.compile(r"(SCHEDULED|DEADLINE):[ \t]*<(\d{4}-\d{2}-\d{2})[^<>\n]{0,40}>")
_OBSERVATION = lazy.compile(r"\[([^\W_][\w -]{1,40})\][ \t]+(\S.*)")
_FIELD = lazy.compile(r"(?:\*\*|__)?([^\W\d_][^\n:\[\](){}|`]{0,59}?)(?:\*\*|__)?::(?:\*\*|__)?[ \t]+(?=\S)")
_LABEL = lazy.compile(r"(?:\*\*|__)?([^\W\d_][\w \t-]{1,39}?)(?:\*\*|__)?:(?:\*\*|__)?[ \t]+(\S.*)")
_CALLOUT = lazy.compile(r">[ \t]*\[!([^\W_][\w -]{1,39})\][-+]?[ \t]*(.*)")
_INNER_FIELD = lazy.compile(
    r"[\[(]([^\W\d_][^\n:\[\](){}|`]{0,59}?)::[ \t]*((?:\[\[[^\[\]\n]{1,200}\]\]|[^\[\]()\n]){1,300})[\])]"
)
_RELATION = lazy.compile(r"([^\W\d_][\w \t'’-]{0,59}?)[ \t]+(?=\[\[)")
_AFTER_RELATION = lazy.compile(r"[ \t]*(?:\([^()\n]{0,200}\))?[ \t]*")
_MARK = lazy.compile(r"([📅📆🗓✅❌⏳⌛🛫➕])\ufe0f?[ \t]*(\d{4}-\d{2}-\d{2})")
_OTHER_MARK = lazy.compile(r"[🔺⏫🔼🔽⏬]\ufe0f?|[🔁🏁]\ufe0f?[^📅📆🗓✅❌⏳⌛🛫➕#\[(]*|[🆔⛔]\ufe0f?[ \t]*[\w,-]+")
_BLOCK_ID = lazy.compile(r"[ \t]\^([\w-]+)[ \t]*$")
_LINKS = lazy.compile(r"\[\[[^\[\]\n]+\]\](?:[ \t]*,[ \t]*\[\[[^\[\]\n]+\]\])*")
_TAG_WORD = lazy.compile(r"(?<!\S)#(?:\[\[[^\[\]\n]+\]\]|[^\s#]+)")
_DAY_LINE = lazy.compile(r"(?:\*\*|__)?[^\W\d_]{1,20}:(?:\*\*|__)?[ \t]*(\d{4}-\d{2}-\d{2})[ \t]*")

_DUE, _SCHEDULED, _DONE_ON, _CANCELLED_ON = "due", "scheduled for", "completion", "cancelled"
_FIELD_OF_MARK = {
    **dict.fromkeys("📅📆🗓", _DUE),
    **dict.fromkeys("⏳⌛", _SCHEDULED),
    "➕": "created on",
    "✅": _DONE_ON,
    "❌": _CANCELLED_ON,
    "DEADLINE": _DUE,
    "SCHEDULED": _SCHEDULED,
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A field of a note, or a relation in a list: `supervisor:: [[Ada]]`, `- implements [[Plan]]`.

    Attributes:
        links: what it leads to; empty if it has only a text.
        is_field: whether it is a field, whose subject is the note, whatever its type.
    """

    wording: str
    links: tuple[Link, ...]
    text: str
    is_field: bool


@dataclass(frozen=True, slots=True)
class Task:
    """A task in a list.

    Attributes:
        name: its words without marks, at most 200 characters.
        state: "done" or "cancelled"; None while it is open.
        closed_on: the day when it was closed, YYYY-MM-DD; None if not given.
        fields: its days and other fields, by wording: ("due", "2026-12-01").
        tags: without `#`.
        block_id: the id of its line, `^id` or `id:: …`; None without one.
    """

    name: str
    state: str | None
    closed_on: str | None
    fields: tuple[tuple[str, str], ...]
    tags: tuple[str, ...]
    block_id: str | None = None


@dataclass(frozen=True, slots=True)
class NoteContent:
    """The structure of a note.

    Attributes:
        title: from the front matter, else its only heading of level 1; None without either.
        kind: the `type` in the front matter.
        day: the day that it is about or was written on, YYYY-MM-DD: of its front matter, its file, or a line “Date: …”.
        is_daily: whether the name of its file is only a day.
        status: from the front matter.
        labels: the tags in the front matter, or on a line of nothing but tags.
        links: the links that belong to no statement, one for each target.
        observations: the category and the text of each.
        labelled: the label and the first sentence of each line “Decision: …”, and of each callout `> [!decision] …`.
        sections: for each heading, the items of its first list, else its first sentence; no fields or tasks.
        deciders: who decided, as links or names.
        citations: see markdown.Note.
        left_out: how many links, tags, tasks … exceed the limit.
    """

    title: str | None
    kind: str | None
    aliases: tuple[str, ...]
    day: str | None
    is_daily: bool
    status: str | None
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    links: tuple[Link, ...]
    statements: tuple[Statement, ...]
    tasks: tuple[Task, ...]
    observations: tuple[tuple[str, str], ...]
    labelled: tuple[tuple[str, str], ...]
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    deciders: tuple[Link | str, ...]
    citations: tuple[str, ...] = ()
    left_out: int = 0


def read(note: markdown.Note, *, stem: str) -> NoteContent:
    """The structure of a note. Any text is a note; nothing in it is an error.

    Args:
        note: the parsed text.
        stem: the name of its file without the suffix.
    """
    reader = _Reader(note)
    reader.read_fields()
    reader.read_lines()
    values = {key.casefold(): value for key, value in reversed([*note.front_matter.items()])}
    is_daily = day_of(stem) == stem
    permalinks = filter(None, [front_matter.scalar(values.get("permalink"))])
    headings = [section.heading for section in note.outline.sections if section.level == 1]
    title = front_matter.scalar(values.get("title")) or (headings[0] if len(headings) == 1 and not is_daily else None)
    is_read = note.front_matter_error is None or bool(note.front_matter)
    links = {
        link.target.casefold(): link
        for link in note.links
        if link.offset not in reader.stated and not (is_read and link.offset < note.outline.body_start)
    }
    tags = dict.fromkeys(tag.name for tag in note.tags if not reader.is_in_task(tag.offset))
    tasks = _merged(reader.tasks)
    counts = (len(links), len(tags), len(reader.statements), len(tasks), len(reader.observations))
    return NoteContent(
        title=_clip(title or "") or None,
        kind=(front_matter.scalar(values.get("type")) or "").strip("#[]") or None,
        aliases=tuple(filter(None, map(_clip, [*note.aliases[:MAX_OF_A_KIND], *permalinks]))),
        day=day_of(note.date or "") or day_of(stem) or reader.day,
        is_daily=is_daily,
        status=front_matter.scalar(values.get("status")),
        links=tuple(links.values())[:MAX_OF_A_KIND],
        tags=tuple(tags)[:MAX_OF_A_KIND],
        labels=tuple(tag.name for tag in note.tags[:MAX_OF_A_KIND] if _is_label(note, tag.offset)),
        statements=tuple(reader.statements[:MAX_OF_A_KIND]),
        tasks=tuple(tasks[:MAX_OF_A_KIND]),
        observations=tuple(reader.observations[:MAX_OF_A_KIND]),
        labelled=tuple(reader.labelled[:MAX_OF_A_KIND]),
        sections=tuple((heading, tuple(texts[:MAX_OF_A_KIND])) for heading, texts in reader.sections.items()),
        deciders=tuple(reader.deciders[:MAX_OF_A_KIND]),
        citations=note.citations[:MAX_OF_A_KIND],
        left_out=sum(max(count - MAX_OF_A_KIND, 0) for count in counts),
    )


class _Reader:
    """Reads the fields and the lines of one note."""

    def __init__(self, note: markdown.Note) -> None:
        self._text, self._note = note.text, note
        self._offsets = [link.offset for link in note.links]
        self._task_lines: list[tuple[int, int]] = []
        self.stated: set[int] = set()
        self.statements: list[Statement] = []
        self.tasks: list[Task] = []
        self.observations: list[tuple[str, str]] = []
        self.labelled: list[tuple[str, str]] = []
        self.sections: dict[str, list[str]] = {}
        self._lists: dict[int, int | None] = {}
        """The column of the items of a section's list, by the start of the section; None after its end or without."""
        self.deciders: list[Link | str] = []
        self.day: str | None = None

    def read_fields(self) -> None:
        """The fields of the front matter."""
        for key, value in self._note.front_matter.items():
            wording = " ".join(key.replace("_", " ").replace("-", " ").split())
            if key.casefold() in _OWN_FIELDS or not 0 < len(wording) <= _MAX_WORDING:
                continue
            values = [part for part in map(_written, value if isinstance(value, list) else [value]) if part]
            links = tuple(link for part in values for link in markdown.links_in(part))
            texts = [part for part in values if not any(True for _ in markdown.links_in(part))]
            if wording.casefold() in _DECIDERS:
                self.deciders += [*links, *texts]
                continue
            if links:
                self.statements.append(Statement(wording, links, "", is_field=True))
            self.statements += [Statement(wording, (), part, is_field=True) for part in texts]

    def read_lines(self) -> None:
        """The lines that are neither code nor HTML."""
        for start, end in self._note.outline.prose:
            position = start
            for line in self._text[start:end].splitlines(keepends=True):
                if not (self.is_in_task(position) and self._says_of_task(line)):
                    self._read_line(position, line.rstrip(), end)
                position += len(line)

    def is_in_task(self, offset: int) -> bool:
        index = bisect_right(self._task_lines, (offset, len(self._text) + 1)) - 1
        return index >= 0 and offset < self._task_lines[index][1]

    def _says_of_task(self, line: str) -> bool:
        """Whether a line below a task, in the same paragraph, is a field or a date of the task."""
        return bool(_FIELD.match(line.lstrip()) or _PLANNED.match(line.lstrip()))

    def _read_line(self, start: int, line: str, end: int) -> None:
        """Read a line of a paragraph that ends at an offset."""
        indentation = len(line) - len(line.lstrip())
        item = _ITEM.match(line, indentation)
        position = item.end() if item else indentation
        rest = line[position:]
        if item and (marker := item[1] or item[2]) in _STATES:
            below = [one.strip() for one in self._text[start + len(line) : end].splitlines() if self._says_of_task(one)]
            if task := _task(rest, _STATES[marker], below):
                self.tasks.append(task)
                self._task_lines.append((start, end if below else start + len(line)))
            return
        section = markdown.section_at(self._note.outline, start)
        column = start + indentation - self._text.rfind("\n", max(start - _MAX_LABELS, 0), start) - 1
        if item and (observation := _OBSERVATION.fullmatch(rest)):
            words = _clip(_words(_TAG_WORD.sub("", observation[2])))
            if words:
                self.observations.append((observation[1], words))
                self._add_to_section(section, start, words, column=column, is_item=True)
            return
        if self.day is None and not item and (day := _DAY_LINE.fullmatch(rest)):
            self.day = day_of(day[1])
        field = _FIELD.match(rest)
        if not field and (labelled := _CALLOUT.match(rest) or _LABEL.match(rest)):
            self._read_label(labelled, start + position, self._text[start + len(line) : end])
        if field:
            self._state(field[1], start + position + field.end(), line[position + field.end() :], is_field=True)
        else:
            words = _item_text(rest) if item else _first_sentence(rest)
            self._add_to_section(section, start, words, column=column, is_item=item is not None)
        if item and not field and (relation := _RELATION.match(rest)):
            closing = rest.find("]]", relation.end()) + 2
            if closing > 1 and _AFTER_RELATION.fullmatch(rest, closing):
                self._state(relation[1], start + position + relation.end(), rest[relation.end() :], is_field=False)
        for field in _INNER_FIELD.finditer(line) if "::" in line else ():
            self._state(field[1], start + field.start(2), field[2], is_field=True)

    def _read_label(self, labelled: re.Match[str], start: int, below: str) -> None:
        """Read a labelled line, or a callout; links alone are stated as a field, and a callout may begin below."""
        label, value = labelled[1], labelled[2].strip()
        if _LINKS.fullmatch(value):
            self._state(label, start + labelled.start(2), value, is_field=True)
        elif (words := _first_sentence(value or below.strip().partition("\n")[0].lstrip("> \t"))) and words[-1] != "?":
            self.labelled.append((label, words))

    def _add_to_section(self, section: Section, start: int, words: str, *, column: int, is_item: bool) -> None:
        """Take an item of the first list, or the first sentence, as the content of a section; ignore what follows."""
        if not section.heading or start <= section.start or not words:
            return
        texts = self.sections.setdefault(section.heading, [])
        if section.start not in self._lists:
            if not words.endswith(":"):
                self._lists[section.start] = column if is_item else None
                texts.append(words)
        elif is_item:
            if column == self._lists[section.start]:
                texts.append(words)
        elif not column:
            self._lists[section.start] = None

    def _state(self, wording: str, start: int, value: str, *, is_field: bool) -> None:
        """Take the links in a value as the objects of a wording; without links, its text."""
        is_property = not self._note.outline.body_start and wording.lower() in self._note.front_matter
        first = bisect_left(self._offsets, start)
        last = bisect_left(self._offsets, start + len(value))
        links = self._note.links[first:last]
        self.stated.update(link.offset for link in links)
        text = "" if links else _clip(_words(value))
        if (links or text) and not is_property:
            self.statements.append(Statement(" ".join(wording.split()), links, text, is_field))


def _is_label(note: markdown.Note, offset: int) -> bool:
    """Whether a tag is in the front matter, or on a line of at most 1,000 characters with nothing but tags."""
    text = note.text
    start = text.rfind("\n", max(offset - _MAX_LABELS, 0), offset) + 1
    line = text[start : start + _MAX_LABELS].partition("\n")[0]
    is_value = offset < note.outline.body_start or (not offset and not text.startswith("#"))
    return is_value or all(word.startswith("#") for word in line.split())


def _task(text: str, state: str | None, below: Sequence[str] = ()) -> Task | None:
    """A task from its words and marks, and the lines of fields and days below it; None without words."""
    fields: dict[str, str] = {}
    for mark, day in [*_MARK.findall(text), *_PLANNED.findall("\n".join([text, *below]))]:
        if mark in _FIELD_OF_MARK:
            fields.setdefault(_FIELD_OF_MARK[mark], day)
    named = [(field[1], line[field.end() :]) for line in below if (field := _FIELD.match(line))]
    for wording, value in [*_INNER_FIELD.findall(text), *named]:
        fields.setdefault(wording.strip().casefold(), _words(value))
    if _DUE not in fields and _SCHEDULED in fields:
        fields[_DUE] = fields.pop(_SCHEDULED)
    words = _PLANNED.sub(" ", _MARK.sub(" ", _INNER_FIELD.sub(" ", text)))
    words = _OTHER_MARK.sub(" ", words)
    block = _BLOCK_ID.search(words)
    words = words[: block.start()] if block else words
    tags = tuple(dict.fromkeys(tag for tag in map(markdown.tag_in, _TAG_WORD.findall(words)) if tag))
    name = _clip(_words(_TAG_WORD.sub("", words)))
    if not name:
        return None
    closed_on = day_of(fields.pop(_DONE_ON, "")) or day_of(fields.pop(_CANCELLED_ON, ""))
    block_id = fields.pop("id", None) or (block[1] if block else None)
    return Task(name, state, closed_on if state else None, tuple(fields.items()), tags, block_id)


def _merged(tasks: Sequence[Task]) -> list[Task]:
    """The tasks, each once: of a recurring task, the open one; two open ones on different days both count."""
    by_name: dict[str, list[Task]] = {}
    for task in tasks:
        by_name.setdefault(normalisation.key(task.name), []).append(task)
    merged: list[Task] = []
    for same in by_name.values():
        still_open = list({task.fields: task for task in same if task.state is None}.values())
        closed = max(same, key=lambda task: task.closed_on or "")
        for number, task in enumerate(still_open or [closed], 1):
            name = task.name if number == 1 else f"{task.name[: _MAX_TEXT - 5]} ({number})"
            merged.append(Task(name, task.state, task.closed_on, task.fields, task.tags, task.block_id))
    return merged


def _written(value: Any) -> str:
    """A value of the front matter as written; YAML reads `[[Ada]]` without quotes as a list in a list."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, list) and len(value) == 1 and (name := front_matter.scalar(value[0])):
        return f"[[{name}]]"
    return _clip(front_matter.scalar(value) or "")


def _item_text(text: str) -> str:
    return _clip(_words(text).rstrip(" .;"))


def _first_sentence(text: str) -> str:
    first = next(iter(sentences.split(text)), None)
    return _clip(_words(text[first.start : first.end] if first else text).rstrip(" .;"))


def _words(text: str) -> str:
    """A line as a reader sees it."""
    return markdown.without_markup(text)


def _clip(text: str) -> str:
    return normalisation.clean(text)[:_MAX_TEXT].rstrip()


def day_of(text: str) -> str | None:
    """The valid day that a text begins with."""
    try:
        return date.fromisoformat(text[:10]).isoformat() if text[4:5] == "-" else None
    except ValueError:
        return None
