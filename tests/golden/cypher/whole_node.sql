-- by sql

SELECT n1.id AS c0
FROM entity AS n1
WHERE n1.type = 3
  AND n1.name = ?1
LIMIT 201
