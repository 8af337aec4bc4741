MATCH (a)-[r]->(b) WHERE a.name = 'Atlas' OR b.name = 'Atlas' RETURN type(r) AS type, count(*) AS total ORDER BY type
