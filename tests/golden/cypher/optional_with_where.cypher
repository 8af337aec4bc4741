MATCH (j:Project) OPTIONAL MATCH (j)<-[:BELONGS_TO]-(d) WHERE d.name CONTAINS 'SQL' RETURN j.name, d.name ORDER BY j.name, d.name
