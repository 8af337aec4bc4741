"""Aliases of tools: the names that other memory servers give to them. Calls by these names are answered too."""

from __future__ import annotations

TOOLS: dict[str, str] = {
    "get_entity_neighbors_tool": "get_entity_neighbors",
    "get_full_document_tool": "get_full_document",
    "ingest_directory_tool": "ingest_directory",
    "list_entities_tool": "list_entities",
    "priming_context_tool": "priming_context",
    "trace_path_tool": "trace_path",
}
