-- by sql

SELECT avg(s3.c1) AS c0, max(s3.c1) AS c1, min(s3.c1) AS c2
FROM (SELECT n1.id AS c0, count(e2.id) AS c1
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
WHERE n1.type = 1
  AND e2.retracted_at IS NULL
  AND e2.predicate IN (2, 3, 4, 6, 7, 8)
  AND e2.subject = n1.id
GROUP BY n1.id) AS s3
LIMIT ?1
