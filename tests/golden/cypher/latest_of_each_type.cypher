MATCH ()-[r]->() RETURN type(r) AS type, max(r.recorded_at) AS latest ORDER BY type
