-- by sql and python

SELECT e1.object AS c0, e1.subject AS c1
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n2 ON n2.id = e1.object
  CROSS JOIN entity AS n3 ON n3.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 8
  AND +e1.object IS NOT NULL
  AND n2.type = 2
ORDER BY n3.name
