MATCH (a)-[r]->(b) WHERE r.valid_from < '2026-05-01' RETURN a.name, r.valid_from ORDER BY r.valid_from
