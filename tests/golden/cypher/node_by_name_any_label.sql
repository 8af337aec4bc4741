-- by sql

SELECT iif(n1.text IS NOT NULL, ?1, CASE n2.type WHEN 1 THEN ?2 WHEN 2 THEN ?3 WHEN 3 THEN ?4 WHEN 4 THEN ?5 END) AS c0, iif(n1.text IS NOT NULL, n1.text, n2.name) AS c1
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE r.name = ?6 UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND l.literal = ?6) AS n1
  LEFT JOIN entity AS n2 ON n2.id = n1.row_key
WHERE iif(n1.text IS NOT NULL, n1.text, n2.name) = ?6
LIMIT 201
