MATCH (:Person {name: 'Ada Lovelace'})-[r:DECIDED_IN]->(d) RETURN d.name, r.source, r.confidence, r.valid_from ORDER BY d.name
