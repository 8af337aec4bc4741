MATCH p = shortestPath((:Person {name: 'Linus Pauling'})-[*..6]-(:Concept {name: 'SQLite'})) RETURN length(p) AS n
