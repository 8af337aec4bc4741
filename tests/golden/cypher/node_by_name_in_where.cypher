MATCH (p:Person) WHERE p.name = 'Grace Hopper' RETURN p.name
