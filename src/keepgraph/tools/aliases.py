"""The names that other systems give to our tools; calls by them are answered too."""

from __future__ import annotations

TOOLS: dict[str, str] = {}
