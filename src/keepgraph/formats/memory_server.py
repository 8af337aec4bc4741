"""Reads the JSONL of the reference MCP memory server: an entity or a relation a line. Knows no graph."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import IO, Any

from keepgraph import errors
from keepgraph.formats import streams
from keepgraph.formats.records import Entity, Fact, Record, Trouble

_OF_ENTITY = frozenset(["type", "name", "entityType", "observations"])
_OF_RELATION = frozenset(["type", "from", "to", "relationType"])


def says(said: Any) -> bool:
    """Whether a line is one of this server's."""
    return isinstance(said, dict) and (
        (said.get("type") == "entity" and "name" in said and "entityType" in said)
        or (said.get("type") == "relation" and {"from", "to", "relationType"} <= said.keys())
    )


def read(file: IO[bytes]) -> Iterator[Record]:
    """Every line as a record, in the order of the file; `line` holds it as it stands there."""
    with streams.text(file) as source:
        for number, line in streams.lines(source):
            if line is None:
                problem = f"the line has more than {streams.LINE_AT_MOST:,} characters"
                yield Trouble(number, errors.InvalidArguments(problem))
            elif line.strip():
                yield _record(number, line.strip())


def _record(number: int, line: str) -> Record:
    try:
        if not streams.is_whole(line):
            raise errors.InvalidArguments("the line is not text in UTF-8")
        said = json.loads(line)
        if not isinstance(said, dict):
            raise errors.InvalidArguments("the line is not an object")
        if said.get("type") == "entity":
            return _entity(number, said, line)
        if said.get("type") == "relation":
            return _relation(number, said, line)
        raise errors.InvalidArguments('type is neither "entity" nor "relation"')
    except errors.InvalidArguments as error:
        return Trouble(number, error, streams.whole(line))
    except (ValueError, RecursionError) as error:
        return Trouble(number, errors.InvalidArguments(f"not JSON: {error}"), streams.whole(line))


def _entity(number: int, said: Mapping[str, Any], line: str) -> Entity:
    observations = said.get("observations", [])
    if not isinstance(observations, list):
        raise errors.InvalidArguments("observations is not a list")
    return Entity(
        place=number,
        type=_word(said, "entityType", may_be_empty=True),
        name=_word(said, "name"),
        observations=tuple(_observation(each) for each in observations),
        properties={name: _kept(value) for name, value in said.items() if name not in _OF_ENTITY},
        line=line,
    )


def _relation(number: int, said: Mapping[str, Any], line: str) -> Fact:
    return Fact(
        place=number,
        subject=_word(said, "from"),
        predicate=_word(said, "relationType"),
        object=_word(said, "to"),
        properties={name: _kept(value) for name, value in said.items() if name not in _OF_RELATION},
        line=line,
    )


def _word(said: Mapping[str, Any], name: str, *, may_be_empty: bool = False) -> str:
    word = said.get(name)
    if may_be_empty and word in (None, ""):
        return ""
    if not isinstance(word, str) or not word.strip():
        raise errors.InvalidArguments(f"{name} is not a text, or an empty one")
    return streams.whole(word)


def _observation(given: Any) -> str:
    """An observation as text; what is more than a text stays what it is, as JSON."""
    return streams.whole(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))


def _kept(value: Any) -> Any:
    """A value as it can be kept in JSON: what is no character is shown as �, at every depth.

    Raises:
        errors.InvalidArguments: a number is in it that others cannot read: NaN, an infinite one, or an integer that
            does not fit into 64 bits.
    """
    if isinstance(value, str):
        return streams.whole(value)
    if isinstance(value, list):
        return [_kept(each) for each in value]
    if isinstance(value, dict):
        return {streams.whole(name): _kept(each) for name, each in value.items()}
    if isinstance(value, int | float) and not -(2**63) <= value < 2**63:
        raise errors.InvalidArguments(f"{str(value)[:40]} is no number that JSON can hold everywhere")
    return value
