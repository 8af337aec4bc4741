"""Readers of other programs' files: chat exports, CSV tables, the MCP memory server; each gives a stream of records."""
