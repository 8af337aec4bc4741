-- by sql

SELECT n1.name AS c0, n4.name AS c1
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n4 ON n4.id = e2.object
WHERE n1.type = 1
  AND e2.retracted_at IS NULL
  AND e2.predicate = 2
  AND e2.subject = n1.id
  AND +e2.object IS NOT NULL
  AND (n1.name = ?1 OR n1.id IN (SELECT v3.row_key
FROM (SELECT entity AS row_key, alias AS value FROM alias) AS v3
WHERE iif(length(v3.value) = octet_length(v3.value), lower(v3.value), cypher_tolower(+v3.value)) = ?2))
LIMIT ?3
