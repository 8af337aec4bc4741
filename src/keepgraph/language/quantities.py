"""Quantities and dates in English texts: numbers with units, as intervals in a base unit that can be compared.

`1.5 km` and `1500 m` are the same; so are `1,000`, `1 000` and one reading of `1.000`. A number with `about` or
`at least`, or with a second number, is the interval that it leaves open. A round number may have been rounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date

from keepgraph import english, lazy
from keepgraph.lazy import dataclass

CARDINALS, ORDINALS, MONTHS = english.CARDINALS, english.ORDINALS, english.MONTHS
NUMBER_WORDS = {**CARDINALS, **ORDINALS}
WEEKDAYS = frozenset(name for name in english.WEEKDAYS if name.endswith("day"))
_CALENDAR_WORDS = MONTHS.keys() | english.WEEKDAYS.keys()
ROMAN = {
    word: number for number, word in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split(), start=1)
}


def is_calendar_word(word: str) -> bool:
    """Whether a word is a month or a weekday, in full or abbreviated, one or several."""
    return word in _CALENDAR_WORDS or word.removesuffix("s") in _CALENDAR_WORDS


APPROXIMATE = 0.15
"""How far a value may differ from a number with `about`, as a share of the number."""

_ROUNDED = 0.03  # a number that ends in zeros may stand for what differs by at most this share, and not in more digits

_HALF_OF_ONE = 0.49  # what may be lost where a measure is rounded to whole units; less than half: 45 is not 46

# Dimension: units with the factor to the base unit.
_UNITS = {
    "length": "mm millimetre millimeter=.001;cm centimetre centimeter=.01;m metre meter=1;km kilometre kilometer=1000;"
    "inch inches=.0254;ft foot feet=.3048;yd yard=.9144;mile mi=1609.344",
    "area": "m² m2 sqm=1;ha hectare=10000;km² km2=1000000;acre=4046.86",
    "mass": "mg milligram=.000001;g gram gramme=.001;kg kilo kilogram kilogramme=1;tonne ton=1000;lb lbs pound=.453592;"
    "oz ounce=.0283495",
    "volume": "ml millilitre milliliter=.001;cl=.01;dl=.1;l litre liter=1;gallon=3.78541;pint=.473176",
    "duration": "ms millisecond=.001;s sec second=1;min minute=60;h hr hour=3600;day=86400;week=604800;"
    "fortnight=1209600;month=2629800;year yr=31557600;decade=315576000;century centuries=3155760000",
    "speed": "km/h kmh kph=1;mph=1.609344;m/s=3.6",
    "information": "kb kilobyte=1000;mb megabyte=1000000;gb gigabyte=1000000000;tb terabyte=1000000000000;"
    "kib=1024;mib=1048576;gib=1073741824;tib=1099511627776",
    "power": "w watt=1;kw kilowatt=1000;mw megawatt=1000000;gw gigawatt=1000000000",
    "energy": "kwh=1;mwh=1000;gwh=1000000",
    "frequency": "hz hertz=1;khz kilohertz=1000;mhz megahertz=1000000;ghz gigahertz=1000000000",
    "voltage": "v volt=1;mv millivolt=.001;kv kilovolt=1000",
    "share": "% percent=1;percentage=1",
    "temperature": "°c celsius=1",
    "dollars": "$ usd dollar us$=1;cent cents=.01",
    "euros": "€ eur euro=1",
    "pounds": "£ gbp=1",
    "francs": "chf franc=1",
    "yen": "¥ jpy yen=1",
}
_MULTIPLES = {
    "dozen": 12, "hundred": 100, "k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9,
    "billion": 1e9, "trillion": 1e12,
}  # fmt: skip
_TENS = [word for word, number in CARDINALS.items() if number >= 20]
_WORDS = {**CARDINALS, "zero": 0, "a couple of": 2, "a dozen": 12, "half a": 0.5, "half an": 0.5}

_CARDINAL_WORD = (
    rf"(?:(?:{'|'.join(_TENS)})[-\s](?:{'|'.join(list(CARDINALS)[:9])})|"
    rf"{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
)
_FIGURES = r"(?:\d{1,3}(?:[,.'’ ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
_MULTIPLE_WORD = r"(?:dozen|hundred|thousand|million|billion|trillion|mn|bn|(?-i:k|M|B))"
_UNIT_WORDS = sorted(
    {word for units in _UNITS.values() for unit in units.split(";") for word in unit.split("=")[0].split()},
    key=len,
    reverse=True,
)
_UNIT_FORMS = (re.escape(word) + ("(?:s|es)?" if len(word) > 2 and word.isalpha() else "") for word in _UNIT_WORDS)
_UNIT = rf"(?:{'|'.join(_UNIT_FORMS)}|degrees? (?:celsius|c)|per cent)"
_CURRENCY = r"(?:US\$|[$€£¥]|USD|EUR|GBP|CHF)"
_NUMBER = rf"(?:{_FIGURES}|{_CARDINAL_WORD})"
_PLAIN = rf"(?:{_CURRENCY}\s?)?[-−]?{_NUMBER}(?:[\s-]?{_MULTIPLE_WORD}\b)?"
_LEAST = r"at least|no less than|not less than|no fewer than|a minimum of|minimum|min\.?|from|≥|>="
_MOST = r"at most|up to|no more than|not more than|a maximum of|maximum|max\.?|as many as|≤|<="
_OVER = r"more than|over|above|greater than|exceeding|exceeds|upwards of|>"
_UNDER = r"less than|fewer than|under|below|almost|nearly|<"
_ABOUT = r"about|around|approximately|approx\.?|roughly|some|circa|ca\.?|c\.|~|an estimated|estimated|close to|or so"
_COMPARATIVE_BEFORE = lazy.compile(
    r"(?P<negated>\b(?:no|not|n['’]t)\s)?(?:\b(?P<over>longer|higher|deeper|heavier|older|taller|faster|bigger|larger|"
    r"wider|broader|thicker|warmer|hotter|further|farther|stronger|louder|dearer|richer|later|greater|more \w+)|"
    r"\b(?P<under>shorter|smaller|cheaper|lighter|younger|slower|lower|cooler|colder|narrower|thinner|nearer|closer|"
    r"weaker|poorer|earlier|fewer|less \w+))\sthan\s(?:about\s|just\s|only\s)?$",
    re.IGNORECASE,
)
_QUANTITY = lazy.compile(
    rf"(?<![\w.,-])(?:(?P<least>{_LEAST})\s|(?P<most>{_MOST})\s|(?P<over>{_OVER})\s|(?P<under>{_UNDER})\s|"
    rf"(?P<about>{_ABOUT})\s?|(?P<between>between|from)\s|(?P<exactly>exactly|precisely)\s)?"
    rf"(?P<first>{_PLAIN})(?![.,]?\d)(?:\s?(?P<first_unit>{_UNIT})(?![\w/]))?"
    rf"(?:\s?(?P<to>–|—|-|to|and|through)\s?(?P<second>{_PLAIN}))?"
    rf"(?P<plus>\+|\sor more|\sor so)?(?:[\s-]?(?P<unit>{_UNIT})(?![\w/]))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity in a text.

    Attributes:
        start, end: offsets in the text, in characters, the end exclusive.
        dimension: of its unit; empty for a mere count.
        intervals: the readings as least and greatest value in the base unit; one, or two where `1.000` is ambiguous.
        words: as it stands in the text.
        limit: the value that `at least` or `at most` names, negative for the latter; None if there is no such limit.
    """

    start: int
    end: int
    dimension: str
    intervals: tuple[tuple[float, float], ...]
    words: str
    limit: float | None = None

    def may_equal(self, other: Quantity) -> bool:
        """Whether both may be the same amount, of one dimension."""
        return self.dimension == other.dimension and any(
            low <= their_high and their_low <= high
            for low, high in self.intervals
            for their_low, their_high in other.intervals
        )


