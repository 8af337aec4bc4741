MATCH (p:Person)-[:REPORTS_TO*1..2]->(m) RETURN p.name AS name, m.name AS above ORDER BY name, above
