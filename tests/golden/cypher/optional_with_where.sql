-- by sql

SELECT n1.name AS c0, n4.name AS c1
FROM entity AS n1
  LEFT JOIN fact AS e2 INDEXED BY fact_in ON e2.retracted_at IS NULL AND e2.predicate = 8 AND e2.object = n1.id AND instr((SELECT n3.name
FROM entity AS n3
WHERE n3.id = e2.subject), ?1) > 0
  LEFT JOIN entity AS n4 ON n4.id = e2.subject
WHERE n1.type = 2
ORDER BY n1.name, n4.name NULLS LAST
LIMIT 201
