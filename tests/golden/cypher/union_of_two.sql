-- by sql

SELECT DISTINCT s3.c0 AS c0
FROM (SELECT *
FROM (SELECT n1.name AS c0
FROM entity AS n1
WHERE n1.type = 1) UNION ALL SELECT *
FROM (SELECT n2.name AS c0
FROM entity AS n2
WHERE n2.type = 2
ORDER BY n2.name)) AS s3
LIMIT ?1
