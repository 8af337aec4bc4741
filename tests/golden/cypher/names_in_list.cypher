MATCH (p:Person)-[:DECIDED_IN]->(d:Decision) WHERE p.name IN ['Ada Lovelace', 'Grace Hopper'] RETURN p.name, d.name
