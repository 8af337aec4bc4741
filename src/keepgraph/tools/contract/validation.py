"""Holds every call to its contract: what goes in, what comes out, and how an error is worded."""

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

_PROBLEMS_WEIGHED = 50


def check_input(toolset: str, tool: str, arguments: object, *, measured: bool = False) -> dict[str, Any]:
    """The arguments as the tool wants them: without nulls for what is optional, and with JSON in strings decoded.

    `measured` says that they are part of something whose size has been checked.

    Raises:
        errors.InvalidRequest: they are not what the schema says; the code is that of the part that is wrong.
    """
    arguments = _decoded({"type": "object"}, arguments)
    if not isinstance(arguments, dict | Mapping):
        raise errors.InvalidArguments("the arguments are not a JSON object")
    schema = schemas.load(toolset, tool, "input")
    if not measured:
        _refuse_oversized(arguments)
    given, shown = {}, {}
    for name, value in arguments.items():
        name = _plain_name(name)
        part = schemas.followed(schema.get("properties", {}).get(name, {}), schema)
        if value is None and name not in schema.get("required", ()):
            continue  # null is how some clients leave out what is optional
        value = _decoded(part, value)
        if "x-each" in part and isinstance(value, list):
            given[name], shown[name] = value, [None] * len(value)
        else:
            given[name] = shown[name] = _as_meant(part, _plain(value, code=_code(part, "type")))
    if not _validator(toolset, tool, "input").is_valid(shown):
        _explain(schema, shown)
    return given


def check_output(toolset: str, tool: str, answer: object) -> None:
    """
    Raises:
        errors.InternalError: the tool gave something else than it promises.
    """
    if not _validator(toolset, tool, "output").is_valid(answer):
        problem = next(iter(_problems(schemas.load(toolset, tool, "output"), answer)), None)
        where = "/".join(map(str, problem.absolute_path)) if problem else "somewhere"
        raise errors.InternalError(f"{tool} gave an answer that breaks its own contract at {where or 'the top'}")


@cache
def _validator(toolset: str, tool: str, side: str) -> Any:
    return jsonschema_rs.Draft202012Validator(schemas.load(toolset, tool, side), retriever=_fetch_nothing)


def _fetch_nothing(uri: str) -> NoReturn:
    raise errors.InternalError(f"a schema refers to {uri}, which is not in it")


def _decoded(part: Schema, value: Any) -> Any:
    """Some clients send objects and lists as JSON in a string."""
    if isinstance(value, str) and "string" not in part.get("type", "string") and value.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
        _refuse_oversized(value)
    return value


def _as_meant(part: Schema, value: Any) -> Any:
    # In an object whose keys are the caller's own, null is a value.
    if part.get("type") == "object" and "properties" in part and isinstance(value, dict):
        return {name: inner for name, inner in value.items() if inner is not None}
    return value


def _refuse_oversized(arguments: object) -> None:
    """Refuse what is too deep or too long for any tool."""
    budget = MAX_CHARACTERS
    todo: list[tuple[object, int]] = [(arguments, 0)]
    while todo:
        value, depth = todo.pop()
        if isinstance(value, str):
            budget -= len(value)
        elif isinstance(value, dict | list | tuple | Mapping):
            if depth > MAX_DEPTH:
                raise errors.InvalidArguments(f"the arguments are nested deeper than {MAX_DEPTH} levels")
            budget -= len(value)
            inner = value if isinstance(value, list | tuple) else [*value, *value.values()]
            todo += [(part, depth + 1) for part in inner]
        if budget < 0:
            raise errors.InvalidArguments(f"the arguments have more than {MAX_CHARACTERS:,} characters")


