"""Finding any of many names and sentences in texts, as whole words, in capitals or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from keepgraph import lazy

_WORD = lazy.compile(r"\w+")
_MAX_SCANNED = 64


class Occurrences:
    """A set of names and sentences to look for."""

    def __init__(self, sought: Iterable[str]) -> None:
        folded = {" ".join(text.casefold().split()) for text in sought}
        self._sought = frozenset(text for text in folded if text)
        self._by_beginning: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for text in self._sought:
            self._by_beginning[tuple(_WORD.findall(text)[:2])].append(text)

    def __bool__(self) -> bool:
        return bool(self._sought)

    def are_in(self, text: str) -> bool:
        """Whether one of them stands in a text, however its words are spaced."""
        if not self._sought:
            return False
        folded = text.casefold()
        if len(folded.split()) > 1:
            folded = " ".join(folded.split())
        if len(self._sought) <= _MAX_SCANNED:
            return any(_stands_in(sought, folded) for sought in self._sought)
        words = _WORD.findall(folded)
        beginnings = {(), *((word,) for word in words), *pairwise(words)}
        candidates = (
            sought for start in beginnings & self._by_beginning.keys() for sought in self._by_beginning[start]
        )
        return any(_stands_in(sought, folded) for sought in candidates)


def _stands_in(sought: str, text: str) -> bool:
    """Whether a text has these words, and does not go on with a letter or a digit before or behind them."""
    start = text.find(sought)
    while start >= 0:
        end = start + len(sought)
        is_open_before = start == 0 or not (sought[0].isalnum() and text[start - 1].isalnum())
        is_open_behind = end == len(text) or not (sought[-1].isalnum() and text[end].isalnum())
        if is_open_before and is_open_behind:
            return True
        start = text.find(sought, start + 1)
    return False
