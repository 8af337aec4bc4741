MATCH (d:Decision {name: 'Adopt SQLite'}) RETURN d
