"""Values that no caller should send, and what an answer to one must be."""

from __future__ import annotations

import datetime
import decimal
import json
from typing import Any

from keepgraph import errors

LONGEST_MESSAGE = 1000

_CODES = errors.leaves().keys()


def deep(levels: int) -> Any:
    """Lists in maps in lists."""
    nested: Any = 1
    for level in range(levels):
        nested = {"a": nested} if level % 2 else [nested]
    return nested


ODD: dict[str, Any] = {
    "nul": "a\x00b",
    "nul in a key": {"a\x00": 1},
    "surrogate": "\ud800",
    "surrogate in a key": {"\udfff": 1},
    "surrogate within": {"type": "person", "name": "A\ud83d"},
    "nan": float("nan"),
    "nan within": {"type": "person", "name": float("nan")},
    "infinity": float("inf"),
    "minus infinity within": [float("-inf")],
    "ten megabytes": "x" * 10_000_000,
    "ten megabytes within": {"type": "person", "name": "x" * 10_000_000},
    "ten megabytes of brackets": "[" * 10_000_000,
    "many elements": [0] * 2_000,
    "300 levels": deep(300),
    "300 levels of text": json.dumps(deep(300)),
    "a hundred thousand levels": deep(100_000),
    "a hundred thousand levels of text": "[" * 100_000 + "]" * 100_000,
    "a huge integer": 10**400,
    "a long integer": 2**63,
    "a true": True,
    "a number": 12,
    "a fraction": 1e308,
    "an empty text": "",
    "white space": " \t\n\u3000",
    "a mark of byte order": "\ufeff",
    "joiners": "\u200d\u200c",
    "an empty list": [],
    "an empty object": {},
    "a list of nothing": [None],
    "nested text": '{"type": "person"',
    "a bracket": "{",
    "bytes": b"Ada",
    "a set": {1, 2},
    "a date": datetime.date(2026, 5, 1),
    "a decimal": decimal.Decimal("0.5"),
    "a complex number": 1j,
    "a key that is a number": {1: "x"},
    "a key that is nothing": {None: "x"},
    "an object": object(),
    "a class": dict,
    "SQL": "'; DROP TABLE fact; --",
    "emoji": "🚀" * 200,
    "combining": "a" + "\u0301" * 199,
    "right to left": "\u202eabc",
    "text that folds to nothing": "---",
    "a word too long": "x" * 1_000_000,
    "many words": "ab " * 66,
}


def is_refusal(answer: dict[str, Any]) -> bool:
    """Whether an answer is an error; then it must be a helpful one."""
    if "error" not in answer:
        return False
    if answer.get("type") == "error":
        # Queries have an envelope of their own.
        answer = {"error": answer["code"], "message": answer["error"]["explanation"], "example": {}} | {
            "hint": answer["error"]["suggestion"]
        }
    assert answer["error"] in _CODES
    assert answer["error"] != "INTERNAL_ERROR"
    assert 0 < len(answer["message"]) <= LONGEST_MESSAGE
    assert answer["hint"]
    assert isinstance(answer.get("example", {}), dict)
    # Whatever is shown must be showable: valid text, finite numbers.
    assert len(json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()) < 10_000
    return True
