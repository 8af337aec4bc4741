-- by sql

SELECT n4.name AS c0, sum(s3.c1) AS c1
FROM (SELECT e1.object AS c0, count(*) AS c1
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 4
  AND +e1.object IS NOT NULL
  AND e2.retracted_at IS NULL
  AND e2.predicate = 4
  AND e2.subject = e1.object
  AND +e2.object IS NOT NULL
  AND e2.id <> e1.id
GROUP BY e1.object) AS s3
  CROSS JOIN entity AS n4 ON n4.id = s3.c0
GROUP BY n4.name
ORDER BY n4.name
LIMIT 201
