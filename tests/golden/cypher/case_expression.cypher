MATCH (n:Entity) RETURN CASE WHEN n:Person THEN 'who' ELSE 'what' END AS kind, count(*) AS n ORDER BY kind
