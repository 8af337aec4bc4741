"""Name resolution for readers: exact, alias, fuzzy and embedding steps, with abstention."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.resolution import acronyms, embedding, resolver
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
