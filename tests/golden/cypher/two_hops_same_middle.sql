-- by sql

SELECT n2.name AS c0, n4.name AS c1, n5.name AS c2
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
  CROSS JOIN fact AS e3 INDEXED BY fact_in
  CROSS JOIN entity AS n4 ON n4.id = e3.subject
  CROSS JOIN entity AS n5 ON n5.id = e1.object
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 2
  AND n2.type = 1
  AND +e1.object IS NOT NULL
  AND e3.retracted_at IS NULL
  AND e3.predicate = 2
  AND e3.object = e1.object
  AND n4.type = 1
  AND e3.id <> e1.id
  AND n2.name < n4.name
LIMIT 201
