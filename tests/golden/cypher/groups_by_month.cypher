MATCH (a)-[r]->() RETURN date.truncate('month', r.recorded_at) AS month, labels(a)[0] AS kind, count(*) AS total ORDER BY month, kind
