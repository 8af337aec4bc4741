"""Errors for other query languages and dialects of Cypher, each with a rewrite where one is known."""
