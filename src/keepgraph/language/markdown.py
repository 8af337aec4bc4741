"""Reads Markdown notes: headings, blocks, front matter, links and tags. Knows no graph and no file.

The blocks are markdown-it's, so code is code however it is indented. Inside them links and tags are looked for in the
text as it stands, because their places are wanted, and in one pass, because a note may be 10 MB of brackets.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from keepgraph.language import canonical

if TYPE_CHECKING:
    import yaml
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BETWEEN_HEADINGS = " › "
NOTE_SUFFIXES = (".md", ".markdown", ".mdx")

_LINE_END = re.compile(r"\r\n?|\n")
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*(?:\r\n?|\n)")
_FRONT_MATTER_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_BACKTICKS = re.compile(r"`++")
_TELLING = re.compile(r"[`\[\\#<]")
_DEFINED = re.compile(r"[ \t]*+(?:<([^<>\r\n]{0,1000})>|([^\s<]\S{0,1000}))")
_DESTINATION = re.compile(r"(?:<([^<>\r\n]{0,500})>|((?:[^\s()<]{1,500}+|\([^\s()]{0,100}+\)){0,9}+))(?=[\s)])")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_COMMA = re.compile(r"\s*+,\s*+")
_COMMA_OR_SPACE = re.compile(r"[\s,]++")

_LONGEST_FRONT_MATTER = 20_000
_MOST_VALUES = 2_000
_DEEPEST = 20
_LONGEST_LINK = 600
_LONGEST_HEADING = 200
_LONGEST_TAG = 200

_MARKS_OF_TAGS = frozenset("_-/")
_BEFORE_TAGS = frozenset("([{,;*_~|、，（「『")
_JOINERS = frozenset("\u200d\ufe0f")

# What PyYAML raises for YAML that is wrong, and for YAML that it has not thought of: `!!int _`, `!!bool x`.
_YAML_TROUBLE = (ValueError, LookupError, AttributeError, TypeError, ArithmeticError, RecursionError)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands from one heading to the next; the first one has no heading where text comes before any.

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
    """How a note is built.

    Attributes:
        body: where the front matter ends; 0 without any.
        sections: by where they start; the first one starts at 0. Their headings are the note's own: not those
            in a quotation or in a list.
        blocks: where each heading, paragraph, list item, quotation and piece of code starts, in order.
        written: the stretches of text that are neither code nor HTML, as start and end.
    """

    body: int
    sections: tuple[Section, ...]
    blocks: tuple[int, ...]
    written: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link from one note to another.

    Attributes:
        target: as it is written, without heading: `People/Ada`, `../ada.md`.
        name: what it is a link to: the last part of the target without its suffix, `Ada`.
        shown: the words that a reader sees.
        heading: the heading or block that it leads to; None for the whole note.
        offset: where it starts in the text, in characters.
        embedded: whether it asks to show the target in place, `![[…]]`.
    """

    target: str
    name: str
    shown: str
    heading: str | None
    offset: int
    embedded: bool = False


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag without its `#`, `area/work`, and where it stands; those of the front matter stand at 0."""

    name: str
    offset: int


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it was read.

    Attributes:
        title: of the front matter, else the first heading of level 1, else None.
        front_matter: text, numbers, truth values, None, lists and dicts with keys of text. Dates stay text.
        trouble: why the front matter could not be read; None where it could, or there is none.
        links: by place; each as often as it occurs.
        tags: by place; each as often as it occurs.
        aliases: other names of the note, of the front matter.
        date: the front matter's date, in ISO 8601 as it was written; None without a readable one.
    """

    title: str | None
    front_matter: Mapping[str, Any]
    trouble: str | None
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    aliases: tuple[str, ...]
    date: str | None
    outline: Outline


def read(text: str) -> Note:
    """Read a note. Any text is one; nothing in it is an error."""
    layout = outline(text)
    front_matter, trouble = _front_matter(text, layout.body)
    told = {key.casefold(): value for key, value in reversed(front_matter.items())}
    found = list(_found(text, layout))
    tags = [Tag(name, 0) for name in _told_tags(told)]
    return Note(
        title=_word(told.get("title")) or next((each.heading for each in layout.sections if each.level == 1), None),
        front_matter=front_matter,
        trouble=trouble,
        links=tuple(each for each in found if isinstance(each, Link)),
        tags=(*tags, *(each for each in found if isinstance(each, Tag))),
        aliases=tuple(dict.fromkeys(_told(told, ("aliases", "alias"), between=_COMMA))),
        date=next((day for name in _DATES if (day := _date(told.get(name)))), None),
        outline=layout,
    )


