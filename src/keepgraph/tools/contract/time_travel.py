"""Time travel: the transaction of a read as of another moment.

`as_of` asks what held then; `known_at` asks what was known then.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from keepgraph import errors
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


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
