-- by sql

SELECT count(e1.id) AS c0
FROM fact AS e1 INDEXED BY fact_recorded
WHERE e1.retracted_at IS NULL
  AND e1.recorded_at >= ?1
  AND e1.recorded_at < ?2
LIMIT 201
