MATCH (j:Project) RETURN j.name, COUNT { (j)<-[:BELONGS_TO]-() } AS n ORDER BY j.name
