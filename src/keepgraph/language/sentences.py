"""Sentence splitting for text of any kind: by lines, bullets and punctuation.

A full stop ends a sentence unless the word before it is an abbreviation, an initial or an ordinal, and the word after
it does not begin a sentence. The abbreviations of English, German and French are in `lexicons/full_stops.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from keepgraph import interruption, lazy
from keepgraph.language import lexicons
from keepgraph.lazy import dataclass

_MAX_LENGTH = 1_000

# A line is taken to be wrapped, and its sentence to go on in the next, only from this length on.
_MIN_WRAPPED_LINE = 50

_END = lazy.compile(
    r"(?P<point>[.!?…।؟۔]++)(?P<closing>[\"'”’“»›)\]*_]*+)|[。！？｡]++[」』）”’\"']*+"  # the latter need no space
)
_QUOTATION_MARKS = frozenset("\"'”’“»›")
_NEXT = lazy.compile(r"\s*+[\"'“‘«‹„(\[*_]*+\s?+(?P<word>[\w'’]{0,40}+)(?P<stop>\.?)")
_WORD_BEFORE = lazy.compile(r"(?P<letters>(?:(?<!\w)[^\W\d_]\.\s?)*)(?P<word>[^\s(\[{\"'“‘«„’*_]+)$")
_LETTERS_WITH_FULL_STOPS = lazy.compile(r"[^\W\d_](?:[^\W\d_]{0,2}\.[^\W\d_]{1,3})*")  # B, a.m, U.S, Ph.D
_LONGEST_WORD = 24
_SPACE = lazy.compile(r"\s*+")
_LINE = lazy.compile(r"[^\r\n]+")
_LINE_MARKERS = lazy.compile(
    r"\s{0,40}(?:[-*+•>]\s{1,4}|#{1,6}\s{1,4}|\d{1,3}[.)]\s{1,4}|\[[ xX]\]\s{1,4}|\|\s{0,4}){0,4}"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence by its offsets in the text.

    Attributes:
        start: its first character, after bullets, heading markers and list numbers.
        end: after its last character, the closing punctuation included.
        quoted: whether it stands in a block quotation (`> …`).
        heading: whether its line is a heading (`# …`).
    """

    start: int
    end: int
    quoted: bool = False
    heading: bool = False


