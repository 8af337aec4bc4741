"""What is known of parameters before a query runs: the kinds of their values. Knows no query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keepgraph.cypher import value_types, values

_SIMPLE = {
    type(None): value_types.Type(value_types.NULL),
    bool: value_types.Type(value_types.BOOLEAN),
    int: value_types.Type(value_types.INTEGER),
    float: value_types.Type(value_types.FLOAT),
    str: value_types.Type(value_types.STRING),
    dict: value_types.Type(value_types.MAP),
}


def types(parameters: Mapping[str, Any]) -> dict[str, value_types.Type]:
    """The types of parameters; a query is compiled anew for others."""
    return {name: type_of(value) for name, value in parameters.items()}


def type_of(value: Any) -> value_types.Type:
    """The type of one value; of a list with the kinds of its elements."""
    found = _SIMPLE.get(type(value))
    if found is not None:
        return found
    if isinstance(value, list):
        inside = 0
        for each in value:
            inside |= type_of(each).kinds
        return value_types.Type(value_types.LIST, value_types.Type(inside or value_types.ANY))
    return value_types.Type(values.kind_of(value))
