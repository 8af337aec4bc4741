"""Name similarity: scores how certainly a name means the entity that has another name, and says why, for fuzzy matches.

Every word of the query must match a word of the name: as it is, in another spelling, as a nickname, initial or
abbreviation, or with a typo (`word_similarity`, `typos`). Digits must agree. For a person some of the names are
enough; for other entities a distinctive part is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from keepgraph import lazy
from keepgraph.language import (
    abbreviations,
    common_words,
    given_names,
    lexicons,
    opposites,
    phonetics,
    quantities,
    statements,
    typos,
)
from keepgraph.language.normalisation import Name
from keepgraph.language.typos import MIN_LETTERS
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle

# Word similarity: whether one word of a name means another, as a spelling, nickname, initial, abbreviation or typo.
#
# Whole names are compared in `similarity`.

# Scores of a pair of words, highest first. A typo scores by its share of right letters.
_PLURAL = 0.97
_OTHER_SPELLING = 0.95
_NICKNAME = 0.90
_ABBREVIATION = 0.90
_INITIAL = 0.85

_MIN_LETTERS_SAME_SOUND = 4


@dataclass(frozen=True, slots=True)
class Similarity:
    """How similar two words or names are, from 0 to 1, and what links them if not their letters."""

    score: float
    reason: str | None = None


NO_MATCH = Similarity(0.0)


@lru_cache(maxsize=4096)
def compare_words(word: str, other: str, *, has_context: bool, person: bool, given_name: bool) -> Similarity:
    """Score how certainly the folded word `word` of a query means the word `other` of a name.

    Args:
        has_context: another word of the query matches; then less evidence is enough for this one.
        person: the words belong to the name of a person.
        given_name: one of the words is in the place of a given name.
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


MATCH_THRESHOLD = 0.80
"""Score from which a name on its own is taken to mean an entity; the default of a profile (chosen in ADR 0012)."""

RIVAL_SCORE = 0.79
"""Score of a name that has all the words of the query, but is not meant by them alone.

It is below the threshold and within the margin of a match, so that it makes another match ambiguous.
"""

MENTIONED_SCORE = 0.77
"""Score of a decision that mentions the queried name: it is not meant, and does not compete with what has the name."""

# Scores of whole names, highest first. A name found by typos is between MATCH_THRESHOLD and _BEST_ALIGNED.
_EQUAL = 0.99
_BEST_ALIGNED = 0.98
_SAME_WORDS = 0.97
_SAME_LETTERS = 0.96
_PARTIAL_FACTOR = 0.93  # some names of a person: Sarah for Sarah Connor
_SAME_TITLE = 0.05  # more than the margin between two matches
_SAME_STATEMENT = 0.9  # of a decision, in other words
_MAIN_TITLE = 0.90  # of a title with a subtitle
_DISTINCTIVE_PART = 0.82
_MAX_STRING_SIMILARITY = 0.74  # below RIVAL_SCORE: similar letters alone must not compete

# Shares of the letters of a name from which a part of it is enough.
_NEARLY_ALL = 0.75  # even if the part is not distinctive
_MOST = 0.6
_HALF = 0.5  # with two words
_ENOUGH_OF_LONG_NAME = 0.4  # with two words, of a statement or a reference: their names are long
_MIN_LETTERS_SINGLE_NAME = 5
_CODE = lazy.compile(r"[a-z]{2,4}\d{2,}")
"""The code of a document, such as NG31, which says which one it is without the rest of its title."""
_MAX_TYPOS = 2  # with more it is another name

