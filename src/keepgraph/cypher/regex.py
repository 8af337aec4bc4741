"""Whether a whole string matches a regular expression, however the expression is written. Knows no query.

The standard library's matcher tries one way after another, and some expressions have more ways than there is time:
`(a+)+b`, or a dozen `.*` in a row. So the ways are counted first. Where they are few, the library matches; where they
may be many, the same expression is run as an automaton, which reads each character once, whatever was written.
The automaton knows no look-around, no back-reference and no possessive repeat: such an expression is refused if it
has many ways.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from re import _compiler, _parser  # type: ignore[attr-defined] # the only parser of regular expressions there is
from typing import Any, Final

from keepgraph.errors import QueryFailed, QueryTooLarge

LONGEST_PATTERN: Final = 1_000
MOST_WAYS: Final = 1_000_000
MOST_STATES: Final = 2_000
MOST_STEPS: Final = 100_000_000
MOST_REMEMBERED: Final = 20_000

Matcher = Callable[[str], bool]
Tree = Any
"""An expression as the standard library parses it: pairs of an operator and its operands."""


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Matcher:
    """The function that tells whether the whole of a string matches."""
    if len(pattern) > LONGEST_PATTERN:
        raise QueryTooLarge(f"a regular expression has {len(pattern):,} characters; the most is {LONGEST_PATTERN:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parser.parse(pattern)
            by_trying = re.compile(pattern).fullmatch
        ways, degree = _ways(tree)
    except (re.error, OverflowError, RecursionError) as reason:
        raise QueryFailed(
            f"{pattern!r} is no regular expression: {reason}",
            kind="ArgumentError",
            detail="InvalidArgumentValue",
            hint="Write it as Python's module re has it: (?i)ada.*",
        ) from reason
    automaton: list[Matcher] = []

    def match(text: str) -> bool:
        if ways + degree * math.log(len(text) + 2) <= math.log(MOST_WAYS):
            return by_trying(text) is not None
        if not automaton:
            automaton.append(_Automaton(pattern, tree).matches)
        return automaton[0](text)

    return match


def _ways(tree: Tree) -> tuple[float, float]:
    """In how many ways the library may try a string of length n: `exp(ways) * n ** degree`, as those two."""
    ways = degree = 0.0
    for operator, operands in tree:
        name = str(operator)
        if name.endswith("_REPEAT"):
            least, most, inner = operands
            more, higher = _ways(inner)
            if most == _parser.MAXREPEAT and (more or higher):
                return math.inf, 0.0
            if most == _parser.MAXREPEAT:
                degree += 1
            else:
                ways += most * more + math.log(most - least + 1)
                degree += most * higher
        elif name == "BRANCH":
            each = [_ways(branch) for branch in operands[1]]
            ways += max(more for more, _ in each) + math.log(len(each))
            degree += max(higher for _, higher in each)
        else:
            for inner in operands if isinstance(operands, tuple) else (operands,):
                if isinstance(inner, _parser.SubPattern):
                    more, higher = _ways(inner)
                    ways += more
                    degree += higher
    return ways, degree


class _Automaton:
    """The expression as states: those that a state leads to at once, and those that it leads to by a character.

    Sets of states are numbered as they are met, and where a set leads by a character is remembered.
    """

    def __init__(self, pattern: str, tree: Tree) -> None:
        self.pattern = pattern
        self.state = tree.state
        self.at_once: list[list[int]] = []
        self.by_character: list[list[tuple[Callable[[str], object], int]]] = []
        first = self.new()
        self.last = self.build(_without_ends(list(tree)), first, 0, 0)
        self.first = self.closure({first})
        self.steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def matches(self, text: str) -> bool:
        if len(text) * len(self.at_once) > MOST_STEPS:
            raise QueryTooLarge(f"{len(text):,} characters are too many for the regular expression {self.pattern!r}")
        states = self.first
        steps = self.steps
        for character in text:
            after = steps.get((states, character))
            if after is None:
                if len(steps) >= MOST_REMEMBERED:
                    steps.clear()
                after = steps[states, character] = self.step(states, character)
            if not after:
                return False
            states = after
        return self.last in states

    def step(self, states: frozenset[int], character: str) -> frozenset[int]:
        return self.closure(
            {target for state in states for test, target in self.by_character[state] if test(character)}
        )

    def closure(self, states: set[int]) -> frozenset[int]:
        """These states and all that they lead to at once."""
        waiting = list(states)
        while waiting:
            for target in self.at_once[waiting.pop()]:
                if target not in states:
                    states.add(target)
                    waiting.append(target)
        return frozenset(states)

    def new(self) -> int:
        if len(self.at_once) >= MOST_STATES:
            raise self.refused("it repeats too much")
        self.at_once.append([])
        self.by_character.append([])
        return len(self.at_once) - 1

    def build(self, tree: Tree, start: int, on: int, off: int) -> int:
        """Adds the states of a part, with the flags that are turned on and off in it; tells where it ends."""
        for operator, operands in tree:
            name = str(operator)
            if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN", "CATEGORY"):
                end = self.new()
                self.by_character[start].append((self.test(operator, operands, on, off), end))
            elif name == "SUBPATTERN":
                _, more, fewer, inner = operands
                end = self.build(inner, start, (on & ~fewer) | more, (off & ~more) | fewer)
            elif name == "BRANCH":
                end = self.new()
                for branch in operands[1]:
                    opening = self.new()
                    self.at_once[start].append(opening)
                    self.at_once[self.build(branch, opening, on, off)].append(end)
            elif name in ("MAX_REPEAT", "MIN_REPEAT"):
                least, most, inner = operands
                end = self.repeat(inner, least, most, start, on, off)
            else:
                raise self.refused("it looks around, refers back or holds on")
            start = end
        return start

    def repeat(self, inner: Tree, least: int, most: int, start: int, on: int, off: int) -> int:
        for _ in range(least):
            start = self.build(inner, start, on, off)
        if most == _parser.MAXREPEAT:
            loop = self.new()
            self.at_once[start].append(loop)
            self.at_once[self.build(inner, loop, on, off)].append(loop)
            return loop
        end = self.new()
        self.at_once[start].append(end)
        for _ in range(most - least):
            start = self.build(inner, start, on, off)
            self.at_once[start].append(end)
        return end

    def test(self, operator: Any, operands: Any, on: int, off: int) -> Callable[[str], object]:
        """Whether a character is one that is meant; the library knows."""
        part = _parser.SubPattern(self.state, [(operator, operands)])
        flagged = _parser.SubPattern(self.state, [(_parser.SUBPATTERN, (None, on, off, part))])
        matcher: Callable[[str], object] = _compiler.compile(flagged).fullmatch
        return matcher

    def refused(self, reason: str) -> QueryTooLarge:
        return QueryTooLarge(
            f"the regular expression {self.pattern!r} has too many ways to match, and {reason}",
            hint="Do not put a repeat into a repeat ((a+)+); use CONTAINS, STARTS WITH and ENDS WITH where they do.",
        )


def _without_ends(tree: list[Any]) -> list[Any]:
    """Without ^ and $ at its ends: the whole string is matched anyway."""
    while tree and str(tree[0][0]) == "AT" and str(tree[0][1]).startswith("AT_BEGINNING"):
        tree = tree[1:]
    while tree and str(tree[-1][0]) == "AT" and str(tree[-1][1]).startswith("AT_END"):
        tree = tree[:-1]
    return tree
