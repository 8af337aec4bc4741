MATCH (p:Person) RETURN toUpper(left(p.name, 3)) AS short, size(p.name) % 5 AS n ORDER BY short
