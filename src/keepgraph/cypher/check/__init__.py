"""Semantic checks before a query runs: scopes, and the types of expressions."""
