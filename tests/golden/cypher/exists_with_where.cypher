MATCH (j:Project) WHERE EXISTS { MATCH (j)<-[:BELONGS_TO]-(d) WHERE d.name STARTS WITH 'Adopt' } RETURN j.name ORDER BY j.name
