"""Types of parameters: the kinds of the values that a query is called with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keepgraph.cypher import value_types, values

_TYPE_OF_CLASS = {
    type(None): value_types.Type(value_types.NULL),
    bool: value_types.Type(value_types.BOOLEAN),
    int: value_types.Type(value_types.INTEGER),
    float: value_types.Type(value_types.FLOAT),
    str: value_types.Type(value_types.STRING),
    dict: value_types.Type(value_types.MAP),
}


def infer_types(parameters: Mapping[str, Any]) -> dict[str, value_types.Type]:
    """The types of all parameters. A compiled query can only be used again for parameters of the same types."""
    return {name: infer_type(value) for name, value in parameters.items()}


def infer_type(value: Any) -> value_types.Type:
    """The type of one value; for a list with the kinds of its elements."""
    type_ = _TYPE_OF_CLASS.get(type(value))
    if type_ is not None:
        return type_
    if isinstance(value, list):
        element_kinds = 0
        for element in value:
            element_kinds |= infer_type(element).kinds
        return value_types.Type(value_types.LIST, value_types.Type(element_kinds or value_types.ANY))
    return value_types.Type(values.kind_of(value))
