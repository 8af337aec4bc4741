"""Rebuilding of derived data that an integrity check found wrong, from data that is sound."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.upkeep import integrity
from keepgraph.engine.upkeep.integrity import Faults
from keepgraph.english import count_noun
from keepgraph.language.normalisation import Name
from keepgraph.store.transactions import Tx


def rebuild(tx: Tx, faults: Faults) -> list[str]:
    """Rebuild what is wrong, in a transaction that writes; what was done, in words to show."""
    messages = []
    # First, because triggers keep the indexes in step with the changes below, row by row.
    for index in faults.indexes:
        store.index_integrity.rebuild(tx, index)
        messages.append(f"made the index {index.table} anew")
    if faults.names or faults.fact_texts:
        tx = store.journal.begin_call(tx)
    for table, row in faults.names:
        written = store.derived_columns.find_name(tx, table, row)
        if written is not None:
            name = Name(written)
            store.derived_columns.set_normalised_name(tx, table, row, key=name.key, folded=name.indexed_forms)
    if faults.names:
        messages.append(f"made the forms for comparing of {count_noun(len(faults.names), 'name')} anew")
    for fact in faults.fact_texts:
        if columns := store.derived_columns.find_fact_text(tx, fact):
            store.derived_columns.set_fact_text(tx, fact, integrity.fact_text(*columns[4:]))
    if faults.fact_texts:
        messages.append(f"made the sentences of {count_noun(len(faults.fact_texts), 'fact')} anew")
    if faults.counts:
        store.cardinalities.count_again(tx)
        messages.append("counted entities and facts anew")
    if faults.vectors:
        store.vector_integrity.requeue_wrong(tx)
        messages.append("let what had wrong vectors wait for new ones")
    return messages
