MATCH (a)-[r]->(b) WHERE r.valid_from >= '2026-05-01' RETURN a.name, type(r) ORDER BY a.name, type(r)
