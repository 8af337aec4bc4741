"""How answers look on a terminal: messages, tables and pages."""
