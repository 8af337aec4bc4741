-- by sql

SELECT cypher_toupper(cypher_left(+n1.name, ?1)) AS c0, cypher_modulo(cypher_size(+n1.name), ?2) AS c1
FROM entity AS n1
WHERE n1.type = 1
ORDER BY cypher_toupper(cypher_left(+n1.name, ?1)) NULLS LAST
LIMIT 201
