-- by sql

SELECT n1.name AS c0, n4.name AS c1
FROM entity AS n1
  CROSS JOIN fact AS e3 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n4 ON n4.id = e3.object
WHERE n1.type = 1
  AND (n1.name = ?1 OR n1.id IN (SELECT v2.row_key
FROM (SELECT entity AS row_key, alias AS value FROM alias) AS v2
WHERE iif(length(v2.value) = octet_length(v2.value), lower(v2.value), cypher_tolower(+v2.value)) = ?2))
  AND e3.retracted_at IS NULL
  AND e3.predicate = 2
  AND e3.subject = n1.id
  AND +e3.object IS NOT NULL
LIMIT 201
