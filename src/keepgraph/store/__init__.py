"""The store: SQL for the tables, and the SQLite file with its connections, locks, log and copies."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.store import (
        cancellation,
        catalogue_sql,
        change_cache,
        communities,
        compiled_queries,
        connections,
        conversations,
        copies,
        database,
        derived_columns,
        derived_tables,
        details,
        entities,
        episodes,
        exchange_rows,
        exports,
        facts,
        file_locks,
        files,
        full_text,
        graph_statistics,
        groups,
        idempotency,
        ids,
        imports,
        index_integrity,
        integrity,
        journal,
        mention_lookups,
        mention_places,
        mention_queue,
        mentions,
        migrations,
        neighbourhood,
        proposals,
        provenance,
        reader_pool,
        retrieval,
        schema_counts,
        search_filters,
        sqlite_errors,
        transactions,
        unlocking,
        vector_integrity,
        vector_search,
        vectors,
        vocabulary,
        wal,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
