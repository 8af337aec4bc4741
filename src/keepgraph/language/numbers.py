"""Numbers, months and days as words; all folded and English."""

from __future__ import annotations

CARDINALS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
}
ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
}
MONTHS = {
    name: number
    for number, both in enumerate(
        "january jan;february feb;march mar;april apr;may;june jun;july jul;august aug;september sep sept;"
        "october oct;november nov;december dec".split(";"),
        start=1,
    )
    for name in both.split()
}
DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
DAYS_FOR_SHORT = frozenset("mon tue wed thu fri sat sun".split())
