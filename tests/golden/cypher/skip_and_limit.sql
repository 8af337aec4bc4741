-- by sql

SELECT s2.c0 AS c0
FROM (SELECT n1.name AS c0
FROM entity AS n1
ORDER BY n1.name
LIMIT ?1 OFFSET ?2) AS s2
LIMIT ?3
