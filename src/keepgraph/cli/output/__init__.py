"""Output on the terminal: messages, answers of tools, tables and pages."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
