-- by sql

SELECT s5.c0 AS c0, s5.c1 AS c1
FROM (SELECT iif(iif(d2.turned = 1, e1.literal, NULL) IS NOT NULL, iif(d2.turned = 1, e1.literal, NULL), n3.name) AS c0, iif(iif(d2.turned = 0, e1.literal, NULL) IS NOT NULL, iif(d2.turned = 0, e1.literal, NULL), n4.name) AS c1
FROM fact AS e1 INDEXED BY fact_recorded
  CROSS JOIN (SELECT 0 AS turned UNION ALL SELECT 1) AS d2
  LEFT JOIN entity AS n3 ON n3.id = iif(d2.turned = 1, e1.object, e1.subject)
  LEFT JOIN entity AS n4 ON n4.id = iif(d2.turned = 0, e1.object, e1.subject)
WHERE e1.retracted_at IS NULL
  AND (d2.turned = 0 OR e1.subject IS NOT e1.object)
ORDER BY e1.recorded_at DESC, iif(iif(d2.turned = 1, e1.literal, NULL) IS NOT NULL, iif(d2.turned = 1, e1.literal, NULL), n3.name) NULLS LAST, iif(iif(d2.turned = 0, e1.literal, NULL) IS NOT NULL, iif(d2.turned = 0, e1.literal, NULL), n4.name) NULLS LAST
LIMIT 4) AS s5
LIMIT 10001
