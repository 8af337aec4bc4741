MATCH (d:Decision) RETURN d.name ORDER BY d.name DESC LIMIT 4
