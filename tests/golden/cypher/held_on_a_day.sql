-- by sql

SELECT n2.name AS c0, CASE e1.predicate WHEN 2 THEN ?1 WHEN 3 THEN ?2 WHEN 4 THEN ?3 WHEN 6 THEN ?4 WHEN 7 THEN ?5 WHEN 8 THEN ?6 END AS c1
FROM fact AS e1 INDEXED BY fact_recorded
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.recorded_at >= ?7
  AND e1.recorded_at <= ?8
  AND ((nullif(e1.valid_from, '') >= ?9 AND nullif(e1.valid_from, '') <= ?10) OR (nullif(e1.valid_from, '') >= ?11 AND nullif(e1.valid_from, '') <= ?12) OR nullif(e1.valid_from, '') > ?13)
ORDER BY n2.name
LIMIT 201
