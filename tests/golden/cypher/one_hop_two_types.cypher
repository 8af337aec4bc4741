MATCH (n)-[r:BLOCKED_BY|DEPENDS_ON]->(m) RETURN n.name, type(r), m.name ORDER BY n.name, m.name
