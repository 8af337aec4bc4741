"""Bound values of a statement: its placeholders, and the check that SQLite can hold a value exactly."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from keepgraph.cypher.sql.terms import Inexpressible
from keepgraph.cypher.sql.tree import Placeholder

Binding = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
"""Computes a bound value from the parameters of the query and the values of the catalogue."""

QUERY_INSTANT = "instant of the query"
"""The name of a query's instant among the values of the catalogue; no condition of a catalogue can have it."""

MAX_INTEGER = 2**63 - 1
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""What no text in SQLite may hold: SQL functions read only up to a NUL, and half a surrogate pair has no bytes."""


@dataclass(slots=True)
class Bindings:
    """The values that a statement may bind, by the numbers of their placeholders; equal values are bound once."""

    values: list[Binding] = field(default_factory=list)
    placeholders: dict[Any, Placeholder] = field(default_factory=dict)

    def constant(self, value: Any) -> Placeholder:
        return self._add((type(value), repr(value)), lambda parameters, names: value)

    def parameter(self, name: str, convert: Callable[[Any], Any] | None = None) -> Placeholder:
        if convert is None:
            return self._add(("$", name), lambda parameters, names: parameters[name])
        return self._add(("$", name, convert), lambda parameters, names: convert(parameters[name]))

    def catalogue_value(self, name: str) -> Placeholder:
        return self._add((":", name), lambda parameters, names: names[name])

    def computed(self, value: Binding, key: Any = None) -> Placeholder:
        """A value that a function computes; functions with one key compute the same."""
        return self._add(value if key is None else key, value)

    def of(self, placeholders: Sequence[int]) -> tuple[Binding, ...]:
        """What a statement with these placeholders binds; not all that was bound while it was put together is in it."""
        return tuple([self.values[number] for number in placeholders])

    def _add(self, key: Any, value: Binding) -> Placeholder:
        placeholder = self.placeholders.get(key)
        if placeholder is None:
            placeholder = self.placeholders[key] = Placeholder(len(self.values))
            self.values.append(value)
        return placeholder


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
