MATCH (p:Person) RETURN p.name AS name UNION MATCH (j:Project) RETURN j.name AS name ORDER BY name
