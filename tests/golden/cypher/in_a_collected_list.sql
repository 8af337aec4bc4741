-- by sql

SELECT n7.name AS c0, sum(s6.c1) AS c1
FROM (SELECT e4.subject AS c0, count(s3.c0) AS c1
FROM (SELECT DISTINCT e2.object AS c0
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
WHERE n1.type = 1
  AND n1.name = ?1
  AND e2.retracted_at IS NULL
  AND e2.predicate = 2
  AND e2.subject = n1.id
  AND +e2.object IS NOT NULL
  AND e2.object IS NOT NULL) AS s3
  CROSS JOIN fact AS e4 INDEXED BY fact_in
  CROSS JOIN entity AS n5 ON n5.id = e4.subject
WHERE e4.retracted_at IS NULL
  AND e4.predicate = 2
  AND e4.object = s3.c0
  AND n5.type = 1
  AND n5.name <> ?1
GROUP BY n5.group_id, e4.subject) AS s6
  CROSS JOIN entity AS n7 ON n7.id = s6.c0
GROUP BY n7.name
ORDER BY n7.name
LIMIT 201
