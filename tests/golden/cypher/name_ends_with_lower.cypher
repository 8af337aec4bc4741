MATCH (n) WHERE toLower(n.name) ENDS WITH 'hopper' RETURN n.name
