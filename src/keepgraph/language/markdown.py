"""Markdown parser for notes: title, front matter, sections, blocks, links and tags, with their offsets.

The blocks are those of markdown-it, so that code is code however it is indented.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from keepgraph import interruption, lazy
from keepgraph.language import front_matter
from keepgraph.lazy import dataclass

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
import unicodedata
from urllib.parse import unquote

# Links and tags of a Markdown note: wiki links, links to other notes, `#tags`; in one pass over the text.
#
# markdown-it gives no offsets within a paragraph. One pass, because a note may be 10 MB of brackets.

_NOTE_SUFFIXES = (".md", ".markdown", ".mdx")

_BACKTICKS = lazy.compile(r"`++")
_SPECIAL = lazy.compile(r"[`\[\\#<]|\(\((?=[0-9a-f]{8}-)")
_COMMENT_MARK = lazy.compile(r"`|%%|\\%|\[\[[^\[\]\r\n]{0,500}\]\]|\]\([^()\s]{0,500}\)")
_DRAWER = lazy.compile(
    r"^[ \t]*+:LOGBOOK:[ \t]*+$(?:\r?\n(?![ \t]*+:(?:END|LOGBOOK):).*+){0,500}\r?\n[ \t]*+:END:", re.MULTILINE
)
_PARAGRAPH_END = lazy.compile(r"(?:\r\n?|\n)[ \t]*+(?:\r\n?|\n)")
_MAX_INDENTATION = 100
_CITATION = lazy.compile(r"\[[^\[\]\n]{0,300}@[^\[\]\n]{1,300}\]")
_CITATION_KEY = lazy.compile(r"(?<![\w@])@(\w[\w:.+/-]{0,99})")
_BLOCK = lazy.compile(r"\(\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)\)")
_NO_LINE_END = lazy.compile(r"[^\r\n]")
_DEFINITION_TARGET = lazy.compile(r"[ \t]*+(?:<([^<>\r\n]{0,1000})>|([^\s<]\S{0,1000}))")
_LINK_TARGET = lazy.compile(r"(?:<([^<>\r\n]{0,500})>|((?:[^\s()<]{1,500}+|\([^\s()]{0,100}+\)){0,9}+))(?=[\s)])")
_URL_SCHEME = lazy.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

_MAX_LINK = 600
_MAX_TAG = 200
_TAG_PUNCTUATION = frozenset("_-/")
_BEFORE_TAG = frozenset("([{,;*_~|、，（「『")
_EMOJI_JOINERS = frozenset("\u200d\ufe0f")


@dataclass(frozen=True, slots=True)
class Link:
    """A link from one note to another.

    Attributes:
        target: as it is written, without heading: `People/Ada`, `../ada.md`.
        name: the last part of the target without its suffix: `Ada`.
        text: the words that a reader sees.
        heading: the heading or block that it leads to; None for the whole note.
        offset: where it starts in the text, in characters.
        embedded: whether it asks to show the target in place, `![[…]]`.
    """

    target: str
    name: str
    text: str
    heading: str | None
    offset: int
    embedded: bool = False


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag without its `#`, `area/work`, and its offset in the text; tags in the front matter have the offset 0."""

    name: str
    offset: int


def _scan(text: str, start: int, end: int) -> Iterator[Link | _Tag | str]:
    """The links, tags and citation keys in a stretch of text that is neither code nor HTML, in order."""
    lookahead = _Lookahead(text, end)
    position = start
    while match := _SPECIAL.search(text, position, end):
        interruption.raise_if_due()
        here = match.start()
        position = here + 1
        match text[here]:
            case "\\":
                position = here + 2
            case "`":
                position = lookahead.after_code(here)
            case "<":
                if text.startswith("<!--", here) and (closing := lookahead.find("-->", here + 4)) < end:
                    position = closing + 3
            case "#":
                if _may_begin_tag(text, here, start) and (name := _tag_name(text[here + 1 : here + 1 + _MAX_TAG])):
                    yield _Tag(name, here)
                    position = here + 1 + (len(name) if text[here + 1] != "[" else 0)  # a link too
            case "(":
                if block := _BLOCK.match(text, here, end):
                    yield block[1]
            case _:
                link, position = _link(text, here, start, lookahead)
                if link:
                    yield link
                elif citation := _CITATION.match(text, here, end):
                    yield from (key.rstrip(".:/") for key in _CITATION_KEY.findall(citation[0]))


