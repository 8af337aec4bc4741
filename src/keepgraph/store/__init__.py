"""The SQL. Knows the tables; knows no rules."""
