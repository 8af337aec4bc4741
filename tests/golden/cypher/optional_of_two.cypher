MATCH (q:Project) OPTIONAL MATCH (q)<-[:BELONGS_TO]-(d:Decision)<-[r:DECIDED_IN]-(p:Person) RETURN q.name, d.name, p.name, r.recorded_at ORDER BY q.name, d.name, p.name
