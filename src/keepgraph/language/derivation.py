"""Derivation: whether a noun names what a verb or an adjective says, by the endings of English: expansion, expand."""

from __future__ import annotations

from functools import lru_cache

from keepgraph import lazy
from keepgraph.language import inflection

_MIN_STEM = 3
_MIN_STEM_BEFORE = {"al": 5, "age": 4, "sion": 3, "ission": 3, "ension": 3, "ment": 4}  # portal, page, moment
_DOUBLED = lazy.compile(r"(.)\1")

# The ending of a noun, and what the stem of its verb or its adjective has there.
_ENDINGS = (
    ("ification", ("ify",)),
    ("ication", ("y", "icat")),
    ("ription", ("rib",)),
    ("uction", ("uc", "uct")),
    ("ization", ("iz",)),
    ("isation", ("is",)),
    ("ation", ("", "at")),
    ("ition", ("", "it")),
    ("umption", ("um",)),
    ("version", ("vert",)),
    ("ension", ("end",)),
    ("ission", ("it",)),
    ("ession", ("ed", "ess")),
    ("usion", ("ud", "us")),
    ("asion", ("ad",)),
    ("ision", ("id", "is")),
    ("sion", ("d", "t", "s")),
    ("ion", ("",)),
    ("ement", ("", "e")),
    ("ment", ("",)),
    ("ysis", ("ys", "yz")),
    ("ance", ("", "ant")),
    ("ence", ("", "ent")),
    ("ancy", ("ant",)),
    ("ency", ("ent",)),
    ("ure", ("",)),
    ("ery", ("er",)),
    ("age", ("",)),
    ("al", ("",)),
)


@lru_cache(maxsize=8192)
def are_related(word: str, other: str) -> bool:
    """Whether two folded words are a verb and its noun, or two nouns of one verb; not whether they are equal."""
    return not _verb_stems(word).isdisjoint(_verb_stems(other))


@lru_cache(maxsize=8192)
def _verb_stems(word: str) -> frozenset[str]:
    """The stems that a verb of this word may have, doubled letters written once; its own stem among them."""
    stems = {inflection.stem(word)}
    singular = word.removesuffix("s") if not word.endswith(("ss", "sis")) else word
    for ending, replacements in _ENDINGS:
        shortest = _MIN_STEM_BEFORE.get(ending, _MIN_STEM if ending in ("ation", "ion") else _MIN_STEM - 1)
        if singular.endswith(ending) and len(singular) - len(ending) >= shortest:
            bases = [singular.removesuffix(ending) + replacement for replacement in replacements]
            stems.update(inflection.stem(base) for base in bases if len(base) >= _MIN_STEM)
            stems.update(base for base in bases if len(base) >= _MIN_STEM)
    return frozenset(_DOUBLED.sub(r"\1", stem) for stem in stems)
