MATCH (j:Project)<-[:BELONGS_TO]-(d) WITH j, d ORDER BY d.name RETURN j.name, collect(d.name) AS decisions ORDER BY j.name
