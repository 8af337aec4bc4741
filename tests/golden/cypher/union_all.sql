-- by sql

SELECT s3.c0 AS c0, s3.c1 AS c1
FROM (SELECT *
FROM (SELECT ?1 AS c0, count(*) AS c1
FROM entity AS n1
WHERE n1.type = 2
GROUP BY ?1) UNION ALL SELECT ?2 AS c0, count(*) AS c1
FROM entity AS n2
WHERE n2.type = 1
GROUP BY ?2) AS s3
LIMIT 201
