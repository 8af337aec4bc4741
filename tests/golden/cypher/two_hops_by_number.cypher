MATCH (a:Person {name: 'Ada Lovelace'})-[:REPORTS_TO*2]-(b) RETURN DISTINCT b.name AS name ORDER BY name
