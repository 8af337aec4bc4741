-- by sql

SELECT n1.name AS c0, n2.name AS c1
FROM entity AS n1
  CROSS JOIN entity AS n2
WHERE n1.type = 2
  AND n2.type = 2
  AND n1.name < n2.name
ORDER BY n1.name, n2.name
LIMIT 201
