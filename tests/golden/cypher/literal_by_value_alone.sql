-- by sql

SELECT iif(n1.text IS NOT NULL, +n1.text, CASE json_type(n2.properties, '$.value') WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN cypher_inexact() WHEN 'object' THEN cypher_inexact() ELSE n2.properties ->> '$.value' END) AS c0
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE (r.properties ->> '$.value' = ?1) UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND (l.literal = ?1)) AS n1
  LEFT JOIN entity AS n2 ON n2.id = n1.row_key
WHERE (iif(n1.text IS NOT NULL, +n1.text, CASE json_type(n2.properties, '$.value') WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN cypher_inexact() WHEN 'object' THEN cypher_inexact() ELSE n2.properties ->> '$.value' END) = +?1)
LIMIT ?2
