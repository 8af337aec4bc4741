-- by sql

SELECT avg(s3.c1) AS c0, max(s3.c1) AS c1, min(s3.c1) AS c2
FROM (SELECT e1.subject AS c0, count(e1.id) AS c1
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.predicate IN (2, 3, 7)
  AND n2.type = 1
GROUP BY e1.subject) AS s3
LIMIT 201
