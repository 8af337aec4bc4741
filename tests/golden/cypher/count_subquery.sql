-- by sql

SELECT n1.name AS c0, (SELECT count(*)
FROM fact AS e2 INDEXED BY fact_in
WHERE e2.retracted_at IS NULL
  AND e2.predicate = 8
  AND e2.object = n1.id) AS c1
FROM entity AS n1
WHERE n1.type = 2
ORDER BY n1.name
LIMIT 201
