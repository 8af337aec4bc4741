"""Errors for SQL, GQL and other dialects of Cypher, each with what to write instead."""
