-- by sql

SELECT n4.name AS c0
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE (r.properties ->> '$.value' = ?1) UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND (l.literal = ?1)) AS n1
  CROSS JOIN fact AS e2
  LEFT JOIN entity AS n3 ON n3.id = n1.row_key
  CROSS JOIN entity AS n4 ON n4.id = e2.subject
WHERE e2.retracted_at IS NULL
  AND e2.predicate = 7
  AND ((e2.retracted_at IS NULL AND e2.object = n1.row_key) OR (e2.retracted_at IS NULL AND e2.literal IS NOT NULL AND e2.literal = n1.text))
  AND (iif(n1.text IS NOT NULL, +n1.text, CASE json_type(n3.properties, '$.value') WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN cypher_inexact() WHEN 'object' THEN cypher_inexact() ELSE n3.properties ->> '$.value' END) = +?1)
ORDER BY n4.name
LIMIT ?2
