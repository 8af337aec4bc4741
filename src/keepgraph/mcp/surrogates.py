"""Replaces lone surrogates in text: they cannot be encoded as UTF-8, and writing one would end the server."""

from __future__ import annotations

from typing import Any


def replace(value: Any) -> Any:
    """A text, or all texts within JSON, with a question mark in the place of every lone surrogate."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {replace(name): replace(inner) for name, inner in value.items()}
    return [replace(inner) for inner in value] if isinstance(value, list) else value
