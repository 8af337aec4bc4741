-- by sql

SELECT n4.name AS c0
FROM (SELECT r.id FROM entity AS r UNION ALL SELECT DISTINCT '=' || l.literal AS id FROM fact AS l WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL AND l.literal = ?1) AS n1
  CROSS JOIN fact AS e2
  LEFT JOIN entity AS n3 ON n3.id = n1.id
  CROSS JOIN entity AS n4 ON n4.id = e2.subject
WHERE e2.retracted_at IS NULL
  AND e2.predicate = 7
  AND ((e2.retracted_at IS NULL AND e2.object = n1.id) OR (e2.retracted_at IS NULL AND e2.literal IS NOT NULL AND e2.literal = iif(typeof(n1.id) = 'text', substr(n1.id, 2), NULL)))
  AND (iif(typeof(n1.id) = 'text', +substr(n1.id, 2), CASE json_type(n3.properties, '$.value') WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN cypher_inexact() WHEN 'object' THEN cypher_inexact() ELSE n3.properties ->> '$.value' END) = +?1)
ORDER BY n4.name NULLS LAST
LIMIT ?2
