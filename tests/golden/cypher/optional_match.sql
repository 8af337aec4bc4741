-- by sql

SELECT n1.name AS c0, n3.name AS c1
FROM entity AS n1
  LEFT JOIN fact AS e2 INDEXED BY fact_by_predicate ON e2.retracted_at IS NULL AND e2.predicate = 3 AND e2.subject = n1.id AND +e2.object IS NOT NULL
  LEFT JOIN entity AS n3 ON n3.id = e2.object
WHERE n1.type = 1
ORDER BY n1.name
LIMIT 201
