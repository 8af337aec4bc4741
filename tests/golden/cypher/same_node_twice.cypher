MATCH (a:Person)-[:REPORTS_TO]->(a) RETURN count(*) AS n
