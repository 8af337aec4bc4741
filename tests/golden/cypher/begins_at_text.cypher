MATCH (p:Person)-[:DECIDED_IN]->(d:Decision)-[:BELONGS_TO]->(q:Project) WHERE toLower(p.name) CONTAINS 'lovelace' RETURN d.name, q.name
