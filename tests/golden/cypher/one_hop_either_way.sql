-- by sql

SELECT DISTINCT iif(iif(e2.subject = n1.id, e2.literal, NULL) IS NOT NULL, iif(e2.subject = n1.id, e2.literal, NULL), n3.name) AS c0
FROM entity AS n1
  CROSS JOIN fact AS e2
  LEFT JOIN entity AS n3 ON n3.id = iif(e2.subject = n1.id, e2.object, e2.subject)
WHERE n1.type = 2
  AND n1.name = ?1
  AND e2.retracted_at IS NULL
  AND +e2.predicate IN (4, 6, 7, 8)
  AND ((e2.retracted_at IS NULL AND e2.predicate IN (4, 6, 7, 8) AND e2.subject = n1.id) OR (e2.retracted_at IS NULL AND e2.object = n1.id))
ORDER BY iif(iif(e2.subject = n1.id, e2.literal, NULL) IS NOT NULL, iif(e2.subject = n1.id, e2.literal, NULL), n3.name) NULLS LAST
LIMIT 201
