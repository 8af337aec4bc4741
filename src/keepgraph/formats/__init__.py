"""Readers of other programs' files: chat exports, CSV tables, the MCP memory server; each gives a stream of records."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
