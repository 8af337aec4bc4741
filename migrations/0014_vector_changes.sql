-- Which vectors have changed, the newest 20,000 changes or more: a process that holds the signs of all vectors in memory
-- reads only those again (ADR 0055). Derived: whoever has missed a change reads all of them.
CREATE TABLE vector_change (
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL CHECK (kind IN ('name', 'fact', 'text')),
    number INTEGER NOT NULL
) STRICT;

CREATE TRIGGER name_signs_change_insert AFTER INSERT ON name_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('name', new.surface);
END;
CREATE TRIGGER name_signs_change_update AFTER UPDATE ON name_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('name', old.surface), ('name', new.surface);
END;
CREATE TRIGGER name_signs_change_delete AFTER DELETE ON name_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('name', old.surface);
END;
CREATE TRIGGER fact_signs_change_insert AFTER INSERT ON fact_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('fact', new.fact);
END;
CREATE TRIGGER fact_signs_change_update AFTER UPDATE ON fact_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('fact', old.fact), ('fact', new.fact);
END;
CREATE TRIGGER fact_signs_change_delete AFTER DELETE ON fact_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('fact', old.fact);
END;
CREATE TRIGGER chunk_signs_change_insert AFTER INSERT ON chunk_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('text', new.reading);
END;
CREATE TRIGGER chunk_signs_change_update AFTER UPDATE ON chunk_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('text', old.reading), ('text', new.reading);
END;
CREATE TRIGGER chunk_signs_change_delete AFTER DELETE ON chunk_signs BEGIN
    INSERT INTO vector_change (kind, number) VALUES ('text', old.reading);
END;
CREATE TRIGGER vector_change_trimmed AFTER INSERT ON vector_change WHEN new.id % 10000 = 0 BEGIN
    DELETE FROM vector_change WHERE id <= new.id - 20000;
END;
