-- by sql

SELECT n5.name AS c0, n3.name AS c1, n6.name AS c2
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e2 INDEXED BY fact_in
  CROSS JOIN entity AS n3 ON n3.id = e2.subject
  CROSS JOIN fact AS e4 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n5 ON n5.id = e4.object
  CROSS JOIN entity AS n6 ON n6.id = e1.object
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 8
  AND +e1.object IS NOT NULL
  AND e2.retracted_at IS NULL
  AND e2.predicate = 2
  AND e2.object = e1.subject
  AND n3.type = 1
  AND e4.retracted_at IS NULL
  AND e4.predicate = 3
  AND e4.subject = e2.subject
  AND +e4.object IS NOT NULL
  AND n5.type = 1
ORDER BY n3.name, n6.name
LIMIT 201
