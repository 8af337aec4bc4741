"""Phonetic keys of names: spellings that differ between languages and times get the same key."""

from __future__ import annotations

import re
from functools import lru_cache

_SOUND_RULES = (
    ("ph", "f"),
    ("tsch|tch", "ch"),
    ("sch", "sh"),
    ("ck", "k"),
    ("kh", "h"),
    ("c(?![heiy])", "k"),
    ("w", "v"),
    ("x", "ks"),
    ("[yj](?=[aou])", "i"),
    ("oh(?=[^aeiou]|$)", "o"),
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("(iy|ij|yi|y)$", "i"),
    ("ou$", "o"),
    (r"(.)\1+", r"\1"),
)


@lru_cache(maxsize=4096)
def key(word: str) -> str:
    """The phonetic key of a folded word. Two names with the same key may be spellings of one name."""
    for pattern, sound in _SOUND_RULES:
        word = re.sub(pattern, sound, word)
    return word


def german_spelling(word: str) -> str:
    """A folded Slavic name as German and Polish write it, with w for v and j before a soft vowel: Wolkow for Volkov."""
    return re.sub("i(?=[aou])", "j", word.replace("v", "w"))
