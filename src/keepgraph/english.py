"""English words: a number with its noun, a noun with its article, the words for numbers, months and weekdays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

CARDINALS = {
    **{
        word: number
        for number, word in enumerate(
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen".split(),
            start=1,
        )
    },
    **{
        word: 10 * number
        for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
    },
}
ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
}
MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan;february feb;march mar;april apr;may;june jun;july jul;august aug;september sep sept;"
        "october oct;november nov;december dec".split(";"),
        start=1,
    )
    for name in names.split()
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        "monday mon;tuesday tues tue;wednesday wed;thursday thurs thur thu;friday fri;saturday sat;sunday sun".split(
            ";"
        )
    )
    for name in names.split()
}

_IRREGULAR = {"person": "people"}
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def count_noun(number: int, noun: str) -> str:
    """A number of things, in words: `1 fact`, `1,200 facts`, `2 proposed entities`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def count_nouns(counts: Mapping[str, int]) -> str:
    """Numbers of things by their plurals, or of what was done, in words: `8 entities, 1 text, 2 changed`."""
    nouns = {kind: f"{kind[:-3]}y" if kind.endswith("ies") else kind.removesuffix("s") for kind in counts}
    return ", ".join(f"{n:,} {nouns[kind] if n == 1 else kind}" for kind, n in counts.items() if n)


def plural(noun: str) -> str:
    """The plural of a noun, which may have other words before it."""
    before, space, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        last = f"{last[:-1]}ies"
    else:
        last += "es" if last.endswith(_SIBILANTS) else "s"
    return f"{before}{space}{last}"


def listed(names: Sequence[str], most: int, *, separator: str = ", ") -> str:
    """At most `most` names, and how many more there are: `Ana, Bob and 3 more`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{separator.join(names[:most])}{more}"


def with_article(noun: str) -> str:
    """A noun, or the name of a type, with its indefinite article: a project, an organisation."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun.replace('_', ' ')}"


def shorten(text: str, length: int) -> str:
    """The text, cut to a number of characters; the last one of a text that was cut is an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def quoted(text: str | None, length: int = 60) -> str:
    """A name or a word of a user in quotation marks, cut to what fits into a message."""
    return repr(text and shorten(text, length))
