MATCH (a)-[r]->(b) RETURN a.name, type(r), coalesce(b.name, b.value) AS end ORDER BY r.recorded_at DESC, r.id DESC LIMIT 3
