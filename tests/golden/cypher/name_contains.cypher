MATCH (n) WHERE n.name CONTAINS 'SQL' RETURN n.name ORDER BY n.name
