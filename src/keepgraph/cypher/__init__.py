"""A compiler of read-only openCypher: text and a catalogue in, SQL and an operator tree out. No connection."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.cypher import (
        aggregates,
        arithmetic,
        binder,
        catalogue,
        comparison,
        compiler,
        dialect,
        functions,
        interpret,
        plan,
        query_repair,
        sql,
        syntax,
        table_graph,
        type_inference,
        value_types,
        values,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
