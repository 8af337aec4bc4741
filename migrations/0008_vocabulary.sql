-- The vocabulary as data: sets of entity types and predicates, with what readers and writers need to know of each; and
-- facts proposed in words that the vocabulary lacks.

-- A set is a named version of a list of words. Words that nobody else gave are in the set `own`. `details` is what only
-- people and exports read: {"statements": […]}, the RDF statements of an imported file about anything but its words.
CREATE TABLE vocabulary_set (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 100),
    version    TEXT NOT NULL CHECK (length(version) BETWEEN 1 AND 100),
    uri        TEXT NOT NULL DEFAULT '',
    added_at   TEXT NOT NULL CHECK (length(added_at) = 24),
    retired_at TEXT CHECK (length(retired_at) = 24),
    details    TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object')
) STRICT;

INSERT INTO vocabulary_set (name, version, added_at)
SELECT 'core', '0.1.0', applied_at FROM migration WHERE number = 1;
INSERT INTO vocabulary_set (name, version, added_at)
SELECT 'imported', 'imported', vocabulary_set.added_at
FROM vocabulary_set
WHERE EXISTS (SELECT 1 FROM entity_type WHERE version = 'imported')
   OR EXISTS (SELECT 1 FROM predicate WHERE version = 'imported');

-- `details` is what only people and exports read: {"examples": […], "notation": …, "uri": …}; and of a word that was
-- imported from RDF, "statements" that no column holds, and "unstated": those that columns hold and the file did not.
-- A type without a style has that of its first parent, else `term`.
ALTER TABLE entity_type ADD COLUMN vocabulary_set INTEGER REFERENCES vocabulary_set (id);
ALTER TABLE entity_type ADD COLUMN style TEXT CHECK (style IN ('person', 'title', 'statement', 'term', 'reference'));
ALTER TABLE entity_type ADD COLUMN is_abstract INTEGER NOT NULL DEFAULT 0 CHECK (is_abstract IN (0, 1));
ALTER TABLE entity_type ADD COLUMN details TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object');
ALTER TABLE entity_type ADD COLUMN retired_at TEXT CHECK (length(retired_at) = 24);
ALTER TABLE entity_type ADD COLUMN replaced_by INTEGER REFERENCES entity_type (id);

-- `inverse_of` is the predicate under which a fact in this word is stored, with its ends exchanged. `sentence` reads a
-- fact aloud: `{subject} works at {object}`; empty for the name of the predicate between its ends. `has_binding_ends` is
-- 0 where the types at its ends are advice, as they were before: then a fact between other types is not refused.
ALTER TABLE predicate ADD COLUMN vocabulary_set INTEGER REFERENCES vocabulary_set (id);
ALTER TABLE predicate ADD COLUMN role TEXT
    CHECK (role IN ('decides', 'part_of', 'blocks', 'resolves', 'depends', 'tags', 'mentions', 'reports'));