_DATES = ("date", "created", "created_at", "date created", "created at")


def outline(text: str) -> Outline:
    """The headings and blocks of a note, in time linear in its length."""
    body = _body(text)
    lines = [body, *(end.end() for end in _LINE_END.finditer(text, body)), len(text)]
    # markdown-it counts lines as we do, but for a last one that is empty.
    places = _Places(text, lines)
    blocks: dict[int, None] = {}
    written: list[tuple[int, int]] = []
    headings: list[tuple[int, int, str]] = []
    tokens = _blocks_of(text[body:] if body else text)
    for at, token in enumerate(tokens):
        if token.map is None or token.nesting < 0:
            continue
        if token.type == "inline":
            written.append((places.start(token.map[0]), places.end(token.map[1])))
            continue
        start = places.start(token.map[0])
        blocks[start] = None
        if token.type == "heading_open" and token.level == 0:
            headings.append((start, int(token.tag[1:]), _plain(tokens[at + 1].content)))
    return Outline(body, tuple(_sections(headings)), tuple(sorted(blocks)), tuple(_apart(written)))


@dataclass(frozen=True, slots=True)
class _Places:
    """Where lines start, as characters of the text."""

    text: str
    lines: Sequence[int]

    def start(self, line: int) -> int:
        """Where the words of a line start: after its indentation."""
        start = self.lines[min(line, len(self.lines) - 1)]
        end = self.end(line + 1)
        indented = _INDENTATION.match(self.text, start, end)
        return indented.end() if indented else start

    def end(self, line: int) -> int:
        return self.lines[min(line, len(self.lines) - 1)]


_INDENTATION = re.compile(r"[ \t]*+")


def _body(text: str) -> int:
    """Where the front matter ends."""
    opening = _FRONT_MATTER.match(text)
    if not opening:
        return 0
    closing = _FRONT_MATTER_END.search(text, opening.end(), opening.end() + _LONGEST_FRONT_MATTER)
    if not closing:
        return 0
    rest = _LINE_END.match(text, closing.end())
    return rest.end() if rest else closing.end()


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # What is within a paragraph is read by ourselves, and what a link stands for is not asked.
    return MarkdownIt("commonmark").disable(["inline", "reference"])


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _blocks_of(text: str) -> list[Token]:
    return _parser().parse(text)


def _sections(headings: Sequence[tuple[int, int, str]]) -> Iterator[Section]:
    if not headings or headings[0][0] > 0:
        yield Section(0, 0, None, None)
    above: list[tuple[int, str]] = []
    for start, level, heading in headings:
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, heading))
        yield Section(start, level, heading, BETWEEN_HEADINGS.join(each for _, each in above if each) or None)


