"""The Python target: an interpreter of the logical operators, and the reference for the SQL target."""
