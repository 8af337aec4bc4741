MATCH (p:Person) OPTIONAL MATCH (p)-[:REPORTS_TO]->(b) RETURN p.name, coalesce(b.name, 'nobody') AS boss ORDER BY p.name
