-- by sql

SELECT iif(count(*) >= 0, ?1, NULL) AS c0
FROM entity AS n1
WHERE n1.type = 3
ORDER BY count(*)
LIMIT 201
