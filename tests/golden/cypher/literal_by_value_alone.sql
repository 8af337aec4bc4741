-- by sql

SELECT n1.text AS c0
FROM (SELECT DISTINCT '=' || l.literal AS id, NULL AS row_key, l.literal AS text
FROM fact AS l
WHERE l.retracted_at IS NULL AND l.literal IS NOT NULL
  AND l.literal = ?1) AS n1
WHERE n1.text = ?1
LIMIT 201
