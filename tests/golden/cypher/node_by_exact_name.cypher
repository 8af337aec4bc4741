MATCH (p:Person {name: 'Ada Lovelace'}) RETURN p.name, p.summary
