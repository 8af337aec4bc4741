"""Text that can be written: half a surrogate pair would end the server. Knows no protocol."""

from __future__ import annotations

from typing import Any


def scrubbed(value: Any) -> Any:
    """A text, or all texts within JSON, with a question mark for every half of a surrogate pair."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {scrubbed(name): scrubbed(inner) for name, inner in value.items()}
    return [scrubbed(inner) for inner in value] if isinstance(value, list) else value
