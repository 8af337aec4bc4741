"""Name resolution for readers: from a name to an entity, in the steps exact, alias, fuzzy, embedding."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.resolution import (
        abstention,
        acceptance,
        candidates,
        embedding,
        first_person,
        fuzzy,
        message_names,
        resolver,
        text_names,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
