"""Brief answers: fields that say something, and lists cut to a number of tokens, most entries as one line each.

A model pays for every token that it reads. Its answers have what the contract of a tool requires, and of the rest what
says something: a field without a value, with its `default`, or marked `"x-detail": "full"` in the output schema is left
out, and the beginning of a day is the day, where it is marked so. Where a list does not fit, its first entries are
shown in full and the next as a line each; the answer says what is left out. `detail` chooses between brief and full.
Where a client of the server leaves it out, brief is meant: there a model reads the answer. Elsewhere, full is (ADR
0036).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from keepgraph import lazy
from keepgraph.language import sentences
from keepgraph.lazy import dataclass
from keepgraph.tools.contract import schemas

if TYPE_CHECKING:
    from keepgraph.tools.contract.catalogue import Tool


BRIEF = "brief"
MAX_TOKENS = 1_420
"""What a brief answer may have, by `answer_size.count_tokens`: 1,500 of a tokenizer, with a margin for its error."""

MAX_QUOTE_CHARACTERS = 200
"""A brief answer quotes at most this much of a text at a time."""

_SHARE_IN_FULL = 0.3
"""Where not all entries fit in full, those that are shown in full have this share of the room."""

_BEGINNING_OF_DAY = lazy.compile(r"\d{4}-\d\d-\d\dT00:00:00(\.0+)?([+-]\d\d:\d\d|Z)$")
_NO_VALUES: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Entries:
    """A list of an answer.

    Attributes:
        full: the entries, best first.
        lines: the same entries, a line each; none if an entry is shown in full or not at all.
        at_most: how many are shown in full.
        fills_up: whether a line that does not fit leaves its place to those after it.
        comes_last: whether, where not all fits, it only gets the room that the lines of the others leave. It is the
            rest of another list.
    """

    full: Sequence[Any]
    lines: Sequence[str] = ()
    at_most: int | None = None
    fills_up: bool = False
    comes_last: bool = False


@dataclass(frozen=True, slots=True)
class ShortenedList:
    """A list as it was cut: the entries in full, lines for the next ones, and how many are in neither."""

    full: list[Any]
    lines: list[str]
    left_out: int

    @property
    def is_cut(self) -> bool:
        """Whether not every entry is shown in full."""
        return bool(self.lines) or self.left_out > 0


@dataclass(frozen=True, slots=True)
class _Field:
    """What a brief answer has of a field.

    Attributes:
        required: whether it is always there.
        on_request: whether only a full answer has it.
        by_day: whether the beginning of a day is shown as the day.
        default: the value that it has where it is left out.
        fields: those of the object that it holds, or of each object in its list or map.
        each: the field that each value of its map is.
    """

    required: bool = False
    on_request: bool = False
    by_day: bool = False
    default: object = None
    fields: Mapping[str, _Field] | None = None
    each: _Field | None = None


def by_default(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by a model: the answer is brief, unless it asks for more."""
    takes_detail = "detail" in schemas.load(tool.toolset, tool.name, "input")["properties"]
    return {**arguments, "detail": BRIEF} if takes_detail and arguments.get("detail") is None else dict(arguments)


