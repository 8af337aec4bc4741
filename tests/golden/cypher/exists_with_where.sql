-- by sql

SELECT n1.name AS c0
FROM entity AS n1
WHERE n1.type = 2
  AND EXISTS (SELECT 1
FROM fact AS e2 INDEXED BY fact_in
  CROSS JOIN entity AS n3 ON n3.id = e2.subject
WHERE e2.retracted_at IS NULL
  AND e2.predicate = 8
  AND e2.object = n1.id
  AND instr(n3.name, ?1) = 1)
ORDER BY n1.name
LIMIT 201
