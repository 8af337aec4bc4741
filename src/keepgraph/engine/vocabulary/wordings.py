"""Wordings of entity types and predicates: their keys, and the spelling of vocabulary words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from keepgraph import lazy

MAX_WORD = 100
"""The longest name of a word, in characters."""

RESERVED_LABELS = ("Literal", "Entity")
"""The labels of Cypher that mean no entity type."""

_MAX_CACHED = 8_000  # wordings: those of a large vocabulary are compared repeatedly
_LOWER_BEFORE_UPPER = lazy.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_PLURALS = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", ""))
_NOT_WORD = lazy.compile(r"[\W_]+")


@lru_cache(maxsize=_MAX_CACHED)
def key(wording: str) -> str:
    """The form for comparison: words in lower case, one space between: `WorksAt` and `works_at` are `works at`."""
    separated = _LOWER_BEFORE_UPPER.sub(" ", unicodedata.normalize("NFKC", wording)).casefold()
    if separated.isascii():
        return _NOT_WORD.sub(" ", separated).strip()
    # In many scripts vowels are marks, which are no letters to a regular expression.
    return " ".join("".join(c if c.isalnum() or _is_mark(c) else " " for c in separated).split())


def spell(wording: str) -> str:
    """A wording spelled as a word of the vocabulary: `Works at` is `works_at`; empty if it has no letter."""
    return key(wording).replace(" ", "_")[:MAX_WORD].rstrip("_")


@lru_cache(maxsize=_MAX_CACHED)
def type_label(entity_type: str) -> str:
    """An entity type as a label of Cypher: `research_paper` is `ResearchPaper`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\s-]+", entity_type) if part)


def singular(wording: str) -> str:
    """The key of a wording that ends in an English plural, with its singular: `companies` is `company`.

    Empty if it is not a plural.
    """
    plural = key(wording)
    for ending, replacement in _PLURALS:
        if plural.endswith(ending) and not plural.endswith("ss"):
            return plural.removesuffix(ending) + replacement
    return ""


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"
