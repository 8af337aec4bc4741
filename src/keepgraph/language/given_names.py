"""Given names: nicknames, short forms and other spellings, by lookup in lexicons. All words are folded."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Literal, TypeAlias, get_args

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
    )


def gender(name: str) -> Gender | None:
    """Whether a given name is nearly always a woman's or a man's; None if it may be either, or is not known."""
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
    return frozenset(related) - {name}


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
