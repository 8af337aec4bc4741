-- by sql

SELECT n3.name AS c0, e1.literal AS c1, n4.name AS c2
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e2 INDEXED BY fact_with_literal
  CROSS JOIN entity AS n3 ON n3.id = e1.subject
  CROSS JOIN entity AS n4 ON n4.id = e2.subject
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 7
  AND e1.literal IS NOT NULL
  AND e2.retracted_at IS NULL
  AND e2.predicate = 7
  AND e2.retracted_at IS NULL AND e2.literal IS NOT NULL
  AND e2.literal = e1.literal
  AND e2.id <> e1.id
  AND n3.name < n4.name
ORDER BY n3.name, n4.name
LIMIT 201
