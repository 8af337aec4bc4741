"""Adjacency in memory: the neighbours of all nodes in flat arrays (compressed sparse rows)."""
