-- by sql

SELECT n7.name AS c0, n8.name AS c1
FROM (SELECT *
FROM (SELECT e1.subject AS c0, e1.object AS c1
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 3
  AND n2.type = 1
  AND +e1.object IS NOT NULL) UNION ALL SELECT e4.subject AS c0, e3.object AS c1
FROM fact AS e3 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e4 INDEXED BY fact_in
  CROSS JOIN entity AS n5 ON n5.id = e4.subject
WHERE e3.retracted_at IS NULL
  AND e3.predicate = 3
  AND +e3.object IS NOT NULL
  AND e4.retracted_at IS NULL
  AND e4.predicate = 3
  AND e4.object = e3.subject
  AND n5.type = 1
  AND e4.id <> e3.id) AS s6
  LEFT JOIN entity AS n7 ON n7.id = s6.c0
  LEFT JOIN entity AS n8 ON n8.id = s6.c1
ORDER BY n7.name NULLS LAST, n8.name NULLS LAST
LIMIT 201
