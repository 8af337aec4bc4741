"""The SQL target: logical operators and expressions as SQL."""
