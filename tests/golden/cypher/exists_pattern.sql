-- by sql

SELECT n1.name AS c0
FROM entity AS n1
WHERE n1.type = 1
  AND EXISTS (SELECT 1
FROM fact AS e2 INDEXED BY fact_by_predicate
WHERE e2.retracted_at IS NULL
  AND e2.predicate = 2
  AND e2.subject = n1.id
  AND +e2.object IS NOT NULL)
ORDER BY n1.name
LIMIT 201
