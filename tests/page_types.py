"""The generator of `ui/src/tools.ts`: the arguments and answers of the tools that the page calls, by their schemas."""

from __future__ import annotations

import json
from pathlib import Path

from keepgraph.tools.contract import catalogue, schemas
from keepgraph.tools.contract.schemas import Schema
from keepgraph.web import server

FILE = Path(__file__).parents[1] / "ui/src/tools.ts"

_IN_PAGE = {"extract_graph", "show_graph"}
"""Called by others, who put the answer into the page."""

_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def generate() -> str:
    """The text of the file: what the schemas share by its name, then the tools by theirs."""
    shared: dict[str, str] = {}
    sides = {"input": "ToolArguments", "output": "ToolAnswers"}
    fields: dict[str, list[str]] = {side: [] for side in sides}
    for tool in sorted(server.ALL | _IN_PAGE):
        for side in sides:
            schema = schemas.load(catalogue.find(tool).toolset, tool, side)
            fields[side].append(f"  {tool}: {_type(schema, schema, shared)};\n")
    parts = ["// Generated from schemas/ by `make golden`.\n"]
    parts += [f"export type {name} = {text};\n" for name, text in sorted(shared.items())]
    parts += [f"export interface {name} {{\n{''.join(fields[side])}}}\n" for side, name in sides.items()]
    return "\n".join(parts)


def _type(part: Schema, whole: Schema, shared: dict[str, str]) -> str:
    """The type of a part of a schema."""
    if "$ref" in part:
        key = part["$ref"].removeprefix("#/$defs/")
        name = "".join(word.capitalize() for word in key.split("_"))
        if name not in shared:
            shared[name] = ""
            shared[name] = _type(whole["$defs"][key], whole, shared)
        return name
    if "enum" in part or "const" in part:
        return _union([json.dumps(value) for value in part.get("enum", [part.get("const")])])
    if "properties" in part:
        required = part.get("required", [])
        fields = [
            f"{name}{'' if name in required else '?'}: {_type(field, whole, shared)}"
            for name, field in part["properties"].items()
        ]
        return f"{{ {'; '.join(fields)} }}" if fields else "Record<string, never>"
    if options := part.get("oneOf") or part.get("anyOf"):
        return _union([_type(option, whole, shared) for option in options])
    kinds = part.get("type")
    if isinstance(kinds, list):
        return _union([_type({**part, "type": kind}, whole, shared) for kind in kinds])
    if kinds == "array":
        if "prefixItems" in part:
            return f"[{', '.join(_type(each, whole, shared) for each in part['prefixItems'])}]"
        return f"Array<{_type(part.get('items', {}), whole, shared)}>"
    if kinds == "object":
        values = part.get("additionalProperties")
        return f"Record<string, {_type(values, whole, shared) if isinstance(values, dict) else 'unknown'}>"
    return _SCALARS[kinds] if kinds else "unknown"


def _union(types: list[str]) -> str:
    return " | ".join(dict.fromkeys(types))
