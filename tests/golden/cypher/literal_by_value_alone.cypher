MATCH (n {value: 'core'}) RETURN n.value
