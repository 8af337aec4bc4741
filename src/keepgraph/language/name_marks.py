"""Marks of a name: what in a text shows that ordinary words with capitals are a name: quotation marks, repetition."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keepgraph.language import common_words, ordinary_phrases
from keepgraph.language.annotated_text import AnnotatedText, Offsets

_MIN_WORDS = 3
"""So many words with capitals in the middle of a sentence are rarely an ordinary phrase."""

_OPENING, _CLOSING = '"“«„‘', '"”»“’'
_EMPHASIS = "*_"
_DEFINITION = re.compile(r"\W{0,3}(?: \([^()\n]{0,100}\))?,? (?:is|was|are|were) (?:an?|the|one)\b")


def is_marked(text: AnnotatedText, run: Sequence[Offsets], lower_case: Sequence[str]) -> bool:
    """Whether ordinary words are shown to be a name: they are quoted, defined or repeated, or are very many.

    Args:
        run: the words by their offsets.
        lower_case: the same words in small letters.
    """
    start, end = run[0][0], run[-1][1]
    if text.is_title_case(start) or (len(run) == 1 and not _may_name_alone(lower_case[0])):
        return False
    if len(run) > 1 and (_is_quoted(text.text, start, end) or is_defined(text, run)):
        return True
    if text.is_sentence_start(start):
        return False
    return len(run) >= _MIN_WORDS or _is_repeated(text.text, start, end)


def _may_name_alone(word: str) -> bool:
    return not ordinary_phrases.is_plain_word(word) and not common_words.may_begin_sentence(word)


def is_defined(text: AnnotatedText, run: Sequence[Offsets]) -> bool:
    """Whether a sentence of a text says what something is that has this name: “Hello Love (2019) is a film”."""
    return bool(_DEFINITION.match(text.text, run[-1][1]))


def _is_quoted(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return bool(before and after) and before in _OPENING and after in _CLOSING


def _is_repeated(text: str, start: int, end: int) -> bool:
    """Whether the words stand in the text with their capitals again, and not without."""
    name = text[start:end]
    return text.count(name) > 1 and not re.search(rf"\b{re.escape(name.lower())}\b", text)
