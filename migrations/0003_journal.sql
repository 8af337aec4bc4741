-- Every change to the graph, written by triggers so that nobody has to remember to write it.
--
-- `call` is one call of one tool; it is written first in its transaction, so while a transaction writes,
-- the newest call is its own. An insert is journalled by its row number alone (the row is there to be read,
-- and undoing it removes it); an update or a delete keeps the row as it was.

CREATE TABLE call (
    id      INTEGER PRIMARY KEY,
    at      TEXT NOT NULL CHECK (length(at) = 24),
    tool    TEXT NOT NULL,
    session TEXT
) STRICT;

-- The answer given under an idempotency key, and a digest of what was asked, for the caller who asks again.
CREATE TABLE idempotency (
    group_id TEXT NOT NULL,
    key      TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    call     INTEGER NOT NULL REFERENCES call (id),
    digest   TEXT NOT NULL CHECK (length(digest) = 64),
    answer   TEXT NOT NULL CHECK (json_valid(answer)),
    PRIMARY KEY (group_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    id     INTEGER PRIMARY KEY,
    call   INTEGER NOT NULL REFERENCES call (id),
    op     TEXT NOT NULL CHECK (op IN ('insert', 'update', 'delete')),
    tbl    TEXT NOT NULL,
    row    INTEGER NOT NULL,
    was    TEXT CHECK ((was IS NULL) = (op = 'insert'))
) STRICT;

CREATE INDEX journal_of_call ON journal (call);

CREATE TRIGGER entity_type_journal_insert AFTER INSERT ON entity_type BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'entity_type', new.id);
END;
CREATE TRIGGER entity_type_journal_update AFTER UPDATE ON entity_type BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'entity_type', old.id, json_object(
        'id', old.id, 'name', old.name, 'description', old.description, 'version', old.version
    ));
END;
CREATE TRIGGER entity_type_journal_delete AFTER DELETE ON entity_type BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'entity_type', old.id, json_object(
        'id', old.id, 'name', old.name, 'description', old.description, 'version', old.version
    ));
END;

CREATE TRIGGER predicate_journal_insert AFTER INSERT ON predicate BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'predicate', new.id);
END;
CREATE TRIGGER predicate_journal_update AFTER UPDATE ON predicate BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'predicate', old.id, json_object(
        'id', old.id, 'name', old.name, 'description', old.description, 'version', old.version
    ));
END;
CREATE TRIGGER predicate_journal_delete AFTER DELETE ON predicate BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'predicate', old.id, json_object(
        'id', old.id, 'name', old.name, 'description', old.description, 'version', old.version
    ));
END;

CREATE TRIGGER entity_journal_insert AFTER INSERT ON entity BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'entity', new.id);
END;
CREATE TRIGGER entity_journal_update AFTER UPDATE ON entity BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'entity', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'group_id', old.group_id, 'type', old.type,
        'name', old.name, 'name_key', old.name_key, 'name_folded', old.name_folded, 'summary',
        old.summary, 'properties', old.properties, 'created_at', old.created_at
    ));
END;
CREATE TRIGGER entity_journal_delete AFTER DELETE ON entity BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'entity', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'group_id', old.group_id, 'type', old.type,
        'name', old.name, 'name_key', old.name_key, 'name_folded', old.name_folded, 'summary',
        old.summary, 'properties', old.properties, 'created_at', old.created_at
    ));
END;

CREATE TRIGGER alias_journal_insert AFTER INSERT ON alias BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'alias', new.id);
END;
CREATE TRIGGER alias_journal_update AFTER UPDATE ON alias BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'alias', old.id, json_object(
        'id', old.id, 'entity', old.entity, 'alias', old.alias, 'alias_key', old.alias_key,
        'alias_folded', old.alias_folded, 'created_at', old.created_at
    ));
END;
CREATE TRIGGER alias_journal_delete AFTER DELETE ON alias BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'alias', old.id, json_object(
        'id', old.id, 'entity', old.entity, 'alias', old.alias, 'alias_key', old.alias_key,
        'alias_folded', old.alias_folded, 'created_at', old.created_at
    ));
END;

CREATE TRIGGER fact_journal_insert AFTER INSERT ON fact BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'fact', new.id);
END;
CREATE TRIGGER fact_journal_update AFTER UPDATE ON fact BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'fact', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'subject', old.subject, 'predicate',
        old.predicate, 'object', old.object, 'literal', old.literal, 'text', old.text,
        'confidence', old.confidence, 'recorded_at', old.recorded_at, 'valid_from',
        old.valid_from, 'valid_to', old.valid_to, 'retracted_at', old.retracted_at
    ));
END;
CREATE TRIGGER fact_journal_delete AFTER DELETE ON fact BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'fact', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'subject', old.subject, 'predicate',
        old.predicate, 'object', old.object, 'literal', old.literal, 'text', old.text,
        'confidence', old.confidence, 'recorded_at', old.recorded_at, 'valid_from',
        old.valid_from, 'valid_to', old.valid_to, 'retracted_at', old.retracted_at
    ));
END;

CREATE TRIGGER provenance_journal_insert AFTER INSERT ON provenance BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'provenance', new.id);
END;
CREATE TRIGGER provenance_journal_update AFTER UPDATE ON provenance BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'provenance', old.id, json_object(
        'id', old.id, 'fact', old.fact, 'source', old.source, 'confidence', old.confidence,
        'recorded_at', old.recorded_at, 'session', old.session, 'tool', old.tool
    ));
END;
CREATE TRIGGER provenance_journal_delete AFTER DELETE ON provenance BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'provenance', old.id, json_object(
        'id', old.id, 'fact', old.fact, 'source', old.source, 'confidence', old.confidence,
        'recorded_at', old.recorded_at, 'session', old.session, 'tool', old.tool
    ));
END;

