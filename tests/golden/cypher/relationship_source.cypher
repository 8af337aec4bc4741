MATCH (a)-[r]->() WHERE r.source = 'standup' RETURN a.name, type(r) ORDER BY a.name, type(r)
