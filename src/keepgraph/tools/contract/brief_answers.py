"""Brief answers: lists cut to a number of tokens, the first entries in full and the next as one line each.

A model pays for every token that it reads. What the contract of a tool requires in an entry stays in it; so a brief
answer has fewer entries in full, and a line for each of the others, as long as there is room. The answer says what is
left out. `detail` chooses between brief and full. Where a client of the server leaves it out, brief is meant: there a
model reads the answer. Elsewhere, full is (ADR 0036).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from keepgraph.tools.contract import answer_size, schemas

if TYPE_CHECKING:
    from keepgraph.tools.contract.catalogue import Tool

BRIEF = "brief"
MAX_TOKENS = 1_420
"""What a brief answer may have, by `answer_size.count_tokens`: 1,500 of a tokenizer, with a margin for its error."""

MAX_QUOTE_CHARACTERS = 200
"""Of a text, a brief answer quotes so much at a time."""

_MAX_SHARE_OF_LINES = 0.45
_MAX_LINE_CHARACTERS = 240
_TOKENS_OF_EMPTY_LIST = 12
"""What a list and its lines need without any entry."""


@dataclass(frozen=True, slots=True)
class Entries:
    """A list of an answer.

    Attributes:
        full: the entries, best first.
        lines: the same entries, a line each; none where an entry is shown in full or not at all.
        at_most: how many are shown in full.
    """

    full: Sequence[Any]
    lines: Sequence[str] = ()
    at_most: int | None = None


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


def by_default(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by a model: the answer is brief, unless it asks for more."""
    takes_detail = "detail" in schemas.load(tool.toolset, tool.name, "input")["properties"]
    return {**arguments, "detail": BRIEF} if takes_detail and arguments.get("detail") is None else dict(arguments)


def shorten(lists: Mapping[str, Entries], *, rest: object, max_tokens: int = MAX_TOKENS) -> dict[str, ShortenedList]:
    """Cut lists, so that they and the rest of the answer have at most so many tokens.

    The lists are filled in turn, an entry of each; a list ends where its next entry does not fit.

    Args:
        rest: the rest of the answer.
    """
    room = max_tokens - answer_size.count_tokens(rest) - _TOKENS_OF_EMPTY_LIST * len(lists)
    full_costs = {name: [_cost(entry) for entry in _allowed(entries)] for name, entries in lists.items()}
    limited = any(len(full_costs[name]) < len(entries.full) for name, entries in lists.items())
    if sum(map(sum, full_costs.values())) <= room and not limited:
        return {name: ShortenedList(list(entries.full), [], 0) for name, entries in lists.items()}
    lines = {name: [_shorten_line(line) for line in entries.lines] for name, entries in lists.items()}
    line_costs = {name: [_cost(line) for line in lines[name]] for name in lists}
    for_lines = min(sum(map(sum, line_costs.values())), int(_MAX_SHARE_OF_LINES * room))
    shown, used = _fill(full_costs, room - for_lines)
    waiting = {name: costs[shown[name] :] for name, costs in line_costs.items()}
    listed, _ = _fill(waiting, room - used)
    return {
        name: ShortenedList(
            list(entries.full[: shown[name]]),
            lines[name][shown[name] : shown[name] + listed[name]],
            len(entries.full) - shown[name] - listed[name],
        )
        for name, entries in lists.items()
    }


def quote(text: str, *, limit: int = MAX_QUOTE_CHARACTERS, around: Iterable[str] = ()) -> str:
    """At most so many characters of a text, around the longest of some words if it has one; dots show where it was cut.

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
    counts = dict.fromkeys(costs, 0)
    open_lists, used = [name for name in costs if costs[name]], 0
    while open_lists:
        for name in list(open_lists):
            if counts[name] >= len(costs[name]) or used + costs[name][counts[name]] > room:
                open_lists.remove(name)
                continue
            used += costs[name][counts[name]]
            counts[name] += 1
    return counts, used


def _cost(entry: object) -> int:
    return answer_size.count_tokens(entry) + 1


def _shorten_line(line: str) -> str:
    return line if len(line) <= _MAX_LINE_CHARACTERS else f"{line[: _MAX_LINE_CHARACTERS - 1]}…"
