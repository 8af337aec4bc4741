"""`kg query`: queries in Cypher, one at a time or at a prompt."""
