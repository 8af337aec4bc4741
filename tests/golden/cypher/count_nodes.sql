-- by sql

SELECT count(n1.id) AS c0
FROM (SELECT r.id, r.id AS row_key, NULL AS text
FROM entity AS r UNION ALL SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL) AS n1
LIMIT 201
