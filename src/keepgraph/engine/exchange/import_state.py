"""The state of an import: the result of each line, and what later batches of the same file must know."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from keepgraph import errors
from keepgraph.language import normalisation
from keepgraph.store.transfer import EpisodeRow
from keepgraph.temporal import timestamps

MAX_REFUSALS = 20
"""How many refusals of a file are kept with their reasons; the others are counted."""

HOPELESS_AFTER = 1_000
"""After this many refusals without any success, the rest of a file is not tried."""

Line = Mapping[str, Any]
"""A line of an export as JSON; it fits the schema of its kind."""

_T = TypeVar("_T")

_MAX_FILE_NAME = 255


def file_name(path: str) -> str:
    """The name of a file without its folders, as one line that can be stored and shown."""
    name = re.split(r"[\\/]", path)[-1] or path
    return normalisation.clean(name.encode("utf-8", "replace").decode())[:_MAX_FILE_NAME] or "file"


@dataclass(frozen=True, slots=True)
class EndsWarning:
    """Why the ends of an imported fact, or its literal, do not fit its predicate, in words."""

    predicate: str
    message: str


@dataclass(frozen=True, slots=True)
class LineResult:
    """The result of a line.

    Attributes:
        created: whether the line added something; False if the graph had all of it, or if the line was refused.
        error: why the whole line was refused.
        partial_errors: why aliases or former ids of an imported entity were refused.
        warning: why the ends of a fact, or its literal, do not fit its predicate; it was imported all the same.
    """

    created: bool = False
    error: errors.KeepgraphError | None = None
    partial_errors: tuple[errors.KeepgraphError, ...] = ()
    warning: EndsWarning | None = None


@dataclass(slots=True)
class ImportState:
    """What an import remembers of a file from batch to batch.

    Attributes:
        entity_rows: the rows of the entities that the file has lines for.
        alias_keys: the aliases that the file gives to entities of the graph: the row of each and the key of the alias.
        episode_rows: the rows of the episodes that the file has lines for.
        same_episodes: episodes that the graph has under another id, by their ids in the file.
        was_complete: whether an episode, by row, had its whole text before the first chunk line of it.
        same_facts: rows of facts that the graph has under another id, by their ids in the file.
        replaceable_words: the words, by kind and name, that nothing used before the import and that were as the program
            ships them; None before the first word.
        refused_ids: ids of entities, episodes and facts that stand for something else in the graph.
    """

    entity_rows: set[int] = field(default_factory=set)
    alias_keys: set[tuple[int, str]] = field(default_factory=set)
    episode_rows: set[int] = field(default_factory=set)
    same_episodes: dict[str, EpisodeRow] = field(default_factory=dict)
    was_complete: dict[int, bool] = field(default_factory=dict)
    same_facts: dict[str, int] = field(default_factory=dict)
    replaceable_words: set[tuple[str, str]] | None = None
    refused_ids: set[str] = field(default_factory=set)


def import_each(lines: Iterable[_T], import_line: Callable[[_T], LineResult], *, strict: bool) -> list[LineResult]:
    """Import lines one by one; an error becomes the result of its line. With `strict` the first error ends it."""
    results: list[LineResult] = []
    for line in lines:
        try:
            results.append(import_line(line))
        except errors.KeepgraphError as error:
            results.append(LineResult(error=error))
            if strict:
                break
    return results


# Values of import lines: timestamps are checked, and names and differences are worded for error messages.


# A fact, its assertions and the facts of the same call often have the same timestamp.
@lru_cache(maxsize=8192)
def validate_timestamp(text: str) -> str:
    """Return the timestamp unchanged.

    Raises:
        errors.InvalidArguments: it is not a timestamp in the form in which it is stored, or no such instant exists.
    """
    try:
        if timestamps.from_datetime(timestamps.to_datetime(text)) == text:
            return text
    except (ValueError, OverflowError):
        pass
    raise errors.InvalidArguments(
        f"{text!r} is not an instant in UTC with milliseconds", hint="Write it like this: 2026-11-21T08:44:39.123Z"
    )


def list_differences(differences: Mapping[str, bool]) -> str:
    """The names of those values that differ, for a message."""
    return " and ".join(name for name, differs in differences.items() if differs)


# The line format of exports: its version, and the default values that a line leaves out.

VERSION = 1
"""The version of the format, which this code reads and writes. A file of a newer one is refused."""

TOOL = "import"
"""What the journal calls an import."""

IMPORTED = "imported"
"""The vocabulary version of entity types and predicates that came with an imported file."""

DEFAULT_GROUP = "default"
DEFAULT_CONFIDENCE = 1.0
NO_SCOPE = "[]"
"""The scope of what holds everywhere, in JSON."""
