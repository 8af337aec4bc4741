"""SQL: the tables, the rows and the database file. Knows no rules."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.store import (
        change_cache,
        compiled_queries,
        copies,
        database,
        entities,
        episodes,
        exchange,
        facts,
        files,
        groups,
        ids,
        integrity,
        journal,
        mentions,
        migrations,
        neighbourhood,
        proposals,
        provenance,
        retrieval,
        schema_counts,
        sqlite_errors,
        vectors,
        vocabulary,
        wal,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
