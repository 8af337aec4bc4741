-- by sql

SELECT s4.c0 AS c0, s4.c1 AS c1, s4.c2 AS c2
FROM (SELECT n2.name AS c0, CASE e1.predicate WHEN 2 THEN ?1 WHEN 3 THEN ?2 WHEN 4 THEN ?3 WHEN 6 THEN ?4 WHEN 7 THEN ?5 WHEN 8 THEN ?6 END AS c1, coalesce(iif(e1.literal IS NOT NULL, e1.literal, n3.name), iif(e1.literal IS NOT NULL, +e1.literal, CASE json_type(n3.properties, '$.value') WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'array' THEN cypher_inexact() WHEN 'object' THEN cypher_inexact() ELSE n3.properties ->> '$.value' END)) AS c2
FROM fact AS e1 INDEXED BY fact_recorded
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
  LEFT JOIN entity AS n3 ON n3.id = e1.object
WHERE e1.retracted_at IS NULL
ORDER BY e1.recorded_at DESC, e1.public_id DESC
LIMIT 3) AS s4
LIMIT 10001