ALTER TABLE predicate ADD COLUMN inverse_of INTEGER REFERENCES predicate (id);
ALTER TABLE predicate ADD COLUMN is_symmetric INTEGER NOT NULL DEFAULT 0 CHECK (is_symmetric IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_asymmetric INTEGER NOT NULL DEFAULT 0 CHECK (is_asymmetric IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_irreflexive INTEGER NOT NULL DEFAULT 0 CHECK (is_irreflexive IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_transitive INTEGER NOT NULL DEFAULT 0 CHECK (is_transitive IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_acyclic INTEGER NOT NULL DEFAULT 0 CHECK (is_acyclic IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_functional INTEGER NOT NULL DEFAULT 0 CHECK (is_functional IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_inverse_functional INTEGER NOT NULL DEFAULT 0
    CHECK (is_inverse_functional IN (0, 1));
ALTER TABLE predicate ADD COLUMN has_binding_ends INTEGER NOT NULL DEFAULT 1 CHECK (has_binding_ends IN (0, 1));
ALTER TABLE predicate ADD COLUMN literal_kind TEXT
    CHECK (literal_kind IN ('text', 'number', 'date', 'url', 'identifier'));
ALTER TABLE predicate ADD COLUMN sentence TEXT NOT NULL DEFAULT '';
ALTER TABLE predicate ADD COLUMN details TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object');
ALTER TABLE predicate ADD COLUMN retired_at TEXT CHECK (length(retired_at) = 24);
ALTER TABLE predicate ADD COLUMN replaced_by INTEGER REFERENCES predicate (id);

DROP TRIGGER entity_type_journal_update;
DROP TRIGGER predicate_journal_update;

UPDATE entity_type
SET vocabulary_set = (SELECT id FROM vocabulary_set WHERE name = iif(version = 'imported', 'imported', 'core')),
    style = CASE name
        WHEN 'person' THEN 'person'
        WHEN 'project' THEN 'title'
        WHEN 'decision' THEN 'statement'
        WHEN 'source' THEN 'reference'
        ELSE 'term'
    END;
UPDATE predicate
SET vocabulary_set = (SELECT id FROM vocabulary_set WHERE name = iif(version = 'imported', 'imported', 'core')),
    has_binding_ends = 0,
    role = CASE name
        WHEN 'decided_in' THEN 'decides'
        WHEN 'belongs_to' THEN 'part_of'
        WHEN 'blocked_by' THEN 'blocks'
        WHEN 'resolved_by' THEN 'resolves'
        WHEN 'depends_on' THEN 'depends'
        WHEN 'tagged' THEN 'tags'
        WHEN 'mentioned_in' THEN 'mentions'
        WHEN 'reports_to' THEN 'reports'
    END;

-- What a type is a kind of, and what nothing can be besides it.
CREATE TABLE type_parent (
    id     INTEGER PRIMARY KEY,
    type   INTEGER NOT NULL REFERENCES entity_type (id),
    parent INTEGER NOT NULL REFERENCES entity_type (id),
    CHECK (type <> parent),
    UNIQUE (type, parent)
) STRICT;

CREATE TABLE type_disjoint (
    id    INTEGER PRIMARY KEY,
    type  INTEGER NOT NULL REFERENCES entity_type (id),
    other INTEGER NOT NULL REFERENCES entity_type (id),
    CHECK (type < other),
    UNIQUE (type, other)
) STRICT;

-- What refers to a word: asked for each word that is deleted, and there may be ten thousand of them.
CREATE INDEX type_parent_of ON type_parent (parent);
CREATE INDEX type_disjoint_of ON type_disjoint (other);
CREATE INDEX entity_type_replaced_by ON entity_type (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX predicate_replaced_by ON predicate (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX predicate_inverse_of ON predicate (inverse_of) WHERE inverse_of IS NOT NULL;

-- The same rows as before, with a number each, so that a change of them can be undone.
ALTER TABLE predicate_end RENAME TO predicate_end_before;
CREATE TABLE predicate_end (
    id        INTEGER PRIMARY KEY,
    predicate INTEGER NOT NULL REFERENCES predicate (id),
    side      TEXT NOT NULL CHECK (side IN ('subject', 'object')),
    type      INTEGER NOT NULL REFERENCES entity_type (id),
    UNIQUE (predicate, side, type)
) STRICT;
CREATE INDEX predicate_end_of ON predicate_end (type);
INSERT INTO predicate_end (predicate, side, type)
SELECT predicate, side, type FROM predicate_end_before ORDER BY predicate, side, type;
DROP TABLE predicate_end_before;

-- Other wordings of a word, in any language. `label_key` is how wordings are compared: words in lower case, with one
-- space between. At most one label of a language is preferred. `is_added` is 1 where it did not come with its word.
CREATE TABLE vocabulary_label (
    id        INTEGER PRIMARY KEY,
    kind      TEXT NOT NULL CHECK (kind IN ('entity_type', 'predicate')),
    term      INTEGER NOT NULL,
    language  TEXT NOT NULL CHECK (length(language) <= 35),
    status    TEXT NOT NULL CHECK (status IN ('preferred', 'alternative', 'hidden')),
    label     TEXT NOT NULL CHECK (length(label) BETWEEN 1 AND 500),
    label_key TEXT NOT NULL,
    is_added  INTEGER NOT NULL DEFAULT 0 CHECK (is_added IN (0, 1)),
    UNIQUE (term, kind, language, label)
) STRICT;

CREATE INDEX vocabulary_label_of ON vocabulary_label (label_key, kind);

-- Other wordings of the words of the core, most of them from what clients have sent.
INSERT INTO vocabulary_label (kind, term, language, status, label, label_key)
SELECT given.kind, entity_type.id, 'en', 'alternative', given.label, given.label
FROM (
    SELECT 'entity_type' AS kind, 'person' AS word, 'people' AS label
    UNION ALL SELECT 'entity_type', 'person', 'human'
    UNION ALL SELECT 'entity_type', 'person', 'human being'
    UNION ALL SELECT 'entity_type', 'person', 'user'
    UNION ALL SELECT 'entity_type', 'person', 'individual'
    UNION ALL SELECT 'entity_type', 'person', 'employee'
    UNION ALL SELECT 'entity_type', 'person', 'author'
    UNION ALL SELECT 'entity_type', 'person', 'man'
    UNION ALL SELECT 'entity_type', 'person', 'woman'
    UNION ALL SELECT 'entity_type', 'person', 'friend'
    UNION ALL SELECT 'entity_type', 'person', 'colleague'
    UNION ALL SELECT 'entity_type', 'person', 'customer contact'
    UNION ALL SELECT 'entity_type', 'project', 'initiative'
    UNION ALL SELECT 'entity_type', 'project', 'product'
    UNION ALL SELECT 'entity_type', 'project', 'repository'
    UNION ALL SELECT 'entity_type', 'project', 'repo'
    UNION ALL SELECT 'entity_type', 'project', 'programme'
    UNION ALL SELECT 'entity_type', 'project', 'undertaking'
    UNION ALL SELECT 'entity_type', 'decision', 'choice'
    UNION ALL SELECT 'entity_type', 'decision', 'adr'
    UNION ALL SELECT 'entity_type', 'decision', 'resolution'
    UNION ALL SELECT 'entity_type', 'concept', 'idea'
    UNION ALL SELECT 'entity_type', 'concept', 'thing'
    UNION ALL SELECT 'entity_type', 'concept', 'feature'
    UNION ALL SELECT 'entity_type', 'concept', 'bug'
    UNION ALL SELECT 'entity_type', 'concept', 'term'
    UNION ALL SELECT 'entity_type', 'source', 'document'
    UNION ALL SELECT 'entity_type', 'source', 'doc'
    UNION ALL SELECT 'entity_type', 'source', 'file'
    UNION ALL SELECT 'entity_type', 'source', 'page'
    UNION ALL SELECT 'entity_type', 'source', 'url'
    UNION ALL SELECT 'entity_type', 'source', 'website'
    UNION ALL SELECT 'entity_type', 'source', 'web page'
    UNION ALL SELECT 'entity_type', 'source', 'article'
    UNION ALL SELECT 'entity_type', 'source', 'book'
    UNION ALL SELECT 'entity_type', 'source', 'paper'
    UNION ALL SELECT 'entity_type', 'source', 'meeting'
    UNION ALL SELECT 'entity_type', 'source', 'message'
) AS given
JOIN entity_type ON entity_type.name = given.word;
INSERT INTO vocabulary_label (kind, term, language, status, label, label_key)
SELECT given.kind, predicate.id, 'en', 'alternative', given.label, given.label
FROM (
    SELECT 'predicate' AS kind, 'belongs_to' AS word, 'part of' AS label
    UNION ALL SELECT 'predicate', 'belongs_to', 'is part of'
    UNION ALL SELECT 'predicate', 'belongs_to', 'is a part of'
    UNION ALL SELECT 'predicate', 'blocked_by', 'is blocked by'
    UNION ALL SELECT 'predicate', 'blocked_by', 'blocked on'
    UNION ALL SELECT 'predicate', 'blocked_by', 'is blocked on'
    UNION ALL SELECT 'predicate', 'depends_on', 'is dependent on'
    UNION ALL SELECT 'predicate', 'depends_on', 'requires'
    UNION ALL SELECT 'predicate', 'depends_on', 'needs'
    UNION ALL SELECT 'predicate', 'depends_on', 'relies on'
    UNION ALL SELECT 'predicate', 'depends_on', 'depends upon'
    UNION ALL SELECT 'predicate', 'mentioned_in', 'is mentioned in'
    UNION ALL SELECT 'predicate', 'mentioned_in', 'appears in text'
    UNION ALL SELECT 'predicate', 'reports_to', 'reporting to'
    UNION ALL SELECT 'predicate', 'reports_to', 'is managed by line'
    UNION ALL SELECT 'predicate', 'reports_to', 'has manager'
    UNION ALL SELECT 'predicate', 'resolved_by', 'is resolved by'
    UNION ALL SELECT 'predicate', 'resolved_by', 'was resolved by'
    UNION ALL SELECT 'predicate', 'resolved_by', 'fixed by'
    UNION ALL SELECT 'predicate', 'resolved_by', 'was fixed by'
    UNION ALL SELECT 'predicate', 'resolved_by', 'solved by'
    UNION ALL SELECT 'predicate', 'resolved_by', 'was solved by'
    UNION ALL SELECT 'predicate', 'resolved_by', 'settled by'
    UNION ALL SELECT 'predicate', 'decided_in', 'decided'
    UNION ALL SELECT 'predicate', 'decided_in', 'decided on'
    UNION ALL SELECT 'predicate', 'decided_in', 'has decided'
    UNION ALL SELECT 'predicate', 'decided_in', 'agreed on'
    UNION ALL SELECT 'predicate', 'tagged', 'has tag'
    UNION ALL SELECT 'predicate', 'tagged', 'tagged with'
    UNION ALL SELECT 'predicate', 'tagged', 'is tagged'
    UNION ALL SELECT 'predicate', 'tagged', 'is tagged with'
    UNION ALL SELECT 'predicate', 'tagged', 'labelled'
    UNION ALL SELECT 'predicate', 'tagged', 'has label'
) AS given
JOIN predicate ON predicate.name = given.word;

-- A fact in its own words, as somebody else extracted it, that waits until its wording is mapped to a predicate or its
-- ends fit one. It is in no answer about what is known. `reason` says what it waits for.
CREATE TABLE proposed_fact (
    id           INTEGER PRIMARY KEY,
    public_id    TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'prop_*' AND length(public_id) = 31),
    group_id     TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    subject      TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
    subject_type TEXT,
    wording      TEXT NOT NULL CHECK (length(wording) BETWEEN 1 AND 200),
    wording_key  TEXT NOT NULL,
    object       TEXT NOT NULL CHECK (length(object) BETWEEN 1 AND 1000),
    object_type  TEXT,
    confidence   REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source       TEXT CHECK (length(source) BETWEEN 1 AND 2000),
    evidence     TEXT NOT NULL DEFAULT '',
    episode      INTEGER REFERENCES episode (id),
    session      TEXT,
    recorded_at  TEXT NOT NULL CHECK (length(recorded_at) = 24),
    reason       TEXT NOT NULL CHECK (reason IN ('wording', 'ends', 'name'))
) STRICT;

CREATE UNIQUE INDEX proposed_fact_once
    ON proposed_fact (group_id, wording_key, subject, object, coalesce(episode, 0));
CREATE INDEX proposed_fact_of_episode ON proposed_fact (episode) WHERE episode IS NOT NULL;

-- Wordings of proposed facts that were dismissed: relations in them are not proposed again.
CREATE TABLE dismissed_wording (
    id           INTEGER PRIMARY KEY,
    group_id     TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    wording_key  TEXT NOT NULL CHECK (wording_key <> ''),
    wording      TEXT NOT NULL CHECK (length(wording) BETWEEN 1 AND 200),
    dismissed_at TEXT NOT NULL CHECK (length(dismissed_at) = 24),
    UNIQUE (group_id, wording_key)
) STRICT;

-- The entities that have their type because nobody gave one, by row: a fact that needs another type may change it.
CREATE TABLE assumed_type (
    id INTEGER PRIMARY KEY REFERENCES entity (id)
) STRICT;

-- Changes with every change of the vocabulary but its labels, so that who has read it knows that it is out of date.
CREATE TABLE vocabulary_revision (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    revision TEXT NOT NULL
) STRICT;
INSERT INTO vocabulary_revision VALUES (1, hex(randomblob(8)));

-- journal triggers: vocabulary_set
-- journal triggers: entity_type
-- journal triggers: predicate
-- journal triggers: type_parent
-- journal triggers: type_disjoint
-- journal triggers: predicate_end
-- journal triggers: vocabulary_label
-- journal triggers: proposed_fact
-- journal triggers: dismissed_wording
-- journal triggers: assumed_type

CREATE TRIGGER assumed_type_entity_delete BEFORE DELETE ON entity BEGIN
    DELETE FROM assumed_type WHERE id = old.id;
END;

CREATE TRIGGER vocabulary_set_revision_insert AFTER INSERT ON vocabulary_set BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER vocabulary_set_revision_update AFTER UPDATE ON vocabulary_set BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER vocabulary_set_revision_delete AFTER DELETE ON vocabulary_set BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER entity_type_revision_insert AFTER INSERT ON entity_type BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER entity_type_revision_update AFTER UPDATE ON entity_type BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER entity_type_revision_delete AFTER DELETE ON entity_type BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER predicate_revision_insert AFTER INSERT ON predicate BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER predicate_revision_update AFTER UPDATE ON predicate BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER predicate_revision_delete AFTER DELETE ON predicate BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER type_parent_revision_insert AFTER INSERT ON type_parent BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER type_parent_revision_update AFTER UPDATE ON type_parent BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER type_parent_revision_delete AFTER DELETE ON type_parent BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER type_disjoint_revision_insert AFTER INSERT ON type_disjoint BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER type_disjoint_revision_update AFTER UPDATE ON type_disjoint BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER type_disjoint_revision_delete AFTER DELETE ON type_disjoint BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER predicate_end_revision_insert AFTER INSERT ON predicate_end BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER predicate_end_revision_update AFTER UPDATE ON predicate_end BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
CREATE TRIGGER predicate_end_revision_delete AFTER DELETE ON predicate_end BEGIN
    UPDATE vocabulary_revision SET revision = hex(randomblob(8));
END;
