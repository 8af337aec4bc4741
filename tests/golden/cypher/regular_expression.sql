-- by sql

SELECT n1.name AS c0
FROM entity AS n1
WHERE n1.type = 3
  AND CASE cypher_matches(+n1.name, ?1) WHEN x'01' THEN 1 WHEN x'00' THEN 0 ELSE iif(cypher_matches(+n1.name, ?1) IS NULL, NULL, cypher_inexact()) END
ORDER BY n1.name
LIMIT 201