def _apart(stretches: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The stretches in order, each after the one before it."""
    reached = 0
    for start, end in stretches:
        if end > max(start, reached):
            yield max(start, reached), end
            reached = end


def _plain(heading: str) -> str:
    """The words of a heading without markup."""
    heading = " ".join(heading[: 2 * _LONGEST_HEADING].split())
    if not heading.isascii() or not heading.replace(" ", "").isalnum():
        heading = _shown_wiki_links(heading)
        inline = _inline_parser().parseInline(heading)
        heading = "".join(
            each.content for block in inline for each in block.children or () if each.type in ("text", "code_inline")
        )
    return " ".join(heading.split())[:_LONGEST_HEADING]


def _shown_wiki_links(heading: str) -> str:
    shown, at = [], 0
    while (opening := heading.find("[[", at)) >= 0 and (closing := heading.find("]]", opening)) >= 0:
        link = _wiki_link(heading, opening, closing)
        shown += [heading[at:opening], link.shown if link else heading[opening : closing + 2]]
        at = closing + 2
    return "".join([*shown, heading[at:]])


# The front matter


def _front_matter(text: str, body: int) -> tuple[dict[str, Any], str | None]:
    """The front matter, and what was wrong with it."""
    if not body:
        return {}, None
    written = text[:body].removeprefix("\ufeff").strip()
    written = written.removeprefix("---").removesuffix("...").removesuffix("---")
    import yaml

    try:
        loaded = yaml.load(written, Loader=_loader())  # noqa: S506 - a safe one, made safer
    except yaml.MarkedYAMLError as error:
        where = f" (line {error.problem_mark.line + 1} of it)" if error.problem_mark else ""
        return {}, f"the front matter is not YAML: {error.problem or error.context}{where}"
    except (yaml.YAMLError, *_YAML_TROUBLE):
        return {}, "the front matter is not YAML"
    if loaded is None:
        return {}, None
    if not isinstance(loaded, dict):
        return {}, "the front matter is not made of names and values"
    try:
        return _tame(loaded, [_MOST_VALUES], 0), None
    except ValueError as error:
        return {}, str(error)


@cache
def _loader() -> type[yaml.SafeLoader]:
    """A safe loader, that reads YAML as people mean it: `no` is a word, `12:30` is not 750, and 1.10 is not 1.1.

    The one in C reads ten times faster and dies of deep nesting, with the process.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012 - as PyYAML has it

        def flatten_mapping(self, node: Any) -> None:
            """Do not merge: a few lines of `<<` can make a billion."""

    for name, pattern, first in (
        ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
        ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
        ("int", r"^-?(?:0|[1-9][0-9]{0,17})$", "-0123456789"),
        ("float", r"^-?(?:0|[1-9][0-9]{0,8})\.(?:0|[0-9]{0,5}[1-9])$", "-0123456789"),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(pattern), list(first))
    return Loader


def _tame(value: Any, left: list[int], depth: int) -> Any:
    """A loaded value as text, numbers, lists and dicts alone.

    Raises:
        ValueError: it is larger or deeper than any front matter is.
    """
    left[0] -= 1
    if left[0] < 0 or depth > _DEEPEST:
        raise ValueError("the front matter is too large")
    if isinstance(value, str):
        return canonical.valid(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {canonical.valid(_word(key) or str(key)): _tame(each, left, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [_tame(each, left, depth + 1) for each in value]
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def _told_tags(told: Mapping[str, Any]) -> list[str]:
    names = (each.removeprefix("#") for each in _told(told, ("tags", "tag"), between=_COMMA_OR_SPACE))
    return list(dict.fromkeys(name for each in names if (name := _tag(each.replace(" ", "-"), 0))))


def _told(told: Mapping[str, Any], keys: Sequence[str], *, between: re.Pattern[str]) -> list[str]:
    """The words under these keys: a list of them, or one text that has them one after the other."""
    found: list[str] = []
    for key in keys:
        value = told.get(key)
        if isinstance(value, str):
            found += between.split(value)
        elif isinstance(value, list):
            found += [_word(each) or "" for each in value]
        else:
            found.append(_word(value) or "")
    return [word for each in found if (word := each.strip())]


def _word(value: Any) -> str | None:
    """A single value as text; None if it is none, or empty."""
    if isinstance(value, str):
        return " ".join(value.split()) or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _date(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return value.strip()


# Links and tags


def _found(text: str, layout: Outline) -> Iterator[Link | Tag]:
    """Links and tags by place; of the front matter, in which Obsidian keeps links too, links alone."""
    if layout.body:
        for each in _scanned(text, 0, layout.body):
            if isinstance(each, Link):
                yield each
    for start, end in layout.written:
        yield from _scanned(text, start, end)


def _scanned(text: str, start: int, end: int) -> Iterator[Link | Tag]:
    """The links and tags of a stretch that is not code, in one pass."""
    ahead = _Ahead(text, end)
    at = start
    while telling := _TELLING.search(text, at, end):
        here = telling.start()
        at = here + 1
        match text[here]:
            case "\\":
                at = here + 2
            case "`":
                at = ahead.after_code(here)
            case "<":
                if text.startswith("<!--", here) and (closed := ahead.find("-->", here + 4)) < end:
                    at = closed + 3
            case "#":
                if _may_begin_a_tag(text, here, start) and (name := _tag(text[here + 1 : here + 1 + _LONGEST_TAG], 0)):
                    yield Tag(name, here)
                    at = here + 1 + len(name)
            case _:
                link, after = _link(text, here, start, ahead)
                if link:
                    yield link
                at = after


class _Ahead:
    """What comes next in a stretch of text. Asked for places that only move on, it reads each character once."""

    def __init__(self, text: str, end: int) -> None:
        self._text, self._end = text, end
        self._next: dict[str, int] = {}
        self._code: dict[int, int] | None = None

    def find(self, wanted: str, start: int) -> int:
        """Where these characters come next; the end of the stretch where they do not."""
        known = self._next.get(wanted, -1)
        if known < start:
            known = self._text.find(wanted, start, self._end)
            self._next[wanted] = known = self._end if known < 0 else known
        return known

    def after_code(self, start: int) -> int:
        """Where the code ends that backticks open here; after the backticks, where as many do not come again."""
        if self._code is None:
            self._code = dict(self._closed(start))
        if start in self._code:
            return self._code[start]
        backticks = _BACKTICKS.match(self._text, start, self._end)
        return backticks.end() if backticks else start + 1

    def _closed(self, start: int) -> Iterator[tuple[int, int]]:
        runs = [run.span() for run in _BACKTICKS.finditer(self._text, start, self._end)]
        last: dict[int, int] = {}
        for opens, closes in reversed(runs):
            length = closes - opens
            yield opens, last.get(length, closes)
            last[length] = closes


def _link(text: str, here: int, start: int, ahead: _Ahead) -> tuple[Link | None, int]:
    """The link that begins at this bracket, if there is one, and where to read on."""
    if text.startswith("[[", here):
        closing = ahead.find("]]", here + 2)
        link = _wiki_link(text, here, closing) if closing + 2 <= here + _LONGEST_LINK else None
        return link, closing + 2 if link else here + 1
    closing = ahead.find("](", here + 1)
    shown = _within(text, here + 1, closing)
    if shown is not None:
        destination, after = _destination(text, closing + 2)
        return _note_link(destination, shown, here, embedded=here > start and text[here - 1] == "!"), after
    closing = ahead.find("]:", here + 1)
    shown = _within(text, here + 1, closing)
    if shown is not None and (here == start or text[here - 1] in "\r\n"):
        defined = _DEFINED.match(text, closing + 2)
        return (_note_link(defined[1] or defined[2] or "", shown, here) if defined else None), closing + 2
    return None, here + 1


def _within(text: str, start: int, end: int) -> str | None:
    """The words between two brackets; None if they are too long, or have brackets themselves."""
    words = text[start:end] if end - start <= _LONGEST_LINK else "["
    return None if "[" in words or "]" in words else words


def _wiki_link(text: str, opening: int, closing: int) -> Link | None:
    """What stands between two pairs of brackets: a target, a heading of it, and other words to show."""
    inner = text[opening + 2 : closing]
    if "[[" in inner or "\n" in inner or "\r" in inner:
        return None
    target, barred, shown = inner.partition("|")
    target = target.removesuffix("\\") if barred else target  # in a table the bar is escaped
    target, _, heading = target.partition("#")
    target = " ".join(target.split())
    name = _name(target)
    if not name:
        return None
    shown = " ".join(shown.split()) or " ".join(inner.partition("|")[0].split()).removesuffix("\\")
    embedded = opening > 0 and text[opening - 1] == "!"
    return Link(target, name, shown, " ".join(heading.split()) or None, opening, embedded)


def _destination(text: str, start: int) -> tuple[str, int]:
    """What stands in the round brackets that open before `start`, without a title, and where to read on."""
    found = _DESTINATION.match(text, start)
    return (found[1] or found[2] or "", found.end()) if found else ("", start)


def _note_link(destination: str, shown: str, offset: int, *, embedded: bool = False) -> Link | None:
    """A link, if it leads to a note of one's own and not into the world."""
    if _SCHEME.match(destination):
        return None
    path, _, heading = destination.partition("#")
    path = " ".join(unquote(path.partition("?")[0]).split())
    if not path.lower().endswith(NOTE_SUFFIXES):
        return None
    name = _name(path)
    if not name:
        return None
    shown = " ".join(shown.split()) or name
    return Link(path, name, shown, " ".join(unquote(heading).split()) or None, offset, embedded)


def _name(target: str) -> str:
    """The last part of a target, without the suffix of a note."""
    name = target.replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
    for suffix in NOTE_SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)].strip()
    return name


def _may_begin_a_tag(text: str, here: int, start: int) -> bool:
    if here == start:
        return True
    before = text[here - 1]
    return before.isspace() or before in _BEFORE_TAGS


def _tag(text: str, start: int) -> str | None:
    """The tag that these characters begin with: `area/work`; None where there is none, or a number alone."""
    end = start
    while end < len(text) and _is_of_a_tag(text[end]):
        end += 1
    name = text[start:end].rstrip("/-_")
    return name if any(_tells(c) for c in name) and not name.startswith("/") else None


def _is_of_a_tag(c: str) -> bool:
    return c.isalnum() or c in _MARKS_OF_TAGS or c in _JOINERS or unicodedata.category(c) in ("Mn", "Mc", "So")


def _tells(c: str) -> bool:
    return c.isalpha() or unicodedata.category(c) == "So"


def section_of(layout: Outline, offset: int) -> Section:
    """The section in which a place lies."""
    at = bisect_right([each.start for each in layout.sections], offset)
    return layout.sections[max(at - 1, 0)]
