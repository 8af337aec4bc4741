"""Dates, times and durations: the temporal types of openCypher, and the timestamps that are stored."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