def find(text: str) -> list[Quantity]:
    """The quantities of a text in their order; none within another."""
    return list(map(_read, _QUANTITY.finditer(text)))


def _read(match: re.Match[str]) -> Quantity:
    first, second = match["first"], match["second"]
    is_range = second is not None and (match["to"] != "and" or match["between"] is not None)
    end = match.end() if second is None or is_range else match.end("first_unit" if match["first_unit"] else "first")
    currency = next((part for part in (_currency(first), _currency(second or "")) if part), None)
    unit = (
        match["first_unit"] if second is not None and not is_range else match["unit"] or match["first_unit"] or currency
    )
    dimension, factor = _unit(unit) if unit else ("", 1.0)
    least, most = match["least"] or match["over"] or match["plus"], match["most"] or match["under"]
    if compared := _COMPARATIVE_BEFORE.search(match.string, max(0, match.start() - 40), match.start()):
        least = compared["under" if compared["negated"] else "over"]
        most = compared["over" if compared["negated"] else "under"]
    intervals = []
    for value, half_digit in _readings(first):
        low = high = value * factor
        if is_range:
            multiple = _multiple(second or "") if _multiple(first) == 1.0 else 1.0  # between 2 and 3 million
            first_factor = _unit(match["first_unit"])[1] if match["first_unit"] else factor  # 500 m to 2 km
            ends = (value * multiple * first_factor, *(reading * factor for reading, _ in _readings(second or "")))
            low, high = min(ends), max(ends)
        elif match["about"] or match["plus"] == " or so":
            low, high = low - abs(low) * APPROXIMATE, high + abs(high) * APPROXIMATE
        elif least:
            high = math.inf
        elif most:
            low = -math.inf if dimension == "temperature" else 0.0
        elif (half_digit or dimension) and not match["exactly"]:
            margin = min(_ROUNDED * abs(low), (half_digit or _HALF_OF_ONE) * factor)
            low, high = low - margin, high + margin
        else:
            margin = 1e-6 * abs(low) + (0.02 * abs(low) if (unit or "").startswith(("month", "year")) else 0.0)
            low, high = low - margin, high + margin
        intervals.append((low, high))
    limit = intervals[0][0] if least else -intervals[0][1] if most else None
    words = match.string[match.start() : end].strip()
    return Quantity(match.start(), end, dimension, tuple(intervals), words, limit)


