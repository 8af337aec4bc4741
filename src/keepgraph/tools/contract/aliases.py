"""The names that other systems give to our tools; calls by them are answered too."""

from __future__ import annotations

TOOLS: dict[str, str] = {
    "get_full_document_tool": "get_full_document",
    "ingest_directory_tool": "ingest_directory",
    "list_entities_tool": "list_entities",
    "priming_context_tool": "priming_context",
}
