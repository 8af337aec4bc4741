MATCH (p:Person) WITH collect(p.name) AS names RETURN size([name IN names WHERE name CONTAINS 'a']) AS n
