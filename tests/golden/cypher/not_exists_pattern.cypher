MATCH (p:Person) WHERE NOT (p)-[:DECIDED_IN]->() RETURN p.name ORDER BY p.name
