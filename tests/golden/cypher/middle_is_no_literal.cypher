MATCH (a)-[:DEPENDS_ON]->(b)-[:DEPENDS_ON]->(c) RETURN b.name AS middle, count(*) AS n ORDER BY middle
