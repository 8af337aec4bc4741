"""Counting of calls that read, and of names that nothing has: only where the settings ask for it, in a short write.

Counted is which tool was called in which conversation, and how often; never what was asked but for those names.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from keepgraph import errors, store
from keepgraph.store.database import Database
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import catalogue
from keepgraph.tools.contract.catalogue import Tool


def count(database: Database, tool: Tool, *, session: str | None, unknown_names: Mapping[str, str]) -> None:
    """Count a call that was answered; in a graph that cannot be written to, nothing is counted."""
    if tool.toolset in catalogue.INTERNAL_TOOLSETS:
        return
    is_read_counted = database.settings.count_reads and session is not None
    if not is_read_counted and not unknown_names:
        return
    with suppress(errors.GraphFileError), database.write(tool.name, session=session) as tx:
        at = timestamps.from_datetime(tx.now)
        if is_read_counted and session is not None:
            store.read_counts.add_read(tx, conversation=session, tool=tool.name, at=at)
        if unknown_names:
            store.read_counts.add_unknown_names(tx, unknown_names, at=at)
