"""The store: SQL for the tables, and the SQLite file with its connections, locks, log and copies.

A bound row limit has a plus before it, `LIMIT +:limit`: SQLite 3.53 inspects a placeholder that is all of a LIMIT when
it plans a statement, and recompiles it whenever the value is bound.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.store import (
        cancellation,
        cardinalities,
        communities,
        compiled_queries,
        connections,
        copies,
        database,
        derived_tables,
        details,
        earlier_versions,
        entities,
        episodes,
        fact_columns,
        facts,
        file_locks,
        files,
        full_text,
        garden,
        graph_extracts,
        graph_statistics,
        group_conflicts,
        groups,
        ids,
        integrity,
        journal,
        listing,
        mentions,
        migrations,
        neighbourhood,
        profiling,
        proposals,
        provenance,
        purge,
        retrieval,
        review_proposals,
        run_locks,
        scopes,
        search_filters,
        sqlite_errors,
        transactions,
        transfer,
        vector_search,
        vectors,
        vocabulary,
        wal,
        word_references,
        writer_queue,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
