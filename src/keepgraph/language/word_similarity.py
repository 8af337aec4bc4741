"""Word similarity: whether one word of a name means another, as a spelling, nickname, initial, abbreviation or typo.

Whole names are compared in `similarity`.
"""

from __future__ import annotations

from functools import lru_cache

from keepgraph.language import abbreviations, given_names, phonetics, typos
from keepgraph.lazy import dataclass

# Scores of a pair of words, the surest first. A typo scores by its share of right letters.
_PLURAL = 0.97
_OTHER_SPELLING = 0.95
_NICKNAME = 0.90
_ABBREVIATION = 0.90
_INITIAL = 0.85

_MIN_LETTERS_SAME_SOUND = 4


@dataclass(frozen=True, slots=True)
class Similarity:
    """How similar two words or names are, from 0 to 1, and what links them where it is not their letters."""

    score: float
    reason: str | None = None


NO_MATCH = Similarity(0.0)


@lru_cache(maxsize=4096)
def compare(word: str, other: str, *, has_context: bool, person: bool, given_name: bool) -> Similarity:
    """Score how surely the folded word `word` of a query means the word `other` of a name.

    Args:
        has_context: another word of the query matches; then less evidence is enough for this one.
        person: the words belong to the name of a person.
        given_name: one of the words stands where a given name stands.
    """
    if word == other:
        return Similarity(1.0)
    match = _match_in_person(word, other, has_context=has_context) if person else _match_in_thing(word, other)
    if match:
        return match
    score = typos.similarity(word, other, has_context=has_context, given_name=given_name)
    return Similarity(score) if score else NO_MATCH


def _match_in_person(word: str, other: str, *, has_context: bool) -> Similarity | None:
    if other in given_names.spellings(word):
        return Similarity(_OTHER_SPELLING, f"“{word}” is another spelling of “{other}”")
    if other in given_names.nicknames(word):
        short, long = (word, other) if given_names.is_short_for(word, other) else (other, word)
        return Similarity(_NICKNAME, f"“{short}” is short for “{long}”")
    if len(word) == 1 and other.startswith(word) and has_context:
        return Similarity(_INITIAL, f"“{word}” is an initial of “{other}”")
    if len(other) == 1 and word.startswith(other) and has_context:
        return Similarity(_INITIAL, f"“{other}” is an initial of “{word}”")
    same_ending = word[-1] == other[-1] or not typos.differ_in_ending(word, other)
    if (
        min(len(word), len(other)) >= _MIN_LETTERS_SAME_SOUND
        and same_ending
        and phonetics.key(word) == phonetics.key(other)
    ):
        return Similarity(_OTHER_SPELLING, f"“{word}” is spelled as “{other}” elsewhere")
    return None


def _match_in_thing(word: str, other: str) -> Similarity | None:
    if _is_plural(word, other) or _is_plural(other, word):
        return Similarity(_PLURAL)
    if other in abbreviations.expand(word) or word in abbreviations.expand(other):
        return Similarity(_ABBREVIATION, f"“{word}” stands for “{other}”")
    return None


def _is_plural(word: str, singular: str) -> bool:
    plurals = (f"{singular}s", f"{singular}es", f"{singular[:-1]}ies" if singular[-1] == "y" else "")
    return len(singular) > typos.MIN_LETTERS and word in plurals
