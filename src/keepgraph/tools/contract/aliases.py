"""Aliases of tools: the names that other memory servers give to them. Calls by these names are answered too."""

from __future__ import annotations

TOOLS: dict[str, str] = {
    "check_conflict_tool": "check_conflict",
    "expand_context_tool": "expand_context",
    "get_entity_neighbors_tool": "get_entity_neighbors",
    "get_garden_status_tool": "get_garden_status",
    "get_full_document_tool": "get_full_document",
    "hydra_search_tool": "hydra_search",
    "ingest_directory_tool": "ingest_directory",
    "list_entities_tool": "list_entities",
    "priming_context_tool": "priming_context",
    "trace_path_tool": "trace_path",
    "train_gnn_tool": "train_gnn",
    "verify_relation_tool": "verify_relation",
    "init": "traversal_init",
    "next": "traversal_next",
    "collect": "traversal_collect",
    "reset": "traversal_reset",
    "schema_resource": "traversal_schema_resource",
    "n_from_type": "traversal_n_from_type",
    "e_from_type": "traversal_e_from_type",
    "out_step": "traversal_out_step",
    "in_step": "traversal_in_step",
    "out_e_step": "traversal_out_e_step",
    "in_e_step": "traversal_in_e_step",
    "filter_items": "traversal_filter_items",
    "search_vector": "traversal_search_vector",
    "search_vector_text": "traversal_search_vector_text",
    "search_keyword": "traversal_search_keyword",
}
