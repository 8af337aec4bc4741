MATCH p = (:Project {name: 'Atlas'})-[:DEPENDS_ON*1..2]->() RETURN length(p) AS n, [x IN nodes(p) | x.name] AS names ORDER BY n, names
