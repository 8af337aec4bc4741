-- by sql

SELECT CASE e2.predicate WHEN 2 THEN ?1 WHEN 3 THEN ?2 WHEN 4 THEN ?3 WHEN 6 THEN ?4 WHEN 7 THEN ?5 WHEN 8 THEN ?6 END AS c0, iif(e2.literal IS NOT NULL, e2.literal, n3.name) AS c1
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
  LEFT JOIN entity AS n3 ON n3.id = e2.object
WHERE n1.type = 1
  AND n1.name = ?7
  AND e2.retracted_at IS NULL
  AND e2.predicate IN (2, 3, 7)
  AND e2.subject = n1.id
ORDER BY CASE e2.predicate WHEN 2 THEN ?1 WHEN 3 THEN ?2 WHEN 4 THEN ?3 WHEN 6 THEN ?4 WHEN 7 THEN ?5 WHEN 8 THEN ?6 END, iif(e2.literal IS NOT NULL, e2.literal, n3.name) NULLS LAST
LIMIT 201
