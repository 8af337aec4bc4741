-- by sql

SELECT count(e1.id) AS c0
FROM fact AS e1 INDEXED BY fact_by_predicate
WHERE e1.retracted_at IS NULL
LIMIT 201