def _tag_name(text: str) -> str | None:
    """The tag that a text begins with: `area/work`, `[[two words]]`; None without one, or for a number."""
    if text.startswith("[[") and (closing := text.find("]]")) > 0:
        text = "-".join(text[2:closing].split())
    end = 0
    while end < len(text) and _is_tag_character(text[end]):
        end += 1
    name = text[:end].rstrip("/-_")
    return name if any(_is_letter_or_emoji(c) for c in name) and not name.startswith("/") else None


def _replace_wiki_links(text: str) -> str:
    """A text with the words of its wiki links instead of the links, as a reader sees it."""
    parts, position = [], 0
    while (opening := text.find("[[", position)) >= 0 and (closing := text.find("]]", opening)) >= 0:
        link = _wiki_link(text, opening, closing)
        parts += [text[position:opening], link.text if link else text[opening : closing + 2]]
        position = closing + 2
    return "".join([*parts, text[position:]])


class _Lookahead:
    """Finds what comes next in a stretch of text. For increasing offsets, it reads each character once."""

    def __init__(self, text: str, end: int) -> None:
        self._text, self._end = text, end
        self._next: dict[str, int] = {}
        self._code_ends: dict[int, int] | None = None

    def find(self, characters: str, start: int) -> int:
        """Where these characters occur next, or the end of the stretch."""
        offset = self._next.get(characters, -1)
        if offset < start:
            offset = self._text.find(characters, start, self._end)
            self._next[characters] = offset = self._end if offset < 0 else offset
        return offset

    def after_code(self, start: int) -> int:
        """Where the code that backticks open here ends; after the backticks, if nothing closes it."""
        if self._code_ends is None:
            self._code_ends = dict(self._read_code_ends(start))
        if start in self._code_ends:
            return self._code_ends[start]
        backticks = _BACKTICKS.match(self._text, start, self._end)
        return backticks.end() if backticks else start + 1

    def _read_code_ends(self, start: int) -> Iterator[tuple[int, int]]:
        """For each run of backticks, the end of the next run of the same length."""
        runs = [run.span() for run in _BACKTICKS.finditer(self._text, start, self._end)]
        next_end: dict[int, int] = {}
        for run_start, run_end in reversed(runs):
            length = run_end - run_start
            yield run_start, next_end.get(length, run_end)
            next_end[length] = run_end


def _link(text: str, here: int, start: int, lookahead: _Lookahead) -> tuple[Link | None, int]:
    """The link that begins at this bracket, if any, and where to read on."""
    if text.startswith("[[", here):
        closing = lookahead.find("]]", here + 2)
        is_closed = text.startswith("]]", closing) and closing + 2 <= here + _MAX_LINK
        link = _wiki_link(text, here, closing) if is_closed else None
        # A link to a heading of the note itself leads nowhere else, and is not a tag.
        is_own = is_closed and text.startswith("#", here + 2) and len(text[here : closing + 1].splitlines()) == 1
        return link, closing + 2 if link or is_own else here + 1
    closing = lookahead.find("](", here + 1)
    words = _between_brackets(text, here + 1, closing)
    if words is not None:
        if text.startswith(("[[", "(("), closing + 2):  # of Logseq: [words]([[page]])
            return None, closing + 2
        target, after = _target(text, closing + 2)
        return _note_link(target, words, here, embedded=here > start and text[here - 1] == "!"), after
    closing = lookahead.find("]:", here + 1)
    words = _between_brackets(text, here + 1, closing)
    if words is not None and (here == start or text[here - 1] in "\r\n"):
        match = _DEFINITION_TARGET.match(text, closing + 2)
        return (_note_link(match[1] or match[2] or "", words, here) if match else None), closing + 2
    return None, here + 1


def _wiki_link(text: str, opening: int, closing: int) -> Link | None:
    """What is between two pairs of brackets: a target, a heading in it, and the words to show."""
    inner = text[opening + 2 : closing]
    if "[[" in inner or "\n" in inner or "\r" in inner:
        return None
    target, bar, words = inner.partition("|")
    target = target.removesuffix("\\") if bar else target  # in a table the bar is escaped
    target, _, heading = target.partition("#")
    target, caret, block = target.partition("^")
    target = " ".join(target.split())
    name = _note_name(target)
    if not name:
        return None
    words = " ".join(words.split()) or " ".join(inner.partition("|")[0].split()).removesuffix("\\")
    embedded = opening > 0 and text[opening - 1] == "!"
    return Link(target, name, words, " ".join((heading or caret + block).split()) or None, opening, embedded)


def _between_brackets(text: str, start: int, end: int) -> str | None:
    """The words between two brackets; None if they are too long, contain brackets, or are not closed."""
    words = text[start:end] if end - start <= _MAX_LINK and text.startswith("]", end) else "["
    return None if "[" in words or "]" in words else words


