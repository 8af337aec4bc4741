-- by sql

SELECT n3.name AS c0, CASE e2.predicate WHEN 2 THEN ?1 WHEN 3 THEN ?2 WHEN 4 THEN ?3 WHEN 6 THEN ?4 WHEN 7 THEN ?5 WHEN 8 THEN ?6 END AS c1
FROM (
    SELECT fact AS row_key, source AS value FROM provenance AS given
    WHERE source IS NOT NULL AND id = (
        SELECT id FROM provenance
        WHERE provenance.fact = given.fact AND source IS NOT NULL
        ORDER BY provenance.recorded_at, provenance.id LIMIT 1
    )
) AS v1
  CROSS JOIN fact AS e2
  CROSS JOIN entity AS n3 ON n3.id = e2.subject
WHERE v1.value = ?7
  AND e2.retracted_at IS NULL
  AND e2.id = v1.row_key
  AND (
    SELECT source FROM provenance
    WHERE provenance.fact = e2.id AND source IS NOT NULL
    ORDER BY provenance.recorded_at, provenance.id LIMIT 1
) = ?7
ORDER BY n3.name, CASE e2.predicate WHEN 2 THEN ?1 WHEN 3 THEN ?2 WHEN 4 THEN ?3 WHEN 6 THEN ?4 WHEN 7 THEN ?5 WHEN 8 THEN ?6 END
LIMIT 201
