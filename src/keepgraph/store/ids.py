"""Public ids: a prefix and a ULID.

Source: the ULID specification (https://github.com/ulid/spec), with its monotonic rule: within one
millisecond the random part counts up, so that ids sort in order of creation.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_RANDOM_BITS = 80


def ulids() -> Callable[[str, datetime], str]:
    """A generator of ids: `new_id("ent", now)` gives `ent_` and 26 lower-case characters. Threads may share it."""
    lock = threading.Lock()
    last_millisecond = -1
    last_random = 0

    def new_id(prefix: str, now: datetime) -> str:
        nonlocal last_millisecond, last_random
        millisecond = max(int(now.timestamp() * 1000), 0)
        with lock:
            if millisecond == last_millisecond:
                last_random += 1
            else:
                last_millisecond, last_random = millisecond, _random()
            value = (millisecond << _RANDOM_BITS) | last_random
        return f"{prefix}_{_base32(value)}"

    return new_id


def _random() -> int:
    """79 random bits: the highest of 80 stays free, so that counting up never overflows."""
    return int.from_bytes(os.urandom(_RANDOM_BITS // 8)) >> 1


def _base32(value: int) -> str:
    """130 bits as 26 characters of Crockford's base 32, two at a time."""
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in range(120, -1, -10)])