_SUBTITLE = lazy.compile(r":\s|\s[–—-]\s|\s\(|\sby\s(?=[A-Z]\S*\s[A-Z])")
_STYLES_WITH_SUBTITLE: tuple[NameStyle, ...] = ("title", "reference")
_DIGITS = lazy.compile(r"\d+")
_GENERATIONS = frozenset("jr sr junior senior ii iii iv".split())
_FUNCTION_WORDS = frozenset(
    "a an and as at be by de del der des die das el en et for from in into is it la le of on or our per the their "
    "to und von with y your my we who what about re".split()
)
# Words by which a query names the type of an entity, besides the name of its type: the choice on telemetry.
_TYPE_WORDS: dict[NameStyle, frozenset[str]] = {
    "title": frozenset(["initiative"]),
    "statement": frozenset(["choice"]),
    "reference": frozenset("document doc paper book report article page".split()),
}
# With these styles, the name of the type may be in the name itself, in the query, or in neither: Project Atlas.
_STYLES_WITH_TYPE: tuple[NameStyle, ...] = ("person", "title", "statement")
_STYLES_WITHOUT_WORD_ORDER: tuple[NameStyle, ...] = ("title", "reference")


def compare(query: Name, name: Name, *, style: NameStyle, type_names: frozenset[str] = frozenset()) -> Similarity:
    """Score how certainly the name `query` means an entity that has the name `name`.

    Args:
        style: how the names of its type are made.
        type_names: the name of its type, and of those that it is a kind of.

    Returns:
        A score from 0 to 1, from MATCH_THRESHOLD up for a match, with the reason where it is not the same letters.
    """
    if query.folded == name.folded:
        return Similarity(_EQUAL) if len(query.folded) > 1 else NO_MATCH
    is_person = style == "person"
    if is_person and query.folded.startswith("the ") and query.folded.endswith("s"):
        return NO_MATCH  # the Hugheses are a family
    ignored = type_names if style in _STYLES_WITH_TYPE else frozenset()
    name_words = name.words_without(ignored, honorifics=is_person)
    if style in _STYLES_WITH_SUBTITLE and _is_main_title(query, name):
        return Similarity(_MAIN_TITLE, "main title")
    query_words = query.words_without(ignored, honorifics=is_person)
    match = _compare_words(query_words, name_words, style)
    if is_person and not match.score and _may_be_longer(query_words, name_words):
        match = _compare_words(name_words, query_words, style)
    if is_person and match.score >= MATCH_THRESHOLD and _have_same_title(query, name):
        match = Similarity(min(match.score + _SAME_TITLE, _BEST_ALIGNED), match.reason)
    if match.score < MATCH_THRESHOLD and (type_words := _type_words(query, style, type_names)):
        # The decision on telemetry: the query has named the type, so less of the name is enough.
        typed = _compare_words(query.words_without(type_words), name_words, style, type_named=True)
        match = max(match, typed, key=lambda similarity: similarity.score)
    is_open = style == "statement" and match.score < MATCH_THRESHOLD
    if is_open and statements.say_the_same(query.folded, name.folded):
        return Similarity(_SAME_STATEMENT, "says the same in other words")
    return match


def _have_same_title(query: Name, name: Name) -> bool:
    """Whether both begin with the same title: Dr Subramanian is the one with that title in the name."""
    title = query.folded.split()[0]
    return title == name.folded.split()[0] and title not in query.words_without(frozenset(), honorifics=True)


def main_title(name: str) -> str | None:
    """What precedes a colon, a dash, a bracket or an author: Sapiens, in Sapiens: A Brief History; else None."""
    parts = _SUBTITLE.split(name, maxsplit=1)
    return parts[0] if len(parts) > 1 and parts[0] else None


def string_similarity(query: str, name: str) -> float:
    """How similar the letters of two folded names are, below RIVAL_SCORE: to list candidates, never to choose one."""
    from rapidfuzz import fuzz

    whole = max(fuzz.ratio(query, name), fuzz.token_sort_ratio(query, name))
    share_a_word = any(
        len(word) > MIN_LETTERS and word not in lexicons.words("generic_words")
        for word in set(query.split()) & set(name.split())
    )
    ratio = max(whole, 0.9 * fuzz.token_set_ratio(query, name) if share_a_word else 0)
    return min(_MAX_STRING_SIMILARITY, ratio / 100)


