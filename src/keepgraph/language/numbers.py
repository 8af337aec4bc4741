"""Number words, months and weekdays in English, and Roman numbers to 16, folded."""

from __future__ import annotations

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
ROMAN = {
    word: number for number, word in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split(), start=1)
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
WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
WEEKDAY_ABBREVIATIONS = frozenset("mon tue wed thu fri sat sun".split())

_CALENDAR_WORDS = WEEKDAYS.union(WEEKDAY_ABBREVIATIONS, MONTHS)


def is_calendar_word(word: str) -> bool:
    """Whether a word is a month or a weekday, in full or abbreviated, one or several."""
    return word in _CALENDAR_WORDS or word.removesuffix("s") in _CALENDAR_WORDS
