-- by sql

SELECT n4.name AS c0, n5.name AS c1, n6.name AS c2
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e3 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n4 ON n4.id = e1.subject
  CROSS JOIN entity AS n5 ON n5.id = e1.object
  CROSS JOIN entity AS n6 ON n6.id = e2.object
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 4
  AND +e1.object IS NOT NULL
  AND e2.retracted_at IS NULL
  AND e2.predicate = 4
  AND e2.subject = e1.object
  AND +e2.object IS NOT NULL
  AND e2.id <> e1.id
  AND e3.retracted_at IS NULL
  AND e3.predicate = 4
  AND e3.subject = e1.subject
  AND e3.object = e2.object
  AND e3.id <> e1.id
  AND e3.id <> e2.id
LIMIT 201
