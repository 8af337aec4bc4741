-- by sql

SELECT n4.name AS c0, s3.c1 AS c1
FROM (SELECT e1.subject AS c0, count(e1.object) AS c1
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 2
  AND n2.type = 1
  AND +e1.object IS NOT NULL
GROUP BY e1.subject) AS s3
  CROSS JOIN entity AS n4 ON n4.id = s3.c0
WHERE s3.c1 > ?1
ORDER BY n4.name
LIMIT 201
