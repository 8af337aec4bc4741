"""What a tool takes and gives, from its two schema files: checks the words, and words the errors.

A schema may carry hints of ours, which mean nothing to a validator:

    x-vocabulary   a word of this kind: advertised with the graph's own words as an enum, enforced as a string
    x-code         the error code of whatever is wrong with this part of the arguments; or a code for each
                   keyword of the schema that can be broken, and "*" for the others
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NoReturn

import jsonschema_rs

from keepgraph import data, errors

MAX_CHARACTERS = 4_000_000
MAX_DEPTH = 64

Schema = dict[str, Any]

_COMMON = "../common.json#/$defs/"
_LOCAL = "#/$defs/"
_UNADVERTISED = {"$schema", "$id", "examples", "x-vocabulary", "x-code"}


def check_input(toolset: str, tool: str, arguments: object) -> dict[str, Any]:
    """The arguments as the tool wants them: without nulls for what is optional, and with JSON in strings decoded.

    Raises:
        errors.InvalidRequest: they are not what the schema says; the code is that of the part that is wrong.
    """
    if not isinstance(arguments, Mapping):
        raise errors.InvalidArguments("the arguments are not a JSON object")
    schema = _schema(toolset, tool, "input")
    _refuse_unreadable(arguments)
    _refuse_endless(arguments, schema)
    given = _lenient(schema, arguments)
    if not _validator(toolset, tool, "input").is_valid(given):
        _explain(schema, given)
    return given


def check_output(toolset: str, tool: str, answer: object) -> None:
    """
    Raises:
        errors.InternalError: the tool gave something else than it promises.
    """
    if not _validator(toolset, tool, "output").is_valid(answer):
        problem = next(iter(_problems(_schema(toolset, tool, "output"), answer)), None)
        where = "/".join(map(str, problem.absolute_path)) if problem else "somewhere"
        raise errors.InternalError(f"{tool} gave an answer that breaks its own contract at {where or 'the top'}")


def example(toolset: str, tool: str) -> dict[str, Any] | None:
    """Arguments that work, from the schema."""
    examples = _schema(toolset, tool, "input").get("examples")
    return dict(examples[0]) if examples else None


def advertised(toolset: str, tool: str, *, words: Mapping[str, list[str]]) -> tuple[Schema, Schema]:
    """The input and the output schema as clients see them: self-contained, with the graph's own words.

    Of the output only the outline is shown. Every schema is read by a model at the start of every conversation,
    and what an answer is like in detail it sees in the answer.
    """
    return _shown(_schema(toolset, tool, "input"), words), _outline(_schema(toolset, tool, "output"))


@cache
def _schema(toolset: str, tool: str, side: str) -> Schema:
    """One schema file, with the definitions it uses from common.json inside it."""
    folder = data.schemas()
    schema: Schema = json.loads((folder / toolset / f"{tool}.{side}.json").read_text(encoding="utf-8"))
    common = _common()
    wanted = [*_references(schema)]
    local: Schema = {}
    while wanted:
        name = wanted.pop()
        if name not in local:
            local[name] = common[name]
            wanted += _references(common[name])
    if local:
        schema["$defs"] = dict(sorted(local.items()))
    return _localised(schema)  # type: ignore[no-any-return]


@cache
def _common() -> Schema:
    definitions: Schema = json.loads((data.schemas() / "common.json").read_text(encoding="utf-8"))["$defs"]
    return definitions


@cache
def _validator(toolset: str, tool: str, side: str) -> Any:
    return jsonschema_rs.Draft202012Validator(_schema(toolset, tool, side), retriever=_fetch_nothing)


def _fetch_nothing(uri: str) -> NoReturn:
    raise errors.InternalError(f"a schema refers to {uri}, which is not in it")


def _references(part: Any) -> list[str]:
    if isinstance(part, dict):
        own = part.get("$ref", "")
        found = [name for value in part.values() for name in _references(value)]
        for prefix in (_COMMON, _LOCAL):
            if own.startswith(prefix):
                found.append(own.removeprefix(prefix))
        return found
    if isinstance(part, list):
        return [name for value in part for name in _references(value)]
    return []


def _localised(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            name: _LOCAL + value.removeprefix(_COMMON)
            if name == "$ref" and value.startswith(_COMMON)
            else _localised(value)
            for name, value in part.items()
        }
    return [_localised(value) for value in part] if isinstance(part, list) else part


def _shown(part: Any, words: Mapping[str, list[str]], *, named: bool = False) -> Any:
    """A schema without what is ours; `named` where the keys are names of properties, not keywords."""
    if isinstance(part, list):
        return [_shown(value, words) for value in part]
    if not isinstance(part, dict):
        return part
    if named:
        return {name: _shown(value, words) for name, value in part.items()}
    shown = {
        name: _shown(value, words, named=name in ("properties", "$defs"))
        for name, value in part.items()
        if name not in _UNADVERTISED
    }
    if part.get("x-vocabulary") in words:
        shown["enum"] = list(words[part["x-vocabulary"]])
    return shown


def _outline(schema: Schema) -> Schema:
    """The properties of an object and their types, one level deep."""
    properties = {name: _type(part, schema) for name, part in schema["properties"].items()}
    return {"type": "object", "properties": properties, "required": schema["required"]}


def _type(part: Schema, schema: Schema) -> Schema:
    part = _followed(part, schema)
    kinds = part.get("type", "string")
    options = [_type(option, schema) for option in part.get("anyOf", ())]
    if isinstance(kinds, list):
        options = [{"type": kind} for kind in kinds]
    return {"anyOf": options} if options else {"type": kinds}


def _lenient(schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Clients send null for what they leave out, and objects as JSON in a string: take both as they are meant."""
    required = schema.get("required", [])
    given = {}
    for name, value in arguments.items():
        if value is None and name not in required:
            continue
        known = schema.get("properties", {}).get(name, {})
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and not _takes_text(known, schema):
            value = _decoded(value)
        given[name] = value
    return given


