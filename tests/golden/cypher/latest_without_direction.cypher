MATCH (a)-[r]-(b)
RETURN a.name AS a, b.name AS b
ORDER BY r.recorded_at DESC, a, b
LIMIT 4
