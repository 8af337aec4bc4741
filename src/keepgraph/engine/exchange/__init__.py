"""Export, import, and conversion of records of other programs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.exchange import conversion, export, importer
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
