-- by sql

SELECT iif(n3.text IS NOT NULL, n3.text, n5.name) AS c0
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE r.id IN (SELECT v2.row_key
FROM (SELECT entity AS row_key, alias AS value FROM alias) AS v2
WHERE v2.value = ?1) UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND NULL) AS n3
  LEFT JOIN entity AS n5 ON n5.id = n3.row_key
WHERE CASE WHEN n3.row_key IS NOT NULL THEN n3.row_key IN (SELECT v4.row_key
FROM (SELECT entity AS row_key, alias AS value FROM alias) AS v4
WHERE v4.value = ?1) END
LIMIT 201
