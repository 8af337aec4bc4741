-- by sql

SELECT s2.c0 AS c0, (SELECT count(*)
FROM fact AS e3 INDEXED BY fact_in
  CROSS JOIN entity AS n4 ON n4.id = e3.subject
WHERE e3.retracted_at IS NULL
  AND e3.predicate = 8
  AND e3.object = s2.c1
  AND n4.type = 3) AS c1
FROM (SELECT n1.name AS c0, n1.id AS c1
FROM entity AS n1
WHERE n1.type = 2
ORDER BY n1.created_at DESC, n1.name
LIMIT 2) AS s2
LIMIT 10001
