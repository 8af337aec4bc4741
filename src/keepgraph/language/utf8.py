"""Texts as they are stored: valid UTF-8, and identified by a SHA-256 digest."""

from __future__ import annotations

import hashlib


def replace_surrogates(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which UTF-8 cannot encode; otherwise unchanged."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def digest(text: str) -> str:
    """The SHA-256 of the text in UTF-8, in hexadecimal digits. Texts with equal digests are the same text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
