"""The catalogue of tools, and the contract of a call: dispatch, schemas, validation, answer shapes, aliases."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
