"""Types of function calls: how many arguments a function takes, and what it returns for arguments of some types."""

from __future__ import annotations

from collections.abc import Callable

from keepgraph.cypher import value_types
from keepgraph.cypher.aggregates import Aggregate
from keepgraph.cypher.functions import Function
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.value_types import LIST, NULL, STRING, Type
from keepgraph.errors import QueryInconsistent


def infer(function: Function, arguments: list[Type]) -> Type:
    """The type of what a function returns."""
    infer_result = _POLYMORPHIC.get(function.name)
    if infer_result is not None:
        return infer_result(arguments)
    return Type(function.result_kinds, Type(function.element_kinds) if function.element_kinds else None)


def infer_aggregate(aggregate: Aggregate, argument: Type) -> Type:
    """The type of what an aggregate returns for values of this type."""
    if aggregate.name == "collect":
        return Type(LIST, Type(argument.kinds & ~NULL, argument.element) if argument.kinds != NULL else None)
    if aggregate.name in ("min", "max"):
        return _same_or_null([argument])
    return Type(aggregate.result_kinds)


def check_count(call: ast.Call, function: Function | Aggregate) -> None:
    """Checks how many arguments a call has."""
    count = len(call.arguments)
    least, most = function.min_arguments, function.max_arguments
    if count < least or (most is not None and count > most):
        raise QueryInconsistent(
            f"{function.name}() takes {_describe_count(least, most)}, and is given {count}",
            detail="InvalidNumberOfArguments",
            span=call.span,
        )


def _describe_count(least: int, most: int | None) -> str:
    if most == 0:
        return "no argument"
    if most == least:
        return f"{least} argument{'s' if least > 1 else ''}"
    return f"at least {least} arguments" if most is None else f"{least} to {most} arguments"


def _first_element(arguments: list[Type]) -> Type:
    element = value_types.element_of(arguments[0])
    return Type(element.kinds | NULL, element.element)


def _same(arguments: list[Type]) -> Type:
    return arguments[0]


def _same_or_null(arguments: list[Type]) -> Type:
    return Type(arguments[0].kinds | NULL, arguments[0].element)


def _first_not_null(arguments: list[Type]) -> Type:
    result = arguments[0]
    for argument in arguments[1:]:
        result = value_types.union(result, argument)
    if any(not argument.kinds & NULL for argument in arguments):
        return Type(result.kinds & ~NULL, result.element)
    return result


def _same_list(arguments: list[Type]) -> Type:
    return Type(LIST | NULL, arguments[0].element)


def _same_list_or_string(arguments: list[Type]) -> Type:
    return Type(arguments[0].kinds & (LIST | STRING) | NULL, arguments[0].element)


_POLYMORPHIC: dict[str, Callable[[list[Type]], Type]] = {
    "coalesce": _first_not_null,
    "nullIf": _same_or_null,
    "head": _first_element,
    "last": _first_element,
    "tail": _same_list,
    "reverse": _same_list_or_string,
    "abs": _same,
}
"""Functions whose result depends on the types of their arguments, by name."""
