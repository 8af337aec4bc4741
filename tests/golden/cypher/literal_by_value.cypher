MATCH (n)-[:TAGGED]->({value: 'core'}) RETURN n.name ORDER BY n.name
