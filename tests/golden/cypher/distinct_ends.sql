-- by sql

SELECT DISTINCT n4.name AS c0
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n3 ON n3.id = e2.object
  CROSS JOIN entity AS n4 ON n4.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 2
  AND +e1.object IS NOT NULL
  AND e2.retracted_at IS NULL
  AND e2.predicate = 8
  AND e2.subject = e1.object
  AND +e2.object IS NOT NULL
  AND n3.type = 2
ORDER BY n4.name
LIMIT 201
