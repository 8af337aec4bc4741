-- by sql

SELECT s5.c0 AS c0, s5.c1 AS c1
FROM (SELECT n4.name AS c0, sum(s3.c1) AS c1
FROM (SELECT n1.id AS c0, count(coalesce(e2.object, '=' || e2.literal)) AS c1
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
WHERE n1.type = 1
  AND e2.retracted_at IS NULL
  AND e2.predicate = 2
  AND e2.subject = n1.id
GROUP BY n1.group_id, n1.id) AS s3
  CROSS JOIN entity AS n4 ON n4.id = s3.c0
GROUP BY n4.name
ORDER BY sum(s3.c1) DESC NULLS FIRST, n4.name NULLS LAST
LIMIT ?1) AS s5
LIMIT ?2
