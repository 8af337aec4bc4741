MATCH (p:Person)-[:DECIDED_IN]->(d) WITH p, count(d) AS n WHERE n > 1 RETURN p.name, n ORDER BY p.name
