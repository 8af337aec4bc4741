-- by sql

SELECT CASE e8.predicate WHEN 2 THEN ?1 WHEN 3 THEN ?2 WHEN 4 THEN ?3 WHEN 6 THEN ?4 WHEN 7 THEN ?5 WHEN 8 THEN ?6 END AS c0, count(*) AS c1
FROM (SELECT *
FROM (SELECT n1.id AS c0, coalesce(e2.object, '=' || e2.literal) AS c1, e2.id AS c2, e2.subject AS c2s, coalesce(e2.object, '=' || e2.literal) AS c2e
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
WHERE n1.name = ?7
  AND e2.retracted_at IS NULL
  AND e2.predicate IN (2, 3, 4, 6, 7, 8)
  AND e2.subject = n1.id) UNION ALL SELECT e5.subject AS c0, n3.id AS c1, e5.id AS c2, e5.subject AS c2s, coalesce(e5.object, '=' || e5.literal) AS c2e
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE r.name = ?7 UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND l.literal = ?7) AS n3
  LEFT JOIN entity AS n4 ON n4.id = n3.row_key
  CROSS JOIN fact AS e5
  CROSS JOIN entity AS n6 ON n6.id = e5.subject
WHERE iif(n3.text IS NOT NULL, n3.text, n4.name) = ?7
  AND e5.retracted_at IS NULL
  AND ((e5.retracted_at IS NULL AND e5.object = n3.row_key) OR (e5.retracted_at IS NULL AND e5.literal IS NOT NULL AND e5.literal = n3.text))
  AND NOT coalesce(n6.name = ?7, FALSE)) AS s7
  LEFT JOIN fact AS e8 ON e8.id = s7.c2
GROUP BY e8.predicate
ORDER BY CASE e8.predicate WHEN 2 THEN ?1 WHEN 3 THEN ?2 WHEN 4 THEN ?3 WHEN 6 THEN ?4 WHEN 7 THEN ?5 WHEN 8 THEN ?6 END NULLS LAST
LIMIT 201
