"""`kg vocabulary`: the types and predicates of a graph, shown and governed."""
