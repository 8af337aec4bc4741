MATCH (:Project {name: 'Atlas'})<-[:BELONGS_TO]-(d:Decision) RETURN d.name ORDER BY d.name
