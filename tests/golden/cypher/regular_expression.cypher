MATCH (d:Decision) WHERE d.name =~ '(?i)adopt .*' RETURN d.name ORDER BY d.name