def _target(text: str, start: int) -> tuple[str, int]:
    """The target in the parentheses that open before `start`, without a title, and where to read on."""
    match = _LINK_TARGET.match(text, start)
    return (match[1] or match[2] or "", match.end()) if match else ("", start)


def _note_link(target: str, words: str, offset: int, *, embedded: bool = False) -> Link | None:
    """A link, if it leads to another note and not to the web."""
    if _URL_SCHEME.match(target):
        return None
    path, _, heading = target.partition("#")
    path = " ".join(unquote(path.partition("?")[0]).split())
    if not path.lower().endswith(_NOTE_SUFFIXES):
        return None
    name = _note_name(path)
    if not name:
        return None
    words = " ".join(words.split()) or name
    return Link(path, name, words, " ".join(unquote(heading).split()) or None, offset, embedded)


def _note_name(target: str) -> str:
    """The last part of a target, without the suffix of a note."""
    name = target.replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
    for suffix in _NOTE_SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)].strip()
    return name


def _may_begin_tag(text: str, here: int, start: int) -> bool:
    if here == start:
        return True
    before = text[here - 1]
    return before.isspace() or before in _BEFORE_TAG


def _is_tag_character(c: str) -> bool:
    return c.isalnum() or c in _TAG_PUNCTUATION or c in _EMOJI_JOINERS or unicodedata.category(c) in ("Mn", "Mc", "So")


def _is_letter_or_emoji(c: str) -> bool:
    return c.isalpha() or unicodedata.category(c) == "So"


HEADING_SEPARATOR = " › "

_LINE_END = lazy.compile(r"\r\n?|\n")
_INDENTATION = lazy.compile(r"[ \t]*+")
_MAX_HEADING = 200
_MAX_SHOWN = 40
_DATE_KEYS = ("date", "created", "created_at", "date created", "created at")


@dataclass(frozen=True, slots=True)
class Section:
    """The text from one heading to the next; the first section has no heading if text precedes all headings.

    Attributes:
        start: where its heading begins, in characters; it ends where the next section starts.
        level: 1 to 6; 0 without a heading.
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
        sections: by where they start; the first starts at 0. A heading in a quotation or a list begins no section.
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
        text: its text as a reader sees it; see `shown`.
        title: from the front matter, else the first heading of level 1, else None.
        front_matter: its values by name; see front_matter.parse.
        front_matter_error: why the front matter, or the date in it, could not be read; None if it could.
        links: by offset; each as often as it occurs.
        tags: by offset; each as often as it occurs.
        citations: the keys of its citations, `[@oke1982, p. 3]`, and of the Logseq blocks that it shows, `((id))`.
        aliases: other names of the note, from the front matter.
        date: the date in the front matter, in ISO 8601, as written; None without a valid one.
    """

    text: str
    title: str | None
    front_matter: Mapping[str, Any]
    front_matter_error: str | None
    links: tuple[Link, ...]
    tags: tuple[_Tag, ...]
    citations: tuple[str, ...]
    aliases: tuple[str, ...]
    date: str | None
    outline: Outline


def parse(text: str) -> Note:
    """Parse a note. Any text is a note; nothing in it is an error."""
    text = shown(text)
    outline = parse_outline(text)
    values, error = front_matter.parse(text[: outline.body_start])
    values = values if outline.body_start else front_matter.properties(text)
    by_name = {key.casefold(): value for key, value in reversed(values.items())}
    heading = next((section.heading for section in outline.sections if section.level == 1), None)
    aliases = front_matter.words(by_name, ("aliases", "alias"), separator=front_matter.COMMA)
    matches = list(_matches(text, outline))
    day = next((date for key in _DATE_KEYS if (date := front_matter.iso_date(by_name.get(key)))), None)
    return Note(
        text=text,
        title=front_matter.scalar(by_name.get("title")) or heading,
        front_matter=values,
        front_matter_error=error or (None if day else _unread_date(by_name)),
        links=tuple(match for match in matches if isinstance(match, Link)),
        tags=(
            *(_Tag(name, 0) for name in _front_matter_tags(by_name)),
            *(match for match in matches if isinstance(match, _Tag)),
        ),
        citations=tuple(dict.fromkeys(match for match in matches if isinstance(match, str))),
        aliases=tuple(dict.fromkeys(aliases)),
        date=day,
        outline=outline,
    )


def parse_outline(text: str) -> Outline:
    """The sections and blocks of a note, in time linear in its length."""
    body_start = front_matter.end(text)
    line_starts = [body_start, *(match.end() for match in _LINE_END.finditer(text, body_start)), len(text)]
    # markdown-it counts lines in the same way, except for an empty last one.
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
            headings.append((start, int(token.tag[1:]), without_markup(tokens[index + 1].content)))
    return Outline(body_start, tuple(_sections(headings)), tuple(sorted(blocks)), tuple(_without_overlaps(prose)))


