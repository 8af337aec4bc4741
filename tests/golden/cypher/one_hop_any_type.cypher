MATCH (:Person {name: 'Grace Hopper'})-[r]->(n) RETURN type(r), n.name ORDER BY type(r), n.name
