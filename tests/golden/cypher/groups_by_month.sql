-- by sql and python

SELECT substr(e1.recorded_at, 1, 10) AS c0, CASE n2.type WHEN 1 THEN ?1 WHEN 2 THEN ?2 WHEN 3 THEN ?3 WHEN 4 THEN ?4 END AS c1, count(*) AS c2
FROM fact AS e1 NOT INDEXED
  CROSS JOIN entity AS n2 ON n2.id = e1.subject
WHERE e1.retracted_at IS NULL
GROUP BY substr(e1.recorded_at, 1, 10), n2.type
