"""A compiler of read-only openCypher: text and a catalogue in, SQL and an operator tree out. No connection."""
