"""Phonetic keys of names: spellings that differ between languages and times get the same key."""

from __future__ import annotations

from functools import lru_cache

from keepgraph import lazy

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
    ("(?<=..)o[ou](?=[^aeiou].)", "u"),  # Mansoori, Mansouri
)
# Each with letters of which a word that it changes has one: most words have few, and a search for a letter is quick.
_COMPILED_RULES = tuple(
    (letters, lazy.compile(pattern), sound)
    for letters, (pattern, sound) in zip(
        ("p", "t", "s", "c", "k", "c", "w", "x", "yj", "h", "ae", "oe", "ue", "yj", "u", "o"), _SOUND_RULES, strict=True
    )
)
_DOUBLED = lazy.compile(r"(.)\1+")


@lru_cache(maxsize=4096)
def key(word: str) -> str:
    """The phonetic key of a folded word. Two names with the same key may be spellings of one name."""
    for letters, pattern, sound in _COMPILED_RULES:
        if any(letter in word for letter in letters):
            word = pattern.sub(sound, word)
    return _DOUBLED.sub(r"\1", word)
