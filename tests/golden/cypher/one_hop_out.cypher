MATCH (:Person {name: 'Ada Lovelace'})-[:DECIDED_IN]->(d:Decision) RETURN d.name ORDER BY d.name
