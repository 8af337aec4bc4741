MATCH (p:Person) RETURN count(*) AS n
