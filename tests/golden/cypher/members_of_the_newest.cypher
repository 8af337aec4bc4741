MATCH (p:Project) RETURN p.name AS name, COUNT { (p)<-[:BELONGS_TO]-(:Decision) } AS decisions ORDER BY p.created_at DESC, p.name LIMIT 2