def _readings(text: str) -> Iterator[tuple[float, float]]:
    """The values that a written number may have, each with half a unit of its last digit that is not zero.

    That is 0 for a number in words, for a small one, and for one that is not round.
    """
    multiple = _multiple(text)
    plain = re.sub(rf"^{_CURRENCY}\s?", "", text.strip(), flags=re.IGNORECASE)
    plain = re.sub(rf"[\s-]?{_MULTIPLE_WORD}$", "", plain, flags=re.IGNORECASE) if multiple != 1.0 else plain
    sign = -1 if plain[:1] in "-−" else 1
    plain = plain.lstrip("-−").strip()
    if not plain[:1].isdigit():
        word = " ".join(plain.lower().split())
        value = _WORDS.get(word)
        if value is None:
            value = sum(_WORDS.get(part, 0) for part in re.split(r"[-\s]", word)) or 1  # a dozen, a million
        yield sign * value * multiple, 0.5 * multiple if multiple > 100 else 0.0
        return
    for digits in _decimal_readings(plain):
        yield sign * float(digits) * multiple, _half_of_last_digit(digits) * multiple


def _decimal_readings(figures: str) -> Iterator[str]:
    """A number in figures as Python reads it: twice where a point or a comma may divide thousands or decimals."""
    figures = figures.replace("'", "").replace("’", "").replace(" ", "")
    separators = [c for c in figures if c in ".,"]
    if not separators:
        yield figures
    elif len(set(separators)) == 2:
        decimal = separators[-1]
        yield figures.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    elif len(separators) > 1:
        yield figures.replace(separators[0], "")
    else:
        whole, fraction = re.split("[.,]", figures)
        is_group = len(fraction) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0")
        if is_group:
            yield whole + fraction
        if not is_group or separators[0] == ".":
            yield f"{whole}.{fraction}"


def _half_of_last_digit(digits: str) -> float:
    if "." in digits:
        return float(0.5 * 10 ** -len(digits.partition(".")[2]))
    zeros = len(digits) - len(digits.rstrip("0"))
    return float(0.5 * 10**zeros) if zeros and len(digits) > 1 else 0.0


def _multiple(text: str) -> float:
    match = re.search(rf"(?:(?<=\d)|(?<=[\s-])){_MULTIPLE_WORD}$", text.strip(), re.IGNORECASE)
    if match is None:
        return 1.0
    word = match[0] if match[0] in "kKMB" else match[0].lower()
    return float(_MULTIPLES[word.lower()])


def _currency(text: str) -> str | None:
    match = re.match(_CURRENCY, text.strip(), re.IGNORECASE)
    return match[0].lower() if match else None


def _unit(word: str) -> tuple[str, float]:
    """The dimension of a unit, and its factor to the base unit."""
    plain = " ".join(word.lower().split())
    plain = {
        "per cent": "percent",
        "degree celsius": "celsius",
        "degrees celsius": "celsius",
        "degrees c": "celsius",
    }.get(plain, plain)
    for form in (plain, plain.removesuffix("s"), plain.removesuffix("es")):
        if form in _UNIT_BY_WORD:
            return _UNIT_BY_WORD[form]
    return "", 1.0


_UNIT_BY_WORD = {
    word: (dimension, float(unit.split("=")[1]))
    for dimension, units in _UNITS.items()
    for unit in units.split(";")
    for word in unit.split("=")[0].split()
}


# Written values: dates and quantities in English texts, which are not names of entities.

