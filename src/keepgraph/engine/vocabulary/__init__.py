"""The vocabulary of a graph: its types and predicates, the sets that bring them, and changes of it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.vocabulary import (
        changes,
        common_words,
        declared_words,
        definitions,
        graph_vocabulary,
        sets,
        terms,
        wording_groups,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