def _takes_text(part: Schema, schema: Schema) -> bool:
    return "string" in _followed(part, schema).get("type", "string")


def _decoded(text: str) -> Any:
    try:
        value = json.loads(text)
        _refuse_unreadable(value)
    except (ValueError, RecursionError):
        return text
    return value


def _refuse_unreadable(arguments: object) -> None:
    """Refuse what no tool can store or search: NUL, lone surrogates, NaN, and what is too deep or too long."""
    budget = MAX_CHARACTERS
    todo: list[tuple[object, int]] = [(arguments, 0)]
    while todo:
        value, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise errors.InvalidArguments(f"the arguments are nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, str):
            budget -= len(value)
            _refuse_unreadable_text(value)
        elif isinstance(value, Mapping):
            budget -= len(value)
            todo += [(name, depth + 1) for name in value]
            todo += [(part, depth + 1) for part in value.values()]
        elif isinstance(value, list | tuple):
            budget -= len(value)
            todo += [(part, depth + 1) for part in value]
        elif isinstance(value, float) and not math.isfinite(value) and depth > 1:
            raise errors.InvalidArguments("the arguments hold NaN or an infinite number", hint="Give finite numbers.")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise errors.InvalidArguments("the arguments hold an integer of more than 64 bits")
        elif not isinstance(value, bool | int | float | None):
            raise errors.InvalidArguments(f"the arguments hold a {type(value).__name__}, which is not JSON")
        if budget < 0:
            raise errors.InvalidArguments(f"the arguments have more than {MAX_CHARACTERS:,} characters")


def _refuse_endless(arguments: Mapping[str, Any], schema: Schema) -> None:
    """Refuse NaN and infinities as parameters, with the parameter's own code."""
    for name, value in arguments.items():
        if isinstance(value, float) and not math.isfinite(value):
            part = _followed(schema.get("properties", {}).get(name, {}), schema)
            code = _code(part, "type") or errors.InvalidArguments.code
            raise errors.leaves()[code](f"{name[:60]} is {value}, which is not a finite number")


def _refuse_unreadable_text(text: str) -> None:
    if "\x00" in text:
        raise errors.InvalidArguments("the arguments hold a NUL character", hint="Remove it and try again.")
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
    return sorted(validator.iter_errors(value), key=lambda problem: (len(problem.absolute_path), str(problem.path)))


def _explain(schema: Schema, given: Mapping[str, Any]) -> NoReturn:
    order = list(schema.get("properties", {}))
    problems = [(_code_and_place(schema, problem), problem) for problem in _problems(schema, given)]

    def as_declared(found: tuple[tuple[str, list[str]], Any]) -> int:
        place = found[0][1]
        return order.index(place[0]) if place and place[0] in order else len(order)

    (code, place), problem = min(problems, key=as_declared)
    raise errors.leaves()[code](f"{'.'.join(place) or 'the call'} {_wording(problem)}")


def _code_and_place(schema: Schema, problem: Any) -> tuple[str, list[str]]:
    """The code of the innermost part of the schema that the problem lies in, and the path to that part."""
    place = [str(step) for step in problem.absolute_path]
    if problem.validator == "required":
        place.append(next(name for name in problem.validator_value if name not in problem.instance))
    elif problem.validator == "additionalProperties":
        place.append(next(name for name in problem.instance if name not in problem.schema.get("properties", {})))
    part = _followed(schema, schema)
    code = _code(part, problem.validator)
    for step in place:
        inside = part.get("items", {}) if step.isdigit() else part.get("properties", {}).get(step, {})
        part = _followed(inside, schema)
        code = _code(part, problem.validator) or code
    return code or errors.InvalidArguments.code, [step[:60] for step in place]


def _followed(part: Schema, schema: Schema) -> Schema:
    """A part of a schema, or the definition that it refers to."""
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].removeprefix(_LOCAL)]
    return part


def _code(part: Schema, rule: str) -> str | None:
    codes = part.get("x-code")
    return codes.get(rule, codes.get("*")) if isinstance(codes, dict) else codes


def _wording(problem: Any) -> str:
    """What is wrong, without repeating a value that may be long."""
    rule, limit, value = problem.validator, problem.validator_value, problem.instance
    match rule:
        case "required":
            return "is missing"
        case "additionalProperties" | "unevaluatedProperties":
            return f"is not a parameter; known are {', '.join(problem.schema.get('properties', {}))}"
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
        case "pattern":
            return "has the wrong form" if value.strip() else "is empty"
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
