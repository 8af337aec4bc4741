-- by sql

SELECT n3.name AS c0
FROM (SELECT '=' || ?1 AS id, NULL AS row_key, ?1 AS text) AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_with_literal
  CROSS JOIN entity AS n3 ON n3.id = e2.subject
WHERE n1.text = ?1
  AND e2.retracted_at IS NULL
  AND e2.predicate = 7
  AND e2.retracted_at IS NULL AND e2.literal IS NOT NULL
  AND e2.literal = n1.text
ORDER BY n3.name
LIMIT 201
