"""Local machine-learning models behind small functions, loaded on first use. None of them uses the network."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
