-- by sql

SELECT n3.name AS c0, n5.name AS c1
FROM entity AS n1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n3 ON n3.id = e2.object
  CROSS JOIN fact AS e4 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n5 ON n5.id = e4.object
WHERE n1.type = 1
  AND instr(iif(length(n1.name) = octet_length(n1.name), lower(n1.name), cypher_tolower(+n1.name)), ?1) > 0
  AND e2.retracted_at IS NULL
  AND e2.predicate = 2
  AND e2.subject = n1.id
  AND +e2.object IS NOT NULL
  AND n3.type = 3
  AND e4.retracted_at IS NULL
  AND e4.predicate = 8
  AND e4.subject = e2.object
  AND +e4.object IS NOT NULL
  AND n5.type = 2
LIMIT 201
