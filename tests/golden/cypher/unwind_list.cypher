UNWIND ['Atlas', 'Borealis'] AS name MATCH (j:Project {name: name}) RETURN j.name ORDER BY j.name
