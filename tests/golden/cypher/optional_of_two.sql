-- by sql

SELECT n12.name AS c0, n13.name AS c1, n14.name AS c2, e15.recorded_at AS c3
FROM (SELECT *
FROM (SELECT n1.id AS c0, e2.subject AS c1, e4.subject AS c2, e2.id AS c3, e2.subject AS c3s, coalesce(e2.object, '=' || e2.literal) AS c3e, e4.id AS c4, e4.subject AS c4s, coalesce(e4.object, '=' || e4.literal) AS c4e
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_in
  CROSS JOIN entity AS n3 ON n3.id = e2.subject
  CROSS JOIN fact AS e4 INDEXED BY fact_in
  CROSS JOIN entity AS n5 ON n5.id = e4.subject
WHERE n1.type = 2
  AND e2.retracted_at IS NULL
  AND e2.predicate = 8
  AND e2.object = n1.id
  AND n3.type = 3
  AND e4.retracted_at IS NULL
  AND e4.predicate = 2
  AND e4.object = e2.subject
  AND n5.type = 1) UNION ALL SELECT n6.id AS c0, NULL AS c1, NULL AS c2, NULL AS c3, NULL AS c3s, NULL AS c3e, NULL AS c4, NULL AS c4s, NULL AS c4e
FROM entity AS n6
WHERE n6.type = 2
  AND NOT EXISTS (SELECT 1
FROM fact AS e7 INDEXED BY fact_in
  CROSS JOIN entity AS n8 ON n8.id = e7.subject
  CROSS JOIN fact AS e9 INDEXED BY fact_in
  CROSS JOIN entity AS n10 ON n10.id = e9.subject
WHERE e7.retracted_at IS NULL
  AND e7.predicate = 8
  AND e7.object = n6.id
  AND n8.type = 3
  AND e9.retracted_at IS NULL
  AND e9.predicate = 2
  AND e9.object = e7.subject
  AND n10.type = 1)) AS s11
  LEFT JOIN entity AS n12 ON n12.id = s11.c0
  LEFT JOIN entity AS n13 ON n13.id = s11.c1
  LEFT JOIN entity AS n14 ON n14.id = s11.c2
  LEFT JOIN fact AS e15 ON e15.id = s11.c4
ORDER BY n12.name NULLS LAST, n13.name NULLS LAST, n14.name NULLS LAST
LIMIT 201
