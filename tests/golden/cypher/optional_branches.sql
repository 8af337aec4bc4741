-- by sql

SELECT n8.name AS c0, count(DISTINCT s7.c1) AS c1, count(DISTINCT s7.c2) AS c2
FROM (SELECT *
FROM (SELECT n1.id AS c0, e2.subject AS c1, NULL AS c2
FROM entity AS n1
  LEFT JOIN fact AS e2 INDEXED BY fact_in ON e2.retracted_at IS NULL AND e2.predicate = 8 AND e2.object = n1.id AND (SELECT n3.type
FROM entity AS n3
WHERE n3.id = e2.subject) = 3
WHERE n1.type = 2) UNION ALL SELECT n4.id AS c0, NULL AS c1, e5.object AS c2
FROM entity AS n4
  LEFT JOIN fact AS e5 INDEXED BY fact_by_predicate ON e5.retracted_at IS NULL AND e5.predicate = 4 AND e5.subject = n4.id AND +e5.object IS NOT NULL AND (SELECT n6.type
FROM entity AS n6
WHERE n6.id = e5.object) = 2
WHERE n4.type = 2) AS s7
  LEFT JOIN entity AS n8 ON n8.id = s7.c0
GROUP BY n8.name
ORDER BY n8.name NULLS LAST
LIMIT 201
