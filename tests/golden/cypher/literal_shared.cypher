MATCH (a)-[:TAGGED]->(t)<-[:TAGGED]-(b) WHERE a.name < b.name RETURN a.name, t.value, b.name ORDER BY a.name, b.name