def essential(toolset: str, tool: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer without optional fields that say nothing, and without those that only a full answer has."""
    kept: dict[str, Any] = _essential(_fields(toolset, tool), answer)
    return kept


def _essential(field: _Field, value: Any) -> Any:
    if isinstance(value, list):
        return [_essential(field, entry) for entry in value] if field.fields or field.each else value
    if field.by_day and isinstance(value, str) and _BEGINNING_OF_DAY.match(value):
        return value[:10]
    if not isinstance(value, Mapping) or not (field.fields or field.each):
        return value
    kept = {}
    for name, inner in value.items():
        of_name = (field.fields or {}).get(name, field.each)
        if of_name is not None:
            if of_name.on_request and not of_name.required:
                continue
            inner = _essential(of_name, inner)
            if not of_name.required and (inner in _NO_VALUES or inner == of_name.default):
                continue
        kept[name] = inner
    return kept


@cache
def _fields(toolset: str, tool: str) -> _Field:
    schema = schemas.load(toolset, tool, "output")
    return _field(schema, schema, required=True)


def _field(part: schemas.Schema, schema: schemas.Schema, *, required: bool) -> _Field:
    mark = (part.get("x-detail") == "full", part.get("x-detail") == "day")
    default = part.get("default")
    always: set[str] = set(part.get("required", ()))
    while "$ref" in part:  # what a part requires besides what the definition requires that it refers to
        part = schemas.definition(part, schema)
        always |= set(part.get("required", ()))
    for branch in part.get("anyOf", ()):
        if branch.get("type") != "null" and ("$ref" in branch or "properties" in branch or "items" in branch):
            inner = _field(branch, schema, required=required)
            return _Field(required, *mark, default, inner.fields, inner.each)
    if "items" in part:
        inner = _field(part["items"], schema, required=True)
        return _Field(required, *mark, default, inner.fields, inner.each)
    properties = {
        name: _field(inner, schema, required=name in always) for name, inner in part.get("properties", {}).items()
    }
    values = part.get("additionalProperties")
    each = _field(values, schema, required=True) if isinstance(values, dict) else None
    return _Field(required, *mark, default, properties or None, each)


def shorten(
    lists: Mapping[str, Entries], *, rest: object, max_tokens: int = MAX_TOKENS, share_in_full: float = _SHARE_IN_FULL
) -> dict[str, ShortenedList]:
    """Cut lists, so that they and the rest of the answer have at most `max_tokens` tokens.

    The lists are filled in turn, an entry of each; a list ends where its next entry does not fit. Lines come before
    further entries in full: more is said of more entries so.

    Args:
        rest: the rest of the answer.
        share_in_full: of the room, for the first entries in full, where not all fit.
    """
    own = {name: entries for name, entries in lists.items() if not entries.comes_last}
    outline = {
        **dict.fromkeys(own, ()),
        **{f"more_{name}": () for name, entries in own.items() if entries.full and entries.at_most != 0},
        "truncated": {name: True for name, entries in own.items() if entries.full},
    }
    room = max_tokens - count_tokens([rest, outline])
    full_costs = {name: [_cost(entry) for entry in _allowed(entries)] for name, entries in lists.items()}
    line_costs = {name: [_cost(line) for line in entries.lines] for name, entries in lists.items()}
    shown = {name: len(costs) for name, costs in full_costs.items()}
    used = sum(map(sum, full_costs.values()))
    if used + sum(sum(costs[shown[name] :]) for name, costs in line_costs.items()) > room:
        first = {name: costs for name, costs in full_costs.items() if not lists[name].comes_last}
        shown, used = _fill(first, int(share_in_full * room))
        shown = dict.fromkeys(lists, 0) | shown
    listed: dict[str, int] = {}
    for comes_last in (False, True):
        waiting = {name: line_costs[name][shown[name] :] for name in lists if lists[name].comes_last is comes_last}
        numbers, cost = _fill(waiting, room - used)
        listed, used = listed | numbers, used + cost
    without_lines = {name: full_costs[name][shown[name] :] for name in lists if not line_costs[name]}
    more, cost = _fill(without_lines, room - used)
    used += cost
    shown = {name: number + more.get(name, 0) for name, number in shown.items()}
    cut = {}
    for name, entries in lists.items():
        lines = list(entries.lines[shown[name] : shown[name] + listed[name]])
        if entries.fills_up:
            for position in range(shown[name] + len(lines), len(entries.lines)):
                if used + line_costs[name][position] <= room:
                    used += line_costs[name][position]
                    lines.append(entries.lines[position])
        cut[name] = ShortenedList(
            list(entries.full[: shown[name]]), lines, len(entries.full) - shown[name] - len(lines)
        )
    return cut


def excerpt(text: str, *, words: Iterable[str], limit: int) -> str:
    """A text, or of a long one the sentences with the most of some words, in their order; dots show what is left out.

    Args:
        words: in lower case.
    """
    if len(joined := " ".join(text.split())) <= limit:
        return joined
    stems = {word[: max(4, len(word) - 2)] for word in words if len(word) > 3 or word.isdigit()}
    parts = [" ".join(text[each.start : each.end].split()) for each in sentences.split(text)]
    lowered = [part.lower() for part in parts]
    order = sorted(range(len(parts)), key=lambda number: (-sum(stem in lowered[number] for stem in stems), number))
    chosen: set[int] = set()
    room = limit
    for number in order:
        if len(parts[number]) + 2 <= room:
            chosen.add(number)
            room -= len(parts[number]) + 2
        elif not chosen:  # the best of them is too long by itself
            return quote(parts[number], limit=limit, around=words)
    pieces = ["…"] if 0 not in chosen else []
    for number in sorted(chosen):
        pieces += [parts[number], *(["…"] if number + 1 < len(parts) and number + 1 not in chosen else [])]
    return " ".join(pieces)


def quote(text: str, *, limit: int = MAX_QUOTE_CHARACTERS, around: Iterable[str] = ()) -> str:
    """At most `limit` characters of a text, around the longest of some words if it has one; dots show where it was cut.

    Args:
        around: words in lower case.
    """
    joined = " ".join(text.split())
    if len(joined) <= limit:
        return joined
    lowered = joined.lower()
    places = (lowered.find(word) for word in sorted(around, key=len, reverse=True) if len(word) > 2)
    place = next((found for found in places if found >= 0), 0)
    start = min(max(place - limit // 3, 0), len(joined) - limit + 2)
    start = joined.find(" ", start, place) + 1 if start and " " in joined[start:place] else start
    end = start + limit - 1 - bool(start)
    end = end if end >= len(joined) else max(joined.rfind(" ", start, end), start + limit // 2)
    return f"{'…' if start else ''}{joined[start:end].strip()}{'…' if end < len(joined) else ''}"


def _allowed(entries: Entries) -> Sequence[Any]:
    return entries.full if entries.at_most is None else entries.full[: entries.at_most]


def _fill(costs: Mapping[str, Sequence[int]], room: int) -> tuple[dict[str, int], int]:
    """How many entries of each list fit, taken in turn, and what they cost together."""
    counts = {name: len(taken) for name, taken in take_in_turn(costs, room).items()}
    return counts, sum(sum(costs[name][:count]) for name, count in counts.items())


def _cost(entry: object) -> int:
    return count_tokens(entry) + 1


# The size of answers, in characters and in tokens, and lists cut to as many entries as there is room for.
#
# Tokens are estimated, for no tokenizer of a language model is a part of the package. On our answers the estimate is
# between 4 % less and 15 % more than what the byte-pair encodings cl100k, o200k and that of Claude 2 give; characters /
# 4 are a third too few, because of ids and timestamps.

Entry = TypeVar("Entry")
Lists = dict[str, list[dict[str, Any]]]

_PIECE = lazy.compile(r"(?:ent|fact|ep|prop|com)_[0-9a-z]{26}|['’](?:s|t|m|d|re|ve|ll)\b|[^\W\d_]+|\d{1,3}|[^\w\s]+|_")
"""What is counted: an id, the end of "it's", a word, up to three digits, signs. A space belongs to the next word."""

_TOKENS_OF_ID = 20
_FIRST_IDEOGRAPHIC = "\u2e80"


def count_characters(value: object) -> int:
    """How long a value is in an answer."""
    return len(json.dumps(value, ensure_ascii=False))


def count_tokens(value: object) -> int:
    """About how many tokens a value is in an answer, as the server writes it."""
    return sum(map(_tokens_of_piece, _PIECE.findall(json.dumps(value, ensure_ascii=False, separators=(",", ":")))))


def first(entries: Iterable[Entry], *, room: int) -> list[Entry]:
    """The first entries, as many as there is room for."""
    shown: list[Entry] = []
    for entry in entries:
        room -= count_characters(entry) + 2
        if room < 0:
            break
        shown.append(entry)
    return shown


def take_in_turn(costs: Mapping[str, Sequence[int]], room: int, *, skips: bool = False) -> dict[str, list[int]]:
    """The positions of the entries that there is room for, where an entry of each list is taken in turn.

    Args:
        skips: whether an entry that does not fit leaves its place to those after it; else its list ends there.
    """
    taken: dict[str, list[int]] = {name: [] for name in costs}
    for position in range(max(map(len, costs.values()), default=0)):
        for name, of_list in costs.items():
            if position < len(of_list) and of_list[position] <= room and (skips or len(taken[name]) == position):
                room -= of_list[position]
                taken[name].append(position)
    return taken


def divide(lists: Mapping[str, Sequence[dict[str, Any]]], *, room: int) -> tuple[Lists, Lists]:
    """The entries of two lists that there is room for, and the others.

    Each list has half of the room, and what the other leaves of its half. An entry that is too long leaves its place to
    those after it.
    """
    sizes = {name: sum(count_characters(entry) + 2 for entry in entries) for name, entries in lists.items()}
    shown: Lists = {name: [] for name in lists}
    others: Lists = {name: [] for name in lists}
    for name, entries in lists.items():
        left = max(room // 2, room - (sum(sizes.values()) - sizes[name]))
        for entry in entries:
            size = count_characters(entry) + 2
            (shown if size <= left else others)[name].append(entry)
            left -= size if size <= left else 0
    return shown, others


@lru_cache(maxsize=16_384)
def _tokens_of_piece(piece: str) -> int:
    if len(piece) > 26 and "_" in piece:
        return _TOKENS_OF_ID
    if piece[0] in "'’" and piece[1:].isalpha():
        return 1
    if piece.isascii():
        return -(-len(piece) // 9) if piece.isalpha() else 1 if piece.isdigit() else -(-len(piece) // 3)
    if piece[0].isalpha() and piece[0] < _FIRST_IDEOGRAPHIC:
        return -(-len(piece) // 2)
    return len(piece)
