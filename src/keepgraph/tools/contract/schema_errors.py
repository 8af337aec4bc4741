"""Errors of schema validation: from a broken keyword of a schema to an error code and a message."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NoReturn

from keepgraph import errors
from keepgraph.tools.contract import schemas
from keepgraph.tools.contract.schemas import Schema

_MAX_PROBLEMS = 50

_TYPE_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
}


def raise_first(schema: Schema, arguments: Mapping[str, Any]) -> NoReturn:
    """Raise the error for what is wrong with arguments; of several problems, the first in the order of the schema.

    Raises:
        errors.InvalidRequest: the class is that of the `x-code` of the part of the schema that is broken.
    """
    order = list(schema.get("properties", {}))
    problems = [(_code_and_path(schema, problem), problem) for problem in find_problems(schema, arguments)]
    if not problems:
        raise errors.InvalidArguments("the arguments do not fit the input schema")

    def declaration_order(problem: tuple[tuple[str, list[str]], Any]) -> int:
        path = problem[0][1]
        return order.index(path[0]) if path and path[0] in order else len(order)

    (code, path), problem = min(problems, key=declaration_order)
    raise errors.of_code(code)(f"{'.'.join(path) or 'the call'} {_describe(problem)}")


def find_problems(schema: Schema, value: object) -> Iterable[Any]:
    """The errors of jsonschema for a value, outermost first."""
    # Slow to import and to run, unlike jsonschema_rs, but says more precisely what is wrong: for invalid values only.
    import jsonschema
    from referencing import Registry

    validator = jsonschema.Draft202012Validator(schema, registry=Registry())
    first = islice(validator.iter_errors(value), _MAX_PROBLEMS)
    return sorted(first, key=lambda problem: (len(problem.absolute_path), str(problem.path)))


def _code_and_path(schema: Schema, problem: Any) -> tuple[str, list[str]]:
    """The code of the innermost part of the schema that the problem lies in, and the path to that part."""
    path = [str(step) for step in problem.absolute_path]
    if problem.validator == "required":
        order = list(problem.schema.get("properties", {}))
        path.append(min((name for name in problem.validator_value if name not in problem.instance), key=order.index))
    elif problem.validator == "additionalProperties":
        path.append(next(name for name in problem.instance if name not in problem.schema.get("properties", {})))
    part = schema
    code = code_for(part, problem.validator)
    for step in path:
        inside = part.get("items", {}) if step.isdigit() else part.get("properties", {}).get(step, {})
        part = schemas.resolve_reference(inside, schema)
        code = code_for(part, problem.validator) or code
    return code or errors.InvalidArguments.code, [step[:60] for step in path]


def code_for(part: Schema, keyword: str) -> str | None:
    """The error code that a part of a schema gives to a JSON Schema keyword that fails (`x-code`), or None."""
    codes = part.get("x-code")
    return codes.get(keyword, codes.get("*")) if isinstance(codes, dict) else codes


def _describe(problem: Any) -> str:
    """What is wrong with a value, without repeating the value, which may be long."""
    keyword, limit, value = problem.validator, problem.validator_value, problem.instance
    match keyword:
        case "required":
            return "is missing"
        case "additionalProperties":
            names = ", ".join(problem.schema.get("properties", {}))
            return f"is not a parameter; {f'known are {names}' if names else 'there are none'}"
        case "type":
            return f"must be {_describe_types(limit)}, not {describe_type_of(value)}"
        case "enum":
            return f"must be one of {', '.join(map(json.dumps, limit))}"
        case "minLength":
            return "is empty" if limit == 1 else f"must have at least {limit} characters"
        case "maxLength":
            return f"has {len(value):,} characters; {limit:,} are allowed"
        case "minItems":
            return "is empty" if limit == 1 else f"must have at least {limit} elements"
        case "maxItems":
            return f"has {len(value):,} elements; {limit:,} are allowed"
        case "minimum" | "maximum":
            return f"is {value}, {'below' if keyword == 'minimum' else 'above'} {limit}"
        case _:
            return "has the wrong form"


def _describe_types(names: str | list[str]) -> str:
    return " or ".join(_TYPE_NAMES.get(name, name) for name in ([names] if isinstance(names, str) else names))


def describe_type_of(value: object) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return _TYPE_NAMES.get(kinds.get(type(value), "null"), "null")
