-- by sql

SELECT count(*) AS c0
FROM entity AS n1
WHERE n1.type = 1
LIMIT 201
