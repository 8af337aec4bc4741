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
        conversations,
        copies,
        database,
        derived_tables,
        details,
        earlier_versions,
        entities,
        entity_pairs,
        episodes,
        exports,
        fact_changes,
        fact_columns,
        facts,
        file_locks,
        files,
        full_text,
        garden_candidates,
        garden_runs,
        graph_extracts,
        graph_statistics,
        group_conflicts,
        groups,
        identifiers,
        ids,
        imports,
        integrity,
        journal,
        listing,
        mention_places,
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
        schema_parts,
        scopes,
        search_filters,
        sqlite_errors,
        transactions,
        vector_search,
        vector_signs,
        vectors,
        vocabulary,
        wal,
        word_references,
        writer_queue,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
