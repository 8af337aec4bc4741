-- by sql

SELECT n3.name AS c0
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n3 ON n3.id = e2.object
WHERE n1.type = 1
  AND n1.name = ?1
  AND e2.retracted_at IS NULL
  AND e2.predicate = 2
  AND e2.subject = n1.id
  AND +e2.object IS NOT NULL
  AND n3.type = 3
ORDER BY n3.name
LIMIT 201
