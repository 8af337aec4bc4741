"""Where a graph lives when nobody says otherwise. Knows no commands and opens nothing."""

from __future__ import annotations

from pathlib import Path


def default_path() -> Path:
    """The file of the default graph, by the conventions of the platform."""
    # Not needed, and so not paid for, where a file is named.
    from platformdirs import user_data_path

    return user_data_path("keepgraph", appauthor=False) / "default.db"
