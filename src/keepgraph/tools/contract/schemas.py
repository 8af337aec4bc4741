"""The schema files of the tools: finds them, makes each whole by itself, and shows them to clients.

A schema may carry hints of ours, which mean nothing to a validator:

    x-vocabulary   a word of this kind: advertised with the graph's own words as an enum, enforced as a string
    x-code         the error code of whatever is wrong with this part of the arguments; or a code for each
                   keyword of the schema that can be broken, and "*" for the others
    x-each         a list whose elements are checked one by one by the tool, as the arguments of this other tool
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from keepgraph import package_files

Schema = dict[str, Any]

_COMMON = "../common.json#/$defs/"
_LOCAL = "#/$defs/"
_SAYING_LITTLE: list[tuple[str, Any]] = [("required", []), ("minLength", 1)]
_MOST_OPTIONS = 3
_UNADVERTISED = {"$schema", "$id", "examples", "x-vocabulary", "x-code", "x-each"}


@cache
def load(toolset: str, tool: str, side: str) -> Schema:
    """One schema file, with the definitions it uses from common.json inside it."""
    folder = package_files.schemas()
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


def followed(part: Schema, schema: Schema) -> Schema:
    """A part of a schema, or the definition that it refers to."""
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].removeprefix(_LOCAL)]
    return part


def example(toolset: str, tool: str) -> dict[str, Any] | None:
    """Arguments that work, from the schema."""
    examples = load(toolset, tool, "input").get("examples")
    return dict(examples[0]) if examples else None


def advertised(toolset: str, tool: str, *, words: Mapping[str, list[str]]) -> tuple[Schema, Schema]:
    """The input and the output schema as clients see them: self-contained, with the graph's own words.

    Of the output only the outline is shown. Every schema is read by a model at the start of every conversation,
    and what an answer is like in detail it sees in the answer.
    """
    return _shown(load(toolset, tool, "input"), words), _outline(load(toolset, tool, "output"))


@cache
def _common() -> Schema:
    definitions: Schema = json.loads((package_files.schemas() / "common.json").read_text(encoding="utf-8"))["$defs"]
    return definitions


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
        if name not in _UNADVERTISED and (name, value) not in _SAYING_LITTLE
    }
    if part.get("x-vocabulary") in words:
        shown["enum"] = list(words[part["x-vocabulary"]])
    return shown


def _outline(schema: Schema) -> Schema:
    """The properties of an object and their types, one level deep."""
    return {"type": "object", "properties": {name: _type(part, schema) for name, part in schema["properties"].items()}}


def _type(part: Schema, schema: Schema) -> Schema:
    part = followed(part, schema)
    kinds = part.get("type", "string")
    options = [_type(option, schema) for option in part.get("anyOf", ())]
    if isinstance(kinds, list):
        options = [{"type": kind} for kind in kinds]
    if len(options) > _MOST_OPTIONS:
        return {}  # as good as anything
    return {"anyOf": options} if options else {"type": kinds}
