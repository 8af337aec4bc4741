"""Derived data that a tool needs, such as vectors or mentions, is made before; or the graph is read as of a time.

Derived data is computed after the write that makes it necessary. Before a call whose answer would be better with data
that is still missing, dispatch backfills for as long as there is time; then the tool answers with what there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from keepgraph import errors, store
from keepgraph.engine import knowledge, texts, vector_backfill
from keepgraph.engine.analysis import graph_map
from keepgraph.engine.resolution import resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

if TYPE_CHECKING:
    from keepgraph.store.derived_tables import VectorKind


class Need(Enum):
    """A kind of derived data. Kinds are backfilled in this order."""

    MENTIONS = "mentions"
    NAME_VECTORS = "vectors of names"
    VECTORS = "vectors"
    MAP_PLACES = "places on the map"


_MAX_UNREAD = 100
"""A call to a server waits for the mentions of at most this many names and texts: a tenth of a second or two."""

NeedsOfCall = Callable[..., frozenset[Need]]
"""What a call needs: a function of a transaction and the arguments of the call."""

NOTHING: frozenset[Need] = frozenset()
ALL = frozenset(Need)
NAME_VECTORS = frozenset([Need.NAME_VECTORS])
MENTIONS = frozenset([Need.MENTIONS])
MAP_PLACES = frozenset([Need.MAP_PLACES])
MENTIONS_AND_VECTORS = frozenset([Need.MENTIONS, Need.VECTORS])


def is_missing(tx: Tx, need: Need) -> bool:
    """Whether some data of this kind is missing and can be backfilled on this machine. Loads no model."""
    if need is Need.MENTIONS:
        return store.mention_places.any_unread(tx)
    if need is Need.MAP_PLACES:
        return store.communities.any_missing(tx)
    return vector_backfill.is_due(tx, _vector_kinds(need))


def is_left_to_background(tx: Tx, need: Need) -> bool:
    """Whether a server that makes this data in the background does not let a call wait for it: where much waits."""
    return need is Need.MENTIONS and store.mention_places.is_longer_than(tx, _MAX_UNREAD)


def backfill_some(
    database: Database, need: Need, *, seconds: float | None = None, has_background: bool = False
) -> None:
    """Backfill as much of this kind as a read may wait for, the newest first.

    Args:
        seconds: stop after the batch in which this time has passed; None is as long as a read may wait.
        has_background: whether a task in the background makes the vectors of all but the newest.

    Raises:
        errors.ModelUnavailable: vectors are needed, and the model cannot be used.
        errors.GraphFileError: the graph cannot be written.
    """
    if seconds is None:
        seconds = vector_backfill.MAX_SECONDS_OF_A_READ
    if need is Need.MENTIONS:
        texts.mention_index.backfill(database, seconds=seconds)
    elif need is Need.MAP_PLACES:
        graph_map.place_missing(database)
    else:
        vector_backfill.backfill_some(database, _vector_kinds(need), seconds=seconds, has_background=has_background)


def _vector_kinds(need: Need) -> tuple[VectorKind, ...]:
    return (store.derived_tables.NAME_VECTORS,) if need is Need.NAME_VECTORS else store.derived_tables.VECTOR_KINDS


# What a call needs to resolve the names in its arguments: vectors of names, where letters find nothing.


def to_resolve(*arguments: str, besides: frozenset[Need] = NOTHING) -> NeedsOfCall:
    """What a tool needs that resolves the names of entities in these arguments, where and when the call says.

    An argument may be a list of names.

    Args:
        besides: what it needs in any case.
    """

    def needs_of_call(
        tx: Tx, *, project: str | None = None, as_of: str | None = None, known_at: str | None = None, **given: Any
    ) -> frozenset[Need]:
        tx, _ = knowledge.projects.enter_named(tx, project)
        tx = to(tx, as_of=as_of or None, known_at=known_at)
        values = [given.get(argument) or "" for argument in arguments]
        names = [Name(text) for value in values for text in ([value] if isinstance(value, str) else value)]
        return besides | vectors_if(any(name.key and resolver.needs_vectors(tx, name) for name in names))

    return needs_of_call


def to_resolve_project(
    tx: Tx, *, project: str | None = None, as_of: str | None = None, known_at: str | None = None, **_: object
) -> frozenset[Need]:
    """What a tool needs that resolves `project`, as of the moment of the call; nothing where it is a group's id."""
    tx = to(tx, as_of=as_of, known_at=known_at)
    if not project or knowledge.projects.is_group(tx, project):
        return NOTHING
    types = graph_vocabulary.read(tx).project_types or None
    return vectors_if(resolver.needs_vectors(tx, Name(project), of_types=types))


def vectors_if(needed: bool) -> frozenset[Need]:
    """The vectors of names, or nothing."""
    return NAME_VECTORS if needed else NOTHING


# Time travel: the transaction of a read as of another moment.
#
# `as_of` asks what held then; `known_at` asks what was known then.


def to(tx: Tx, *, as_of: str | None, known_at: str | None) -> Tx:
    """The transaction as of another moment: what held at `as_of`, of what was known at `known_at`.

    A date means the end of that local day. `known_at` without `as_of` means the same moment for both.

    Raises:
        errors.MomentInvalid: one of them is neither a date nor an instant.
    """
    if as_of is None and known_at is None:
        return tx
    known_moment = _parse(tx, known_at, "known_at") if known_at is not None else None
    now = _parse(tx, as_of, "as_of") if as_of is not None else known_moment
    return replace(tx, now=now or tx.now, known_at=timestamps.from_datetime(known_moment) if known_moment else None)


def to_valid_at(tx: Tx, valid_at: str | None) -> Tx:
    """The transaction as of `valid_at`: what held then, of what is known now. A date means the end of that local day.

    Raises:
        errors.MomentInvalid: it is neither a date nor an instant.
    """
    return tx if valid_at is None else replace(tx, now=_parse(tx, valid_at, "valid_at"))


def time_range(tx: Tx, *, since: str | None, until: str | None) -> tuple[str | None, str | None]:
    """The timestamps from which and until which something is meant, both included; None where it is open.

    Raises:
        errors.MomentInvalid: one of them is neither a date nor an instant, or they are the wrong way round.
    """
    first, last = None, None
    if since:
        try:
            first = timestamps.parse(since, tx.zone)
        except (ValueError, OverflowError) as error:
            raise errors.MomentInvalid(f"since is {error}") from error
    if until:
        last = timestamps.from_datetime(_parse(tx, until, "until"))
    if first and last and last < first:
        raise errors.MomentInvalid(f"until ({until}) is before since ({since})", hint="Exchange them.")
    return first, last


def _parse(tx: Tx, text: str, parameter: str) -> datetime:
    try:
        return timestamps.parse_as_of(text, tx.zone)
    except (ValueError, OverflowError) as error:
        raise errors.MomentInvalid(f"{parameter} is {error}") from error
