MATCH (n)-[:TAGGED]->(t:Literal) RETURN n.name, t.value ORDER BY n.name, t.value
