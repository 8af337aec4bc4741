MATCH (p:Person) WITH split(p.name, ' ')[-1] AS family RETURN family, count(*) AS total ORDER BY family
