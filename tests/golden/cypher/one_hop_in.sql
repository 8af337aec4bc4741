-- by sql

SELECT n3.name AS c0
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_in
  CROSS JOIN entity AS n3 ON n3.id = e2.subject
WHERE n1.type = 2
  AND n1.name = ?1
  AND e2.retracted_at IS NULL
  AND e2.predicate = 8
  AND e2.object = n1.id
  AND n3.type = 3
ORDER BY n3.name
LIMIT 201
