"""The schema files of the tools: loads them, makes each self-contained, and prepares them for clients.

A schema may have keywords of our own, which a validator ignores:

    x-vocabulary   an entity type or a predicate: clients see the vocabulary of the graph as an enum, or the most used
                   words as examples; the tool itself checks the value, so that its error can suggest similar words
    x-code         the error code for this part of the arguments; or one code for each JSON Schema keyword that
                   can fail, and "*" for the others
    x-each         a list whose elements are checked one by one by the tool, as the arguments of this other tool
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from keepgraph import package_files

Schema = dict[str, Any]

_COMMON = "../common.json#/$defs/"
_LOCAL = "#/$defs/"
_UNINFORMATIVE: list[tuple[str, Any]] = [("required", []), ("minLength", 1)]
_MAX_OPTIONS = 3
_NOT_ADVERTISED = {"$schema", "$id", "examples", "x-vocabulary", "x-code", "x-each"}


@cache
def load(toolset: str, tool: str, side: str) -> Schema:
    """One schema file, with the definitions it uses from common.json inside it."""
    folder = package_files.schemas()
    schema: Schema = json.loads((folder / toolset / f"{tool}.{side}.json").read_text(encoding="utf-8"))
    common = _common()
    pending = [*_referenced_names(schema)]
    definitions: Schema = {}
    while pending:
        name = pending.pop()
        if name not in definitions:
            definitions[name] = common[name]
            pending += _referenced_names(common[name])
    if definitions:
        schema["$defs"] = dict(sorted(definitions.items()))
    return _with_local_references(schema)  # type: ignore[no-any-return]


def resolve_reference(part: Schema, schema: Schema) -> Schema:
    """A part of a schema, or the definition that its `$ref` names."""
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].removeprefix(_LOCAL)]
    return part


def example(toolset: str, tool: str) -> dict[str, Any] | None:
    """The first example of the input schema: arguments that work."""
    examples = load(toolset, tool, "input").get("examples")
    return dict(examples[0]) if examples else None


def advertise(
    toolset: str, tool: str, *, vocabulary: Mapping[str, Sequence[str]], totals: Mapping[str, int] | None = None
) -> tuple[Schema, Schema]:
    """The input and the output schema as clients see them: self-contained, with the vocabulary of the graph.

    Of the output only an outline is shown (ADR 0008): a model reads every schema at the start of every conversation,
    and sees the details of an answer in the answer.

    Args:
        vocabulary: entity types and predicates, by the values of x-vocabulary.
        totals: how many there are of each; where that is more than are given, they are examples, and all are allowed.
    """
    words = {kind: _words_schema(names, (totals or {}).get(kind, len(names))) for kind, names in vocabulary.items()}
    return _advertised(load(toolset, tool, "input"), words), _outline(load(toolset, tool, "output"))


@cache
def _common() -> Schema:
    definitions: Schema = json.loads((package_files.schemas() / "common.json").read_text(encoding="utf-8"))["$defs"]
    return definitions


def _referenced_names(part: Any) -> list[str]:
    if isinstance(part, dict):
        reference = part.get("$ref", "")
        names = [name for value in part.values() for name in _referenced_names(value)]
        for prefix in (_COMMON, _LOCAL):
            if reference.startswith(prefix):
                names.append(reference.removeprefix(prefix))
        return names
    if isinstance(part, list):
        return [name for value in part for name in _referenced_names(value)]
    return []


def _with_local_references(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            name: _LOCAL + value.removeprefix(_COMMON)
            if name == "$ref" and value.startswith(_COMMON)
            else _with_local_references(value)
            for name, value in part.items()
        }
    return [_with_local_references(value) for value in part] if isinstance(part, list) else part


def _words_schema(names: Sequence[str], total: int) -> Schema:
    """What a schema says of a word that must be in the vocabulary."""
    if total <= len(names):
        return {"enum": list(names)}
    return {"examples": list(names), "description": f"One of {total:,} words; get_ontology_structure lists them."}


def _advertised(part: Any, words: Mapping[str, Schema], *, are_property_names: bool = False) -> Any:
    """A part of a schema without our own keywords.

    Args:
        words: what is said of entity types and of predicates, by the values of x-vocabulary.
        are_property_names: whether the keys of the part are names of properties, not keywords of JSON Schema.
    """
    if isinstance(part, list):
        return [_advertised(value, words) for value in part]
    if not isinstance(part, dict):
        return part
    if are_property_names:
        return {name: _advertised(value, words) for name, value in part.items()}
    advertised = {
        name: _advertised(value, words, are_property_names=name in ("properties", "$defs"))
        for name, value in part.items()
        if name not in _NOT_ADVERTISED and (name, value) not in _UNINFORMATIVE
    }
    return {**words.get(part.get("x-vocabulary", ""), {}), **advertised} if "x-vocabulary" in part else advertised


def _outline(schema: Schema) -> Schema:
    """The properties of an object and their types, one level deep."""
    return {
        "type": "object",
        "properties": {name: _outline_of_property(part, schema) for name, part in schema["properties"].items()},
    }


def _outline_of_property(part: Schema, schema: Schema) -> Schema:
    part = resolve_reference(part, schema)
    type_names = part.get("type", "string")
    options = [_outline_of_property(option, schema) for option in part.get("anyOf", ())]
    if isinstance(type_names, list):
        options = [{"type": kind} for kind in type_names]
    if len(options) > _MAX_OPTIONS:
        return {}  # so many options tell a client no more than any value
    return {"anyOf": options} if options else {"type": type_names}
