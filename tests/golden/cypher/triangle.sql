-- by sql

SELECT n4.name AS c0, iif(typeof(coalesce(e1.object, '=' || e1.literal)) = 'text', substr(coalesce(e1.object, '=' || e1.literal), 2), n5.name) AS c1, iif(typeof(coalesce(e2.object, '=' || e2.literal)) = 'text', substr(coalesce(e2.object, '=' || e2.literal), 2), n6.name) AS c2
FROM fact AS e1
  CROSS JOIN fact AS e2 INDEXED BY fact_by_predicate
  CROSS JOIN fact AS e3 INDEXED BY fact_by_predicate
  CROSS JOIN entity AS n4 ON n4.id = e1.subject
  LEFT JOIN entity AS n5 ON n5.id = coalesce(e1.object, '=' || e1.literal)
  LEFT JOIN entity AS n6 ON n6.id = coalesce(e2.object, '=' || e2.literal)
WHERE e1.retracted_at IS NULL
  AND e1.predicate = 4
  AND e2.retracted_at IS NULL
  AND e2.predicate = 4
  AND e2.subject = coalesce(e1.object, '=' || e1.literal)
  AND e2.id <> e1.id
  AND e3.retracted_at IS NULL
  AND e3.predicate = 4
  AND e3.subject = e1.subject
  AND ((e3.retracted_at IS NULL AND e3.object = coalesce(e2.object, '=' || e2.literal)) OR (e3.retracted_at IS NULL AND e3.literal IS NOT NULL AND e3.literal = iif(typeof(coalesce(e2.object, '=' || e2.literal)) = 'text', substr(coalesce(e2.object, '=' || e2.literal), 2), NULL)))
  AND e3.id <> e1.id
  AND e3.id <> e2.id
LIMIT ?1
