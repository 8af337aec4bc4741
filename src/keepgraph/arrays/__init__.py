"""Compressed adjacency: the neighbours of all nodes in flat arrays. No tables."""
