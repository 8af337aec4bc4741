"""The generator of the schema files of the internal tools, from the types of their functions."""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keepgraph.schemas
from keepgraph import package_files
from keepgraph.tools.contract import catalogue, internal_types
from keepgraph.tools.contract.schemas import Schema

_COMMON = "../common.json#/$defs/"
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}


def generate() -> dict[Path, str]:
    """The text of each file."""
    return {
        package_files.schemas() / path: _text(path, schema)
        for tool in catalogue.tools(catalogue.INTERNAL_TOOLSETS)
        for side, schema in (("input", _arguments(tool)), ("output", _answer(tool)))
        for path in [f"{tool.toolset}/{tool.name}.{side}.json"]
    }


def _text(path: str, schema: Schema) -> str:
    """A schema as JSON, with a line for each property."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": keepgraph.schemas.BASE + path}
    properties = ",".join(f"\n    {_json(name)}: {_json(part)}" for name, part in schema["properties"].items())
    lines = {name: _json(value) for name, value in {**head, **schema}.items()}
    lines["properties"] = f"{{{properties}\n  }}" if properties else "{}"
    return "{\n" + ",\n".join(f"  {_json(name)}: {line}" for name, line in lines.items()) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _arguments(tool: catalogue.Tool) -> Schema:
    """The input schema; its example has the arguments whose type gives one."""
    parameters = list(inspect.signature(tool.run).parameters.values())[1:]
    required = [each.name for each in parameters if each.default is inspect.Parameter.empty]
    properties: dict[str, Schema] = {}
    for each in parameters:
        hint = _hints(tool)[each.name]
        is_optional = types.NoneType in typing.get_args(hint)
        properties[each.name] = _part(typing.get_args(hint)[0] if is_optional else hint)
        if each.name not in required and each.default:
            properties[each.name]["default"] = each.default
    example = {name: part.pop("example") for name, part in properties.items() if "example" in part}
    return {**_object(properties, required), "additionalProperties": False, "examples": [example]}


def _answer(tool: catalogue.Tool) -> Schema:
    """The output schema; to the answer of a write, dispatch adds the number of the call."""
    answer = _part(_hints(tool)["return"])
    if tool.effect is catalogue.Effect.READ:
        return answer
    return _object({**answer["properties"], "call": {"$ref": f"{_COMMON}call"}}, [*answer["required"], "call"])


def _hints(tool: catalogue.Tool) -> dict[str, Any]:
    return typing.get_type_hints(tool.run, localns={"internal_types": internal_types}, include_extras=True)


def _part(hint: Any) -> Schema:
    """The schema of a type."""
    kind, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind is typing.Annotated:
        return _annotated(_part(inner[0]), hint.__metadata__)
    if kind in (types.UnionType, typing.Union):
        parts = [_part(each) for each in inner]
        is_plain = all(set(part) == {"type"} for part in parts)
        return {"type": [part["type"] for part in parts]} if is_plain else {"anyOf": parts}
    if kind is typing.Literal:
        return {"enum": list(inner)}
    if kind is tuple:
        return {"type": "array", "prefixItems": [*map(_part, inner)], "minItems": len(inner), "maxItems": len(inner)}
    if kind is Any:
        return {}
    if kind in _NAMES:
        return {"type": _NAMES[kind]}
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        optional = {name for name, each in hints.items() if typing.get_origin(each) is typing.NotRequired}
        plain = {name: typing.get_args(each)[0] if name in optional else each for name, each in hints.items()}
        properties = {name: _part(each) for name, each in plain.items()}
        return _object(properties, [name for name in hints if name in kind.__required_keys__ - optional])
    if issubclass(kind, Mapping):
        values = _part(inner[1])
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    return {"type": "array", "items": _part(inner[0])}


def _annotated(part: Schema, metadata: tuple[str | internal_types.Field, ...]) -> Schema:
    for each in metadata:
        keywords = {"description": each} if isinstance(each, str) else dict(each)
        if "ref" in keywords:
            part = {"$ref": _COMMON + keywords.pop("ref")}
        part |= {name.replace("x_", "x-"): value for name, value in keywords.items()}
    return part


def _object(properties: dict[str, Schema], required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required}
