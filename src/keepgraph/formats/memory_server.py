"""JSONL of the reference MCP memory server: each line is an entity or a relation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import IO, Any

from keepgraph import errors
from keepgraph.formats import records
from keepgraph.formats.records import Entity, Fact, ReadError, Record

_ENTITY_FIELDS = frozenset(["type", "name", "entityType", "observations"])
_RELATION_FIELDS = frozenset(["type", "from", "to", "relationType"])


def is_record(value: Any) -> bool:
    """Whether a value of JSON is an entity or a relation of this server."""
    return isinstance(value, dict) and (
        (value.get("type") == "entity" and "name" in value and "entityType" in value)
        or (value.get("type") == "relation" and {"from", "to", "relationType"} <= value.keys())
    )


def read(file: IO[bytes]) -> Iterator[Record]:
    """Every line as a record, in order; the attribute `line` holds it unchanged."""
    with records.open_text(file) as source:
        for number, line in records.read_lines(source):
            if line is None:
                problem = f"the line has more than {records.MAX_LINE_CHARACTERS:,} characters"
                yield ReadError(number, errors.InvalidArguments(problem))
            elif line.strip():
                yield _parse_line(number, line.strip())


def _parse_line(number: int, line: str) -> Record:
    try:
        if not records.is_valid(line):
            raise errors.InvalidArguments("the line is not text in UTF-8")
        record = json.loads(line)
        if not isinstance(record, dict):
            raise errors.InvalidArguments("the line is not an object")
        if record.get("type") == "entity":
            return _parse_entity(number, record, line)
        if record.get("type") == "relation":
            return _parse_relation(number, record, line)
        raise errors.InvalidArguments('type is neither "entity" nor "relation"')
    except errors.InvalidArguments as error:
        return ReadError(number, error, records.replace_invalid(line))
    except (ValueError, RecursionError) as error:
        return ReadError(number, errors.InvalidArguments(f"not JSON: {error}"), records.replace_invalid(line))


def _parse_entity(number: int, record: Mapping[str, Any], line: str) -> Entity:
    observations = record.get("observations", [])
    if not isinstance(observations, list):
        raise errors.InvalidArguments("observations is not a list")
    return Entity(
        position=number,
        type=_text_field(record, "entityType", may_be_empty=True),
        name=_text_field(record, "name"),
        observations=tuple(_observation_text(observation) for observation in observations),
        properties={name: _storable(value) for name, value in record.items() if name not in _ENTITY_FIELDS},
        line=line,
    )


def _parse_relation(number: int, record: Mapping[str, Any], line: str) -> Fact:
    return Fact(
        position=number,
        subject=_text_field(record, "from"),
        predicate=_text_field(record, "relationType"),
        object=_text_field(record, "to"),
        properties={name: _storable(value) for name, value in record.items() if name not in _RELATION_FIELDS},
        line=line,
    )


def _text_field(record: Mapping[str, Any], name: str, *, may_be_empty: bool = False) -> str:
    text = record.get(name)
    if may_be_empty and text in (None, ""):
        return ""
    if not isinstance(text, str) or not text.strip():
        raise errors.InvalidArguments(f"{name} is not a text, or an empty one")
    return records.replace_invalid(text)


def _observation_text(value: Any) -> str:
    """An observation as text; one that is not a string is written as JSON."""
    return records.replace_invalid(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _storable(value: Any) -> Any:
    """A value as it can be stored in JSON: � replaces invalid characters, at every depth.

    Raises:
        errors.InvalidArguments: it has a number that other programs cannot read: NaN, an infinite one, or an integer
            that does not fit into 64 bits.
    """
    if isinstance(value, str):
        return records.replace_invalid(value)
    if isinstance(value, list):
        return [_storable(element) for element in value]
    if isinstance(value, dict):
        return {records.replace_invalid(name): _storable(element) for name, element in value.items()}
    if isinstance(value, int | float) and not -(2**63) <= value < 2**63:
        raise errors.InvalidArguments(f"{str(value)[:40]} is not a number that JSON can hold everywhere")
    return value
