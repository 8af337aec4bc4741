-- by sql

SELECT n2.name AS c0, nullif(e1.valid_to, '~') AS c1
FROM fact AS e1 INDEXED BY fact_ends
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND e1.valid_to <> '~'
  AND e1.valid_to < ?1
  AND nullif(e1.valid_to, '~') < ?1
LIMIT 201
