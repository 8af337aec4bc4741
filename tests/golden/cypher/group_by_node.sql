-- by sql

SELECT n4.name AS c0, sum(s3.c1) AS c1
FROM (SELECT n1.id AS c0, count(e2.object) AS c1
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
WHERE n1.type = 1
  AND e2.retracted_at IS NULL
  AND e2.predicate = 2
  AND e2.subject = n1.id
  AND +e2.object IS NOT NULL
GROUP BY n1.group_id, n1.id) AS s3
  CROSS JOIN entity AS n4 ON n4.id = s3.c0
GROUP BY n4.name
ORDER BY sum(s3.c1) DESC, n4.name
LIMIT 201
