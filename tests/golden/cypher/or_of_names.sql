-- by sql

SELECT iif(n1.text IS NOT NULL, n1.text, n2.name) AS c0
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE (r.name = ?1 OR r.name = ?2) UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND (l.literal = ?1 OR l.literal = ?2)) AS n1
  LEFT JOIN entity AS n2 ON n2.id = n1.row_key
WHERE (iif(n1.text IS NOT NULL, n1.text, n2.name) = ?1 OR iif(n1.text IS NOT NULL, n1.text, n2.name) = ?2)
ORDER BY iif(n1.text IS NOT NULL, n1.text, n2.name) NULLS LAST
LIMIT 201
