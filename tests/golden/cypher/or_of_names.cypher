MATCH (n) WHERE n.name = 'Atlas' OR n.name = 'SQLite' RETURN n.name ORDER BY n.name
