MATCH (d:Decision) WITH count(*) AS decisions RETURN 'some' AS word ORDER BY decisions
