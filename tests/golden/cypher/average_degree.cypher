MATCH (p:Person)-[r]->() WITH p, count(r) AS n RETURN avg(n) AS average, max(n) AS most, min(n) AS least
