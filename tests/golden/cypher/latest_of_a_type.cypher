MATCH (a:Person)-[r:DECIDED_IN]->(d:Decision) RETURN a.name, d.name, r.recorded_at AS at ORDER BY at DESC LIMIT 1
