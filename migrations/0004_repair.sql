-- What taking back, joining and looking back in time need.

-- Since when a fact is known as it stands; '' where that is since it was recorded. When the validity of a fact is
-- closed later, the validity as it was known before is kept beside it.
ALTER TABLE fact ADD COLUMN known_from TEXT NOT NULL DEFAULT '' CHECK (length(known_from) IN (0, 24));

CREATE TABLE earlier_validity (
    id         INTEGER PRIMARY KEY,
    fact       INTEGER NOT NULL REFERENCES fact (id),
    valid_from TEXT NOT NULL CHECK (length(valid_from) IN (0, 24)),
    valid_to   TEXT NOT NULL CHECK (valid_to = '~' OR length(valid_to) = 24),
    known_from TEXT NOT NULL CHECK (length(known_from) = 24),
    known_to   TEXT NOT NULL CHECK (length(known_to) = 24)
) STRICT;

CREATE INDEX earlier_validity_of ON earlier_validity (fact);

CREATE TRIGGER earlier_validity_journal_insert AFTER INSERT ON earlier_validity BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'earlier_validity', new.id);
END;
CREATE TRIGGER earlier_validity_journal_update AFTER UPDATE ON earlier_validity BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'earlier_validity', old.id, json_object(
        'id', old.id, 'fact', old.fact, 'valid_from', old.valid_from, 'valid_to', old.valid_to,
        'known_from', old.known_from, 'known_to', old.known_to
    ));
END;
CREATE TRIGGER earlier_validity_journal_delete AFTER DELETE ON earlier_validity BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'earlier_validity', old.id, json_object(
        'id', old.id, 'fact', old.fact, 'valid_from', old.valid_from, 'valid_to', old.valid_to,
        'known_from', old.known_from, 'known_to', old.known_to
    ));
END;

-- What was known once: the few rows that the indexes of what holds leave out.
CREATE INDEX fact_gone_out ON fact (subject, predicate) WHERE retracted_at IS NOT NULL;
CREATE INDEX fact_gone_in ON fact (object, predicate) WHERE retracted_at IS NOT NULL;
CREATE INDEX fact_gone_by_predicate ON fact (predicate) WHERE retracted_at IS NOT NULL;

DROP TRIGGER fact_journal_update;
CREATE TRIGGER fact_journal_update AFTER UPDATE ON fact BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'fact', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'subject', old.subject, 'predicate',
        old.predicate, 'object', old.object, 'literal', old.literal, 'text', old.text,
        'confidence', old.confidence, 'recorded_at', old.recorded_at, 'valid_from',
        old.valid_from, 'valid_to', old.valid_to, 'retracted_at', old.retracted_at, 'known_from', old.known_from
    ));
END;
DROP TRIGGER fact_journal_delete;
CREATE TRIGGER fact_journal_delete AFTER DELETE ON fact BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'fact', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'subject', old.subject, 'predicate',
        old.predicate, 'object', old.object, 'literal', old.literal, 'text', old.text,
        'confidence', old.confidence, 'recorded_at', old.recorded_at, 'valid_from',
        old.valid_from, 'valid_to', old.valid_to, 'retracted_at', old.retracted_at, 'known_from', old.known_from
    ));
END;

-- Ids of entities that were merged into another, so that who remembers them is led there.
CREATE TABLE former_id (
    id        INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'ent_*' AND length(public_id) = 30),
    entity    INTEGER NOT NULL REFERENCES entity (id)
) STRICT;

CREATE INDEX former_id_of ON former_id (entity);

CREATE TRIGGER former_id_journal_insert AFTER INSERT ON former_id BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'former_id', new.id);
END;
CREATE TRIGGER former_id_journal_update AFTER UPDATE ON former_id BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'former_id', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'entity', old.entity
    ));
END;
CREATE TRIGGER former_id_journal_delete AFTER DELETE ON former_id BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'former_id', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'entity', old.entity
    ));
END;

-- Which group a call worked in, and which call it took back. Calls before this migration do not say.
ALTER TABLE call ADD COLUMN group_id TEXT;
ALTER TABLE call ADD COLUMN undoes INTEGER REFERENCES call (id);

-- The call that made a row is found by its instant; what happened to the row later, by its number.
CREATE INDEX call_at ON call (at);
CREATE INDEX call_undoing ON call (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX journal_of_row ON journal (tbl, row) WHERE op <> 'insert';
