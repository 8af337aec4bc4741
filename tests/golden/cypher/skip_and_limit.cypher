MATCH (n:Entity) RETURN n.name ORDER BY n.name SKIP 2 LIMIT 3
