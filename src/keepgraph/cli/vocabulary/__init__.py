"""`kg vocabulary`: shows and edits the types and predicates of a graph."""
