-- by sql

SELECT s2.c0 AS c0
FROM (SELECT n1.name AS c0
FROM entity AS n1
WHERE n1.type = 3
ORDER BY n1.name DESC
LIMIT 4) AS s2
LIMIT 10001