def is_function_word(word: str) -> bool:
    """Whether a word of a name only joins others: of, the, and."""
    return word in _FUNCTION_WORDS


def is_generic(word: str) -> bool:
    """Whether a word identifies nothing by itself: project, meeting, team, and function words."""
    return word in lexicons.words("generic_words") or word in _FUNCTION_WORDS


def _is_main_title(query: Name, name: Name) -> bool:
    """Whether the query is the main title of a name with a subtitle, and not a common word: Interview."""
    title = main_title(name.text)
    if title is None or (words := Name(title).words) != query.words:
        return False
    if query.text == title and len(title.split()) > len(words):
        return True  # The Box, as written
    return not all(is_generic(word) or (len(words) == 1 and common_words.is_common(word)) for word in words)


def _type_words(query: Name, style: NameStyle, type_names: frozenset[str]) -> frozenset[str]:
    """The words of the query that name the type of the entity; for a reference, only the last word: the Q3 report."""
    if style not in _TYPE_WORDS:
        return frozenset()
    words = query.folded.split()
    return (type_names | _TYPE_WORDS[style]).intersection(words[-1:] if style == "reference" else words)


def _compare_words(
    query: Sequence[str], name: Sequence[str], style: NameStyle, *, type_named: bool = False
) -> Similarity:
    if _letter_count(query) < MIN_LETTERS and not (len(query) == 1 and given_names.contains(query[0])):
        return NO_MATCH
    if "".join(query) == "".join(name) and _DIGITS.findall(" ".join(query)) == _DIGITS.findall(" ".join(name)):
        return Similarity(_SAME_LETTERS if query != name else _SAME_WORDS)
    if style == "person":
        return _compare_person(query, name)
    return _compare_thing(query, name, style, type_named=type_named)


def _letter_count(words: Sequence[str]) -> int:
    """How many letters a name has, where an ideograph or a syllable counts as two."""
    return sum(map(len, words)) + sum(len(re.findall(typos.IDEOGRAPHS, word)) for word in words if not word.isascii())


# Persons


def _compare_person(query: Sequence[str], name: Sequence[str]) -> Similarity:
    if _numbers(query) != _numbers(name) or _GENERATIONS.intersection(name) - set(query):
        return NO_MATCH
    divisions = [
        (query, name),
        *((joined, name) for joined in _joined(query)),
        *((query, joined) for joined in _joined(name)),
    ]
    return max((_compare_person_words(*division) for division in divisions), key=lambda match: match.score)


