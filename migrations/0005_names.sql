-- What finds a name by its first letters and by its meaning. A name has the number 2 × entity.id here, an alias
-- 2 × alias.id + 1, as in name_trigram.

-- The first letters of the words of a name that has several: of all of them, of those that acronyms do not skip,
-- and of the first and the last.
-- Where a name is compared in several forms (a line each), the first counts.
CREATE TABLE name_initials (
    initials TEXT NOT NULL,
    surface  INTEGER NOT NULL,
    PRIMARY KEY (initials, surface)
) STRICT, WITHOUT ROWID;

CREATE INDEX name_initials_of ON name_initials (surface);

-- Inserting a name here enters its initials there; it keeps nothing itself.
CREATE VIEW name_to_initial (surface, folded) AS SELECT 0, '' WHERE 0;

CREATE TRIGGER name_to_initial_insert INSTEAD OF INSERT ON name_to_initial WHEN new.folded LIKE '% %' BEGIN
    INSERT OR IGNORE INTO name_initials (initials, surface)
    SELECT initials, new.surface FROM (
        WITH RECURSIVE read (rest, every, telling) AS (
            SELECT trim(substr(new.folded, 1, instr(new.folded || char(10), char(10)) - 1)) || ' ', '', ''
            UNION ALL
            SELECT substr(rest, instr(rest, ' ') + 1),
                   every || substr(rest, 1, 1),
                   telling || iif(substr(rest, 1, instr(rest, ' ') - 1) IN (
                       'a', 'an', 'and', 'at', 'by', 'de', 'der', 'des', 'for', 'in', 'la', 'of', 'on', 'or',
                       'the', 'to', 'und', 'von', 'with', 'y'
                   ), '', substr(rest, 1, 1))
            FROM read
            WHERE rest <> ''
        )
        SELECT every AS initials FROM read WHERE rest = ''
        UNION
        SELECT telling FROM read WHERE rest = '' AND length(telling) > 1
        UNION
        SELECT substr(every, 1, 1) || substr(every, -1) FROM read WHERE rest = ''
    );
END;

CREATE TRIGGER entity_initials_insert AFTER INSERT ON entity BEGIN
    INSERT INTO name_to_initial VALUES (2 * new.id, new.name_folded);
END;
CREATE TRIGGER entity_initials_update AFTER UPDATE OF name_folded ON entity BEGIN
    DELETE FROM name_initials WHERE surface = 2 * old.id;
    INSERT INTO name_to_initial VALUES (2 * new.id, new.name_folded);
END;
CREATE TRIGGER entity_initials_delete AFTER DELETE ON entity BEGIN
    DELETE FROM name_initials WHERE surface = 2 * old.id;
END;
CREATE TRIGGER alias_initials_insert AFTER INSERT ON alias BEGIN
    INSERT INTO name_to_initial VALUES (2 * new.id + 1, new.alias_folded);
END;
CREATE TRIGGER alias_initials_update AFTER UPDATE OF alias_folded ON alias BEGIN
    DELETE FROM name_initials WHERE surface = 2 * old.id + 1;
    INSERT INTO name_to_initial VALUES (2 * new.id + 1, new.alias_folded);
END;
CREATE TRIGGER alias_initials_delete AFTER DELETE ON alias BEGIN
    DELETE FROM name_initials WHERE surface = 2 * old.id + 1;
END;

-- The model whose vectors these are; no row before there is a vector. Vectors of two models are never mixed.
CREATE TABLE vector_space (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0)
) STRICT;

-- Names that wait for their vector. Filled by the transaction that brings the name, emptied by whoever has time.
CREATE TABLE name_unembedded (
    surface INTEGER PRIMARY KEY
) STRICT;

-- The vector of a name: one byte a dimension, scaled to the largest, for weighing; and the signs alone, with what
-- is filtered by, in a table small enough to be read through for every question.
CREATE TABLE name_vector (
    surface   INTEGER PRIMARY KEY,
    embedding BLOB NOT NULL
) STRICT;

CREATE TABLE name_signs (
    surface  INTEGER PRIMARY KEY,
    type     INTEGER NOT NULL,
    group_id TEXT NOT NULL,
    signs    BLOB NOT NULL
) STRICT;

CREATE TRIGGER entity_vector_insert AFTER INSERT ON entity BEGIN
    INSERT OR IGNORE INTO name_unembedded VALUES (2 * new.id);
END;
CREATE TRIGGER entity_vector_update AFTER UPDATE OF name, type, group_id ON entity BEGIN
    DELETE FROM name_vector WHERE surface = 2 * old.id;
    DELETE FROM name_signs WHERE surface = 2 * old.id;
    INSERT OR IGNORE INTO name_unembedded VALUES (2 * new.id);
END;
CREATE TRIGGER entity_vector_delete AFTER DELETE ON entity BEGIN
    DELETE FROM name_unembedded WHERE surface = 2 * old.id;
    DELETE FROM name_vector WHERE surface = 2 * old.id;
    DELETE FROM name_signs WHERE surface = 2 * old.id;
END;
CREATE TRIGGER alias_vector_insert AFTER INSERT ON alias BEGIN
    INSERT OR IGNORE INTO name_unembedded VALUES (2 * new.id + 1);
END;
CREATE TRIGGER alias_vector_update AFTER UPDATE OF alias, entity ON alias BEGIN
    DELETE FROM name_vector WHERE surface = 2 * old.id + 1;
    DELETE FROM name_signs WHERE surface = 2 * old.id + 1;
    INSERT OR IGNORE INTO name_unembedded VALUES (2 * new.id + 1);
END;
CREATE TRIGGER alias_vector_delete AFTER DELETE ON alias BEGIN
    DELETE FROM name_unembedded WHERE surface = 2 * old.id + 1;
    DELETE FROM name_vector WHERE surface = 2 * old.id + 1;
    DELETE FROM name_signs WHERE surface = 2 * old.id + 1;
END;

INSERT INTO name_to_initial SELECT 2 * id, name_folded FROM entity;
INSERT INTO name_to_initial SELECT 2 * id + 1, alias_folded FROM alias;
INSERT INTO name_unembedded SELECT 2 * id FROM entity;
INSERT INTO name_unembedded SELECT 2 * id + 1 FROM alias;
