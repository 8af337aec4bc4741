MATCH (b:Person)<-[:REPORTS_TO]-(p:Person)-[:DECIDED_IN]->(d)-[:BELONGS_TO]->(j) RETURN b.name, p.name, j.name ORDER BY p.name, j.name
