"""An entity as a text to edit, in TOML, and the changes that an edited text makes."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from typing import Any

from keepgraph import errors

_FIELDS = ("name", "type", "aliases", "summary", "properties")
_HEADER = """\
Save this and close the editor to change the entity; close it without saving to leave it as it is.
Another name keeps the old one as an alias. What you delete is removed.\
"""


def write(entity: Mapping[str, Any]) -> str:
    """The text of an entity, given as `get_entity` answers it."""
    import tomlkit

    document = tomlkit.document()
    for line in _HEADER.splitlines():
        document.add(tomlkit.comment(line))
    document.add("name", tomlkit.string(entity["name"]))
    document.add("type", tomlkit.string(entity["type"]))
    document.add("aliases", tomlkit.item(list(entity["aliases"])))
    summary = entity.get("summary", "")
    # In a string of several lines, TOML drops a line feed at the beginning.
    document.add("summary", tomlkit.string(summary, multiline="\n" in summary and not summary.startswith("\n")))
    document.add(tomlkit.nl())
    shown, hidden = _properties(entity)
    table = tomlkit.table()
    for name in hidden:
        table.add(tomlkit.comment(f"{_on_one_line(name)} has a value that TOML cannot hold; it stays as it is."))
    for name, value in shown.items():
        table.add(name, tomlkit.item(value))
    document.add("properties", table)
    return tomlkit.dumps(document)


def changes(entity: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The arguments of `update_entity` that make an entity what a text says; none where it says what there is.

    Raises:
        errors.InvalidArguments: the text is no TOML, or a part of it is not what it should be.
    """
    try:
        edited = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise errors.InvalidArguments(
            f"the text is no TOML: {error}", hint='Texts stand in quotes: role = "CTO".'
        ) from error
    except RecursionError as error:
        raise errors.InvalidArguments("the text is nested too deeply", hint="Use fewer brackets.") from error
    _check_fields(edited)
    arguments: dict[str, Any] = {field: edited[field] for field in ("name", "type") if edited[field] != entity[field]}
    if (summary := edited.get("summary", "").strip()) != entity.get("summary", ""):
        arguments["summary"] = summary
    aliases, kept = entity["aliases"], edited.get("aliases", [])
    if added := [alias for alias in kept if alias not in aliases]:
        arguments["add_aliases"] = added
    if removed := [alias for alias in aliases if alias not in kept]:
        arguments["remove_aliases"] = removed
    shown, _ = _properties(entity)
    properties = {name: _as_json(value, name) for name, value in edited.get("properties", {}).items()}
    removed_properties: dict[str, Any] = {name: None for name in shown if name not in properties}
    changed = removed_properties | {
        name: value for name, value in properties.items() if name not in shown or not _is_same(value, shown[name])
    }
    if changed:
        arguments["properties"] = changed
    return arguments


def _check_fields(edited: Mapping[str, Any]) -> None:
    if unknown := [name for name in edited if name not in _FIELDS]:
        raise errors.InvalidArguments(
            f"{unknown[0]!r} is no field of an entity",
            hint=f"The fields are {', '.join(_FIELDS)}; a property stands below [properties].",
        )
    for field in ("name", "type"):
        if not isinstance(edited.get(field), str) or not edited[field].strip():
            raise errors.InvalidArguments(f"the {field} is missing", hint=f'Write it as {field} = "…".')
    if not isinstance(edited.get("summary", ""), str):
        raise errors.InvalidArguments("the summary is no text", hint='Write it in quotes: summary = "…".')
    aliases = edited.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise errors.InvalidArguments(
            "the aliases are no list of texts", hint='Write them as aliases = ["Ana", "A. R."].'
        )
    if not isinstance(edited.get("properties", {}), dict):
        raise errors.InvalidArguments("the properties are no table", hint="Write them below a line [properties].")


def _properties(entity: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The properties that TOML can hold, and the names of the others: it knows no null."""
    properties = entity.get("properties", {})
    hidden = [name for name, value in properties.items() if _has_null(value)]
    return {name: value for name, value in properties.items() if name not in hidden}, hidden


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null, value.values()))
    return any(map(_has_null, value)) if isinstance(value, list) else value is None


def _as_json(value: Any, name: str) -> Any:
    """A value of TOML as JSON: a date is a text.

    Raises:
        errors.InvalidArguments: it is no number that JSON has.
    """
    if isinstance(value, dict):
        return {key: _as_json(part, name) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_json(part, name) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise errors.InvalidArguments(f"the number of {name!r} is not finite", hint="Write it as a text, in quotes.")
    return value if isinstance(value, str | bool | int | float) else value.isoformat()


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of the same type: 1, 1.0 and true are three."""
    import json

    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _on_one_line(text: str) -> str:
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
