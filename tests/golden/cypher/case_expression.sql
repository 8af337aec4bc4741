-- by sql

SELECT CASE WHEN (n1.type = 1) THEN ?1 ELSE ?2 END AS c0, count(*) AS c1
FROM entity AS n1
GROUP BY CASE WHEN (n1.type = 1) THEN ?1 ELSE ?2 END
ORDER BY CASE WHEN (n1.type = 1) THEN ?1 ELSE ?2 END
LIMIT ?3
