"""The generator of `keepgraph/tool_calls.pyi`: a method for each listed tool, typed by its schemas.

An answer is a TypedDict, and so is what schemas share in common.json. Other objects are dicts: the file stays small.
"""

from __future__ import annotations

import json
import keyword
import subprocess
import sys
from collections.abc import Iterable, Iterator

from keepgraph import package_files
from keepgraph.tools.contract import catalogue, schemas
from keepgraph.tools.contract.schemas import Schema

ROOT = package_files.schemas().parents[1]
FILE = ROOT / "src/keepgraph/tool_calls.pyi"

_HEAD = '''\
"""The tools as methods of `Graph`, with the types of their arguments and answers. Generated from the schemas.

Import the types for type checkers only: `if TYPE_CHECKING: from keepgraph.tool_calls import RecordFact`.
"""

# Written by `make golden`.

from typing import Any, Literal, NotRequired, TypedDict
'''
_SCALARS = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
}


def generate() -> str:
    """The text of the file, formatted."""
    types = _Types()
    methods = [_method(types, tool.toolset, tool.name) for tool in catalogue.tools()]
    text = "\n".join([_HEAD, *types.declarations(), "class ToolCalls:", *methods, ""])
    ruff = [sys.executable, "-m", "ruff", "format", "--quiet", "--stdin-filename", str(FILE), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def _method(types: _Types, toolset: str, tool: str) -> str:
    arguments, answer = (schemas.load(toolset, tool, side) for side in ("input", "output"))
    required = arguments.get("required", [])
    parameters = [
        f"{name}: {types.annotation(part, arguments)}{'' if name in required else ' | None = ...'}"
        for name, part in arguments["properties"].items()
    ]
    given = f", *, {', '.join(parameters)}" if parameters else ""
    return f"    def {tool}(self{given}) -> {types.declare(_camel(tool), answer, answer)}: ..."


class _Types:
    """The TypedDicts that are declared, by name: the answers, and what common.json defines."""

    def __init__(self) -> None:
        self._fields: dict[str, list[tuple[str, str]]] = {}

    def declare(self, name: str, schema: Schema, whole: Schema) -> str:
        """The name of a TypedDict for an object of a schema."""
        if name not in self._fields:
            self._fields[name] = []
            required = schema.get("required", [])
            for field, part in schema["properties"].items():
                annotation = self.annotation(part, whole)
                self._fields[name].append((field, annotation if field in required else f"NotRequired[{annotation}]"))
        return name

    def annotation(self, part: Schema, whole: Schema) -> str:
        """The type of a part of a schema; an object that has no name of its own is a dict."""
        if "$ref" in part:
            name = part["$ref"].removeprefix("#/$defs/")
            defined = whole["$defs"][name]
            return (
                self.declare(_camel(name), defined, whole)
                if "properties" in defined
                else self.annotation(defined, whole)
            )
        if "enum" in part:
            return f"Literal[{', '.join('None' if value is None else json.dumps(value) for value in part['enum'])}]"
        options = part.get("oneOf") or part.get("anyOf") or []
        if options and "properties" not in part:
            return _union(self.annotation(option, whole) for option in options)
        kinds = part.get("type", "object" if "properties" in part else None)
        if isinstance(kinds, list):
            return _union(self.annotation({**part, "type": kind}, whole) for kind in kinds)
        if kinds == "array":
            return f"list[{self.annotation(part.get('items', {}), whole)}]"
        return _SCALARS.get(kinds or "", "Any")

    def declarations(self) -> Iterator[str]:
        for name, fields in sorted(self._fields.items()):
            if any(keyword.iskeyword(field) or not field.isidentifier() for field, _ in fields):
                inner = ", ".join(f"{json.dumps(field)}: {annotation}" for field, annotation in fields)
                yield f'{name} = TypedDict("{name}", {{{inner}}})'
            else:
                yield f"class {name}(TypedDict):"
                yield from (f"    {field}: {annotation}" for field, annotation in fields)
            yield ""


def _union(types: Iterable[str]) -> str:
    return " | ".join(sorted(dict.fromkeys(types), key=lambda each: each == "None"))


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.replace("-", "_").split("_"))
