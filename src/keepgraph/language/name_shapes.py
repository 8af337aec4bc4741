"""The shapes of names: whether a text may be the proper name of a person, of an organisation, or of anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from keepgraph import lazy
from keepgraph.language import common_words, given_names, inflection, normalisation, opposites, quantities

_PRONOUNS = frozenset(
    "i me my mine you your he him his she her hers it its we us our they them their who whom this that these those "
    "somebody someone something anybody anyone anything everybody everyone everything nobody none both all some "
    "one others another".split()
)
_MAX_WORDS = 9
_MAX_WORDS_OF_PERSON = 5
_WORDS_OF_FULL_NAME = 3
_ARTICLE = lazy.compile(r"(?:the|a|an|der|die|das|la|le|les|el|los|las|il)\s", re.IGNORECASE)
_INSIDE_NAMES = frozenset(
    "of the and de da di del della der den van von zu la le y e bin ibn al el du des for on in".split()
)


def is_proper(text: str, *, is_cased: bool = True) -> bool:
    """Whether a text is written like the name of one thing: `Atlas`, `northern Ethiopia`, not `tropical forests`.

    Args:
        is_cased: whether capital letters mean anything; false where nothing was written with any.
    """
    words = text.split()
    if not words or len(words) > _MAX_WORDS or not is_noun_phrase(text) or quantities.ends_in_time(text):
        return False
    if not is_cased or not any(character.isupper() or character.islower() for character in text):
        return True
    first = (_ARTICLE.sub("", text).split() or words)[0]
    if any(character.isupper() for character in first):
        return True
    if first[0].isdigit():
        return any(word[0].isupper() for word in words[1:])
    has_preposition = any(word in inflection.PREPOSITIONS for word in words)
    return not has_preposition and len(words) <= 3 and words[-1][0].isupper()


def is_noun_phrase(text: str) -> bool:
    """Whether a text may name something at all: it is not a date, a quantity or a pronoun, and has a letter or a
    digit."""
    if not any(character.isalnum() for character in text) or text.casefold().strip() in _PRONOUNS:
        return False
    return not quantities.is_time(text) and not quantities.is_quantity(text)


def are_cased(names: Iterable[str]) -> bool:
    """Whether capital letters mean anything in these names: whether one of them has any."""
    return any(character.isupper() for name in names for character in name)


@lru_cache(maxsize=4096)
def resembles_person(name: str) -> bool:
    """Whether a name looks like that of a person: a given name, or some capitalised words that mean nothing else."""
    words = _significant_words(name)
    if not words or len(words) > _MAX_WORDS_OF_PERSON or _has_sign_of_group(name):
        return False
    first = normalisation.Name(words[0]).folded
    if len(words) == 1:
        return given_names.contains(first) and not common_words.is_common(first)
    if not all(word[0].isupper() or not word[0].islower() for word in words):
        return False
    is_full_name = len(words) <= _WORDS_OF_FULL_NAME and given_names.contains(first)
    return is_full_name or not _has_common_word(words)


@lru_cache(maxsize=4096)
def resembles_group(name: str) -> bool:
    """Whether a name looks like that of an organisation or a place: by an acronym, a digit, `&`, or a common word."""
    if _has_sign_of_group(name) or opposites.is_place_group(opposites.exclusive_group(name)):
        return True
    return not resembles_person(name) and _has_common_word(_significant_words(name))


def _significant_words(name: str) -> list[str]:
    words = [word.strip(".,()") for word in name.split()]
    return [word for word in words if word and word.casefold() not in _INSIDE_NAMES]


def _has_common_word(words: Sequence[str]) -> bool:
    """Whether a word after the first one is a common word, not a name."""
    return any(common_words.is_common(normalisation.Name(word).folded) for word in words[1:])


def _has_sign_of_group(name: str) -> bool:
    words = [word.strip(".,()") for word in name.split()]
    return (
        "&" in words
        or "of" in words
        or words[0].casefold() == "the"
        or any(character.isdigit() for character in name)
        or any(len(word) > 1 and word.isalpha() and word.isupper() for word in words)
    )
