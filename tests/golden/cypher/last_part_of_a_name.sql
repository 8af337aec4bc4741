-- by sql

SELECT substr(n1.name, length(rtrim(n1.name, replace(n1.name, ?1, ''))) + 1) AS c0, count(*) AS c1
FROM entity AS n1
WHERE n1.type = 1
GROUP BY substr(n1.name, length(rtrim(n1.name, replace(n1.name, ?1, ''))) + 1)
ORDER BY substr(n1.name, length(rtrim(n1.name, replace(n1.name, ?1, ''))) + 1)
LIMIT 201
