"""Spelling normalisation of a word: digits for number words, American for British spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from keepgraph import lazy
from keepgraph.language import quantities

_VERSION = lazy.compile(r"v(\d+)")
_BRITISH_TO_AMERICAN = (
    ("isation", "ization"),
    ("(?<=...)is(e[ds]?|ing)$", r"iz\1"),
    ("(?<=...)yse(?=[ds]?$)", "yze"),
    ("(?<=...)our(?=s?$)", "or"),
    ("(?<=[aeiou][btn])re$", "er"),
    ("(?<=[aeiou])tre(?=s?$)", "ter"),
    ("centre", "center"),
    ("fibre", "fiber"),
    ("grey", "gray"),
    ("(?<=[ae]f)ence$|(?<=off)ence$", "ense"),
    ("ogue(?=s?$)", "og"),
    ("paed", "ped"),
    ("anaes", "anes"),
    ("haem", "hem"),
    ("oest", "est"),
    ("gynaec", "gynec"),
    ("(?<=[aeiou])ll(?=(ed|ing|ers?)$)", "l"),
    ("aluminium", "aluminum"),
    ("mould", "mold"),
    ("programme", "program"),
    ("licence", "license"),
)


@lru_cache(maxsize=4096)
def normalise(word: str) -> str:
    """A folded word for comparison: two is 2, v3 is 3, colour is color. The result need not be a real word."""
    word = str(quantities.CARDINALS.get(word, word))
    if version := _VERSION.fullmatch(word):
        return version[1]
    for british, american in _BRITISH_TO_AMERICAN:
        word = re.sub(british, american, word)
    return word
