MATCH (a)-[r]->() WHERE r.recorded_at > datetime('2026-05-15T10:05:00Z') - duration('PT2M') AND r.recorded_at <= date('2026-05-16')
RETURN a.name AS name, r.text AS said ORDER BY r.recorded_at
