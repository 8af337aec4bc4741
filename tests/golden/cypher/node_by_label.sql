-- by sql

SELECT n1.name AS c0
FROM entity AS n1
WHERE n1.type = 1
ORDER BY n1.name
LIMIT 201