_ISO_DATE = lazy.compile(
    r"\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?)?)?", re.ASCII
)
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY = rf"(?:(?:{'|'.join(sorted(english.WEEKDAYS, key=len, reverse=True))})\.?,?\s)?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_WITH_YEAR = tuple(
    lazy.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"{_WEEKDAY}(?P<month>{_MONTH})\.?\s{_DAY}(?:,|\sof)?\s(?P<year>\d{{4}})",
        rf"{_WEEKDAY}{_DAY}\s(?:of\s)?(?P<month>{_MONTH})\.?,?\s(?P<year>\d{{4}})",
        rf"(?P<month>{_MONTH})\.?(?:,|\sof)?\s(?P<year>\d{{4}})",
    )
)
_OTHER_TIME = lazy.compile(
    rf"""
    {_WEEKDAY}(?:{_MONTH})\.?\s\d{{1,2}}(?:st|nd|rd|th)?
    | {_WEEKDAY}\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?(?:{_MONTH})
    | (?:{_MONTH}) | (?:{"|".join(sorted(WEEKDAYS))})
    | (?:the\s)?(?:early\s|late\s|mid[\s-])?\d{{3}}0'?s
    | \d{{1,4}}\s(?:BC|AD|BCE|CE)
    | \d{{4}}\s?(?:-{{1,2}}|–|—|to|/)\s?\d{{2,4}}
    | (?:the\s)?\d{{1,2}}(?:st|nd|rd|th)\scentury
    | today | tomorrow | yesterday
    """,
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
_LAST_WORDS_SAY_WHEN = lazy.compile(
    rf"\S\s(?:in|on|since|until)\s(?:(?:{_MONTH})\b[\s\d,]*|\d{{1,2}}\s(?:{_MONTH})\b[\s\d,]*|\d{{4}}s?)$",
    re.IGNORECASE | re.ASCII,
)
_APPROXIMATELY = (
    r"(?:about|around|approximately|roughly|nearly|almost|over|under|up to|at least|at most|more than|less than|"
    r"fewer than|circa)\s"
)
_WRITTEN_NUMBER = r"[-+]?\d[\d.,]*"
_COUNTED = lazy.compile(
    rf"(?P<about>{_APPROXIMATELY})?(?P<currency>[$€£¥]|US\$|USD |EUR |GBP |CHF )?(?P<number>{_WRITTEN_NUMBER})"
    rf"(?:\s?(?:-{{1,2}}|–|—|to|and|or)\s?{_WRITTEN_NUMBER})?(?:(?P<unit>%|°\w?|[a-zA-Zµ]{{1,3}}\b)|$|\s(?P<next>\S+))",
    re.IGNORECASE | re.ASCII,
)
_YEAR = lazy.compile(r"1\d{3}|20\d{2}", re.ASCII)
_ORDINALS = frozenset(["st", "nd", "rd", "th"])


def date_in_iso(text: str) -> str | None:
    """A date in ISO 8601, as exactly as the text has it: `1977-01-16`, `1985-12`, `1969`; None if it is none."""
    written = " ".join(text.split())
    if _ISO_DATE.fullmatch(written):
        return written if _is_in_calendar(written[:10]) else None
    for pattern in _WITH_YEAR:
        if parts := pattern.fullmatch(written):
            day = f"-{int(parts['day']):02}" if "day" in pattern.groupindex else ""
            iso = f"{parts['year']}-{MONTHS[parts['month'].casefold()]:02}{day}"
            return iso if _is_in_calendar(iso) else None
    return None


def is_time(text: str) -> bool:
    """Whether a text is a date or another time of the calendar: `August 6`, `the 1920s`, `1835`, `Monday`."""
    written = " ".join(text.split())
    return date_in_iso(written) is not None or _OTHER_TIME.fullmatch(written) is not None


def ends_in_time(text: str) -> bool:
    """Whether a text says something, and after it when: `Australia in 1835`."""
    return _LAST_WORDS_SAY_WHEN.search(" ".join(text.split())) is not None


def is_quantity(text: str) -> bool:
    """Whether a text counts or measures: `54`, `15 kilotons of TNT`, `at least 3 people`, `5.0 and 14 kg`.

    A number that begins a name is none: `3M`, `509th Composite Group`, `2008 elections`, `30 Seconds to Mars`.
    """
    parts = _COUNTED.match(" ".join(text.split()))
    if parts is None or (parts["unit"] or "").casefold() in _ORDINALS:
        return False
    if parts["about"] or parts["currency"]:
        return True
    if unit := parts["unit"]:
        return not unit.isupper() or len(unit) > 1
    following = parts["next"]
    if following is None:
        return True
    is_measured = following[0].islower() or following[0] in "%(°" or (following.isupper() and len(following) > 1)
    return is_measured and not _YEAR.fullmatch(parts["number"])


def _is_in_calendar(iso: str) -> bool:
    year, month, day = (*map(int, iso.split("-")), 1, 1)[:3]
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
