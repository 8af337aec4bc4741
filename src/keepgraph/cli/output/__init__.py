"""Output on the terminal: messages, answers of tools, tables and pages."""
