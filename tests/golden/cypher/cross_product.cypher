MATCH (a:Project), (b:Project) WHERE a.name < b.name RETURN a.name, b.name ORDER BY a.name, b.name
