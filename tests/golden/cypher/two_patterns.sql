-- by sql

SELECT n2.name AS c0, n3.name AS c1, n5.name AS c2
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
  CROSS JOIN entity AS n3 ON n3.id = e1.object
  CROSS JOIN fact AS e4 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n5 ON n5.id = e4.object
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 3
  AND n2.type = 1
  AND +e1.object IS NOT NULL
  AND n3.type = 1
  AND e4.retracted_at IS NULL
  AND e4.predicate = 2
  AND e4.subject = e1.object
  AND +e4.object IS NOT NULL
ORDER BY n2.name, n5.name
LIMIT 201