def _plain(value: object, *, code: str | None = None) -> Any:
    """A value as plain JSON. Refuses what no tool can store or search: NUL, lone surrogates, what is not JSON.

    A number that is not finite has the `code` of the parameter that it is.
    """
    if isinstance(value, str):
        _refuse_unreadable_text(value)
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise errors.InvalidArguments("the arguments hold an integer of more than 64 bits")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            kind = errors.leaves()[code] if code else errors.InvalidArguments
            raise kind(f"a number in the arguments is {value}, which is not finite")
        return value
    if isinstance(value, dict | Mapping):
        return {_plain_name(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    raise errors.InvalidArguments(f"the arguments hold a {type(value).__name__}, which is not JSON")


def _plain_name(name: object) -> str:
    if not isinstance(name, str):
        raise errors.InvalidArguments(f"a name in the arguments is a {type(name).__name__}, not a text")
    _refuse_unreadable_text(name)
    return name


def _refuse_unreadable_text(text: str) -> None:
    if "\x00" in text:
        raise errors.InvalidArguments("the arguments hold a NUL character", hint="Remove it and try again.")
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise errors.InvalidArguments(
            "the arguments hold half a surrogate pair, which is not Unicode text", hint="Send valid UTF-8."
        ) from None


def _problems(schema: Schema, value: object) -> Iterable[Any]:
    # Slow to import and to run, so only when something is wrong: it says where.
    import jsonschema
    from referencing import Registry

    validator = jsonschema.Draft202012Validator(schema, registry=Registry())
    first = islice(validator.iter_errors(value), _PROBLEMS_WEIGHED)
    return sorted(first, key=lambda problem: (len(problem.absolute_path), str(problem.path)))


def _explain(schema: Schema, given: Mapping[str, Any]) -> NoReturn:
    order = list(schema.get("properties", {}))
    problems = [(_code_and_place(schema, problem), problem) for problem in _problems(schema, given)]
    if not problems:
        raise errors.InvalidArguments("the arguments do not fit the input schema")

    def as_declared(found: tuple[tuple[str, list[str]], Any]) -> int:
        place = found[0][1]
        return order.index(place[0]) if place and place[0] in order else len(order)

    (code, place), problem = min(problems, key=as_declared)
    raise errors.leaves()[code](f"{'.'.join(place) or 'the call'} {_wording(problem)}")


def _code_and_place(schema: Schema, problem: Any) -> tuple[str, list[str]]:
    """The code of the innermost part of the schema that the problem lies in, and the path to that part."""
    place = [str(step) for step in problem.absolute_path]
    if problem.validator == "required":
        order = list(problem.schema.get("properties", {}))
        place.append(min((name for name in problem.validator_value if name not in problem.instance), key=order.index))
    elif problem.validator == "additionalProperties":
        place.append(next(name for name in problem.instance if name not in problem.schema.get("properties", {})))
    part = schema
    code = _code(part, problem.validator)
    for step in place:
        inside = part.get("items", {}) if step.isdigit() else part.get("properties", {}).get(step, {})
        part = schemas.followed(inside, schema)
        code = _code(part, problem.validator) or code
    return code or errors.InvalidArguments.code, [step[:60] for step in place]


def _code(part: Schema, rule: str) -> str | None:
    codes = part.get("x-code")
    return codes.get(rule, codes.get("*")) if isinstance(codes, dict) else codes


def _wording(problem: Any) -> str:
    """What is wrong, without repeating a value that may be long."""
    rule, limit, value = problem.validator, problem.validator_value, problem.instance
    match rule:
        case "required":
            return "is missing"
        case "additionalProperties":
            known = ", ".join(problem.schema.get("properties", {}))
            return f"is not a parameter; {f'known are {known}' if known else 'there are none'}"
        case "type":
            return f"must be {_kinds(limit)}, not {_kind(value)}"
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
            return f"is {value}, {'below' if rule == 'minimum' else 'above'} {limit}"
        case _:
            return "has the wrong form"


def _kinds(names: str | list[str]) -> str:
    return " or ".join(_ARTICLES.get(name, name) for name in ([names] if isinstance(names, str) else names))


def _kind(value: object) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return _ARTICLES.get(kinds.get(type(value), "null"), "null")


_ARTICLES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
}
