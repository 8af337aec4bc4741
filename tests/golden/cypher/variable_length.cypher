MATCH (:Project {name: 'Atlas'})-[:DEPENDS_ON*1..3]->(n) RETURN DISTINCT n.name ORDER BY n.name
