-- How many entities there are of each type, and how many facts of each predicate between each two types, kept by
-- triggers: nothing is counted anew to show the words and the schema of a graph, or to plan a query. A row stays when
-- its count falls to 0. Derived: no export has it, and it can be counted again from entity and fact.
CREATE TABLE entity_count (
    group_id TEXT NOT NULL,
    type     INTEGER NOT NULL,
    entities INTEGER NOT NULL,
    PRIMARY KEY (group_id, type)
) STRICT, WITHOUT ROWID;

-- Facts that are not retracted, by the group and the type of their subject; object_type is 0 for a literal. Of them,
-- open_facts have no end.
CREATE TABLE fact_count (
    group_id     TEXT NOT NULL,
    predicate    INTEGER NOT NULL,
    subject_type INTEGER NOT NULL,
    object_type  INTEGER NOT NULL,
    facts        INTEGER NOT NULL,
    open_facts   INTEGER NOT NULL,
    PRIMARY KEY (group_id, predicate, subject_type, object_type)
) STRICT, WITHOUT ROWID;

INSERT INTO entity_count SELECT group_id, type, count(*) FROM entity GROUP BY group_id, type;

INSERT INTO fact_count
SELECT s.group_id, fact.predicate, s.type, coalesce(o.type, 0), count(*), sum(fact.valid_to = '~')
FROM fact
JOIN entity AS s ON s.id = fact.subject
LEFT JOIN entity AS o ON o.id = fact.object
WHERE fact.retracted_at IS NULL
GROUP BY s.group_id, fact.predicate, s.type, coalesce(o.type, 0);

-- A fact whose validity was changed is known as it is only from then on: a count of the past has to find these.
CREATE INDEX fact_known ON fact (known_from) WHERE known_from <> '';

-- The facts with an end are counted from this index alone.
DROP INDEX fact_ends;
CREATE INDEX fact_ends ON fact (valid_to, valid_from, predicate, subject, object)
    WHERE retracted_at IS NULL AND valid_to <> '~';

-- A change of a count is a row here, which a trigger adds to the count and leaves nowhere.
CREATE VIEW fact_count_change AS
SELECT 0 AS subject, 0 AS predicate, 0 AS object, 0 AS facts, 0 AS open_facts WHERE FALSE;

CREATE TRIGGER fact_count_change_insert INSTEAD OF INSERT ON fact_count_change BEGIN
    INSERT INTO fact_count (group_id, predicate, subject_type, object_type, facts, open_facts)
    SELECT group_id, new.predicate, type, coalesce((SELECT type FROM entity WHERE id = new.object), 0),
           new.facts, new.open_facts
    FROM entity WHERE id = new.subject
    ON CONFLICT (group_id, predicate, subject_type, object_type) DO UPDATE
    SET facts = facts + excluded.facts, open_facts = open_facts + excluded.open_facts;
END;

CREATE TRIGGER fact_count_insert AFTER INSERT ON fact WHEN new.retracted_at IS NULL BEGIN
    INSERT INTO fact_count_change VALUES (new.subject, new.predicate, new.object, 1, new.valid_to = '~');
END;

CREATE TRIGGER fact_count_delete AFTER DELETE ON fact WHEN old.retracted_at IS NULL BEGIN
    INSERT INTO fact_count_change VALUES (old.subject, old.predicate, old.object, -1, -(old.valid_to = '~'));
END;

CREATE TRIGGER fact_count_update AFTER UPDATE OF subject, predicate, object, valid_to, retracted_at ON fact BEGIN
    INSERT INTO fact_count_change
    SELECT old.subject, old.predicate, old.object, -1, -(old.valid_to = '~') WHERE old.retracted_at IS NULL;
    INSERT INTO fact_count_change
    SELECT new.subject, new.predicate, new.object, 1, new.valid_to = '~' WHERE new.retracted_at IS NULL;
END;

CREATE TRIGGER entity_count_insert AFTER INSERT ON entity BEGIN
    INSERT INTO entity_count (group_id, type, entities) VALUES (new.group_id, new.type, 1)
    ON CONFLICT (group_id, type) DO UPDATE SET entities = entities + 1;
END;

CREATE TRIGGER entity_count_delete AFTER DELETE ON entity BEGIN
    UPDATE entity_count SET entities = entities - 1 WHERE group_id = old.group_id AND type = old.type;
END;

-- The facts of an entity are counted out before its type changes, and counted in again after it.
CREATE TRIGGER entity_count_before_update BEFORE UPDATE OF type, group_id ON entity
WHEN (old.type, old.group_id) <> (new.type, new.group_id) BEGIN
    UPDATE entity_count SET entities = entities - 1 WHERE group_id = old.group_id AND type = old.type;
    INSERT INTO fact_count_change
    SELECT subject, predicate, object, -1, -(valid_to = '~') FROM fact
    WHERE retracted_at IS NULL AND subject = old.id AND object IS NOT NULL
    UNION ALL
    SELECT subject, predicate, object, -1, -(valid_to = '~') FROM fact
    WHERE retracted_at IS NULL AND subject = old.id AND literal IS NOT NULL
    UNION ALL
    SELECT subject, predicate, object, -1, -(valid_to = '~') FROM fact
    WHERE retracted_at IS NULL AND object = old.id AND object IS NOT NULL AND subject <> old.id;
END;

CREATE TRIGGER entity_count_after_update AFTER UPDATE OF type, group_id ON entity
WHEN (old.type, old.group_id) <> (new.type, new.group_id) BEGIN
    INSERT INTO entity_count (group_id, type, entities) VALUES (new.group_id, new.type, 1)
    ON CONFLICT (group_id, type) DO UPDATE SET entities = entities + 1;
    INSERT INTO fact_count_change
    SELECT subject, predicate, object, 1, valid_to = '~' FROM fact
    WHERE retracted_at IS NULL AND subject = new.id AND object IS NOT NULL
    UNION ALL
    SELECT subject, predicate, object, 1, valid_to = '~' FROM fact
    WHERE retracted_at IS NULL AND subject = new.id AND literal IS NOT NULL
    UNION ALL
    SELECT subject, predicate, object, 1, valid_to = '~' FROM fact
    WHERE retracted_at IS NULL AND object = new.id AND object IS NOT NULL AND subject <> new.id;
END;
