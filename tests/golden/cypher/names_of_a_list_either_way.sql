-- by sql

SELECT u1.value AS c0, count(e3.id) AS c1
FROM json_each(?1) AS u1
  CROSS JOIN (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE r.name IN (?2, ?3) UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND l.literal IN (?2, ?3)) AS n2
  CROSS JOIN fact AS e3
  LEFT JOIN entity AS n4 ON n4.id = n2.row_key
WHERE e3.retracted_at IS NULL
  AND ((e3.retracted_at IS NULL AND e3.predicate IN (2, 3, 4, 6, 7, 8) AND e3.subject = n2.row_key) OR (e3.retracted_at IS NULL AND e3.object = n2.row_key) OR (e3.retracted_at IS NULL AND e3.retracted_at IS NULL AND e3.literal IS NOT NULL AND e3.literal = n2.text))
  AND iif(n2.text IS NOT NULL, n2.text, n4.name) = u1.value
GROUP BY u1.value
ORDER BY u1.value
LIMIT ?4
