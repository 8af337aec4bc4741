"""The one list of tools, one module a toolset. Knows words and contracts; the rules are in engine."""
