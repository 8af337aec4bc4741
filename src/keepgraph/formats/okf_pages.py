"""Pages of an Open Knowledge Format 0.2 bundle: front matter, facts as lines with links, and the names of the files.

A page and each of its lines carry a digest of what was written, so that an edit can be told from a change of the graph.
A line ends with the id of its fact and its digest, as a block identifier: Obsidian hides it, and a link can lead to it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from keepgraph import lazy
from keepgraph.language import front_matter

VERSION = "0.2"
RESERVED = ("index.md", "log.md")
TEXTS = "texts"
"""The folder of the texts; each other folder has the entities of a type."""

_MAX_BYTES_OF_NAME = 120
_MAX_LINE = 6_000  # characters: a literal of 1,000 that are all escaped, a path, the notes
_UNSAFE = lazy.compile(
    r"[\x00-\x1f\x7f-\x9f/\\:*?\"<>|#^\[\]\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+"
)
_WINDOWS_DEVICES = lazy.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|index|log)", re.I)
_REVISION = lazy.compile(r"^revision: .*\n", re.M)
_BLOCK = lazy.compile(r"^(?P<text>.*?) ?\^fact-(?P<id>[0-9a-z]{26})-(?P<digest>[0-9a-f]{8})\s*$")
_FACT = lazy.compile(
    r"- (?P<predicate>[^\[\]:]+?)"
    r"(?: \[(?P<shown>(?:\\.|[^\[\]\\])*)\]\((?P<path>[^()\s]+)\)| \[\[(?P<wiki>[^\[\]]+)\]\]|: (?P<literal>.+?))"
    r"(?: · (?:since (?P<since>[^\s\[]+)|until (?P<until>[^\s\[]+)|(?P<start>[^\s\[]+) to (?P<end>[^\s\[]+)))?"
    r"(?P<notes>(?:\[\^s\d{1,3}\]){0,100}+)"
)
_ESCAPED = lazy.compile(r"[\\\[\]·^<`*]|\n")
_UNESCAPED = lazy.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact as a line says it.

    Attributes:
        predicate: in words: `works at`.
        path: where the page of its object is within the bundle; None for a literal, or for a name alone.
        object: the name of the object, or the literal.
        since, until: dates, inclusive, or instants; None for an open end.
        notes: the labels of its sources: `s1`.
    """

    predicate: str
    object: str
    is_literal: bool = False
    path: str | None = None
    since: str | None = None
    until: str | None = None
    notes: tuple[str, ...] = ()

    def line(self) -> str:
        """The line without its block identifier."""
        target = f"[{_escape(self.object)}](/{quote(self.path)})" if self.path else f"[[{self.object}]]"
        target = f": {_escape(self.object)}" if self.is_literal else f" {target}"
        if self.since and self.until:
            validity = f" · {self.since} to {self.until}"
        else:
            validity = f" · since {self.since}" if self.since else f" · until {self.until}" if self.until else ""
        return f"- {self.predicate}{target}{validity}{''.join(f'[^{note}]' for note in self.notes)}"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page.

    Attributes:
        text: without its block identifier.
        fact: the id of the fact that it was written for; None for a line that somebody added.
        written: the digest of the line as it was written.
    """

    text: str
    fact: str | None = None
    written: str | None = None

    @property
    def is_edited(self) -> bool:
        return self.written != digest(self.text)

    def statement(self) -> Statement | None:
        """What the line says; None if it is not a fact."""
        match = _FACT.fullmatch(self.text.strip()) if len(self.text) <= _MAX_LINE else None
        if match is None:
            return None
        path = unquote(match["path"]).lstrip("/") if match["path"] else None
        name = match["wiki"].partition("|")[0].strip() if match["wiki"] else match["shown"] or match["literal"] or ""
        return Statement(
            predicate=" ".join(match["predicate"].split()),
            object=_unescape(name),
            is_literal=match["literal"] is not None,
            path=path,
            since=match["since"] or match["start"],
            until=match["until"] or match["end"],
            notes=tuple(re.findall(r"s\d+", match["notes"])),
        )


@dataclass(slots=True)
class Page:
    """A page: an entity with its facts, or a text.

    Attributes:
        front: the front matter without its `revision`.
        body: everything after the front matter.
        lines: its list items.
        prose: what is neither heading nor list.
        revision: the digests of front matter and page as they were written; None if no export wrote the page.
        head: the front matter without its `revision`, as it stands in the file; None for a page that is being made.
    """

    front: dict[str, Any]
    body: str = ""
    lines: list[Line] = field(default_factory=list)
    prose: str = ""
    revision: str | None = None
    head: str | None = None

    @property
    def id(self) -> str | None:
        return value if isinstance(value := self.front.get("id"), str) else None

    def digests(self) -> tuple[str, str]:
        """Those of the front matter and of the whole page, as they are now."""
        head = _dump(self.front) if self.head is None else self.head
        return digest(head), digest(head + self.body)

    def write(self) -> str:
        """The text of the file."""
        revision = "-".join(self.digests())
        return f"---\n{_dump({**self.front, 'revision': revision})}---\n{self.body}"

    @property
    def is_edited(self) -> bool:
        return self.revision is not None and self.revision != "-".join(self.digests())


def parse(text: str) -> tuple[Page | None, str | None]:
    """A page, or why the text is not one: it has no readable front matter, or no type."""
    end = front_matter.end(text)
    values, problem = front_matter.parse(text[:end])
    if problem or not end:
        return None, problem or "it has no front matter"
    if not isinstance(values.get("type"), str):
        return None, "its front matter has no type"
    revision = values.pop("revision", None)
    head = _REVISION.sub("", text[:end].removeprefix("---\n").removesuffix("---\n"))
    page = Page(values, text[end:], revision=revision if isinstance(revision, str) else None, head=head)
    prose: list[str] = []
    for line in page.body.split("\n"):
        if line.startswith(("- ", "* ")):
            match = _BLOCK.match(line)
            if match:
                page.lines.append(Line(match["text"], f"fact_{match['id']}", match["digest"]))
            else:
                page.lines.append(Line(f"- {line[2:].rstrip()}"))
        elif line.strip() and not line.startswith(("#", "[^")):
            prose.append(line.rstrip())
    page.prose = "\n".join(prose)
    return page, None


def body(
    title: str, current: Sequence[tuple[str, str]], earlier: Sequence[tuple[str, str]], notes: Mapping[str, str]
) -> str:
    """The body of the page of an entity.

    Args:
        current, earlier: the ids of facts with their lines.
        notes: sources by their labels.
    """
    parts = [f"\n# {one_line(title)}\n"]
    for heading, lines in (("Facts", current), ("Earlier", earlier)):
        if lines:
            parts.append(f"\n## {heading}\n\n")
            parts += [f"{line} ^{fact.replace('_', '-')}-{digest(line)}\n" for fact, line in lines]
    if notes:
        parts.append("\n")
        parts += [f"[^{label}]: {one_line(source)}\n" for label, source in notes.items()]
    return "".join(parts)


def index(entries: Sequence[tuple[str, str, str]], *, heading: str, is_root: bool = False) -> str:
    """An `index.md`: titles, addresses within the folder, and descriptions."""
    head = f'---\nokf_version: "{VERSION}"\n---\n' if is_root else ""
    lines = [
        f"* [{_escape(one_line(title))}]({quote(path)}){' - ' + one_line(text) if text else ''}\n"
        for title, path, text in entries
    ]
    return f"{head}# {one_line(heading)}\n\n{''.join(lines)}"


def file_name(name: str, *, taken: Collection[str], id: str) -> str:
    """A name for a file, safe on any system and not among those that are taken, in any case; without the suffix.

    Args:
        id: its last characters tell names apart.
    """
    safe = _UNSAFE.sub("-", unicodedata.normalize("NFC", " ".join(name.split()))).strip(" .-")
    safe = safe.encode("utf-8")[:_MAX_BYTES_OF_NAME].decode("utf-8", "ignore").rstrip(" .")
    if not safe or _WINDOWS_DEVICES.fullmatch(safe.partition(".")[0]) or safe.casefold() in taken:
        safe = f"{safe} {id[-6:]}".strip()
    while safe.casefold() in taken:
        safe = f"{safe} {id[-12:]}"
    return safe


def one_line(text: str) -> str:
    """A text without line breaks and control characters."""
    return " ".join("".join(" " if unicodedata.category(c) == "Cc" else c for c in text).split())


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _dump(values: Mapping[str, Any]) -> str:
    import yaml

    return yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=10**9)


def _escape(text: str) -> str:
    """A text in which nothing is read as Markdown of ours, on one line."""
    text = "".join(c if c == "\n" or unicodedata.category(c) != "Cc" else "\ufffd" for c in text)
    return _ESCAPED.sub(lambda match: "\\n" if match[0] == "\n" else f"\\{match[0]}", text)


def _unescape(text: str) -> str:
    return _UNESCAPED.sub(lambda match: "\n" if match[1] == "n" else match[1], text)
