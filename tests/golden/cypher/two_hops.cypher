MATCH (p:Person)-[:DECIDED_IN]->(d)-[:BELONGS_TO]->(j:Project) RETURN p.name, d.name, j.name ORDER BY p.name, d.name