@lru_cache(maxsize=4)
def split(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text in their order, none longer than 1,000 characters (a longer one is divided at a space).

    A line ends a sentence, unless it was wrapped: then the next line begins with a lower-case letter. The result is
    cached, because mention detection and relation extraction split the same text one after the other.
    """
    return tuple(_split(text))


def _split(text: str) -> Iterator[Sentence]:
    for start, end in _logical_lines(text):
        match = _LINE_MARKERS.match(text, start, end)
        first = match.end() if match else start
        markers = text[start:first]
        yield from (
            Sentence(sentence_start, sentence_end, quoted=">" in markers, heading="#" in markers)
            for sentence_start, sentence_end in _split_line(text, first, end)
        )


def _logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines as (start, end), each with the lines that continue it where it was wrapped."""
    start = end = last_start = -1
    for line in _LINE.finditer(text):
        first_character = next((c for c in line[0][:200] if not c.isspace()), "")
        if not first_character:
            continue
        is_adjacent = text.count("\n", end, line.start()) <= 1 if end >= 0 else False
        was_wrapped = end - last_start >= _MIN_WRAPPED_LINE
        if is_adjacent and first_character.islower() and was_wrapped and text[end - 1] not in ".!?:":
            last_start, end = line.start(), line.end()
            continue
        if start >= 0:
            yield start, end
        start, last_start, end = line.start(), line.start(), line.end()
    if start >= 0:
        yield start, end


def starts(text: str, start: int, end: int) -> list[int]:
    """Where sentences of a stretch of a text begin, except the first: offsets after the white space before them."""
    offsets = []
    for sentence_end in _ends(text, start, end):
        space = _SPACE.match(text, sentence_end, end)
        offsets.append(space.end() if space else sentence_end)
    return offsets


def is_title(word: str) -> bool:
    """Whether a word before a full stop is the title of the person named after it: Dr, Gen, Mme."""
    return word.lower() in _abbreviations()["title"]


def _split_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for sentence_end in _ends(text, start, end):
        yield from _limit_length(text, start, sentence_end)
        start = sentence_end
    yield from _limit_length(text, start, end)


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    """The offsets after the punctuation that ends a sentence, and what closes with it."""
    for match in _END.finditer(text, start, end):
        interruption.raise_if_due()
        after = match.end()
        is_before_space = after < end and text[after].isspace()
        if match["point"] is None or (is_before_space and not _goes_on(text, start, match, end)):
            yield after
            start = after


def _goes_on(text: str, start: int, punctuation: re.Match[str], end: int) -> bool:
    """Whether a sentence that began at `start` goes on after punctuation."""
    following = _NEXT.match(text, punctuation.end(), end)
    following_word = following["word"] if following else ""
    is_before_small_letter = following_word[:1].islower()
    if punctuation["point"] != ".":
        is_pause = punctuation["point"].startswith(("..", "…"))
        return is_before_small_letter and (is_pause or not _QUOTATION_MARKS.isdisjoint(punctuation["closing"]))
    if is_before_small_letter and not _QUOTATION_MARKS.isdisjoint(punctuation["closing"]):
        return True
    point = punctuation.start()
    before = _WORD_BEFORE.search(text, max(start, point - _LONGEST_WORD), point)
    if before is None:
        return False
    word = before["word"]
    if word.isdigit():
        words_before = text[max(start, before.start("word") - _LONGEST_WORD) : before.start("word")].split()
        return len(word) <= 2 and (not words_before or words_before[-1].lower() in _abbreviations()["ordinal"])
    kind = _kind(word, before["letters"])
    if kind is None:
        return False
    if kind in ("title", "saint", "before") or is_before_small_letter or following_word[:1].isdigit():
        return True
    if len(word) == 1 and len(following_word) == 1 and following and following["stop"]:
        return True  # z. B., J. R. R.
    return kind == "other" and word[0].isupper() and following_word != "" and not _begins_sentence(following_word)


def _kind(word: str, letters: str) -> str | None:
    """What kind of abbreviation a word before a full stop is, with the single letters before it; None: it is a word."""
    whole = re.sub(r"\s", "", letters) + word
    for kind in ("title", "saint", "before", "number", "other"):
        if not {word.lower(), whole.lower()}.isdisjoint(_abbreviations()[kind]):
            return kind if kind not in ("title", "saint") or word[0].isupper() else "other"
    is_initial = bool(_LETTERS_WITH_FULL_STOPS.fullmatch(word)) and word != "I"
    has_no_vowel = 1 < len(word) <= 5 and word.isalpha() and word.isascii() and not set(word.lower()) & set("aeiouy")
    return "other" if is_initial or (has_no_vowel and not word.isupper()) else None


def _begins_sentence(word: str) -> bool:
    """Whether a word with a capital begins a sentence rather than a name: a determiner, a pronoun, a stop word."""
    return word.lower().replace("’", "'") in lexicons.words("stop_words") | lexicons.words("determiners")


@cache
def _abbreviations() -> dict[str, frozenset[str]]:
    """Abbreviations without their last full stop, by what follows it."""
    kinds: dict[str, set[str]] = {}
    for kind, words in lexicons.pairs("full_stops", "="):
        kinds.setdefault(kind, set()).update(words.split())
    return {kind: frozenset(words) for kind, words in kinds.items()}


def _limit_length(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A stretch of text without the white space around it, in parts of at most 1,000 characters."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > _MAX_LENGTH:
        cut = text.rfind(" ", start + _MAX_LENGTH // 2, start + _MAX_LENGTH)
        cut = cut if cut > 0 else start + _MAX_LENGTH
        yield start, cut
        start = cut + 1 if text[cut].isspace() else cut
    if start < end:
        yield start, end
