"""The schemas of the tools for other programs: their addresses, and a registry that resolves them without a network.

import keepgraph.schemas, jsonschema
schema = keepgraph.schemas.read("record_fact", "output")
jsonschema.Draft202012Validator(schema, registry=keepgraph.schemas.registry()).validate(answer)
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from keepgraph import errors, package_files
from keepgraph.tools.contract import catalogue

if TYPE_CHECKING:
    from referencing import Registry

BASE = "https://keepgraph.invalid/schemas/v1/"
"""Where the `$id` of every schema begins. Nothing is there to be fetched: the files are in this package."""


def read(tool: str, side: Literal["input", "output"]) -> dict[str, Any]:
    """The schema of the arguments or of the answer of a tool, as its file has it; its references are relative.

    Raises:
        keepgraph.KeepgraphError: UNKNOWN_TOOL, there is no tool of this name.
    """
    found = catalogue.find(tool)
    return _read(f"{found.toolset}/{found.name}.{side}.json")


def registry() -> Registry[Any]:
    """All schemas by their addresses, for libraries that resolve references with `referencing`.

    Raises:
        keepgraph.KeepgraphError: INVALID_ARGUMENTS, the package referencing is not installed.
    """
    try:
        from referencing import Registry, Resource
    except ImportError as error:
        raise errors.InvalidArguments(
            "a registry needs the package referencing", hint="Install it: `pip install referencing`."
        ) from error
    return Registry().with_resources([(schema["$id"], Resource.from_contents(schema)) for schema in all_schemas()])


def all_schemas() -> Iterator[dict[str, Any]]:
    """Every schema, and the definitions that they share."""
    folder = package_files.schemas()
    for file in sorted(folder.rglob("*.json")):
        yield _read(file.relative_to(folder).as_posix())


def _read(path: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((package_files.schemas() / path).read_text(encoding="utf-8"))
    return schema
