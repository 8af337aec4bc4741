"""Validation of tool calls: arguments against the input schema, answers against the output schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import islice
from typing import Any, NoReturn

import jsonschema_rs

from keepgraph import errors
from keepgraph.tools.contract import schemas
from keepgraph.tools.contract.schemas import Schema

MAX_CHARACTERS = 8_000_000
MAX_DEPTH = 64
_SCALARS = ("integer", "number", "boolean")


def check_input(toolset: str, tool: str, arguments: object, *, measured: bool = False) -> dict[str, Any]:
    """Check arguments, and return them as the tool takes them: optional nulls dropped, JSON in strings decoded.

    Args:
        measured: whether the size was checked before, because they are part of the arguments of another call.

    Raises:
        errors.InvalidRequest: they do not fit the schema; the code is the `x-code` of the part that is wrong.
    """
    arguments = _decode_json({"type": "object"}, arguments)
    if not isinstance(arguments, dict | Mapping):
        raise errors.InvalidArguments(
            f"the arguments are not a JSON object, but {_describe_type_of(arguments)}",
            hint="Send them as a JSON object: the name of each argument with its value.",
        )
    schema = schemas.load(toolset, tool, "input")
    if not measured:
        _refuse_long(schema, arguments)
        _refuse_oversized(arguments)
    checked: dict[str, Any] = {}
    validated: dict[str, Any] = {}
    for name, value in arguments.items():
        name = _plain_key(name)
        part = schemas.resolve_reference(schema.get("properties", {}).get(name, {}), schema)
        if isinstance(value, str) and part.get("type") == "string":
            _refuse_invalid_text(value)
            checked[name] = validated[name] = value
            continue
        if value is None and name not in schema.get("required", ()):
            continue  # null is how some clients leave out what is optional
        value = _as_meant(schema, part, _decode_json(part, value))
        _refuse_long_value(part, name, value)
        if "x-each" in part and isinstance(value, list):
            # The tool checks each element by itself, so that one bad element does not refuse the others.
            checked[name], validated[name] = value, [None] * len(value)
        else:
            checked[name] = validated[name] = _without_nulls(part, _plain_json(value, part))
    if not _validator(toolset, tool, "input").is_valid(validated):
        _raise_first(schema, validated)
    return checked


def check_output(toolset: str, tool: str, answer: object) -> None:
    """Check the answer of a tool.

    Raises:
        errors.InternalError: it does not fit the output schema.
    """
    if not _validator(toolset, tool, "output").is_valid(answer):
        problem = next(iter(_find_problems(schemas.load(toolset, tool, "output"), answer)), None)
        where = "/".join(map(str, problem.absolute_path)) if problem else "somewhere"
        raise errors.InternalError(f"{tool} gave an answer that breaks its own contract at {where or 'the top'}")


@cache
def _validator(toolset: str, tool: str, side: str) -> Any:
    return jsonschema_rs.Draft202012Validator(schemas.load(toolset, tool, side), retriever=_refuse_reference)


def _refuse_reference(uri: str) -> NoReturn:
    raise errors.InternalError(f"a schema refers to {uri}, which is not in it")


def _decode_json(part: Schema, value: Any) -> Any:
    """The value of JSON in a string, for a part that is not a string: some clients send lists and numbers like that."""
    kind = part.get("type", "string")
    if isinstance(value, str) and "string" not in kind and (kind in _SCALARS or value.lstrip()[:1] in ("{", "[")):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
        _refuse_oversized(value)
    return value


def _as_meant(schema: Schema, part: Schema, value: Any) -> Any:
    """A list of one for a text in place of a list of texts; 5 for 5.0, which is an integer in JSON Schema."""
    if isinstance(value, float) and part.get("type") == "integer" and value.is_integer():
        return int(value)
    if isinstance(value, str) and part.get("type") == "array":
        element = schemas.resolve_reference(part.get("items", {}), schema)
        return [value] if element.get("type") == "string" else value
    return value


def _without_nulls(part: Schema, value: Any) -> Any:
    # Only where the schema names the properties: in an object with keys of the caller, null is a value.
    if part.get("type") == "object" and "properties" in part and isinstance(value, dict):
        return {name: inner for name, inner in value.items() if inner is not None}
    return value


def _refuse_long(schema: Schema, arguments: Mapping[Any, Any]) -> None:
    """Refuse the lists that are longer than allowed, before anything looks at what is in them."""
    properties = schema.get("properties", {})
    for name, value in arguments.items():
        if isinstance(value, list | tuple) and isinstance(name, str) and name in properties:
            _refuse_long_value(schemas.resolve_reference(properties[name], schema), name, value)


def _refuse_long_value(part: Schema, name: str, value: object) -> None:
    limit = part.get("maxItems")
    if limit is not None and isinstance(value, list | tuple) and len(value) > limit:
        kind = errors.of_code(_code_for(part, "maxItems") or errors.InvalidArguments.code)
        raise kind(f"{name} has {len(value):,} elements; {limit:,} are allowed")


def _refuse_oversized(arguments: object) -> None:
    """Refuse arguments that are nested deeper than MAX_DEPTH, or longer than MAX_CHARACTERS."""
    budget, depth = MAX_CHARACTERS, 0
    level: list[object] = [arguments]
    while level:
        inner: list[object] = []
        budget -= sum([len(value) for value in level if isinstance(value, str)])
        for value in level:
            if not isinstance(value, str | int | float | None) and budget >= 0:  # some have parts without end
                budget -= _add_parts(value, inner)
        if budget < 0:
            raise errors.InvalidArguments(f"the arguments have more than {MAX_CHARACTERS:,} characters")
        if inner and depth > MAX_DEPTH:
            raise errors.InvalidArguments(f"the arguments are nested deeper than {MAX_DEPTH} levels")
        level, depth = inner, depth + 1


def _add_parts(value: object, parts: list[object]) -> int:
    """Add what is in a container to a list of parts; how many elements it has, 0 if it is not one."""
    if isinstance(value, list | tuple):
        parts += value
    elif isinstance(value, dict | Mapping):
        parts += value
        parts += value.values()
    else:
        return 0
    return len(value)


def _plain_json(value: object, part: Schema | None = None) -> Any:
    """A value as plain JSON. Refuses what no tool can store or search: NUL, lone surrogates, what is not JSON.

    Args:
        part: the part of the schema with the error code for a number that is not finite.
    """
    if isinstance(value, str):
        _refuse_invalid_text(value)
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise errors.InvalidArguments("the arguments hold an integer of more than 64 bits")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            kind = errors.of_code(_code_for(part or {}, "type") or errors.InvalidArguments.code)
            raise kind(f"a number in the arguments is {value}, which is not finite")
        return value
    if isinstance(value, dict | Mapping):
        return {_plain_key(name): _plain_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_json(inner) for inner in value]
    raise errors.InvalidArguments(f"the arguments hold a {type(value).__name__}, which is not JSON")


def _plain_key(name: object) -> str:
    if not isinstance(name, str):
        raise errors.InvalidArguments(f"a name in the arguments is a {type(name).__name__}, not a text")
    _refuse_invalid_text(name)
    return name


def _refuse_invalid_text(text: str) -> None:
    if text.isascii() and "\x00" not in text:
        return
    if "\x00" in text:
        raise errors.InvalidArguments("the arguments hold a NUL character", hint="Remove it and try again.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise errors.InvalidArguments(
            "the arguments hold half a surrogate pair, which is not Unicode text", hint="Send valid UTF-8."
        ) from None


# Errors of schema validation: from a broken keyword of a schema to an error code and a message.

_MAX_PROBLEMS = 50

_TYPE_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
}


def _raise_first(schema: Schema, arguments: Mapping[str, Any]) -> NoReturn:
    """Raise the error for what is wrong with arguments; of several problems, the first in the order of the schema.

    Raises:
        errors.InvalidRequest: the class is that of the `x-code` of the part of the schema that is broken.
    """
    order = list(schema.get("properties", {}))
    problems = [(_code_and_path(schema, problem), problem) for problem in _find_problems(schema, arguments)]
    if not problems:
        raise errors.InvalidArguments("the arguments do not fit the input schema")

    def declaration_order(problem: tuple[tuple[str, list[str]], Any]) -> int:
        path = problem[0][1]
        return order.index(path[0]) if path and path[0] in order else len(order)

    (code, path), problem = min(problems, key=declaration_order)
    raise errors.of_code(code)(f"{'.'.join(path) or 'the call'} {_describe(problem)}")


def _find_problems(schema: Schema, value: object) -> Iterable[Any]:
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
    code = _code_for(part, problem.validator)
    for step in path:
        inside = part.get("items", {}) if step.isdigit() else part.get("properties", {}).get(step, {})
        part = schemas.resolve_reference(inside, schema)
        code = _code_for(part, problem.validator) or code
    return code or errors.InvalidArguments.code, [step[:60] for step in path]


def _code_for(part: Schema, keyword: str) -> str | None:
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
            return f"must be {_describe_types(limit)}, not {_describe_type_of(value)}"
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


def _describe_type_of(value: object) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return _TYPE_NAMES.get(kinds.get(type(value), "null"), "null")
