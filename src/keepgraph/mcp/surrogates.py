"""Replaces lone surrogates in text: UTF-8 cannot encode them, and writing one would end the server."""

from __future__ import annotations

from typing import Any


def replace(value: Any) -> Any:
    """A text, or all texts in JSON, with a question mark for every lone surrogate."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {replace(name): replace(inner) for name, inner in value.items()}
    return [replace(inner) for inner in value] if isinstance(value, list) else value
