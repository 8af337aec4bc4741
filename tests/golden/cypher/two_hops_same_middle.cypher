MATCH (a:Person)-[:DECIDED_IN]->(d)<-[:DECIDED_IN]-(b:Person) WHERE a.name < b.name RETURN a.name, b.name, d.name
