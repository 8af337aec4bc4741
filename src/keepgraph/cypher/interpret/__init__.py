"""The Python target: an interpreter of the algebra, and the reference for the SQL target."""
