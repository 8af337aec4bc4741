MATCH (a)-[r]->(b) WHERE r.source CONTAINS 'stand' RETURN a.name AS who, type(r) AS what, r.source AS source ORDER BY who, what
