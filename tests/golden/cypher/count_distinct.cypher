MATCH (p:Person)-[:DECIDED_IN]->(d) RETURN count(DISTINCT p) AS people, count(d) AS decisions
