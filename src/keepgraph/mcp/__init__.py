"""The MCP server: the Model Context Protocol over standard input and output. It takes the tools from the catalogue."""
