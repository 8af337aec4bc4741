-- by sql

SELECT n2.name AS c0, e1.text AS c1
FROM fact AS e1 INDEXED BY fact_recorded
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.recorded_at > ?1
  AND e1.recorded_at <= ?2
ORDER BY e1.recorded_at
LIMIT 201
