MATCH (a)-[r]->(b) WHERE r.recorded_at = date('2026-05-15') AND (r.valid_from IN ['2026-05-01T00:00Z', date('1999-01-01')] OR date(r.valid_from) > date('2026-05-07'))
RETURN a.name AS name, type(r) AS predicate ORDER BY name
