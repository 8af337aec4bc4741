-- by sql

SELECT n3.name AS c0, iif(e1.literal IS NOT NULL, +e1.literal, CASE json_type(n5.properties, '$.value') WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN cypher_inexact() WHEN 'object' THEN cypher_inexact() ELSE n5.properties ->> '$.value' END) AS c1, n4.name AS c2
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e2
  CROSS JOIN entity AS n3 ON n3.id = e1.subject
  CROSS JOIN entity AS n4 ON n4.id = e2.subject
  LEFT JOIN entity AS n5 ON n5.id = e1.object
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 7
  AND e2.retracted_at IS NULL
  AND +e2.predicate = 7
  AND ((e2.retracted_at IS NULL AND e2.object = e1.object) OR (e2.retracted_at IS NULL AND e2.literal IS NOT NULL AND e2.literal = e1.literal))
  AND e2.id <> e1.id
  AND n3.name < n4.name
ORDER BY n3.name, n4.name
LIMIT ?1
