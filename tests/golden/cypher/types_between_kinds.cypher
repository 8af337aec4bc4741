MATCH (a)-[r]->(b) RETURN labels(a)[0] AS one, type(r) AS type, labels(b)[0] AS other, count(*) AS n ORDER BY one, type, other