def shown(text: str) -> str:
    """A text of the same length, with spaces for what readers do not see: `%% comments %%`, and drawers of Logseq.

    A comment ends within its paragraph, unless it begins a line. `%%` in code or in the target of a link opens none.
    """
    if "%%" not in text and ":LOGBOOK:" not in text:
        return text
    parts, done, opening = [], 0, None
    for start, end in parse_outline(text).prose:
        for drawer in _DRAWER.finditer(text, start, end):
            parts += [text[done : drawer.start()], _NO_LINE_END.sub(" ", drawer[0])]
            done = drawer.end()
        lookahead = _Lookahead(text, end)
        position = start
        while match := _COMMENT_MARK.search(text, position, end):
            interruption.raise_if_due()
            position = lookahead.after_code(match.start()) if match[0] == "`" else match.end()
            if match[0] != "%%" or match.start() < done:
                continue
            if opening is not None and _may_end(text, opening, match.start()):
                parts += [text[done:opening], _NO_LINE_END.sub(" ", text[opening:position])]
                done, opening = position, None
            else:
                opening = match.start()
    return "".join([*parts, text[done:]])


def _may_end(text: str, opening: int, closing: int) -> bool:
    """Whether a comment that opens at an offset may close at another."""
    before = f"\n{text[max(opening - _MAX_INDENTATION, 0) : opening]}".replace("\r", "\n")
    begins_line = not before[before.rindex("\n") :].strip()
    return begins_line or _PARAGRAPH_END.search(text, opening, closing) is None


def links_in(text: str) -> Iterator[Link]:
    """The links in a single text, such as a value of the front matter."""
    return (match for match in _scan(text, 0, len(text)) if isinstance(match, Link))


def tag_in(word: str) -> str | None:
    """The tag without its `#`, if a word is one: `#area/work`."""
    return _tag_name(word.removeprefix("#"))


def section_at(outline: Outline, offset: int) -> Section:
    """The section that contains an offset."""
    index = bisect_right(outline.sections, offset, key=lambda section: section.start)
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

    # The contents of paragraphs are read above, and definitions of links are not needed.
    parser = MarkdownIt("commonmark").disable(["inline", "reference"])
    # Asked for each block, and for each line that may end one.
    parser.block.ruler.before("code", "interruption", _no_block_if_due, {"alt": ["paragraph", "blockquote", "list"]})
    return parser


def _no_block_if_due(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
    """A rule that matches no block, and stops the parser when its call must end."""
    interruption.raise_if_due()
    return False


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def without_markup(heading: str) -> str:
    """The words of a heading without markup."""
    heading = " ".join(heading[: 2 * _MAX_HEADING].split())
    if not heading.isascii() or not heading.replace(" ", "").isalnum():
        heading = _replace_wiki_links(heading)
        blocks = _inline_parser().parseInline(heading)
        heading = "".join(
            token.content for block in blocks for token in block.children or () if token.type in ("text", "code_inline")
        )
    return " ".join(heading.split())[:_MAX_HEADING]


def _sections(headings: Sequence[tuple[int, int, str]]) -> Iterator[Section]:
    """The sections under headings, given as offset, level and words."""
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
    """The stretches in order, without overlaps."""
    reached = 0
    for start, end in stretches:
        if end > max(start, reached):
            yield max(start, reached), end
            reached = end


def _matches(text: str, outline: Outline) -> Iterator[Link | _Tag | str]:
    """Links, tags and citations by offset; from the front matter, in which Obsidian also keeps links, only links."""
    if outline.body_start:
        for match in _scan(text, 0, outline.body_start):
            if isinstance(match, Link):
                yield match
    for start, end in outline.prose:
        yield from _scan(text, start, end)


def _unread_date(values: Mapping[str, Any]) -> str | None:
    """Why a date cannot be read; None without a date."""
    for key in _DATE_KEYS:
        if values.get(key) not in (None, "", []):
            written = str(values[key])[:_MAX_SHOWN]
            return f"its {key}, {written!r}, cannot be read as a date, so another date is used: write 2026-01-31"
    return None


def _front_matter_tags(values: Mapping[str, Any]) -> list[str]:
    words = front_matter.words(values, ("tags", "tag"), separator=front_matter.COMMA_OR_SPACE)
    names = (_tag_name(word.strip("#[]").replace(" ", "-")) for word in words)
    return list(dict.fromkeys(name for name in names if name))
