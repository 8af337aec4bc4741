MATCH (p:Person)-[:REPORTS_TO]->(b:Person), (b)-[:DECIDED_IN]->(d) RETURN p.name, b.name, d.name ORDER BY p.name, d.name
