-- by sql

SELECT n2.name AS c0
FROM json_each(?1) AS u1
  CROSS JOIN entity AS n2
WHERE n2.type = 2
  AND n2.name = u1.value
ORDER BY n2.name
LIMIT 201
