-- by sql

SELECT iif(typeof(n1.id) = 'text', substr(n1.id, 2), n2.name) AS c0
FROM (SELECT r.id FROM entity AS r WHERE r.public_id = ?1 UNION ALL SELECT DISTINCT '=' || l.literal AS id FROM fact AS l WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL AND FALSE) AS n1
  LEFT JOIN entity AS n2 ON n2.id = n1.id
WHERE (n2.public_id = ?1)
LIMIT ?2
