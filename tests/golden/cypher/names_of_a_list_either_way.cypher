UNWIND ['Ada Lovelace', 'core'] AS name MATCH (n {name: name})-[r]-() RETURN name, count(r) AS total ORDER BY name
