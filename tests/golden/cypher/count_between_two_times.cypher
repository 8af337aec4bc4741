MATCH ()-[r]->() WHERE r.recorded_at >= datetime('2026-05-15T10:05:00Z') AND r.recorded_at < datetime('2026-05-15T10:07:00Z') RETURN count(r) AS n
