MATCH (p:Person) WHERE p.name STARTS WITH 'A' RETURN p.name ORDER BY p.name
