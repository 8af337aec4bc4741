"""Given names: nicknames, short forms and other spellings, by lookup in lexicons. All words are folded.

English nicknames that are missing from our lexicon come from the package `nicknames`.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias, get_args

from keepgraph.language import lexicons

Gender: TypeAlias = Literal["female", "male"]

_MAX_CACHED = 20_000


@lru_cache(maxsize=_MAX_CACHED)
def contains(word: str) -> bool:
    """Whether a word is known as a given name, or as a short form or a spelling of one."""
    nicknames_by_name, names_by_nickname = _nickname_index()
    return (
        word in nicknames_by_name
        or word in names_by_nickname
        or any(word in group for group in _spelling_groups())
        or gender(word) is not None
        or bool(_package_nicknames(word))
    )


def gender(name: str) -> Gender | None:
    """Whether a given name is nearly always a woman's or a man's; None where it may be either, or is not known."""
    return _genders().get(name)


@lru_cache(maxsize=_MAX_CACHED)
def nicknames(name: str) -> frozenset[str]:
    """The short forms of a given name; for a short form, the names it may stand for."""
    nicknames_by_name, names_by_nickname = _nickname_index()
    related = {
        other
        for spelling in {name} | spellings(name)
        for other in nicknames_by_name.get(spelling, set()) | names_by_nickname.get(spelling, set())
    }
    related |= {spelling for other in related for spelling in spellings(other)}
    return (frozenset(related) | _package_nicknames(name)) - {name}


@lru_cache(maxsize=_MAX_CACHED)
def spellings(name: str) -> frozenset[str]:
    """The other spellings of a given name."""
    return frozenset(spelling for group in _spelling_groups() if name in group for spelling in group) - {name}


def is_short_for(short: str, name: str) -> bool:
    """Whether `short` is a short form of `name`, and not the other way round."""
    short_spellings, name_spellings = ({word} | spellings(word) for word in (short, name))
    _, names_by_nickname = _nickname_index()
    if any(names_by_nickname.get(word, set()) & short_spellings for word in name_spellings):
        return False
    if any(names_by_nickname.get(word, set()) & name_spellings for word in short_spellings):
        return True
    return len(short) < len(name)


def is_nickname(word: str) -> bool:
    """Whether a word is only a short form of a given name, and in no list as a name of its own: helm of Wilhelm."""
    nicknames_by_name, _ = _nickname_index()
    return word not in nicknames_by_name and not any(word in group for group in _spelling_groups())


@cache
def _nickname_index() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The nicknames of each name, and the names of each nickname, from our lexicon."""
    nicknames_by_name: dict[str, set[str]] = {}
    names_by_nickname: dict[str, set[str]] = {}
    for name, nicknames_of_name in lexicons.pairs("nicknames", ":"):
        nicknames_by_name.setdefault(name, set()).update(nicknames_of_name.split())
        for nickname in nicknames_of_name.split():
            names_by_nickname.setdefault(nickname, set()).add(name)
    return nicknames_by_name, names_by_nickname


@cache
def _genders() -> dict[str, Gender]:
    readings: tuple[Gender, ...] = get_args(Gender)
    lines = lexicons.pairs("given_name_genders", ":")
    return {name: read for read in readings for kind, names in lines if kind == read for name in names.split()}


@cache
def _spelling_groups() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split()) for line in lexicons.lines("given_name_spellings"))


@lru_cache(maxsize=_MAX_CACHED)
def _package_nicknames(name: str) -> frozenset[str]:
    """What the package `nicknames` knows, where one form begins as the other does.

    Its other pairs are not used, because they are too bold: Bill for Robert. Two forms that are both full names in
    our lexicon are two names.
    """
    package = _package()
    if package is None or len(name) < 3:
        return frozenset()
    related = package.nicknames_of(name) | package.canonicals_of(name)
    full_names, _ = _nickname_index()
    return frozenset(
        other
        for other in related
        if abs(len(other) - len(name)) > 1
        and _begin_alike(name, other)
        and not (other in full_names and name in full_names)
    )


@cache
def _package() -> Any | None:
    try:
        from nicknames import NickNamer
    except ImportError:
        return None
    return NickNamer()


def _begin_alike(name: str, other: str) -> bool:
    """Whether the longer form begins with the shorter, without its diminutive ending and doubled letter: rob(b)ie."""
    short, long = sorted((name, other), key=len)
    stem = short.rstrip("iey") if len(short) > 3 else short
    stem = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    return len(stem) >= 2 and long.startswith(stem)
