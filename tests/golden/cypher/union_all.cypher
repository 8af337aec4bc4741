MATCH (p:Project) RETURN 'project' AS kind, count(*) AS n UNION ALL MATCH (p:Person) RETURN 'person' AS kind, count(*) AS n
