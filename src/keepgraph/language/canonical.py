"""A text as it is kept: valid Unicode, and known by its digest. Knows no table."""

from __future__ import annotations

import hashlib


def valid(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which UTF-8 cannot say; else as it is, to the letter."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def digest(text: str) -> str:
    """What tells one text from another: the SHA-256 of its UTF-8, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
