MATCH (n {name: 'Atlas'}) RETURN labels(n), n.name