def _may_be_longer(query: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a query may be a longer name of a person with more than one known name.

    Its extra words are not common ones, as in “mother of”.
    """
    return len(query) > len(name) > 1 and not any(common_words.is_common(word) for word in {*query} - {*name})


def _joined(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The name with two neighbouring words joined: Xiao-ming, Xiaoming."""
    for position in range(len(words) - 1):
        if len(words) > 2 and min(len(words[position]), len(words[position + 1])) > 1:
            yield [*words[:position], words[position] + words[position + 1], *words[position + 2 :]]


def _compare_person_words(query: Sequence[str], name: Sequence[str]) -> Similarity:
    if sorted(query) == sorted(name):
        return Similarity(_SAME_WORDS)
    if len(query) > len(name) or any(len(word) == 1 and all(other[0] != word for other in name) for word in query):
        return NO_MATCH  # Robert K. Hughes is not Robert J. Hughes
    match = _align(query, name, person=True)
    if match is NO_MATCH or len(query) == len(name):
        return match
    # One name of several with a typo in it is two steps away: only a longer word allows that.
    long_enough = len(query) == 1 and len(query[0]) >= _MIN_LETTERS_SINGLE_NAME
    if _has_first_or_last_name(query, name) or long_enough:
        return Similarity(_PARTIAL_FACTOR * match.score, match.reason)
    return NO_MATCH


def _has_first_or_last_name(query: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a word of the query is, except for its spelling, the first or the last word of the name."""
    return any(
        word == end
        or end in given_names.nicknames(word)
        or end in given_names.spellings(word)
        or phonetics.key(word) == phonetics.key(end)
        for word in query
        for end in (name[0], name[-1])
    )


# Titles, statements, terms and references


def _compare_thing(query: Sequence[str], name: Sequence[str], style: NameStyle, *, type_named: bool) -> Similarity:
    query, name = [typos.normalise_spelling(word) for word in query], [typos.normalise_spelling(word) for word in name]
    if not _has_digits_of(query, name):
        return NO_MATCH
    if query == name:
        return Similarity(_SAME_WORDS)
    if _numbers(query) != _numbers(name):
        return _compare_part(query, name, style, type_named=type_named)
    any_order = style in _STYLES_WITHOUT_WORD_ORDER
    if "".join(query) == "".join(name) or (
        any_order and _may_reorder(query, person=False) and sorted(query) == sorted(name)
    ):
        return Similarity(_SAME_WORDS)
    if len(query) == len(name):
        match = _align(query, name, person=False, in_order=not any_order)
        if match is not NO_MATCH:
            return match
    return _compare_part(query, name, style, type_named=type_named)


def _compare_part(query: list[str], name: list[str], style: NameStyle, *, type_named: bool) -> Similarity:
    """Score some words of a longer name: a match if they are its head or most of it, and distinctive."""
    part, whole = _without_function_words(query), _without_function_words(name)
    if not part or len(part) >= len(whole):
        return NO_MATCH
    if style == "term" and not type_named:
        # A part of the name of a term is another term: React is not React Native, and Mexico is not New Mexico.
        return Similarity(RIVAL_SCORE, "part of the name") if set(part) <= set(whole) else NO_MATCH
    omitted = _omitted_words(part, whole)
    if omitted is None or any(not word.isalnum() for word in omitted) or not _may_omit_numbers(part, omitted):
        return NO_MATCH  # a symbol that distinguishes names is omitted, or a number of a version
    whole_length = sum(map(len, whole))
    share = (whole_length - sum(map(len, omitted))) / whole_length
    is_distinctive = any(_is_distinctive(word) for word in part)
    has_head = whole[0] not in omitted
    enough = type_named or _is_enough(style, part, share, has_head=has_head, is_distinctive=is_distinctive)
    nearly_all = share >= _NEARLY_ALL and (style != "statement" or len(part) > 1)
    tells_apart = any(opposites.is_negating(word) for word in omitted)
    if not tells_apart and ((enough and is_distinctive) or nearly_all):
        return Similarity(_DISTINCTIVE_PART, "part of the name")
    # A name that a decision mentions more likely means something else: Straumann is the Straumann Group.
    is_one_word = style == "statement" and len(part) == 1 and not has_head and not type_named
    is_mentioned = is_one_word and not common_words.is_english(part[0])
    return Similarity(MENTIONED_SCORE if is_mentioned else RIVAL_SCORE, "part of the name")


def _without_function_words(words: Sequence[str]) -> list[str]:
    """The words without function words; a letter at the end stays: Team A."""
    return [
        word
        for position, word in enumerate(words)
        if word not in _FUNCTION_WORDS or (position and position == len(words) - 1)
    ]


def _omitted_words(part: Sequence[str], whole: Sequence[str]) -> list[str] | None:
    """The words of the name that no word of the query matches; None if a word of the query matches nothing."""
    omitted = list(whole)
    for word in part:
        scores = {
            other: compare_words(word, other, has_context=len(part) > 1, person=False, given_name=False).score
            for other in omitted
        }
        best = max(scores, key=scores.__getitem__)
        if scores[best] == 0:
            return None
        omitted.remove(best)
    return omitted


def _is_distinctive(word: str) -> bool:
    return word not in lexicons.words("generic_words") and not word.isdecimal() and len(word) >= MIN_LETTERS


def _is_enough(style: NameStyle, part: Sequence[str], share: float, *, has_head: bool, is_distinctive: bool) -> bool:
    """Whether a part of a name of this style is enough, by its share of the letters and by whether it has the head."""
    if style == "statement":
        return share >= _ENOUGH_OF_LONG_NAME and len(part) >= 2
    if style == "reference":
        if len(part) == 1 and _CODE.fullmatch(part[0]):
            return True
        return len(part) >= 2 and (share >= _ENOUGH_OF_LONG_NAME or has_head)
    return (has_head and is_distinctive) or (len(part) >= 2 and share >= _HALF) or share >= _MOST


# Digits and word order


def _numbers(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The numbers in their order, and those within words: 2025 Q3 is Q3 2025, but 1:3 is not 3:1."""
    whole = [word for word in words if word.isdecimal()]
    return whole, sorted(_DIGITS.findall(" ".join(word for word in words if not word.isdecimal())))


def _has_digits_of(query: Sequence[str], name: Sequence[str]) -> bool:
    """Whether the name has every number of the query; it may have more."""
    available = _DIGITS.findall(" ".join(name))
    for number in _DIGITS.findall(" ".join(query)):
        if number not in available:
            return False
        available.remove(number)
    return True


def _may_omit_numbers(part: Sequence[str], omitted: Sequence[str]) -> bool:
    """Whether the query may omit these words: none with a number if it has one itself."""
    if not _DIGITS.search(" ".join(part)):
        return True
    return not any(_DIGITS.search(word) or quantities.is_calendar_word(word) for word in omitted)


def _may_reorder(words: Sequence[str], *, person: bool) -> bool:
    """Whether word order does not matter: Lovelace, Ada."""
    return person or len(words) <= 3


# Alignment of words


def _align(query: Sequence[str], name: Sequence[str], *, person: bool, in_order: bool = False) -> Similarity:
    """Match each word of the query with a different word of the name, greedily.

    Returns:
        The mean of the word scores, scaled to MATCH_THRESHOLD and up; NO_MATCH if a word matches nothing.
    """
    by_position = len(query) == len(name) and (in_order or not _may_reorder(query, person=person))
    identical = [word in name for word in query]
    unmatched = list(name)
    matches: list[Similarity] = []  # of the words that are not identical
    # Identical words come first, so that no other word takes their counterpart, and initials last.
    order = sorted(
        range(len(query)), key=lambda position: (not identical[position], len(query[position]) == 1, position)
    )
    for position in order:
        word = query[position]
        options = [name[position]] if by_position else unmatched
        if word in options:
            if not by_position:
                unmatched.remove(word)
            continue
        match, other = _best_match(
            query,
            name,
            position,
            [option for option in options if by_position or option not in query],
            person=person,
            other_matches=any(identical) or bool(matches),
        )
        if match.score == 0:
            return NO_MATCH
        if not by_position:
            unmatched.remove(other)
        matches.append(match)
    typo_count = sum(not match.reason for match in matches)
    only_initials = all(len(word) == 1 for word in query)
    if typo_count > _MAX_TYPOS or only_initials:
        return NO_MATCH
    mean = (len(query) - len(matches) + sum(match.score for match in matches)) / len(query)
    reasons = [match.reason for match in matches if match.reason]
    return Similarity(MATCH_THRESHOLD + (_BEST_ALIGNED - MATCH_THRESHOLD) * mean, "; ".join(reasons) or None)


def _best_match(
    query: Sequence[str],
    name: Sequence[str],
    position: int,
    options: Sequence[str],
    *,
    person: bool,
    other_matches: bool,
) -> tuple[Similarity, str]:
    """The best match of the word at this position of the query among the words `options` of the name."""
    word = query[position]
    # In a part of a person's name, the words beside support an initial only.
    has_context = other_matches and (not person or len(query) == len(name) or len(word) == 1)
    matches = [
        (
            compare_words(
                word,
                other,
                has_context=has_context,
                person=person,
                given_name=person and (position == 0 or other == name[0]),
            ),
            other,
        )
        for other in options
    ]
    return max(matches, key=lambda pair: pair[0].score, default=(NO_MATCH, ""))
