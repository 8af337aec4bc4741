MATCH (a)-[:DEPENDS_ON]->(b)-[:DEPENDS_ON]->(c), (a)-[:DEPENDS_ON]->(c) RETURN a.name, b.name, c.name
