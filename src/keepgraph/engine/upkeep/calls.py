"""One call as the unit of change, and the same answer for a call that is tried again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps


def begin(tx: Tx) -> Tx:
    """Enter the call in the journal, before anything is changed; from here on the transaction knows its number."""
    return replace(tx, call=store.journal.open_call(tx, at=timestamps.stamp(tx.now)))


def digest(request: Any) -> str:
    """What a request comes down to, for telling a retry from a new one.

    Raises:
        errors.InvalidArguments: it is not JSON.
    """
    try:
        text = json.dumps(request, sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise errors.InvalidArguments(
            "a request with an idempotency key must be plain JSON", hint="Send objects, lists, texts and numbers."
        ) from error
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def earlier_answer(tx: Tx, key: str, *, request: str) -> dict[str, Any] | None:
    """The answer that this idempotency key got before, or None.

    Raises:
        errors.IdempotencyKeyReused: it came with another request.
    """
    found = store.journal.answered(tx, key)
    if found is None:
        return None
    if found[0] != request:
        raise errors.IdempotencyKeyReused(f"the idempotency key {key[:60]!r} was used for another request")
    answer: dict[str, Any] = json.loads(found[1])
    return answer


def keep_answer(tx: Tx, key: str, answer: dict[str, Any], *, request: str) -> None:
    store.journal.keep_answer(tx, key, digest=request, answer=json.dumps(answer, ensure_ascii=False))
