"""Idempotency: a request that is sent again with the same key gets the same answer, and changes nothing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from keepgraph import errors, store
from keepgraph.store.transactions import Tx


def request_digest(request: Any) -> str:
    """The SHA-256 of a request, to tell a retry from another request with the same key.

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


def earlier_answer(tx: Tx, key: str, *, digest: str) -> dict[str, Any] | None:
    """The answer that the request with this idempotency key and digest got before, or None.

    Raises:
        errors.IdempotencyKeyReused: the key came with another request.
    """
    stored = store.journal.find_answer(tx, key)
    if stored is None:
        return None
    stored_digest, answer_json = stored
    if stored_digest != digest:
        raise errors.IdempotencyKeyReused(f"the idempotency key {key[:60]!r} was used for another request")
    answer: dict[str, Any] = json.loads(answer_json)
    return answer


def store_answer(tx: Tx, key: str, answer: dict[str, Any], *, digest: str) -> None:
    store.journal.insert_answer(tx, key, digest=digest, answer=json.dumps(answer, ensure_ascii=False))
