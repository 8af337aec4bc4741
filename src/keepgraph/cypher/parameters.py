"""What is known of parameters before a query runs: the kinds of their values. Knows no query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keepgraph.cypher import kinds, values

_SIMPLE = {
    type(None): kinds.Type(kinds.NULL),
    bool: kinds.Type(kinds.BOOLEAN),
    int: kinds.Type(kinds.INTEGER),
    float: kinds.Type(kinds.FLOAT),
    str: kinds.Type(kinds.STRING),
    dict: kinds.Type(kinds.MAP),
}


def types(parameters: Mapping[str, Any]) -> dict[str, kinds.Type]:
    """The types of parameters; a query is compiled anew for others."""
    return {name: type_of(value) for name, value in parameters.items()}


def type_of(value: Any) -> kinds.Type:
    """The type of one value; of a list with the kinds of its elements."""
    found = _SIMPLE.get(type(value))
    if found is not None:
        return found
    if isinstance(value, list):
        inside = 0
        for each in value:
            inside |= type_of(each).kinds
        return kinds.Type(kinds.LIST, kinds.Type(inside or kinds.ANY))
    return kinds.Type(values.kind_of(value))
