"""Links and tags of a Markdown note: wiki links, links to other notes, `#tags`; in one pass over the text.

markdown-it gives no offsets of what is within a paragraph. One pass, because a note may be 10 MB of brackets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from keepgraph import interruption, lazy
from keepgraph.lazy import dataclass

NOTE_SUFFIXES = (".md", ".markdown", ".mdx")

_BACKTICKS = lazy.compile(r"`++")
_SPECIAL = lazy.compile(r"[`\[\\#<]")
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
class Tag:
    """A tag without its `#`, `area/work`, and its offset in the text; those of the front matter have the offset 0."""

    name: str
    offset: int


def scan(text: str, start: int, end: int) -> Iterator[Link | Tag]:
    """The links and tags of a stretch of text that is neither code nor HTML, in their order."""
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
                if _may_begin_tag(text, here, start) and (name := tag_name(text[here + 1 : here + 1 + _MAX_TAG])):
                    yield Tag(name, here)
                    position = here + 1 + len(name)
            case _:
                link, position = _link(text, here, start, lookahead)
                if link:
                    yield link


def tag_name(text: str) -> str | None:
    """The tag with which a text begins: `area/work`; None where there is none, or only a number."""
    end = 0
    while end < len(text) and _is_tag_character(text[end]):
        end += 1
    name = text[:end].rstrip("/-_")
    return name if any(_is_letter_or_emoji(c) for c in name) and not name.startswith("/") else None


def replace_wiki_links(text: str) -> str:
    """A text with the words of its wiki links in their place, as a reader sees it."""
    parts, position = [], 0
    while (opening := text.find("[[", position)) >= 0 and (closing := text.find("]]", opening)) >= 0:
        link = _wiki_link(text, opening, closing)
        parts += [text[position:opening], link.text if link else text[opening : closing + 2]]
        position = closing + 2
    return "".join([*parts, text[position:]])


class _Lookahead:
    """Finds what comes next in a stretch of text. Asked for offsets that only grow, it reads each character once."""

    def __init__(self, text: str, end: int) -> None:
        self._text, self._end = text, end
        self._next: dict[str, int] = {}
        self._code_ends: dict[int, int] | None = None

    def find(self, characters: str, start: int) -> int:
        """Where these characters come next; the end of the stretch where they do not."""
        offset = self._next.get(characters, -1)
        if offset < start:
            offset = self._text.find(characters, start, self._end)
            self._next[characters] = offset = self._end if offset < 0 else offset
        return offset

    def after_code(self, start: int) -> int:
        """Where the code ends that backticks open here; after the backticks, where as many do not come again."""
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
    """The link that begins at this bracket, if there is one, and where to read on."""
    if text.startswith("[[", here):
        closing = lookahead.find("]]", here + 2)
        link = _wiki_link(text, here, closing) if closing + 2 <= here + _MAX_LINK else None
        return link, closing + 2 if link else here + 1
    closing = lookahead.find("](", here + 1)
    words = _between_brackets(text, here + 1, closing)
    if words is not None:
        target, after = _target(text, closing + 2)
        return _note_link(target, words, here, embedded=here > start and text[here - 1] == "!"), after
    closing = lookahead.find("]:", here + 1)
    words = _between_brackets(text, here + 1, closing)
    if words is not None and (here == start or text[here - 1] in "\r\n"):
        match = _DEFINITION_TARGET.match(text, closing + 2)
        return (_note_link(match[1] or match[2] or "", words, here) if match else None), closing + 2
    return None, here + 1


def _wiki_link(text: str, opening: int, closing: int) -> Link | None:
    """What stands between two pairs of brackets: a target, a heading of it, and other words to show."""
    inner = text[opening + 2 : closing]
    if "[[" in inner or "\n" in inner or "\r" in inner:
        return None
    target, bar, words = inner.partition("|")
    target = target.removesuffix("\\") if bar else target  # in a table the bar is escaped
    target, _, heading = target.partition("#")
    target = " ".join(target.split())
    name = _note_name(target)
    if not name:
        return None
    words = " ".join(words.split()) or " ".join(inner.partition("|")[0].split()).removesuffix("\\")
    embedded = opening > 0 and text[opening - 1] == "!"
    return Link(target, name, words, " ".join(heading.split()) or None, opening, embedded)


def _between_brackets(text: str, start: int, end: int) -> str | None:
    """The words between two brackets; None if they are too long, or have brackets themselves."""
    words = text[start:end] if end - start <= _MAX_LINK else "["
    return None if "[" in words or "]" in words else words


def _target(text: str, start: int) -> tuple[str, int]:
    """The target in the round brackets that open before `start`, without a title, and where to read on."""
    match = _LINK_TARGET.match(text, start)
    return (match[1] or match[2] or "", match.end()) if match else ("", start)


def _note_link(target: str, words: str, offset: int, *, embedded: bool = False) -> Link | None:
    """A link, if it leads to another note and not to the web."""
    if _URL_SCHEME.match(target):
        return None
    path, _, heading = target.partition("#")
    path = " ".join(unquote(path.partition("?")[0]).split())
    if not path.lower().endswith(NOTE_SUFFIXES):
        return None
    name = _note_name(path)
    if not name:
        return None
    words = " ".join(words.split()) or name
    return Link(path, name, words, " ".join(unquote(heading).split()) or None, offset, embedded)


def _note_name(target: str) -> str:
    """The last part of a target, without the suffix of a note."""
    name = target.replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
    for suffix in NOTE_SUFFIXES:
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
