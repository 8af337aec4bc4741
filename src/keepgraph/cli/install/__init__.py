"""`kg install`: configuration files of MCP clients, and a test that the server answers."""
