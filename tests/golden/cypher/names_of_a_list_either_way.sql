-- by sql

SELECT u1.value AS c0, count(e4.id) AS c1
FROM json_each(?1) AS u1
  CROSS JOIN (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE r.name IN (?2, ?3) UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND l.literal IN (?2, ?3)) AS n2
  LEFT JOIN entity AS n3 ON n3.id = n2.row_key
  CROSS JOIN fact AS e4
WHERE iif(n2.text IS NOT NULL, n2.text, n3.name) = u1.value
  AND e4.retracted_at IS NULL
  AND ((e4.retracted_at IS NULL AND e4.predicate IN (2, 3, 4, 6, 7, 8) AND e4.subject = n2.row_key) OR (e4.retracted_at IS NULL AND e4.object = n2.row_key) OR (e4.retracted_at IS NULL AND e4.retracted_at IS NULL AND e4.literal IS NOT NULL AND e4.literal = n2.text))
GROUP BY u1.value
ORDER BY u1.value
LIMIT 201
