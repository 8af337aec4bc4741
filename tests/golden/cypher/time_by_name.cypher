MATCH (a)-[r]->(b) WITH a AS who, r.recorded_at AS at WHERE at > datetime('2026-05-10') RETURN who.name AS who, at ORDER BY at, who
