-- by sql

SELECT iif(n6.text IS NOT NULL, n6.text, n7.name) AS c0, CASE WHEN n6.row_key IS NOT NULL THEN (SELECT json_group_array(s11.c0)
FROM (SELECT v9.value AS c0
FROM (SELECT entity AS row_key, alias AS value FROM alias) AS v9
  LEFT JOIN entity AS n10 ON n10.id = n6.row_key
WHERE v9.row_key = n6.row_key
  AND v9.value <> iif(n6.text IS NOT NULL, n6.text, n10.name)) AS s11) END AS c1
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE NOT EXISTS (SELECT 1
FROM json_each(CASE r.type WHEN 1 THEN ?1 WHEN 2 THEN ?2 WHEN 3 THEN ?3 WHEN 4 THEN ?4 END) AS u5
WHERE u5.value IN (?5, ?6))
  AND NOT r.type = 3 UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND NOT EXISTS (SELECT 1
FROM json_each(iif(l.literal IS NOT NULL, ?7, CASE (SELECT n1.type
FROM entity AS n1
WHERE n1.id = NULL) WHEN 1 THEN ?1 WHEN 2 THEN ?2 WHEN 3 THEN ?3 WHEN 4 THEN ?4 END)) AS u2
WHERE u2.value IN (?5, ?6))
  AND NOT (NOT l.literal IS NOT NULL AND (SELECT n4.type
FROM entity AS n4
WHERE n4.id = NULL) = 3)) AS n6
  LEFT JOIN entity AS n7 ON n7.id = n6.row_key
WHERE NOT EXISTS (SELECT 1
FROM json_each(iif(n6.text IS NOT NULL, ?7, CASE n7.type WHEN 1 THEN ?1 WHEN 2 THEN ?2 WHEN 3 THEN ?3 WHEN 4 THEN ?4 END)) AS u8
WHERE u8.value IN (?5, ?6))
  AND NOT (NOT n6.text IS NOT NULL AND n7.type = 3)
LIMIT 201
