MATCH (n) WHERE 'AL' IN n.aliases RETURN n.name
