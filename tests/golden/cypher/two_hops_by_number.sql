-- by sql

SELECT DISTINCT n4.name AS c0
FROM entity AS n1
  CROSS JOIN fact AS e2
  CROSS JOIN fact AS e3
  CROSS JOIN entity AS n4 ON n4.id = iif(e3.subject = iif(e2.subject = n1.id, e2.object, e2.subject), e3.object, e3.subject)
WHERE n1.type = 1
  AND n1.name = ?1
  AND e2.retracted_at IS NULL
  AND +e2.predicate = 3
  AND ((e2.retracted_at IS NULL AND e2.predicate = 3 AND e2.subject = n1.id AND +e2.object IS NOT NULL) OR (e2.retracted_at IS NULL AND e2.object = n1.id AND e2.predicate IN (3, 3)))
  AND e3.retracted_at IS NULL
  AND +e3.predicate = 3
  AND ((e3.retracted_at IS NULL AND e3.predicate = 3 AND e3.subject = iif(e2.subject = n1.id, e2.object, e2.subject) AND +e3.object IS NOT NULL) OR (e3.retracted_at IS NULL AND e3.object = iif(e2.subject = n1.id, e2.object, e2.subject) AND e3.predicate IN (3, 3)))
  AND e3.id <> e2.id
ORDER BY n4.name
LIMIT 201
