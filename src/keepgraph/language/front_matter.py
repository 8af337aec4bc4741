"""Front matter: the YAML between `---` lines at the beginning of a Markdown note; the properties of a Logseq page.

Properties are lines `type:: person` at the beginning; in older pages, the first is in a list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from keepgraph import lazy
from keepgraph.language import utf8

if TYPE_CHECKING:
    import yaml

COMMA = lazy.compile(r"\s*+,\s*+")
COMMA_OR_SPACE = lazy.compile(r"[\s,]++")

_OPENING = lazy.compile(r"\ufeff?---[ \t]*(?:\r\n?|\n)")
_CLOSING = lazy.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_MONTH = lazy.compile(r"(\d{4})-(\d{2})", re.ASCII)
_YEAR_FIRST = lazy.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})", re.ASCII)
_YEAR_LAST = lazy.compile(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4})", re.ASCII)
_EXTENDED = lazy.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LINE_END = lazy.compile(r"\r\n?|\n")
_PROPERTY = r"[ \t]*([^\W\d_][\w./-]{0,59})::(?:[ \t]+([^\r\n]*))?"
_PROPERTIES = lazy.compile(rf"\ufeff?(?:- )?(?:{_PROPERTY}(?:\r\n?|\n|\Z))+")
_EACH_PROPERTY = lazy.compile(rf"^(?:\ufeff?- )?{_PROPERTY}", re.MULTILINE)
_PART = lazy.compile(r"(?:\[\[[^\[\]\n]*+\]\]|[^,])++")
_LISTS = ("alias", "aliases", "tags", "tag")

# Limits against malicious front matter. The length is in characters.
_MAX_LENGTH = 20_000
_MAX_VALUES = 2_000
_MAX_DEPTH = 20
_MAX_BITS = 256
_READ_OTHERWISE = frozenset("\t\ufeff")
_NESTING = "[{-?:"
_MAX_NESTING = 300
"""With more characters than this that may open a level, the loader in Python reads the text."""

# What PyYAML raises for invalid YAML, and for YAML that it does not expect: `!!int _`, `!!bool x`.
_YAML_ERRORS = (ValueError, LookupError, AttributeError, TypeError, ArithmeticError, RecursionError)


def end(text: str) -> int:
    """The offset at which the front matter of a note ends; 0 without any."""
    opening = _OPENING.match(text)
    if not opening:
        return 0
    closing = _CLOSING.search(text, opening.end(), opening.end() + _MAX_LENGTH)
    if not closing:
        return 0
    line_end = _LINE_END.match(text, closing.end())
    return line_end.end() if line_end else closing.end()


def readable(text: str) -> str:
    """A text without its front matter, or the lines of the front matter if there is nothing else."""
    body_start = end(text)
    if not body_start:
        return text
    return text[body_start:].strip() or "; ".join(filter(None, map(str.strip, text[:body_start].splitlines()[1:-1])))


def parse(text: str) -> tuple[dict[str, Any], str | None]:
    """The values of front matter, and why it could not be parsed, or None.

    Args:
        text: the front matter with its delimiters; may be empty.

    Returns:
        Text, numbers, truth values, None, lists, and dicts whose keys are text. Dates stay text. Empty on an error.
    """
    if not text:
        return {}, None
    source = text.removeprefix("\ufeff").strip()
    source = source.removeprefix("---").removesuffix("...").removesuffix("---")
    import yaml

    try:
        loaded = _load(source)
    except yaml.MarkedYAMLError as error:
        where = f" (line {error.problem_mark.line + 1} of it)" if error.problem_mark else ""
        return {}, f"the front matter is not YAML: {error.problem or error.context}{where}"
    except (yaml.YAMLError, *_YAML_ERRORS):
        return {}, "the front matter is not YAML"
    if loaded is None:
        return {}, None
    if not isinstance(loaded, dict):
        return {}, "the front matter is not made of names and values"
    try:
        return _plain(loaded, [_MAX_VALUES], 0), None
    except ValueError as error:
        return {}, str(error)


def properties(text: str) -> dict[str, str | list[str]]:
    """The properties of a Logseq page that describe it, by lower-case name: title, type, aliases and tags.

    The other properties are fields in its text.
    """
    block = _PROPERTIES.match(text, 0, _MAX_LENGTH)
    found = [(key.lower(), value.strip()) for key, value in _EACH_PROPERTY.findall(block[0])] if block else []
    lists = {key: _parts(value) for key, value in found if key in _LISTS}
    return {key: value for key, value in found if key in ("title", "type")} | lists


def scalar(value: Any) -> str | None:
    """A single value as text; None if it is a truth value, a list, a dict, or empty."""
    if isinstance(value, str):
        return " ".join(value.split()) or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def words(values: Mapping[str, Any], keys: Sequence[str], *, separator: re.Pattern[str]) -> list[str]:
    """The words under some keys: a list, or one text with separators."""
    parts: list[str] = []
    for key in keys:
        value = values.get(key)
        if isinstance(value, str):
            parts += separator.split(value)
        elif isinstance(value, list):
            parts += [scalar(element) or "" for element in value]
        else:
            parts.append(scalar(value) or "")
    return [word for part in parts if (word := part.strip())]


def iso_date(value: Any) -> str | None:
    """A value that is a date or an instant, in ISO 8601; None for any other.

    A month is its first day. Of dates that do not begin with the year, only unambiguous ones are read: 13.04.2026 and
    13/04/2026, but not 03/04/2026. A week is not a date.
    """
    text = scalar(value) or ""
    if month := _MONTH.fullmatch(text):
        text = f"{month[1]}-{month[2]}-01"
    elif numbers := _YEAR_FIRST.fullmatch(text):
        text = f"{numbers[1]}-{int(numbers[2]):02d}-{int(numbers[3]):02d}"
    elif (numbers := _YEAR_LAST.fullmatch(text)) and (numbers[2] == "." or int(numbers[1]) > 12):
        text = f"{numbers[4]}-{int(numbers[3]):02d}-{int(numbers[1]):02d}"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if _EXTENDED.match(text):
        return text
    return moment.date().isoformat() if text.isdigit() else None


def _parts(value: str) -> list[str]:
    """The parts of a property between commas, and each of several tags `#a #b`."""
    parts = [part.strip() for part in _PART.findall(value)]
    return [word for part in parts for word in (part.split() if part.startswith("#") and "[[" not in part else [part])]


def _load(source: str) -> Any:
    """The values of a YAML text; errors are those of the loader in Python.

    The loader in C is ten times faster. It crashes the process on deep nesting, and reads some characters differently.
    """
    import yaml

    fast = getattr(yaml, "CSafeLoader", None)
    if fast and _READ_OTHERWISE.isdisjoint(source) and sum(map(source.count, _NESTING)) <= _MAX_NESTING:
        with suppress(yaml.YAMLError, *_YAML_ERRORS):
            return yaml.load(source, Loader=_loader(fast))  # noqa: S506 - a safe one, made safer
    return yaml.load(source, Loader=_loader(yaml.SafeLoader))  # noqa: S506 - as above


@cache
def _loader(base: type[yaml.SafeLoader]) -> type[yaml.SafeLoader]:
    """A safe loader that reads YAML as people mean it: `no` is a word, `12:30` is not 750, and 1.10 is not 1.1."""

    # mypy does not follow a base class that is an argument.
    class Loader(base):  # type: ignore[misc, valid-type]
        yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012 - as PyYAML has it

        def flatten_mapping(self, node: Any) -> None:
            """Do not merge: a few lines of `<<` can make a billion."""

    for name, pattern, first in (
        ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
        ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
        ("int", r"^-?(?:0|[1-9][0-9]{0,17})$", "-0123456789"),
        ("float", r"^-?(?:0|[1-9][0-9]{0,8})\.(?:0|[0-9]{0,5}[1-9])$", "-0123456789"),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(pattern), list(first))
    return Loader


def _plain(value: Any, budget: list[int], depth: int) -> Any:
    """A loaded value as nothing but text, numbers, lists and dicts.

    Args:
        budget: how many values may still come; it is counted down.

    Raises:
        ValueError: the value is larger or deeper than any front matter is.
    """
    budget[0] -= 1
    if budget[0] < 0 or depth > _MAX_DEPTH:
        raise ValueError("the front matter is too large")
    if isinstance(value, str):
        return utf8.replace_surrogates(value)
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise ValueError("the front matter has a number of too many digits")
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {
            utf8.replace_surrogates(scalar(key) or str(key)): _plain(element, budget, depth + 1)
            for key, element in value.items()
        }
    if isinstance(value, list | tuple | set):
        return [_plain(element, budget, depth + 1) for element in value]
    return value.isoformat() if isinstance(value, date | datetime) else str(value)
