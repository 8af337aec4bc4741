MATCH (p:Person)-[:DECIDED_IN]->(d) RETURN p.name, count(d) AS n ORDER BY n DESC, p.name LIMIT 1
