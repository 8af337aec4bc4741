MATCH (p:Person) RETURN p.name ORDER BY p.name
