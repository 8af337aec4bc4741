"""Place names in other languages: the English name of a place, or the name in its own language, by lookup."""

from __future__ import annotations

from functools import cache

from keepgraph.language import lexicons


def translate(place: str) -> tuple[str, ...]:
    """The other names of a place, folded: munich for munchen, and munchen for munich."""
    return _index().get(place, ())


@cache
def _index() -> dict[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for name, other in lexicons.pairs("place_names", "="):
        names[name] = (*names.get(name, ()), other)
        names[other] = (*names.get(other, ()), name)
    return names
