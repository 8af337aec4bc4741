-- by sql

SELECT iif(n1.text IS NOT NULL, n1.text, n2.name) AS c0
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r
WHERE CASE cypher_ends_with(iif(length(r.name) = octet_length(r.name), lower(r.name), cypher_tolower(+r.name)), ?1) WHEN x'01' THEN 1 WHEN x'00' THEN 0 ELSE iif(cypher_ends_with(iif(length(r.name) = octet_length(r.name), lower(r.name), cypher_tolower(+r.name)), ?1) IS NULL, NULL, cypher_inexact()) END UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND CASE cypher_ends_with(iif(length(l.literal) = octet_length(l.literal), lower(l.literal), cypher_tolower(+l.literal)), ?1) WHEN x'01' THEN 1 WHEN x'00' THEN 0 ELSE iif(cypher_ends_with(iif(length(l.literal) = octet_length(l.literal), lower(l.literal), cypher_tolower(+l.literal)), ?1) IS NULL, NULL, cypher_inexact()) END) AS n1
  LEFT JOIN entity AS n2 ON n2.id = n1.row_key
WHERE CASE cypher_ends_with(cypher_tolower(iif(n1.text IS NOT NULL, n1.text, n2.name)), ?1) WHEN x'01' THEN 1 WHEN x'00' THEN 0 ELSE iif(cypher_ends_with(cypher_tolower(iif(n1.text IS NOT NULL, n1.text, n2.name)), ?1) IS NULL, NULL, cypher_inexact()) END
LIMIT 201
