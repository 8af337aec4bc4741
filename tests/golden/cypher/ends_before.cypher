MATCH (a)-[r]->(b) WHERE r.valid_to < '2027-01-01' RETURN a.name, r.valid_to
