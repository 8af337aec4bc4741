-- by sql

SELECT n2.name AS c0, e1.literal AS c1
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 7
  AND e1.literal IS NOT NULL
ORDER BY n2.name, e1.literal NULLS LAST
LIMIT 201
