-- by sql

SELECT iif(n1.text IS NOT NULL, n1.text, n2.name) AS c0
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE instr(r.name, ?1) > 0 UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND instr(l.literal, ?1) > 0) AS n1
  LEFT JOIN entity AS n2 ON n2.id = n1.row_key
WHERE instr(iif(n1.text IS NOT NULL, n1.text, n2.name), ?1) > 0
ORDER BY iif(n1.text IS NOT NULL, n1.text, n2.name) NULLS LAST
LIMIT 201
