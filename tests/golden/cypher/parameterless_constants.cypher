RETURN 1 + 2 AS three, 'a' + 'b' AS ab, [1, 2, 3][1] AS two, null IS NULL AS yes
