"""Bound values of a statement: its numbered parameters, and the check that SQLite can hold a value exactly."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from keepgraph.cypher.sql.terms import Inexpressible

Binding = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
"""Computes a bound value from the parameters of the query and the values of the catalogue."""

QUERY_INSTANT = "instant of the query"
"""The name of a query's instant among the values of the catalogue; no condition of a catalogue can have it."""

MAX_INTEGER = 2**63 - 1
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""What no text in SQLite may hold: SQL functions read only up to a NUL, and half a surrogate pair has no bytes."""


@dataclass(slots=True)
class Bindings:
    """The values that a statement binds, in the order of their numbers; equal values are bound once."""

    values: list[Binding] = field(default_factory=list)
    placeholders: dict[Any, str] = field(default_factory=dict)

    def constant(self, value: Any) -> str:
        return self._add((type(value), repr(value)), lambda parameters, names: value)

    def parameter(self, name: str, convert: Callable[[Any], Any] | None = None) -> str:
        if convert is None:
            return self._add(("$", name), lambda parameters, names: parameters[name])
        return self._add(("$", name, convert), lambda parameters, names: convert(parameters[name]))

    def catalogue_value(self, name: str) -> str:
        return self._add((":", name), lambda parameters, names: names[name])

    def computed(self, value: Binding, key: Any = None) -> str:
        """A value that a function computes; functions with one key compute the same."""
        return self._add(value if key is None else key, value)

    def renumber(self, sql: str) -> tuple[str, list[Binding]]:
        """A statement with its placeholders numbered from 1, and what it binds: not all that was bound is used."""
        numbers: dict[int, int] = {}

        def number(match: re.Match[str]) -> str:
            return f"?{numbers.setdefault(int(match[1]), len(numbers) + 1)}"

        return re.sub(r"\?(\d+)", number, sql), [self.values[old - 1] for old in numbers]

    def _add(self, key: Any, value: Binding) -> str:
        if key not in self.placeholders:
            self.values.append(value)
            self.placeholders[key] = f"?{len(self.values)}"
        return self.placeholders[key]


def storable(value: Any) -> Any:
    """The same scalar, if SQLite holds it exactly.

    Raises:
        Inexpressible: it is an integer of more than 64 bits, not a finite number, or a text that SQLite cannot hold.
    """
    if type(value) is int and not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
        raise Inexpressible
    if type(value) is float and not math.isfinite(value):
        raise Inexpressible
    if type(value) is str and _UNSTORABLE.search(value):
        raise Inexpressible
    return value


def json_list(value: Any) -> str:
    """A list of scalars as JSON, for `json_each`."""
    for element in value:
        storable(element)
    return json.dumps(value)


def not_json(value: Any) -> Any:
    """The same value, unless it is a text that looks like the JSON of a list or a map.

    Raises:
        Inexpressible: it does.
    """
    if looks_like_json(value):
        raise Inexpressible
    return storable(value)


def looks_like_json(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in ("[", "{")
