"""The gardener: passes that read the graph and propose changes for a person to decide."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.garden import gardener, passes
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
