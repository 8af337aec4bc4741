MATCH (p:Person)-[:DECIDED_IN]->(d) WHERE p.name = 'AL' OR any(a IN p.aliases WHERE toLower(a) = 'al') RETURN p.name, d.name
