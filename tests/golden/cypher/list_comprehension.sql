-- by sql and python

SELECT json_group_array(n1.name) FILTER (WHERE n1.name IS NOT NULL) AS c0
FROM entity AS n1
WHERE n1.type = 1
