MATCH ()-[r]->() RETURN count(r) AS n
