-- by sql

SELECT n3.name AS c0, n1.text AS c1
FROM (SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL) AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_with_literal
  CROSS JOIN entity AS n3 ON n3.id = e2.subject
WHERE e2.retracted_at IS NULL
  AND e2.predicate = 6
  AND e2.retracted_at IS NULL AND e2.literal IS NOT NULL
  AND e2.literal = n1.text
  AND n3.type = 2
ORDER BY n3.name
LIMIT ?1
