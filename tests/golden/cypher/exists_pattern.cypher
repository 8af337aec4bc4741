MATCH (p:Person) WHERE EXISTS { (p)-[:DECIDED_IN]->() } RETURN p.name ORDER BY p.name
