"""One call as the unit of change, and the same answer for a call that is tried again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from keepgraph import errors
from keepgraph.engine import instants
from keepgraph.store import journal
from keepgraph.store.db import Tx


def begin(tx: Tx) -> None:
    """Enter the call in the journal, before anything is changed."""
    journal.open_call(tx, at=instants.stamp(tx.now))


def digest(request: Any) -> str:
    """What a request comes down to, for telling a retry from a new one."""
    text = json.dumps(request, sort_keys=True, ensure_ascii=False, default=repr, skipkeys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def earlier_answer(tx: Tx, key: str, *, request: str) -> dict[str, Any] | None:
    """The answer that this idempotency key got before, or None.

    Raises:
        errors.IdempotencyKeyReused: it came with another request.
    """
    found = journal.answered(tx, key)
    if found is None:
        return None
    if found[0] != request:
        raise errors.IdempotencyKeyReused(f"the idempotency key {key[:60]!r} was used for another request")
    answer: dict[str, Any] = json.loads(found[1])
    return answer


def keep_answer(tx: Tx, key: str, answer: dict[str, Any], *, request: str) -> None:
    journal.keep_answer(tx, key, digest=request, answer=json.dumps(answer, ensure_ascii=False))
