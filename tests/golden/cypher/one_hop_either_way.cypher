MATCH (:Project {name: 'Atlas'})--(n) RETURN DISTINCT n.name ORDER BY n.name
