"""What became of each tool of the five systems that Keepgraph takes the place of.

Each name as its system spells it, with our name for it. `HERE` are answered already, `TO_COME` are not yet.
"""

from __future__ import annotations

HERE = {
    "recall_entity": "recall_entity",
    "record_fact": "record_fact",
    "recall_decisions": "recall_decisions",
    "weekly_rollup": "weekly_rollup",
    "get_status": "get_status",
    "delete_entity_edge": "delete_entity_edge",
    "clear_graph": "clear_graph",
    "get_schema": "get_schema",
    "get_ontology_structure": "get_ontology_structure",
    "search_ontology": "search_ontology",
    "explore_ontology": "explore_ontology",
    "profile_graph": "profile_graph",
    "run_cypher": "run_cypher",
    "search": "search",
    "explore_node": "explore_node",
    "add_memory": "add_memory",
    "get_episodes": "get_episodes",
    "get_episode_context": "get_episode_context",
    "delete_episode": "delete_episode",
    "search_nodes": "search_nodes",
    "search_memory_facts": "search_memory_facts",
    "get_entity_edge": "get_entity_edge",
    "get_entity_connections": "get_entity_connections",
    "get_entity_timeline": "get_entity_timeline",
    "priming_context_tool": "priming_context",
    "expand_context_tool": "expand_context",
    "hydra_search_tool": "hydra_search",
    "get_full_document_tool": "get_full_document",
    "ingest_markdown": "ingest_markdown",
    "ingest_directory_tool": "ingest_directory",
    "ingest_prechunked": "ingest_prechunked",
    "submit_session_extraction": "submit_session_extraction",
    "list_entities_tool": "list_entities",
    "trace_path_tool": "trace_path",
    "get_entity_neighbors_tool": "get_entity_neighbors",
    "query_entity_relations": "query_entity_relations",
    "build_communities": "build_communities",
    "remember": "remember",
    "check_conflict_tool": "check_conflict",
    "verify_relation_tool": "verify_relation",
    "create_relation": "create_relation",
    "delete_relation": "delete_relation",
    "run_night_gardener": "run_night_gardener",
    "get_garden_status_tool": "get_garden_status",
    "train_gnn_tool": "train_gnn",
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

MENTIONED = {
    # Tools that a source names besides its own, and that stand in its instructions or in its newer versions.
    "search_episodes": "search",
    "search_memory_nodes": "search_nodes",
}

TO_COME = {
    # Aletheia
    # Graphiti
    # HydraMem
}
