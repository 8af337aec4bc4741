MATCH (n) WHERE n.name IN ['Atlas', 'Borealis', 'Nobody'] RETURN n.name ORDER BY n.name
