"""Known words: frequent words of seven languages, names of persons and of places, by lookup in a Bloom filter.

About one word in three hundred is taken for a known one that is none. `tests/benchmarks/known_words.py` makes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path

FILE = Path(__file__).resolve().parent / "known_words.bloom"
BITS = 3 << 20
LANGUAGES = ("de", "es", "fr", "it", "pt", "ru")
"""Those of which words are in the filter. Those of Korean have a script of their own."""

WITH_CAPITALS_OF_NOUNS = frozenset(["de"])
"""The languages in which a capital marks a noun, not a name."""

_HASHES = 6
_MAX_CACHED = 20_000


def is_frequent(word: str, languages: Collection[str]) -> bool:
    """Whether a word is an ordinary one in one of some languages, or in the only one of its script.

    Args:
        word: in small letters.
    """
    if word > "\uac00":
        return _contains(f":{word}")
    return any(all(_contains(f"{language}:{part}") for part in word.split("-")) for language in languages)


def is_place(word: str) -> bool:
    """Whether a word, in small letters, is the name of a city or a country."""
    return _contains(f"place:{word}")


def is_person(word: str) -> bool:
    """Whether a word, in small letters, is a given name or a surname, or both in one word: 김민수."""
    return _contains(f"name:{word}") or (
        word > "\uac00" and _contains(f"surname:{word[0]}") and _contains(f"name:{word[1:]}")
    )


@lru_cache(maxsize=_MAX_CACHED)
def _contains(key: str) -> bool:
    bits = _filter()
    return all(bits[position >> 3] >> (position & 7) & 1 for position in positions(key))


def positions(key: str) -> list[int]:
    """The bits of the filter that are set if a key is in it."""
    digest = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "little")
    first, step = digest & 0xFFFFFFFF, digest >> 32 | 1
    return [(first + number * step) % BITS for number in range(_HASHES)]


@cache
def _filter() -> bytes:
    return FILE.read_bytes()
