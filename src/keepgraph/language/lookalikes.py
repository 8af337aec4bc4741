"""Lookalikes: names in different characters that look the same, such as PauIa and Paula (UTS 39)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from keepgraph import lazy
from keepgraph.language import normalisation

# Small l, capital I and 1 look the same, and capital O and 0; L and o look otherwise, so these have signs of their own.
_STROKE, _RING = "\ue000", "\ue001"
_STROKE_AT_START = lazy.compile(rf"(?<!\S){_STROKE}")


def appearance(name: str) -> str:
    """What a name looks like: the same for two names that look the same."""
    return normalisation.key(name.translate(_signs())).replace("rn", "m")


def keys(name: str) -> list[str]:
    """The keys that a name may have that looks like this one, its own aside: I is read as l, or begins a word."""
    seen = appearance(name).replace(_RING, "o")
    readings = (reading.replace(_STROKE, "l") for reading in (seen, _STROKE_AT_START.sub("i", seen)))
    return [key for key in dict.fromkeys(readings) if key != normalisation.key(name)]


@cache
def _signs() -> dict[int, str]:
    signs = dict.fromkeys("lI1|", _STROKE) | dict.fromkeys("O0", _RING)
    alike = {ord(character): sign for character, sign in signs.items()}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            letter, others = line.split()
            alike.update({ord(other): signs.get(letter, letter) for other in others})
    return alike
