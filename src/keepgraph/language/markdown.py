"""Markdown parser for notes: title, front matter, sections, blocks, links and tags, with their offsets.

The blocks are those of markdown-it, so that code is code however it is indented.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from keepgraph import interruption, lazy
from keepgraph.language import front_matter, markdown_links
from keepgraph.language.markdown_links import Link, Tag
from keepgraph.lazy import dataclass

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

HEADING_SEPARATOR = " › "

_LINE_END = lazy.compile(r"\r\n?|\n")
_INDENTATION = lazy.compile(r"[ \t]*+")
_MAX_HEADING = 200
_MAX_SHOWN = 40
_DATE_KEYS = ("date", "created", "created_at", "date created", "created at")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands from one heading to the next; the first has no heading where text comes before any.

    Attributes:
        start: where its heading begins, in characters; it ends where the next section starts.
        level: 1 to 6; 0 for what has no heading.
        heading: the words of the heading, without markup; None without one.
        path: the headings that lead to it, `Guide › Install › Linux`; None without one.
    """

    start: int
    level: int
    heading: str | None
    path: str | None


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections and blocks of a note, by offsets in characters.

    Attributes:
        body_start: where the front matter ends; 0 without any.
        sections: by where they start; the first one starts at 0. Headings in a quotation or a list begin none.
        blocks: where each heading, paragraph, list item, quotation and code block starts, in order.
        prose: the stretches of text that are neither code nor HTML, as start and end.
    """

    body_start: int
    sections: tuple[Section, ...]
    blocks: tuple[int, ...]
    prose: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note.

    Attributes:
        title: of the front matter, else the first heading of level 1, else None.
        front_matter: its values by name; see front_matter.parse.
        front_matter_error: why the front matter, or the date in it, could not be read; None where nothing is amiss.
        links: by offset; each as often as it occurs.
        tags: by offset; each as often as it occurs.
        aliases: other names of the note, of the front matter.
        date: the date of the front matter, in ISO 8601 as it was written; None without a valid one.
    """

    title: str | None
    front_matter: Mapping[str, Any]
    front_matter_error: str | None
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    aliases: tuple[str, ...]
    date: str | None
    outline: Outline


def parse(text: str) -> Note:
    """Parse a note. Any text is one; nothing in it is an error."""
    outline = parse_outline(text)
    values, error = front_matter.parse(text[: outline.body_start])
    by_name = {key.casefold(): value for key, value in reversed(values.items())}
    heading = next((section.heading for section in outline.sections if section.level == 1), None)
    aliases = front_matter.words(by_name, ("aliases", "alias"), separator=front_matter.COMMA)
    links_and_tags = list(_links_and_tags(text, outline))
    day = next((date for key in _DATE_KEYS if (date := front_matter.iso_date(by_name.get(key)))), None)
    return Note(
        title=front_matter.scalar(by_name.get("title")) or heading,
        front_matter=values,
        front_matter_error=error or (None if day else _unread_date(by_name)),
        links=tuple(match for match in links_and_tags if isinstance(match, Link)),
        tags=(
            *(Tag(name, 0) for name in _front_matter_tags(by_name)),
            *(match for match in links_and_tags if isinstance(match, Tag)),
        ),
        aliases=tuple(dict.fromkeys(aliases)),
        date=day,
        outline=outline,
    )


def parse_outline(text: str) -> Outline:
    """The sections and blocks of a note, in time linear in its length."""
    body_start = front_matter.end(text)
    line_starts = [body_start, *(match.end() for match in _LINE_END.finditer(text, body_start)), len(text)]
    # markdown-it counts lines in the same way, but for a last one that is empty.
    lines = _Lines(text, line_starts)
    blocks: dict[int, None] = {}
    prose: list[tuple[int, int]] = []
    headings: list[tuple[int, int, str]] = []
    tokens = _block_parser().parse(text[body_start:] if body_start else text)
    for index, token in enumerate(tokens):
        if token.map is None or token.nesting < 0:
            continue
        if token.type == "inline":
            prose.append((lines.first_word(token.map[0]), lines.start(token.map[1])))
            continue
        start = lines.first_word(token.map[0])
        blocks[start] = None
        if token.type == "heading_open" and token.level == 0:
            headings.append((start, int(token.tag[1:]), _without_markup(tokens[index + 1].content)))
    return Outline(body_start, tuple(_sections(headings)), tuple(sorted(blocks)), tuple(_without_overlaps(prose)))


