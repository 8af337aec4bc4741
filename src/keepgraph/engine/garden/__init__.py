"""The gardener: passes that read the graph and propose what somebody may want to change."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.garden import gardener, passes
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
