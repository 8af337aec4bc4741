MATCH (p:Person) OPTIONAL MATCH (p)-[:REPORTS_TO]->(b) RETURN p.name, b.name ORDER BY p.name
