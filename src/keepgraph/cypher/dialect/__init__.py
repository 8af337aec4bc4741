"""Errors for SQL, GQL and other dialects of Cypher, each with a rewrite where one is known."""
