-- The graph itself: what may be said (entity_type, predicate), who and what there is (entity, alias),
-- what holds between them (fact), and who said so (provenance).
--
-- Times are UTC, always 24 characters (2026-11-21T08:44:39.123Z), so that text order is time order.
-- Public ids are a prefix and a 26-character lower-case ULID; joins go over the integer keys.

CREATE TABLE migration (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL CHECK (length(sha256) = 64),
    applied_at TEXT NOT NULL
) STRICT;

CREATE TABLE entity_type (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    version     TEXT NOT NULL
) STRICT;

CREATE TABLE predicate (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    version     TEXT NOT NULL
) STRICT;

-- name_key decides what is the same name (NFKC, casefold, white space collapsed, symbols kept);
-- name_folded is only for comparing (accents and punctuation gone).
CREATE TABLE entity (
    id          INTEGER PRIMARY KEY,
    public_id   TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'ent_*' AND length(public_id) = 30),
    group_id    TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    type        INTEGER NOT NULL REFERENCES entity_type (id),
    name        TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    name_key    TEXT NOT NULL CHECK (name_key <> ''),
    name_folded TEXT NOT NULL,
    summary     TEXT NOT NULL DEFAULT '',
    properties  TEXT NOT NULL DEFAULT '{}' CHECK (json_type(properties) = 'object'),
    created_at  TEXT NOT NULL CHECK (length(created_at) = 24),
    UNIQUE (group_id, name_key, type)
) STRICT;

CREATE INDEX entity_of_type ON entity (type, group_id, id);

CREATE TABLE alias (
    id           INTEGER PRIMARY KEY,
    entity       INTEGER NOT NULL REFERENCES entity (id),
    alias        TEXT NOT NULL CHECK (length(alias) BETWEEN 1 AND 200),
    alias_key    TEXT NOT NULL CHECK (alias_key <> ''),
    alias_folded TEXT NOT NULL,
    created_at   TEXT NOT NULL CHECK (length(created_at) = 24),
    UNIQUE (alias_key, entity)
) STRICT;

CREATE INDEX alias_of ON alias (entity);

-- An open validity is '' or '~', which sort before and after every stamp: one row per triple and interval
-- can then be UNIQUE, and "holds at T" is valid_from <= T AND T < valid_to without a test for NULL.
CREATE TABLE fact (
    id           INTEGER PRIMARY KEY,
    public_id    TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'fact_*' AND length(public_id) = 31),
    subject      INTEGER NOT NULL REFERENCES entity (id),
    predicate    INTEGER NOT NULL REFERENCES predicate (id),
    object       INTEGER REFERENCES entity (id),
    literal      TEXT CHECK (length(literal) BETWEEN 1 AND 1000),
    text         TEXT NOT NULL,
    confidence   REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    recorded_at  TEXT NOT NULL CHECK (length(recorded_at) = 24),
    valid_from   TEXT NOT NULL DEFAULT '' CHECK (length(valid_from) IN (0, 24)),
    valid_to     TEXT NOT NULL DEFAULT '~' CHECK (valid_to = '~' OR length(valid_to) = 24),
    retracted_at TEXT CHECK (length(retracted_at) = 24),
    CHECK ((object IS NULL) <> (literal IS NULL)),
    CHECK (valid_from < valid_to)
) STRICT;

-- What holds, in both directions and by predicate. The queries over them name no other column of fact.
CREATE UNIQUE INDEX fact_out ON fact (subject, predicate, object, valid_from, valid_to)
    WHERE retracted_at IS NULL AND object IS NOT NULL;
CREATE INDEX fact_in ON fact (object, predicate, subject, valid_from, valid_to)
    WHERE retracted_at IS NULL AND object IS NOT NULL;
CREATE UNIQUE INDEX fact_literal ON fact (subject, predicate, literal, valid_from, valid_to)
    WHERE retracted_at IS NULL AND literal IS NOT NULL;
CREATE INDEX fact_by_predicate ON fact (predicate, subject, object, valid_from, valid_to)
    WHERE retracted_at IS NULL;

-- What is new: recorded, or beginning to hold.
CREATE INDEX fact_recorded ON fact (recorded_at);
CREATE INDEX fact_begins ON fact (valid_from) WHERE valid_from <> '';

-- Every assertion of a fact, the first one too.
CREATE TABLE provenance (
    id          INTEGER PRIMARY KEY,
    fact        INTEGER NOT NULL REFERENCES fact (id),
    source      TEXT CHECK (length(source) BETWEEN 1 AND 2000),
    confidence  REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    recorded_at TEXT NOT NULL CHECK (length(recorded_at) = 24),
    session     TEXT,
    tool        TEXT NOT NULL
) STRICT;

CREATE INDEX provenance_of ON provenance (fact);

INSERT INTO entity_type (name, description, version) VALUES
    ('person',   'A human being.', '0.1.0'),
    ('project',  'An undertaking with a goal.', '0.1.0'),
    ('decision', 'Something that was decided.', '0.1.0'),
    ('concept',  'An idea, a thing, a tool, a task, a feature or a bug.', '0.1.0'),
    ('source',   'A document, a message, a meeting or a page that something comes from.', '0.1.0');

INSERT INTO predicate (name, description, version) VALUES
    ('mentioned_in', 'The subject is mentioned in the object (a source).', '0.1.0'),
    ('decided_in',   'The subject (a person or a project) decided the object (a decision).', '0.1.0'),
    ('reports_to',   'The subject reports or belongs in line to the object (a person).', '0.1.0'),
    ('depends_on',   'The subject needs the object.', '0.1.0'),
    ('resolved_by',  'The subject (a blocker, a decision) was settled by the object.', '0.1.0'),
    ('blocked_by',   'The subject cannot go on because of the object.', '0.1.0'),
    ('tagged',       'The subject carries the object as a tag or a status, usually a literal.', '0.1.0'),
    ('belongs_to',   'The subject is part of the object.', '0.1.0');