def section_at(outline: Outline, offset: int) -> Section:
    """The section in which an offset lies."""
    index = bisect_right([section.start for section in outline.sections], offset)
    return outline.sections[max(index - 1, 0)]


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a text, by the offsets at which they start; the last offset is the end of the text."""

    text: str
    starts: Sequence[int]

    def start(self, line: int) -> int:
        return self.starts[min(line, len(self.starts) - 1)]

    def first_word(self, line: int) -> int:
        """The offset after the indentation of a line."""
        start = self.start(line)
        match = _INDENTATION.match(self.text, start, self.start(line + 1))
        return match.end() if match else start


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # What is within a paragraph is read by markdown_links, and what a link stands for is not asked.
    parser = MarkdownIt("commonmark").disable(["inline", "reference"])
    # Asked for each block, and for each line that may end one.
    parser.block.ruler.before("code", "interruption", _no_block_if_due, {"alt": ["paragraph", "blockquote", "list"]})
    return parser


def _no_block_if_due(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """A rule for blocks that finds none, and ends the parsing where the call that it belongs to must end."""
    interruption.raise_if_due()
    return False


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _without_markup(heading: str) -> str:
    """The words of a heading without markup."""
    heading = " ".join(heading[: 2 * _MAX_HEADING].split())
    if not heading.isascii() or not heading.replace(" ", "").isalnum():
        heading = markdown_links.replace_wiki_links(heading)
        blocks = _inline_parser().parseInline(heading)
        heading = "".join(
            token.content for block in blocks for token in block.children or () if token.type in ("text", "code_inline")
        )
    return " ".join(heading.split())[:_MAX_HEADING]


def _sections(headings: Sequence[tuple[int, int, str]]) -> Iterator[Section]:
    """The sections under some headings, which are given as offset, level and words."""
    if not headings or headings[0][0] > 0:
        yield Section(0, 0, None, None)
    parents: list[tuple[int, str]] = []
    for start, level, heading in headings:
        while parents and parents[-1][0] >= level:
            parents.pop()
        parents.append((level, heading))
        path = HEADING_SEPARATOR.join(words for _, words in parents if words)
        yield Section(start, level, heading, path or None)


def _without_overlaps(stretches: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The stretches in order, each without what the ones before it have."""
    reached = 0
    for start, end in stretches:
        if end > max(start, reached):
            yield max(start, reached), end
            reached = end


def _links_and_tags(text: str, outline: Outline) -> Iterator[Link | Tag]:
    """Links and tags by offset; of the front matter, in which Obsidian keeps links too, links alone."""
    if outline.body_start:
        for match in markdown_links.scan(text, 0, outline.body_start):
            if isinstance(match, Link):
                yield match
    for start, end in outline.prose:
        yield from markdown_links.scan(text, start, end)


def _unread_date(values: Mapping[str, Any]) -> str | None:
    """What to say of a date that could not be read; None where there is no date."""
    for key in _DATE_KEYS:
        if values.get(key) not in (None, "", []):
            written = str(values[key])[:_MAX_SHOWN]
            return f"its {key}, {written!r}, is not read as a date, so the note has another one: write 2026-01-31"
    return None


def _front_matter_tags(values: Mapping[str, Any]) -> list[str]:
    words = front_matter.words(values, ("tags", "tag"), separator=front_matter.COMMA_OR_SPACE)
    names = (markdown_links.tag_name(word.removeprefix("#").replace(" ", "-")) for word in words)
    return list(dict.fromkeys(name for name in names if name))
