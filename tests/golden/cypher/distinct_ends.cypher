MATCH (:Project)<-[:BELONGS_TO]-(d)<-[:DECIDED_IN]-(p) RETURN DISTINCT p.name ORDER BY p.name
