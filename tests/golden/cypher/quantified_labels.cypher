MATCH (n) WHERE none(l IN labels(n) WHERE l IN ['Person', 'Literal']) AND NOT 'Decision' IN labels(n) RETURN n.name, [a IN n.aliases WHERE a <> n.name] AS others
