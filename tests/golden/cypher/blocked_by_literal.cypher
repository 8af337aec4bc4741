MATCH (p:Project)-[:BLOCKED_BY]->(b:Literal) RETURN p.name, b.value ORDER BY p.name
