"""A compiler of read-only openCypher: text and a catalogue in, a plan with SQL and parameters out. No connection."""
