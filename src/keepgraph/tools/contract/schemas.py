"""The schema files of the tools: loads them, makes each self-contained, and prepares them for clients.

A schema may have keywords of our own, which a validator ignores:

    x-vocabulary   an entity type or a predicate: clients see the vocabulary of the graph as an enum, or the most used
                   words as examples; the tool itself checks the value, so that its error can suggest similar words
    x-code         the error code for this part of the arguments; or one code for each JSON Schema keyword that
                   can fail, and "*" for the others
    x-each         a list whose elements are checked one by one by the tool, as the arguments of this other tool
    x-detail       how a brief answer has a field: "full" not at all, unless it is required; "day" by the day alone,
                   where it is the beginning of a day
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
_MAX_INLINED = 40
"""A definition of at most this many characters costs no more than a reference to it."""

_UNINFORMATIVE: list[tuple[str, Any]] = [("required", []), ("minLength", 1), ("minItems", 1), ("minimum", 1)]
_NOT_ADVERTISED = {
    *("$schema", "$id", "examples", "x-vocabulary", "x-code", "x-each", "x-detail"),
    *("maxLength", "maxItems", "maximum"),
}
"""What a client does not need: our own keywords, and the largest sizes, which errors tell where they are exceeded."""

_SAID_IN_WORDS = {"anyOf", "additionalProperties", "propertyNames", "maxProperties"}
"""Of an object within the arguments: its description says which fields it has, and the tool refuses others."""


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
        part = definition(part, schema)
    return part


def definition(part: Schema, schema: Schema) -> Schema:
    """The definition that the `$ref` of a part names; it may refer to another."""
    named: Schema = schema["$defs"][part["$ref"].removeprefix(_LOCAL)]
    return named


def example(toolset: str, tool: str) -> dict[str, Any] | None:
    """The first example of the input schema: arguments that work."""
    examples = load(toolset, tool, "input").get("examples")
    return dict(examples[0]) if examples else None


def advertise(
    toolset: str,
    tool: str,
    *,
    vocabulary: Mapping[str, Sequence[str]],
    totals: Mapping[str, int] | None = None,
    whole_output: bool = False,
) -> tuple[Schema, Schema]:
    """The input and the output schema as clients see them: self-contained, with the vocabulary of the graph.

    A model reads every schema at the start of every conversation. So the words of the vocabulary are listed once in a
    schema, and of the output only an outline is shown (ADR 0008): the details of an answer are in the answer.
    A program that checks them asks for the whole.

    Args:
        vocabulary: entity types and predicates, by the values of x-vocabulary.
        totals: how many there are of each; where that is more than are given, they are examples, and all are allowed.
    """
    words = {kind: _words_schema(names, (totals or {}).get(kind, len(names))) for kind, names in vocabulary.items()}
    shown = _advertised(load(toolset, tool, "input"), {kind: {"$ref": _LOCAL + kind} for kind in words})
    shown["additionalProperties"] = False
    if used := [kind for kind in words if _uses(shown, _LOCAL + kind)]:
        shown["$defs"] = {**shown.get("$defs", {}), **{kind: {"type": "string", **words[kind]} for kind in used}}
    output = load(toolset, tool, "output")
    outline = {"type": "object", "properties": {name: {} for name in output["required"]}}
    return _inlined(shown), _advertised(output, {}) if whole_output else outline


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
    return {"examples": list(names), "description": f"One of {total:,} words, or another wording of one."}


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
        if name not in _NOT_ADVERTISED
        and (name, value) not in _UNINFORMATIVE
        and not (name in _SAID_IN_WORDS and part.get("type") == "object")
    }
    return words.get(part.get("x-vocabulary", ""), advertised) if "x-vocabulary" in part else advertised


def _uses(part: Any, reference: str) -> bool:
    """Whether a part of a schema refers to a definition."""
    if isinstance(part, dict):
        return part.get("$ref") == reference or any(_uses(value, reference) for value in part.values())
    return isinstance(part, list) and any(_uses(value, reference) for value in part)


def _inlined(schema: Schema) -> Schema:
    """A schema with definitions that are shorter than a reference to them, or are used once, in the place of it."""
    definitions = schema.get("$defs", {})
    counts = {name: _count_references(schema, _LOCAL + name) for name in definitions}
    short = {
        name: definition
        for name, definition in definitions.items()
        if counts[name] < 2 or len(json.dumps(definition)) <= _MAX_INLINED
    }
    if not short:
        return schema

    def inline(part: Any) -> Any:
        if isinstance(part, dict):
            name = part.get("$ref", "").removeprefix(_LOCAL) if isinstance(part.get("$ref", ""), str) else ""
            if name in short:
                return {**inline(short[name]), **{key: value for key, value in part.items() if key != "$ref"}}
            return {key: inline(value) for key, value in part.items()}
        return [inline(value) for value in part] if isinstance(part, list) else part

    kept = {name: inline(definition) for name, definition in definitions.items() if name not in short}
    shown: Schema = inline({key: value for key, value in schema.items() if key != "$defs"})
    return {**shown, "$defs": kept} if kept else shown


def _count_references(part: Any, reference: str) -> int:
    if isinstance(part, dict):
        own = part.get("$ref") == reference
        return own + sum(_count_references(value, reference) for value in part.values())
    return sum(_count_references(value, reference) for value in part) if isinstance(part, list) else 0
