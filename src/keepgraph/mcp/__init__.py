"""The MCP server: the Model Context Protocol over standard input and output, and over HTTP."""
