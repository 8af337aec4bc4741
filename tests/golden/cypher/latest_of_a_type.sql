-- by sql

SELECT s4.c0 AS c0, s4.c1 AS c1, s4.c2 AS c2
FROM (SELECT n2.name AS c0, n3.name AS c1, e1.recorded_at AS c2
FROM fact AS e1 INDEXED BY fact_recorded
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
  CROSS JOIN entity AS n3 ON n3.id = e1.object
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 2
  AND n2.type = 1
  AND +e1.object IS NOT NULL
  AND n3.type = 3
ORDER BY e1.recorded_at DESC
LIMIT 1) AS s4
LIMIT 10001
