"""The Model Context Protocol, over standard input and output. Knows no tool by name."""
