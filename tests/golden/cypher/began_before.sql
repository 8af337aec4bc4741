-- by sql

SELECT n2.name AS c0, nullif(e1.valid_from, '') AS c1
FROM fact AS e1 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
  AND nullif(e1.valid_from, '') < ?1
ORDER BY nullif(e1.valid_from, '') NULLS LAST
LIMIT 201
