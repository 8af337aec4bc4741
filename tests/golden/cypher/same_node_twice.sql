-- by sql

SELECT count(*) AS c0
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
WHERE n1.type = 1
  AND e2.retracted_at IS NULL
  AND e2.predicate = 3
  AND e2.subject = n1.id
  AND e2.object = n1.id
LIMIT 201
