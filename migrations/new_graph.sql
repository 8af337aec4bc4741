-- What the migrations below make in an empty file, all at once. `make golden` writes this file: do not edit it.
-- The rows of words refer to each other; the time of the migrations is bound.

-- 0001_core e573b1dd1068e644417d986124da4ab25003cbdc0568f446d3747c7e42a2e4a7
-- 0002_search 983455b07cb6aa9b4a9b70c1c980eb97b80339dddfd382de3aa6b555106d9e52
-- 0003_journal 30ed8cf475037605bb050e3c7873b5fae561cdb7d5d76cbe3765ade1c16ad524
-- 0004_repair 52b87604f4c2666fd5c28139b35fcca581352ae9fc08d05b61386a51dfe7a6a2
-- 0005_names 49662310e9631c8c05384b3c21c356152b07a5a36f30b8fe7a01caa25f194c0e
-- 0006_queries 8e01c38672aa982c4a0ed44b43c470864a92b442859538b903c248ba53027402
-- 0007_episodes ba387fa0467dd89f78584c72f49510562d12199dc45e6b06d73502ac90fc9fe8
-- 0008_vocabulary 946e90db5958391f3f2772b21d603dce153a2f7e2f53c096fca70c226b578634
-- 0009_owner_and_narratives bc21b8b4d6feed678cc79e49f7c55bbd0e07b99a7097c88a6c1e19edf7f47483
-- 0010_review 1dacf3728da6db6f7eacd874cfbdacd71deebdb4d16625add652390e3e9566f1
-- 0011_map_places 39edf4fd3295ce408d93d0a1bdda32f9a5ec77009506347caadd7b4cbafe1588
-- 0012_assertion_surfaces 8c34f1d644beb460c3efbd9114e2df4429f8b6f3797ab28a8435d0033e887fb5
-- 0013_cardinalities 5f53019f3ac9a3957a76f3adeadc777b902c23e87223cd4efd79be676d457ada
-- 0014_vector_changes f0a8f933aab689fe42db6786fded972d312bb6892d1e7138f6e9110e12cec9bb
-- 0015_entity_value dc45617d1d814be689564882345ad2a7e670b3bdb390806ad722d01e155d2740
-- 0016_name_words e50818347920dba63576995c09c49054657346653ee45886de8f693dd6b23700
-- 0017_imported_rows 142d7984e6a0f3ae6acf8231c9a3d74976abc408ca6e6c177d14512e9e561a55
-- 0018_facts_as_known 3a364fc592e31a2c9b344697ebb357b407268c7901126d9720c1efd5b2942ffe
-- 0019_usual_cardinality e39a51cd89b824cc6bff1412809038bd71897fc20557d48a44c873c5dc6059af
-- 0020_imported_file 21e02bef17df8e20d3dc68db9c96d70721ca041af612917936f95b95e698c7ae

PRAGMA defer_foreign_keys = ON;

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
, vocabulary_set INTEGER REFERENCES vocabulary_set (id), style TEXT CHECK (style IN ('person', 'title', 'statement', 'term', 'reference')), is_abstract INTEGER NOT NULL DEFAULT 0 CHECK (is_abstract IN (0, 1)), details TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object'), retired_at TEXT CHECK (length(retired_at) = 24), replaced_by INTEGER REFERENCES entity_type (id)) STRICT;

CREATE TABLE predicate (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    version     TEXT NOT NULL
, vocabulary_set INTEGER REFERENCES vocabulary_set (id), role TEXT
    CHECK (role IN ('decides', 'part_of', 'blocks', 'resolves', 'depends', 'tags', 'mentions', 'reports')), inverse_of INTEGER REFERENCES predicate (id), is_symmetric INTEGER NOT NULL DEFAULT 0 CHECK (is_symmetric IN (0, 1)), is_asymmetric INTEGER NOT NULL DEFAULT 0 CHECK (is_asymmetric IN (0, 1)), is_irreflexive INTEGER NOT NULL DEFAULT 0 CHECK (is_irreflexive IN (0, 1)), is_transitive INTEGER NOT NULL DEFAULT 0 CHECK (is_transitive IN (0, 1)), is_acyclic INTEGER NOT NULL DEFAULT 0 CHECK (is_acyclic IN (0, 1)), is_functional INTEGER NOT NULL DEFAULT 0 CHECK (is_functional IN (0, 1)), is_inverse_functional INTEGER NOT NULL DEFAULT 0
    CHECK (is_inverse_functional IN (0, 1)), has_binding_ends INTEGER NOT NULL DEFAULT 1 CHECK (has_binding_ends IN (0, 1)), literal_kind TEXT
    CHECK (literal_kind IN ('text', 'number', 'date', 'url', 'identifier')), sentence TEXT NOT NULL DEFAULT '', details TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object'), retired_at TEXT CHECK (length(retired_at) = 24), replaced_by INTEGER REFERENCES predicate (id), is_usually_functional INTEGER NOT NULL DEFAULT 0
    CHECK (is_usually_functional IN (0, 1)), is_usually_inverse_functional INTEGER NOT NULL DEFAULT 0
    CHECK (is_usually_inverse_functional IN (0, 1)), is_basis INTEGER NOT NULL DEFAULT 0 CHECK (is_basis IN (0, 1)), is_rests_on_basis INTEGER NOT NULL DEFAULT 0 CHECK (is_rests_on_basis IN (0, 1))) STRICT;

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

CREATE TABLE alias (
    id           INTEGER PRIMARY KEY,
    entity       INTEGER NOT NULL REFERENCES entity (id),
    alias        TEXT NOT NULL CHECK (length(alias) BETWEEN 1 AND 200),
    alias_key    TEXT NOT NULL CHECK (alias_key <> ''),
    alias_folded TEXT NOT NULL,
    created_at   TEXT NOT NULL CHECK (length(created_at) = 24),
    UNIQUE (alias_key, entity)
) STRICT;

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
    retracted_at TEXT CHECK (length(retracted_at) = 24), known_from TEXT NOT NULL DEFAULT '' CHECK (length(known_from) IN (0, 24)),
    CHECK ((object IS NULL) <> (literal IS NULL)),
    CHECK (valid_from < valid_to)
) STRICT;

CREATE TABLE provenance (
    id          INTEGER PRIMARY KEY,
    fact        INTEGER NOT NULL REFERENCES fact (id),
    source      TEXT CHECK (length(source) BETWEEN 1 AND 2000),
    confidence  REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    recorded_at TEXT NOT NULL CHECK (length(recorded_at) = 24),
    session     TEXT,
    tool        TEXT NOT NULL
, episode INTEGER REFERENCES episode (id)) STRICT;

CREATE VIRTUAL TABLE name_trigram USING fts5 (
    folded, content='', contentless_delete=1, tokenize='trigram'
);

CREATE VIRTUAL TABLE fact_text USING fts5 (
    text, content='fact', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

CREATE TABLE call (
    id      INTEGER PRIMARY KEY,
    at      TEXT NOT NULL CHECK (length(at) = 24),
    tool    TEXT NOT NULL,
    session TEXT
, group_id TEXT, undoes INTEGER REFERENCES call (id)) STRICT;

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

CREATE TABLE earlier_validity (
    id         INTEGER PRIMARY KEY,
    fact       INTEGER NOT NULL REFERENCES fact (id),
    valid_from TEXT NOT NULL CHECK (length(valid_from) IN (0, 24)),
    valid_to   TEXT NOT NULL CHECK (valid_to = '~' OR length(valid_to) = 24),
    known_from TEXT NOT NULL CHECK (length(known_from) = 24),
    known_to   TEXT NOT NULL CHECK (length(known_to) = 24)
) STRICT;

CREATE TABLE former_id (
    id        INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'ent_*' AND length(public_id) = 30),
    entity    INTEGER NOT NULL REFERENCES entity (id)
) STRICT;

CREATE TABLE name_initials (
    initials TEXT NOT NULL,
    surface  INTEGER NOT NULL,
    PRIMARY KEY (initials, surface)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_space (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0)
) STRICT;

CREATE TABLE name_unembedded (
    surface INTEGER PRIMARY KEY
) STRICT;

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

CREATE TABLE episode (
    id          INTEGER PRIMARY KEY,
    public_id   TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'ep_*' AND length(public_id) = 29),
    group_id    TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    kind        TEXT NOT NULL CHECK (kind IN ('text', 'message', 'json', 'document', 'prechunked')),
    name        TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
    source      TEXT NOT NULL DEFAULT '' CHECK (length(source) <= 4096),
    digest      TEXT NOT NULL CHECK (length(digest) = 64),
    occurred_at TEXT NOT NULL CHECK (length(occurred_at) = 24),
    recorded_at TEXT NOT NULL CHECK (length(recorded_at) = 24),
    session     TEXT
) STRICT;

CREATE TABLE chunk (
    id          INTEGER PRIMARY KEY,
    episode     INTEGER NOT NULL REFERENCES episode (id),
    place       INTEGER NOT NULL CHECK (place >= 0),
    text        TEXT NOT NULL CHECK (text <> ''),
    heading     TEXT NOT NULL DEFAULT '',
    speaker     TEXT CHECK (length(speaker) BETWEEN 1 AND 200),
    speaker_key TEXT CHECK ((speaker_key IS NULL) = (speaker IS NULL)),
    named       TEXT NOT NULL DEFAULT '[]' CHECK (json_type(named) = 'array'),
    spaced      TEXT
) STRICT;

CREATE TABLE mention (
    chunk  INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
    entity INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
    how    TEXT NOT NULL CHECK (how IN ('name', 'alias', 'speaker', 'link', 'tag', 'given')),
    start  INTEGER,
    stop   INTEGER,
    PRIMARY KEY (chunk, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE proposal (
    id           INTEGER PRIMARY KEY,
    public_id    TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'prop_*' AND length(public_id) = 31),
    group_id     TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('entity', 'fact')),
    key          TEXT NOT NULL,
    subject_type TEXT NOT NULL,
    subject      TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
    predicate    TEXT CHECK ((predicate IS NULL) = (kind = 'entity')),
    object_type  TEXT,
    object       TEXT CHECK (length(object) BETWEEN 1 AND 200),
    literal      TEXT CHECK (length(literal) BETWEEN 1 AND 1000),
    confidence   REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    created_at   TEXT NOT NULL CHECK (length(created_at) = 24),
    CHECK (kind = 'entity' OR (object IS NULL) <> (literal IS NULL)),
    UNIQUE (group_id, kind, key)
) STRICT;

CREATE TABLE proposal_evidence (
    proposal INTEGER NOT NULL REFERENCES proposal (id) ON DELETE CASCADE,
    chunk    INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
    start    INTEGER,
    stop     INTEGER,
    PRIMARY KEY (proposal, chunk)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunk_unread (
    chunk INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE name_unread (
    surface INTEGER PRIMARY KEY
) STRICT;

CREATE VIRTUAL TABLE chunk_text USING fts5 (
    text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);

CREATE VIRTUAL TABLE entity_text USING fts5 (
    text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);

CREATE TABLE community (
    id         INTEGER PRIMARY KEY,
    public_id  TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'com_*' AND length(public_id) = 30),
    group_id   TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
    summary    TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL CHECK (length(created_at) = 24)
, named_by TEXT CHECK (named_by IN ('algorithm', 'caller', 'person'))) STRICT;

CREATE TABLE community_member (
    community INTEGER NOT NULL REFERENCES community (id) ON DELETE CASCADE,
    entity    INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
    PRIMARY KEY (community, entity)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE community_text USING fts5 (
    name, summary, content='community', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

CREATE TABLE fact_unembedded (
    fact INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE fact_vector (
    fact      INTEGER PRIMARY KEY,
    embedding BLOB NOT NULL
) STRICT;

CREATE TABLE fact_signs (
    fact  INTEGER PRIMARY KEY,
    signs BLOB NOT NULL
) STRICT;

CREATE TABLE chunk_unembedded (
    reading INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE chunk_vector (
    reading   INTEGER PRIMARY KEY,
    embedding BLOB NOT NULL
) STRICT;

CREATE TABLE chunk_signs (
    reading  INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL,
    signs    BLOB NOT NULL
) STRICT;

CREATE TABLE vocabulary_set (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 100),
    version    TEXT NOT NULL CHECK (length(version) BETWEEN 1 AND 100),
    uri        TEXT NOT NULL DEFAULT '',
    added_at   TEXT NOT NULL CHECK (length(added_at) = 24),
    retired_at TEXT CHECK (length(retired_at) = 24),
    details    TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object')
) STRICT;

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

CREATE TABLE predicate_end (
    id        INTEGER PRIMARY KEY,
    predicate INTEGER NOT NULL REFERENCES predicate (id),
    side      TEXT NOT NULL CHECK (side IN ('subject', 'object')),
    type      INTEGER NOT NULL REFERENCES entity_type (id),
    UNIQUE (predicate, side, type)
) STRICT;

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

CREATE TABLE dismissed_wording (
    id           INTEGER PRIMARY KEY,
    group_id     TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    wording_key  TEXT NOT NULL CHECK (wording_key <> ''),
    wording      TEXT NOT NULL CHECK (length(wording) BETWEEN 1 AND 200),
    dismissed_at TEXT NOT NULL CHECK (length(dismissed_at) = 24),
    UNIQUE (group_id, wording_key)
) STRICT;

CREATE TABLE assumed_type (
    id INTEGER PRIMARY KEY REFERENCES entity (id)
) STRICT;

CREATE TABLE vocabulary_revision (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    revision TEXT NOT NULL
) STRICT;

CREATE TABLE owner (
    id       INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL UNIQUE CHECK (length(group_id) BETWEEN 1 AND 200),
    entity   INTEGER NOT NULL UNIQUE REFERENCES entity (id),
    set_at   TEXT NOT NULL CHECK (length(set_at) = 24)
) STRICT;

CREATE TABLE narrative (
    id          INTEGER PRIMARY KEY,
    episode     INTEGER NOT NULL REFERENCES episode (id),
    week        TEXT NOT NULL CHECK (week GLOB '[0-9][0-9][0-9][0-9]-W[0-5][0-9]'),
    project     INTEGER REFERENCES entity (id),
    recorded_at TEXT NOT NULL CHECK (length(recorded_at) = 24)
) STRICT;

CREATE TABLE review_proposal (
    id         INTEGER PRIMARY KEY,
    public_id  TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'prop_*' AND length(public_id) = 31),
    group_id   TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    kind       TEXT NOT NULL CHECK (kind IN (
        'new_entity', 'new_fact', 'new_word', 'same_as', 'alias', 'contradiction', 'doubtful', 'probably_ended',
        'retype', 'functional', 'gap', 'orphan'
    )),
    key        TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 2000),
    statement  TEXT NOT NULL CHECK (length(statement) BETWEEN 1 AND 2000),
    score      REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
    rests_on   TEXT NOT NULL CHECK (json_valid(rests_on)),
    evidence   TEXT NOT NULL CHECK (json_valid(evidence)),
    tool       TEXT NOT NULL CHECK (length(tool) BETWEEN 1 AND 40),
    arguments  TEXT NOT NULL CHECK (json_valid(arguments)),
    offered_at TEXT NOT NULL CHECK (length(offered_at) = 24),
    UNIQUE (group_id, kind, key)
) STRICT;

CREATE TABLE review_decision (
    id         INTEGER PRIMARY KEY,
    group_id   TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    kind       TEXT NOT NULL,
    key        TEXT NOT NULL CHECK (length(key) <= 2000),
    rests_on   TEXT NOT NULL CHECK (json_valid(rests_on)),
    evidence   TEXT NOT NULL CHECK (json_valid(evidence)),
    decision   TEXT NOT NULL CHECK (decision IN ('accepted', 'edited', 'merged', 'rejected', 'woken')),
    statement  TEXT NOT NULL CHECK (length(statement) <= 2000),
    decided_at TEXT NOT NULL CHECK (length(decided_at) = 24)
) STRICT;

CREATE TABLE garden_run (
    id           INTEGER PRIMARY KEY,
    group_id     TEXT CHECK (length(group_id) BETWEEN 1 AND 200),
    started_at   TEXT NOT NULL CHECK (length(started_at) = 24),
    ended_at     TEXT CHECK (length(ended_at) = 24),
    conversation TEXT,
    origin       TEXT NOT NULL CHECK (origin IN ('call', 'timer', 'idle')),
    proposed     INTEGER NOT NULL DEFAULT 0 CHECK (proposed >= 0),
    passes       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(passes))
) STRICT;

CREATE TABLE read_count (
    conversation TEXT NOT NULL,
    group_id     TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    tool         TEXT NOT NULL,
    times        INTEGER NOT NULL CHECK (times > 0),
    first_at     TEXT NOT NULL CHECK (length(first_at) = 24),
    last_at      TEXT NOT NULL CHECK (length(last_at) = 24),
    PRIMARY KEY (conversation, group_id, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE unknown_name (
    group_id TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    name_key TEXT NOT NULL CHECK (name_key <> ''),
    name     TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    times    INTEGER NOT NULL CHECK (times > 0),
    last_at  TEXT NOT NULL CHECK (length(last_at) = 24),
    PRIMARY KEY (group_id, name_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE map_place (
    entity INTEGER PRIMARY KEY REFERENCES entity (id) ON DELETE CASCADE,
    x      REAL NOT NULL,
    y      REAL NOT NULL
) STRICT;

CREATE TABLE assertion_surface (
    id        INTEGER PRIMARY KEY,
    assertion INTEGER NOT NULL REFERENCES provenance (id) ON DELETE CASCADE,
    alias     INTEGER REFERENCES alias (id) ON DELETE CASCADE,
    former_id INTEGER REFERENCES former_id (id) ON DELETE CASCADE,
    CHECK ((alias IS NULL) + (former_id IS NULL) = 1)
) STRICT;

CREATE TABLE entity_count (
    group_id TEXT NOT NULL,
    type     INTEGER NOT NULL,
    entities INTEGER NOT NULL,
    PRIMARY KEY (group_id, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact_count (
    group_id     TEXT NOT NULL,
    predicate    INTEGER NOT NULL,
    subject_type INTEGER NOT NULL,
    object_type  INTEGER NOT NULL,
    facts        INTEGER NOT NULL,
    open_facts   INTEGER NOT NULL,
    PRIMARY KEY (group_id, predicate, subject_type, object_type)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_change (
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL CHECK (kind IN ('name', 'fact', 'text')),
    number INTEGER NOT NULL
) STRICT;

CREATE TABLE name_word (
    id   INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE name_posting (
    word    INTEGER NOT NULL,
    surface INTEGER NOT NULL,
    PRIMARY KEY (word, surface)
) STRICT, WITHOUT ROWID;

CREATE TABLE imported_rows (
    id          INTEGER PRIMARY KEY,
    tbl         TEXT NOT NULL,
    first       INTEGER NOT NULL,
    last        INTEGER NOT NULL CHECK (first <= last),
    imported_at TEXT NOT NULL
, file TEXT CHECK (length(file) BETWEEN 1 AND 255)) STRICT;

INSERT INTO entity_type (id, name, description, version, vocabulary_set, style, is_abstract, details, retired_at, replaced_by) VALUES
    (1, 'person', 'A human being.', '0.1.0', 1, 'person', 0, '{}', NULL, NULL),
    (2, 'project', 'An undertaking with a goal.', '0.1.0', 1, 'title', 0, '{}', NULL, NULL),
    (3, 'decision', 'Something that was decided.', '0.1.0', 1, 'statement', 0, '{}', NULL, NULL),
    (4, 'concept', 'An idea, a thing, a tool, a task, a feature or a bug.', '0.1.0', 1, 'term', 0, '{}', NULL, NULL),
    (5, 'source', 'A document, a message, a meeting or a page that something comes from.', '0.1.0', 1, 'reference', 0, '{}', NULL, NULL);

INSERT INTO predicate (id, name, description, version, vocabulary_set, role, inverse_of, is_symmetric, is_asymmetric, is_irreflexive, is_transitive, is_acyclic, is_functional, is_inverse_functional, has_binding_ends, literal_kind, sentence, details, retired_at, replaced_by, is_usually_functional, is_usually_inverse_functional, is_basis, is_rests_on_basis) VALUES
    (1, 'mentioned_in', 'The subject is mentioned in the object (a source).', '0.1.0', 1, 'mentions', NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, '', '{}', NULL, NULL, 0, 0, 0, 0),
    (2, 'decided_in', 'The subject (a person or a project) decided the object (a decision).', '0.1.0', 1, 'decides', NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, '', '{}', NULL, NULL, 0, 0, 0, 0),
    (3, 'reports_to', 'The subject reports or belongs in line to the object (a person).', '0.1.0', 1, 'reports', NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, '', '{}', NULL, NULL, 1, 0, 0, 1),
    (4, 'depends_on', 'The subject needs the object.', '0.1.0', 1, 'depends', NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, '', '{}', NULL, NULL, 0, 0, 0, 0),
    (5, 'resolved_by', 'The subject (a blocker, a decision) was settled by the object.', '0.1.0', 1, 'resolves', NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, '', '{}', NULL, NULL, 0, 0, 0, 0),
    (6, 'blocked_by', 'The subject cannot go on because of the object.', '0.1.0', 1, 'blocks', NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, '', '{}', NULL, NULL, 0, 0, 0, 0),
    (7, 'tagged', 'The subject carries the object as a tag or a status, usually a literal.', '0.1.0', 1, 'tags', NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, '', '{}', NULL, NULL, 0, 0, 0, 0),
    (8, 'belongs_to', 'The subject is part of the object.', '0.1.0', 1, 'part_of', NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL, '', '{}', NULL, NULL, 0, 0, 0, 1);

INSERT INTO vocabulary_set (id, name, version, uri, added_at, retired_at, details) VALUES
    (1, 'core', '0.1.0', '', :now, NULL, '{}');

INSERT INTO predicate_end (id, predicate, side, type) VALUES
    (1, 1, 'object', 5),
    (2, 2, 'object', 3),
    (3, 2, 'subject', 1),
    (4, 2, 'subject', 2),
    (5, 3, 'object', 1);

INSERT INTO vocabulary_label (id, kind, term, language, status, label, label_key, is_added) VALUES
    (1, 'entity_type', 1, 'en', 'alternative', 'people', 'people', 0),
    (2, 'entity_type', 1, 'en', 'alternative', 'human', 'human', 0),
    (3, 'entity_type', 1, 'en', 'alternative', 'human being', 'human being', 0),
    (4, 'entity_type', 1, 'en', 'alternative', 'user', 'user', 0),
    (5, 'entity_type', 1, 'en', 'alternative', 'individual', 'individual', 0),
    (6, 'entity_type', 1, 'en', 'alternative', 'employee', 'employee', 0),
    (7, 'entity_type', 1, 'en', 'alternative', 'author', 'author', 0),
    (8, 'entity_type', 1, 'en', 'alternative', 'man', 'man', 0),
    (9, 'entity_type', 1, 'en', 'alternative', 'woman', 'woman', 0),
    (10, 'entity_type', 1, 'en', 'alternative', 'friend', 'friend', 0),
    (11, 'entity_type', 1, 'en', 'alternative', 'colleague', 'colleague', 0),
    (12, 'entity_type', 1, 'en', 'alternative', 'customer contact', 'customer contact', 0),
    (13, 'entity_type', 2, 'en', 'alternative', 'initiative', 'initiative', 0),
    (14, 'entity_type', 2, 'en', 'alternative', 'product', 'product', 0),
    (15, 'entity_type', 2, 'en', 'alternative', 'repository', 'repository', 0),
    (16, 'entity_type', 2, 'en', 'alternative', 'repo', 'repo', 0),
    (17, 'entity_type', 2, 'en', 'alternative', 'programme', 'programme', 0),
    (18, 'entity_type', 2, 'en', 'alternative', 'undertaking', 'undertaking', 0),
    (19, 'entity_type', 3, 'en', 'alternative', 'choice', 'choice', 0),
    (20, 'entity_type', 3, 'en', 'alternative', 'adr', 'adr', 0),
    (21, 'entity_type', 3, 'en', 'alternative', 'resolution', 'resolution', 0),
    (22, 'entity_type', 4, 'en', 'alternative', 'idea', 'idea', 0),
    (23, 'entity_type', 4, 'en', 'alternative', 'thing', 'thing', 0),
    (24, 'entity_type', 4, 'en', 'alternative', 'feature', 'feature', 0),
    (25, 'entity_type', 4, 'en', 'alternative', 'bug', 'bug', 0),
    (26, 'entity_type', 4, 'en', 'alternative', 'term', 'term', 0),
    (27, 'entity_type', 5, 'en', 'alternative', 'document', 'document', 0),
    (28, 'entity_type', 5, 'en', 'alternative', 'doc', 'doc', 0),
    (29, 'entity_type', 5, 'en', 'alternative', 'file', 'file', 0),
    (30, 'entity_type', 5, 'en', 'alternative', 'page', 'page', 0),
    (31, 'entity_type', 5, 'en', 'alternative', 'url', 'url', 0),
    (32, 'entity_type', 5, 'en', 'alternative', 'website', 'website', 0),
    (33, 'entity_type', 5, 'en', 'alternative', 'web page', 'web page', 0),
    (34, 'entity_type', 5, 'en', 'alternative', 'article', 'article', 0),
    (35, 'entity_type', 5, 'en', 'alternative', 'book', 'book', 0),
    (36, 'entity_type', 5, 'en', 'alternative', 'paper', 'paper', 0),
    (37, 'entity_type', 5, 'en', 'alternative', 'meeting', 'meeting', 0),
    (38, 'entity_type', 5, 'en', 'alternative', 'message', 'message', 0),
    (39, 'predicate', 8, 'en', 'alternative', 'part of', 'part of', 0),
    (40, 'predicate', 8, 'en', 'alternative', 'is part of', 'is part of', 0),
    (41, 'predicate', 8, 'en', 'alternative', 'is a part of', 'is a part of', 0),
    (42, 'predicate', 6, 'en', 'alternative', 'is blocked by', 'is blocked by', 0),
    (43, 'predicate', 6, 'en', 'alternative', 'blocked on', 'blocked on', 0),
    (44, 'predicate', 6, 'en', 'alternative', 'is blocked on', 'is blocked on', 0),
    (45, 'predicate', 4, 'en', 'alternative', 'is dependent on', 'is dependent on', 0),
    (46, 'predicate', 4, 'en', 'alternative', 'requires', 'requires', 0),
    (47, 'predicate', 4, 'en', 'alternative', 'needs', 'needs', 0),
    (48, 'predicate', 4, 'en', 'alternative', 'relies on', 'relies on', 0),
    (49, 'predicate', 4, 'en', 'alternative', 'depends upon', 'depends upon', 0),
    (50, 'predicate', 1, 'en', 'alternative', 'is mentioned in', 'is mentioned in', 0),
    (51, 'predicate', 1, 'en', 'alternative', 'appears in text', 'appears in text', 0),
    (52, 'predicate', 3, 'en', 'alternative', 'reporting to', 'reporting to', 0),
    (53, 'predicate', 3, 'en', 'alternative', 'is managed by line', 'is managed by line', 0),
    (54, 'predicate', 3, 'en', 'alternative', 'has manager', 'has manager', 0),
    (55, 'predicate', 5, 'en', 'alternative', 'is resolved by', 'is resolved by', 0),
    (56, 'predicate', 5, 'en', 'alternative', 'was resolved by', 'was resolved by', 0),
    (57, 'predicate', 5, 'en', 'alternative', 'fixed by', 'fixed by', 0),
    (58, 'predicate', 5, 'en', 'alternative', 'was fixed by', 'was fixed by', 0),
    (59, 'predicate', 5, 'en', 'alternative', 'solved by', 'solved by', 0),
    (60, 'predicate', 5, 'en', 'alternative', 'was solved by', 'was solved by', 0),
    (61, 'predicate', 5, 'en', 'alternative', 'settled by', 'settled by', 0),
    (62, 'predicate', 2, 'en', 'alternative', 'decided', 'decided', 0),
    (63, 'predicate', 2, 'en', 'alternative', 'decided on', 'decided on', 0),
    (64, 'predicate', 2, 'en', 'alternative', 'has decided', 'has decided', 0),
    (65, 'predicate', 2, 'en', 'alternative', 'agreed on', 'agreed on', 0),
    (66, 'predicate', 7, 'en', 'alternative', 'has tag', 'has tag', 0),
    (67, 'predicate', 7, 'en', 'alternative', 'tagged with', 'tagged with', 0),
    (68, 'predicate', 7, 'en', 'alternative', 'is tagged', 'is tagged', 0),
    (69, 'predicate', 7, 'en', 'alternative', 'is tagged with', 'is tagged with', 0),
    (70, 'predicate', 7, 'en', 'alternative', 'labelled', 'labelled', 0),
    (71, 'predicate', 7, 'en', 'alternative', 'has label', 'has label', 0);

INSERT INTO vocabulary_revision (id, revision) VALUES
    (1, hex(randomblob(8)));

CREATE INDEX entity_of_type ON entity (type, group_id, id);

CREATE INDEX alias_of ON alias (entity);

CREATE UNIQUE INDEX fact_out ON fact (subject, predicate, object, valid_from, valid_to)
    WHERE retracted_at IS NULL AND object IS NOT NULL;

CREATE UNIQUE INDEX fact_literal ON fact (subject, predicate, literal, valid_from, valid_to)
    WHERE retracted_at IS NULL AND literal IS NOT NULL;

CREATE INDEX fact_recorded ON fact (recorded_at);

CREATE INDEX fact_begins ON fact (valid_from) WHERE valid_from <> '';

CREATE INDEX provenance_of ON provenance (fact);

CREATE TRIGGER entity_name_trigram_insert AFTER INSERT ON entity BEGIN
    INSERT INTO name_trigram (rowid, folded) VALUES (2 * new.id, ' ' || new.name_folded || ' ');
END;

CREATE TRIGGER entity_name_trigram_update AFTER UPDATE OF name_folded ON entity BEGIN
    DELETE FROM name_trigram WHERE rowid = 2 * old.id;
    INSERT INTO name_trigram (rowid, folded) VALUES (2 * new.id, ' ' || new.name_folded || ' ');
END;

CREATE TRIGGER entity_name_trigram_delete AFTER DELETE ON entity BEGIN
    DELETE FROM name_trigram WHERE rowid = 2 * old.id;
END;

CREATE TRIGGER alias_name_trigram_insert AFTER INSERT ON alias BEGIN
    INSERT INTO name_trigram (rowid, folded) VALUES (2 * new.id + 1, ' ' || new.alias_folded || ' ');
END;

CREATE TRIGGER alias_name_trigram_update AFTER UPDATE OF alias_folded ON alias BEGIN
    DELETE FROM name_trigram WHERE rowid = 2 * old.id + 1;
    INSERT INTO name_trigram (rowid, folded) VALUES (2 * new.id + 1, ' ' || new.alias_folded || ' ');
END;

CREATE TRIGGER alias_name_trigram_delete AFTER DELETE ON alias BEGIN
    DELETE FROM name_trigram WHERE rowid = 2 * old.id + 1;
END;

CREATE INDEX entity_spelled ON entity (replace(name_folded, ' ', ''));

CREATE INDEX alias_spelled ON alias (replace(alias_folded, ' ', ''));

CREATE TRIGGER fact_text_insert AFTER INSERT ON fact BEGIN
    INSERT INTO fact_text (rowid, text) VALUES (new.id, new.text);
END;

CREATE TRIGGER fact_text_update AFTER UPDATE OF text ON fact BEGIN
    INSERT INTO fact_text (fact_text, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO fact_text (rowid, text) VALUES (new.id, new.text);
END;

CREATE TRIGGER fact_text_delete AFTER DELETE ON fact BEGIN
    INSERT INTO fact_text (fact_text, rowid, text) VALUES ('delete', old.id, old.text);
END;

CREATE INDEX journal_of_call ON journal (call);

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

CREATE TRIGGER provenance_journal_insert AFTER INSERT ON provenance BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'provenance', new.id);
END;

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

CREATE INDEX fact_gone_out ON fact (subject, predicate) WHERE retracted_at IS NOT NULL;

CREATE INDEX fact_gone_in ON fact (object, predicate) WHERE retracted_at IS NOT NULL;

CREATE INDEX fact_gone_by_predicate ON fact (predicate) WHERE retracted_at IS NOT NULL;

CREATE TRIGGER fact_journal_update AFTER UPDATE ON fact BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'fact', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'subject', old.subject, 'predicate',
        old.predicate, 'object', old.object, 'literal', old.literal, 'text', old.text,
        'confidence', old.confidence, 'recorded_at', old.recorded_at, 'valid_from',
        old.valid_from, 'valid_to', old.valid_to, 'retracted_at', old.retracted_at, 'known_from', old.known_from
    ));
END;

CREATE TRIGGER fact_journal_delete AFTER DELETE ON fact BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'fact', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'subject', old.subject, 'predicate',
        old.predicate, 'object', old.object, 'literal', old.literal, 'text', old.text,
        'confidence', old.confidence, 'recorded_at', old.recorded_at, 'valid_from',
        old.valid_from, 'valid_to', old.valid_to, 'retracted_at', old.retracted_at, 'known_from', old.known_from
    ));
END;

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

CREATE INDEX call_at ON call (at);

CREATE INDEX call_undoing ON call (undoes) WHERE undoes IS NOT NULL;

CREATE INDEX journal_of_row ON journal (tbl, row) WHERE op <> 'insert';

CREATE INDEX name_initials_of ON name_initials (surface);

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

CREATE INDEX entity_named ON entity (name);

CREATE INDEX episode_of_time ON episode (group_id, occurred_at, id);

CREATE INDEX episode_of_text ON episode (digest, group_id);

CREATE INDEX episode_of_source ON episode (source, group_id) WHERE source <> '';

CREATE INDEX episode_of_kind ON episode (group_id, kind, id);

CREATE INDEX chunk_of ON chunk (episode, place);

CREATE INDEX chunk_spoken ON chunk (speaker_key) WHERE speaker_key IS NOT NULL;

CREATE INDEX provenance_from ON provenance (episode, fact) WHERE episode IS NOT NULL;

CREATE TRIGGER episode_journal_insert AFTER INSERT ON episode BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'episode', new.id);
END;

CREATE TRIGGER episode_journal_update AFTER UPDATE ON episode BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'episode', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'group_id', old.group_id, 'kind', old.kind, 'name', old.name,
        'source', old.source, 'digest', old.digest, 'occurred_at', old.occurred_at,
        'recorded_at', old.recorded_at, 'session', old.session
    ));
END;

CREATE TRIGGER episode_journal_delete AFTER DELETE ON episode BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'episode', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'group_id', old.group_id, 'kind', old.kind, 'name', old.name,
        'source', old.source, 'digest', old.digest, 'occurred_at', old.occurred_at,
        'recorded_at', old.recorded_at, 'session', old.session
    ));
END;

CREATE TRIGGER chunk_journal_insert AFTER INSERT ON chunk BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'chunk', new.id);
END;

CREATE TRIGGER chunk_journal_update AFTER UPDATE ON chunk BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'chunk', old.id, json_object(
        'id', old.id, 'episode', old.episode, 'place', old.place, 'text', old.text, 'heading', old.heading,
        'speaker', old.speaker, 'speaker_key', old.speaker_key, 'named', old.named, 'spaced', old.spaced
    ));
END;

CREATE TRIGGER chunk_journal_delete AFTER DELETE ON chunk BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'chunk', old.id, json_object(
        'id', old.id, 'episode', old.episode, 'place', old.place, 'text', old.text, 'heading', old.heading,
        'speaker', old.speaker, 'speaker_key', old.speaker_key, 'named', old.named, 'spaced', old.spaced
    ));
END;

CREATE TRIGGER provenance_journal_update AFTER UPDATE ON provenance BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'provenance', old.id, json_object(
        'id', old.id, 'fact', old.fact, 'source', old.source, 'confidence', old.confidence,
        'recorded_at', old.recorded_at, 'session', old.session, 'tool', old.tool, 'episode', old.episode
    ));
END;

CREATE TRIGGER provenance_journal_delete AFTER DELETE ON provenance BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'provenance', old.id, json_object(
        'id', old.id, 'fact', old.fact, 'source', old.source, 'confidence', old.confidence,
        'recorded_at', old.recorded_at, 'session', old.session, 'tool', old.tool, 'episode', old.episode
    ));
END;

CREATE INDEX mention_of ON mention (entity, chunk);

CREATE INDEX proposal_evidence_in ON proposal_evidence (chunk);

CREATE TRIGGER proposal_without_evidence AFTER DELETE ON proposal_evidence
WHEN NOT EXISTS (SELECT 1 FROM proposal_evidence WHERE proposal = old.proposal) BEGIN
    DELETE FROM proposal WHERE id = old.proposal;
END;

CREATE TRIGGER chunk_unread_insert AFTER INSERT ON chunk BEGIN
    INSERT OR IGNORE INTO chunk_unread VALUES (new.id);
END;

CREATE TRIGGER chunk_unread_update AFTER UPDATE OF text, named, speaker ON chunk BEGIN
    INSERT OR IGNORE INTO chunk_unread VALUES (new.id);
END;

CREATE TRIGGER chunk_unread_renamed AFTER UPDATE OF name, kind ON episode
WHEN new.name <> old.name OR new.kind <> old.kind BEGIN
    INSERT OR IGNORE INTO chunk_unread SELECT id FROM chunk WHERE episode = new.id;
END;

CREATE TRIGGER entity_unread_insert AFTER INSERT ON entity WHEN EXISTS (SELECT 1 FROM chunk) BEGIN
    INSERT OR IGNORE INTO name_unread VALUES (2 * new.id);
END;

CREATE TRIGGER entity_unread_update AFTER UPDATE OF name_key, type, group_id ON entity WHEN EXISTS (SELECT 1 FROM chunk) BEGIN
    INSERT OR IGNORE INTO name_unread VALUES (2 * new.id);
    INSERT OR IGNORE INTO chunk_unread SELECT chunk FROM mention WHERE entity = old.id;
END;

CREATE TRIGGER entity_unread_delete BEFORE DELETE ON entity BEGIN
    INSERT OR IGNORE INTO chunk_unread SELECT chunk FROM mention WHERE entity = old.id;
    DELETE FROM name_unread WHERE surface = 2 * old.id;
END;

CREATE TRIGGER alias_unread_insert AFTER INSERT ON alias WHEN EXISTS (SELECT 1 FROM chunk) BEGIN
    INSERT OR IGNORE INTO name_unread VALUES (2 * new.id + 1);
END;

CREATE TRIGGER alias_unread_update AFTER UPDATE OF alias_key, entity ON alias WHEN EXISTS (SELECT 1 FROM chunk) BEGIN
    INSERT OR IGNORE INTO name_unread VALUES (2 * new.id + 1);
    INSERT OR IGNORE INTO chunk_unread SELECT chunk FROM mention WHERE entity = old.entity;
END;

CREATE TRIGGER alias_unread_delete AFTER DELETE ON alias BEGIN
    INSERT OR IGNORE INTO chunk_unread SELECT chunk FROM mention WHERE entity = old.entity;
    DELETE FROM name_unread WHERE surface = 2 * old.id + 1;
END;

CREATE VIEW chunk_words (id, text) AS
SELECT chunk.id,
       iif(episode.kind = 'message', '', episode.name || char(10) || chunk.heading || char(10))
       || coalesce(chunk.spaced, chunk.text)
FROM chunk
JOIN episode ON episode.id = chunk.episode;

CREATE TRIGGER chunk_text_insert AFTER INSERT ON chunk BEGIN
    INSERT INTO chunk_text (rowid, text) SELECT id, text FROM chunk_words WHERE id = new.id;
END;

CREATE TRIGGER chunk_text_update AFTER UPDATE OF text, spaced, heading ON chunk BEGIN
    DELETE FROM chunk_text WHERE rowid = old.id;
    INSERT INTO chunk_text (rowid, text) SELECT id, text FROM chunk_words WHERE id = new.id;
END;

CREATE TRIGGER chunk_text_delete AFTER DELETE ON chunk BEGIN
    DELETE FROM chunk_text WHERE rowid = old.id;
END;

CREATE TRIGGER chunk_text_renamed AFTER UPDATE OF name, kind ON episode
WHEN new.name <> old.name OR new.kind <> old.kind BEGIN
    DELETE FROM chunk_text WHERE rowid IN (SELECT id FROM chunk WHERE episode = new.id);
    INSERT INTO chunk_text (rowid, text)
    SELECT id, text FROM chunk_words WHERE id IN (SELECT id FROM chunk WHERE episode = new.id);
END;

CREATE TRIGGER entity_text_insert AFTER INSERT ON entity BEGIN
    INSERT INTO entity_text (rowid, text) VALUES (2 * new.id, new.name || char(10) || new.summary);
END;

CREATE TRIGGER entity_text_update AFTER UPDATE OF name, summary ON entity BEGIN
    DELETE FROM entity_text WHERE rowid = 2 * old.id;
    INSERT INTO entity_text (rowid, text) VALUES (2 * new.id, new.name || char(10) || new.summary);
END;

CREATE TRIGGER entity_text_delete AFTER DELETE ON entity BEGIN
    DELETE FROM entity_text WHERE rowid = 2 * old.id;
END;

CREATE TRIGGER alias_text_insert AFTER INSERT ON alias BEGIN
    INSERT INTO entity_text (rowid, text) VALUES (2 * new.id + 1, new.alias);
END;

CREATE TRIGGER alias_text_update AFTER UPDATE OF alias ON alias BEGIN
    DELETE FROM entity_text WHERE rowid = 2 * old.id + 1;
    INSERT INTO entity_text (rowid, text) VALUES (2 * new.id + 1, new.alias);
END;

CREATE TRIGGER alias_text_delete AFTER DELETE ON alias BEGIN
    DELETE FROM entity_text WHERE rowid = 2 * old.id + 1;
END;

CREATE INDEX community_member_of ON community_member (entity, community);

CREATE TRIGGER community_text_insert AFTER INSERT ON community BEGIN
    INSERT INTO community_text (rowid, name, summary) VALUES (new.id, new.name, new.summary);
END;

CREATE TRIGGER community_text_update AFTER UPDATE OF name, summary ON community BEGIN
    INSERT INTO community_text (community_text, rowid, name, summary) VALUES ('delete', old.id, old.name, old.summary);
    INSERT INTO community_text (rowid, name, summary) VALUES (new.id, new.name, new.summary);
END;

CREATE TRIGGER community_text_delete AFTER DELETE ON community BEGIN
    INSERT INTO community_text (community_text, rowid, name, summary) VALUES ('delete', old.id, old.name, old.summary);
END;

CREATE TRIGGER fact_vector_insert AFTER INSERT ON fact BEGIN
    INSERT OR IGNORE INTO fact_unembedded VALUES (new.id);
END;

CREATE TRIGGER fact_vector_update AFTER UPDATE OF text ON fact WHEN new.text <> old.text BEGIN
    DELETE FROM fact_vector WHERE fact = old.id;
    DELETE FROM fact_signs WHERE fact = old.id;
    INSERT OR IGNORE INTO fact_unembedded VALUES (new.id);
END;

CREATE TRIGGER fact_vector_delete AFTER DELETE ON fact BEGIN
    DELETE FROM fact_unembedded WHERE fact = old.id;
    DELETE FROM fact_vector WHERE fact = old.id;
    DELETE FROM fact_signs WHERE fact = old.id;
END;

CREATE TRIGGER chunk_vector_insert AFTER INSERT ON chunk BEGIN
    INSERT OR IGNORE INTO chunk_unembedded VALUES (2 * new.id);
    INSERT OR IGNORE INTO chunk_unembedded
    SELECT 2 * new.id + 1 WHERE new.speaker IS NOT NULL
        OR (SELECT kind FROM episode WHERE id = new.episode) = 'message';
END;

CREATE TRIGGER chunk_vector_update AFTER UPDATE OF text, heading, speaker ON chunk BEGIN
    DELETE FROM chunk_vector WHERE reading IN (2 * old.id, 2 * old.id + 1);
    DELETE FROM chunk_signs WHERE reading IN (2 * old.id, 2 * old.id + 1);
    INSERT OR IGNORE INTO chunk_unembedded VALUES (2 * new.id);
    INSERT OR IGNORE INTO chunk_unembedded
    SELECT 2 * new.id + 1 WHERE new.speaker IS NOT NULL
        OR (SELECT kind FROM episode WHERE id = new.episode) = 'message';
END;

CREATE TRIGGER chunk_vector_renamed AFTER UPDATE OF name ON episode
WHEN new.name <> old.name AND new.kind <> 'message' BEGIN
    INSERT OR IGNORE INTO chunk_unembedded
    SELECT 2 * id FROM chunk WHERE episode = new.id AND heading = '' AND speaker IS NULL;
    DELETE FROM chunk_vector
    WHERE reading IN (SELECT 2 * id FROM chunk WHERE episode = new.id AND heading = '' AND speaker IS NULL);
    DELETE FROM chunk_signs
    WHERE reading IN (SELECT 2 * id FROM chunk WHERE episode = new.id AND heading = '' AND speaker IS NULL);
END;

CREATE TRIGGER chunk_vector_delete AFTER DELETE ON chunk BEGIN
    DELETE FROM chunk_unembedded WHERE reading IN (2 * old.id, 2 * old.id + 1);
    DELETE FROM chunk_vector WHERE reading IN (2 * old.id, 2 * old.id + 1);
    DELETE FROM chunk_signs WHERE reading IN (2 * old.id, 2 * old.id + 1);
END;

CREATE INDEX type_parent_of ON type_parent (parent);

CREATE INDEX type_disjoint_of ON type_disjoint (other);

CREATE INDEX entity_type_replaced_by ON entity_type (replaced_by) WHERE replaced_by IS NOT NULL;

CREATE INDEX predicate_replaced_by ON predicate (replaced_by) WHERE replaced_by IS NOT NULL;

CREATE INDEX predicate_inverse_of ON predicate (inverse_of) WHERE inverse_of IS NOT NULL;

CREATE INDEX predicate_end_of ON predicate_end (type);

CREATE INDEX vocabulary_label_of ON vocabulary_label (label_key, kind);

CREATE UNIQUE INDEX proposed_fact_once
    ON proposed_fact (group_id, wording_key, subject, object, coalesce(episode, 0));

CREATE INDEX proposed_fact_of_episode ON proposed_fact (episode) WHERE episode IS NOT NULL;

CREATE TRIGGER vocabulary_set_journal_insert AFTER INSERT ON vocabulary_set BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'vocabulary_set', new.id);
END;

CREATE TRIGGER vocabulary_set_journal_update AFTER UPDATE ON vocabulary_set BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'vocabulary_set', old.id, json_object(
        'id', old.id, 'name', old.name, 'version', old.version, 'uri', old.uri, 'added_at', old.added_at, 'retired_at', old.retired_at, 'details', old.details
    ));
END;

CREATE TRIGGER vocabulary_set_journal_delete AFTER DELETE ON vocabulary_set BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'vocabulary_set', old.id, json_object(
        'id', old.id, 'name', old.name, 'version', old.version, 'uri', old.uri, 'added_at', old.added_at, 'retired_at', old.retired_at, 'details', old.details
    ));
END;

CREATE TRIGGER entity_type_journal_insert AFTER INSERT ON entity_type BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'entity_type', new.id);
END;

CREATE TRIGGER entity_type_journal_update AFTER UPDATE ON entity_type BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'entity_type', old.id, json_object(
        'id', old.id, 'name', old.name, 'description', old.description, 'version', old.version, 'vocabulary_set', old.vocabulary_set, 'style', old.style, 'is_abstract', old.is_abstract, 'details', old.details, 'retired_at', old.retired_at, 'replaced_by', old.replaced_by
    ));
END;

CREATE TRIGGER entity_type_journal_delete AFTER DELETE ON entity_type BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'entity_type', old.id, json_object(
        'id', old.id, 'name', old.name, 'description', old.description, 'version', old.version, 'vocabulary_set', old.vocabulary_set, 'style', old.style, 'is_abstract', old.is_abstract, 'details', old.details, 'retired_at', old.retired_at, 'replaced_by', old.replaced_by
    ));
END;

CREATE TRIGGER type_parent_journal_insert AFTER INSERT ON type_parent BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'type_parent', new.id);
END;

CREATE TRIGGER type_parent_journal_update AFTER UPDATE ON type_parent BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'type_parent', old.id, json_object(
        'id', old.id, 'type', old.type, 'parent', old.parent
    ));
END;

CREATE TRIGGER type_parent_journal_delete AFTER DELETE ON type_parent BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'type_parent', old.id, json_object(
        'id', old.id, 'type', old.type, 'parent', old.parent
    ));
END;

CREATE TRIGGER type_disjoint_journal_insert AFTER INSERT ON type_disjoint BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'type_disjoint', new.id);
END;

CREATE TRIGGER type_disjoint_journal_update AFTER UPDATE ON type_disjoint BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'type_disjoint', old.id, json_object(
        'id', old.id, 'type', old.type, 'other', old.other
    ));
END;

CREATE TRIGGER type_disjoint_journal_delete AFTER DELETE ON type_disjoint BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'type_disjoint', old.id, json_object(
        'id', old.id, 'type', old.type, 'other', old.other
    ));
END;

CREATE TRIGGER predicate_end_journal_insert AFTER INSERT ON predicate_end BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'predicate_end', new.id);
END;

CREATE TRIGGER predicate_end_journal_update AFTER UPDATE ON predicate_end BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'predicate_end', old.id, json_object(
        'id', old.id, 'predicate', old.predicate, 'side', old.side, 'type', old.type
    ));
END;

CREATE TRIGGER predicate_end_journal_delete AFTER DELETE ON predicate_end BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'predicate_end', old.id, json_object(
        'id', old.id, 'predicate', old.predicate, 'side', old.side, 'type', old.type
    ));
END;

CREATE TRIGGER vocabulary_label_journal_insert AFTER INSERT ON vocabulary_label BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'vocabulary_label', new.id);
END;

CREATE TRIGGER vocabulary_label_journal_update AFTER UPDATE ON vocabulary_label BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'vocabulary_label', old.id, json_object(
        'id', old.id, 'kind', old.kind, 'term', old.term, 'language', old.language, 'status', old.status, 'label', old.label, 'label_key', old.label_key, 'is_added', old.is_added
    ));
END;

CREATE TRIGGER vocabulary_label_journal_delete AFTER DELETE ON vocabulary_label BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'vocabulary_label', old.id, json_object(
        'id', old.id, 'kind', old.kind, 'term', old.term, 'language', old.language, 'status', old.status, 'label', old.label, 'label_key', old.label_key, 'is_added', old.is_added
    ));
END;

CREATE TRIGGER proposed_fact_journal_insert AFTER INSERT ON proposed_fact BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'proposed_fact', new.id);
END;

CREATE TRIGGER proposed_fact_journal_update AFTER UPDATE ON proposed_fact BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'proposed_fact', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'group_id', old.group_id, 'subject', old.subject, 'subject_type', old.subject_type, 'wording', old.wording, 'wording_key', old.wording_key, 'object', old.object, 'object_type', old.object_type, 'confidence', old.confidence, 'source', old.source, 'evidence', old.evidence, 'episode', old.episode, 'session', old.session, 'recorded_at', old.recorded_at, 'reason', old.reason
    ));
END;

CREATE TRIGGER proposed_fact_journal_delete AFTER DELETE ON proposed_fact BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'proposed_fact', old.id, json_object(
        'id', old.id, 'public_id', old.public_id, 'group_id', old.group_id, 'subject', old.subject, 'subject_type', old.subject_type, 'wording', old.wording, 'wording_key', old.wording_key, 'object', old.object, 'object_type', old.object_type, 'confidence', old.confidence, 'source', old.source, 'evidence', old.evidence, 'episode', old.episode, 'session', old.session, 'recorded_at', old.recorded_at, 'reason', old.reason
    ));
END;

CREATE TRIGGER dismissed_wording_journal_insert AFTER INSERT ON dismissed_wording BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'dismissed_wording', new.id);
END;

CREATE TRIGGER dismissed_wording_journal_update AFTER UPDATE ON dismissed_wording BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'dismissed_wording', old.id, json_object(
        'id', old.id, 'group_id', old.group_id, 'wording_key', old.wording_key, 'wording', old.wording, 'dismissed_at', old.dismissed_at
    ));
END;

CREATE TRIGGER dismissed_wording_journal_delete AFTER DELETE ON dismissed_wording BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'dismissed_wording', old.id, json_object(
        'id', old.id, 'group_id', old.group_id, 'wording_key', old.wording_key, 'wording', old.wording, 'dismissed_at', old.dismissed_at
    ));
END;

CREATE TRIGGER assumed_type_journal_insert AFTER INSERT ON assumed_type BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'assumed_type', new.id);
END;

CREATE TRIGGER assumed_type_journal_update AFTER UPDATE ON assumed_type BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'assumed_type', old.id, json_object(
        'id', old.id
    ));
END;

CREATE TRIGGER assumed_type_journal_delete AFTER DELETE ON assumed_type BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'assumed_type', old.id, json_object(
        'id', old.id
    ));
END;

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

CREATE UNIQUE INDEX narrative_once ON narrative (episode, week, coalesce(project, 0), recorded_at);

CREATE INDEX narrative_of_week ON narrative (week, project, recorded_at);

CREATE INDEX narrative_of_project ON narrative (project) WHERE project IS NOT NULL;

CREATE TRIGGER owner_journal_insert AFTER INSERT ON owner BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'owner', new.id);
END;

CREATE TRIGGER owner_journal_update AFTER UPDATE ON owner BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'owner', old.id, json_object(
        'id', old.id, 'group_id', old.group_id, 'entity', old.entity, 'set_at', old.set_at
    ));
END;

CREATE TRIGGER owner_journal_delete AFTER DELETE ON owner BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'owner', old.id, json_object(
        'id', old.id, 'group_id', old.group_id, 'entity', old.entity, 'set_at', old.set_at
    ));
END;

CREATE TRIGGER narrative_journal_insert AFTER INSERT ON narrative BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'narrative', new.id);
END;

CREATE TRIGGER narrative_journal_update AFTER UPDATE ON narrative BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'narrative', old.id, json_object(
        'id', old.id, 'episode', old.episode, 'week', old.week, 'project', old.project, 'recorded_at', old.recorded_at
    ));
END;

CREATE TRIGGER narrative_journal_delete AFTER DELETE ON narrative BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'narrative', old.id, json_object(
        'id', old.id, 'episode', old.episode, 'week', old.week, 'project', old.project, 'recorded_at', old.recorded_at
    ));
END;

CREATE TRIGGER owner_entity_delete BEFORE DELETE ON entity BEGIN
    DELETE FROM owner WHERE entity = old.id;
END;

CREATE TRIGGER narrative_entity_delete BEFORE DELETE ON entity BEGIN
    DELETE FROM narrative WHERE project = old.id;
END;

CREATE TRIGGER narrative_episode_delete BEFORE DELETE ON episode BEGIN
    DELETE FROM narrative WHERE episode = old.id;
END;

CREATE INDEX review_decision_on ON review_decision (group_id, kind, key);

CREATE TRIGGER review_decision_journal_insert AFTER INSERT ON review_decision BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'review_decision', new.id);
END;

CREATE TRIGGER review_decision_journal_update AFTER UPDATE ON review_decision BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'review_decision', old.id, json_object(
        'id', old.id, 'group_id', old.group_id, 'kind', old.kind, 'key', old.key, 'rests_on', old.rests_on, 'evidence', old.evidence, 'decision', old.decision, 'statement', old.statement, 'decided_at', old.decided_at
    ));
END;

CREATE TRIGGER review_decision_journal_delete AFTER DELETE ON review_decision BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'review_decision', old.id, json_object(
        'id', old.id, 'group_id', old.group_id, 'kind', old.kind, 'key', old.key, 'rests_on', old.rests_on, 'evidence', old.evidence, 'decision', old.decision, 'statement', old.statement, 'decided_at', old.decided_at
    ));
END;

CREATE INDEX assertion_surface_of ON assertion_surface (assertion);

CREATE INDEX assertion_surface_alias ON assertion_surface (alias) WHERE alias IS NOT NULL;

CREATE INDEX assertion_surface_former_id ON assertion_surface (former_id) WHERE former_id IS NOT NULL;

CREATE TRIGGER assertion_surface_journal_insert AFTER INSERT ON assertion_surface BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'assertion_surface', new.id);
END;

CREATE TRIGGER assertion_surface_journal_update AFTER UPDATE ON assertion_surface BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'assertion_surface', old.id, json_object(
        'id', old.id, 'assertion', old.assertion, 'alias', old.alias, 'former_id', old.former_id
    ));
END;

CREATE TRIGGER assertion_surface_journal_delete AFTER DELETE ON assertion_surface BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'assertion_surface', old.id, json_object(
        'id', old.id, 'assertion', old.assertion, 'alias', old.alias, 'former_id', old.former_id
    ));
END;

CREATE INDEX fact_known ON fact (known_from) WHERE known_from <> '';

CREATE INDEX fact_ends ON fact (valid_to, valid_from, predicate, subject, object)
    WHERE retracted_at IS NULL AND valid_to <> '~';

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

CREATE INDEX entity_with_value ON entity (properties ->> '$.value') WHERE properties ->> '$.value' IS NOT NULL;

CREATE INDEX name_word_end ON name_word (substr(word, -2), length(word), word);

CREATE VIEW name_to_posting (surface, folded) AS SELECT 0, '' WHERE 0;

CREATE TRIGGER name_to_posting_insert INSTEAD OF INSERT ON name_to_posting BEGIN
    INSERT OR IGNORE INTO name_word (word)
    SELECT value FROM json_each('[' || replace(json_quote(replace(new.folded, char(10), ' ')), ' ', '","') || ']')
    WHERE value <> '';
    INSERT OR IGNORE INTO name_posting (word, surface)
    SELECT name_word.id, new.surface
    FROM json_each('[' || replace(json_quote(replace(new.folded, char(10), ' ')), ' ', '","') || ']') AS written
    JOIN name_word ON name_word.word = written.value;
END;

CREATE TRIGGER name_posting_delete AFTER DELETE ON name_posting
WHEN NOT EXISTS (SELECT 1 FROM name_posting WHERE word = old.word) BEGIN
    DELETE FROM name_word WHERE id = old.word;
END;

CREATE TRIGGER entity_posting_insert AFTER INSERT ON entity BEGIN
    INSERT INTO name_to_posting VALUES (2 * new.id, new.name_folded);
END;

CREATE TRIGGER entity_posting_update AFTER UPDATE OF name_folded ON entity BEGIN
    DELETE FROM name_posting WHERE surface = 2 * old.id AND word IN (
        SELECT name_word.id
        FROM json_each('[' || replace(json_quote(replace(old.name_folded, char(10), ' ')), ' ', '","') || ']') AS written
        JOIN name_word ON name_word.word = written.value
    );
    INSERT INTO name_to_posting VALUES (2 * new.id, new.name_folded);
END;

CREATE TRIGGER entity_posting_delete AFTER DELETE ON entity BEGIN
    DELETE FROM name_posting WHERE surface = 2 * old.id AND word IN (
        SELECT name_word.id
        FROM json_each('[' || replace(json_quote(replace(old.name_folded, char(10), ' ')), ' ', '","') || ']') AS written
        JOIN name_word ON name_word.word = written.value
    );
END;

CREATE TRIGGER alias_posting_insert AFTER INSERT ON alias BEGIN
    INSERT INTO name_to_posting VALUES (2 * new.id + 1, new.alias_folded);
END;

CREATE TRIGGER alias_posting_update AFTER UPDATE OF alias_folded ON alias BEGIN
    DELETE FROM name_posting WHERE surface = 2 * old.id + 1 AND word IN (
        SELECT name_word.id
        FROM json_each('[' || replace(json_quote(replace(old.alias_folded, char(10), ' ')), ' ', '","') || ']') AS written
        JOIN name_word ON name_word.word = written.value
    );
    INSERT INTO name_to_posting VALUES (2 * new.id + 1, new.alias_folded);
END;

CREATE TRIGGER alias_posting_delete AFTER DELETE ON alias BEGIN
    DELETE FROM name_posting WHERE surface = 2 * old.id + 1 AND word IN (
        SELECT name_word.id
        FROM json_each('[' || replace(json_quote(replace(old.alias_folded, char(10), ' ')), ' ', '","') || ']') AS written
        JOIN name_word ON name_word.word = written.value
    );
END;

CREATE INDEX imported_rows_of ON imported_rows (tbl, last);

CREATE INDEX fact_by_predicate ON fact (predicate, subject, object, valid_from, valid_to, retracted_at, literal);

CREATE INDEX fact_in ON fact (object, predicate, subject, valid_from, valid_to, retracted_at) WHERE object IS NOT NULL;

CREATE INDEX fact_with_literal ON fact (literal, predicate, subject, valid_from, valid_to, retracted_at)
    WHERE literal IS NOT NULL;

CREATE TRIGGER predicate_journal_insert AFTER INSERT ON predicate BEGIN
    INSERT INTO journal (call, op, tbl, row) VALUES ((SELECT max(id) FROM call), 'insert', 'predicate', new.id);
END;

CREATE TRIGGER predicate_journal_update AFTER UPDATE ON predicate BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'predicate', old.id, json_object(
        'id', old.id, 'name', old.name, 'description', old.description, 'version', old.version, 'vocabulary_set', old.vocabulary_set, 'role', old.role, 'inverse_of', old.inverse_of, 'is_symmetric', old.is_symmetric, 'is_asymmetric', old.is_asymmetric, 'is_irreflexive', old.is_irreflexive, 'is_transitive', old.is_transitive, 'is_acyclic', old.is_acyclic, 'is_functional', old.is_functional, 'is_inverse_functional', old.is_inverse_functional, 'has_binding_ends', old.has_binding_ends, 'literal_kind', old.literal_kind, 'sentence', old.sentence, 'details', old.details, 'retired_at', old.retired_at, 'replaced_by', old.replaced_by, 'is_usually_functional', old.is_usually_functional, 'is_usually_inverse_functional', old.is_usually_inverse_functional, 'is_basis', old.is_basis, 'is_rests_on_basis', old.is_rests_on_basis
    ));
END;

CREATE TRIGGER predicate_journal_delete AFTER DELETE ON predicate BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'predicate', old.id, json_object(
        'id', old.id, 'name', old.name, 'description', old.description, 'version', old.version, 'vocabulary_set', old.vocabulary_set, 'role', old.role, 'inverse_of', old.inverse_of, 'is_symmetric', old.is_symmetric, 'is_asymmetric', old.is_asymmetric, 'is_irreflexive', old.is_irreflexive, 'is_transitive', old.is_transitive, 'is_acyclic', old.is_acyclic, 'is_functional', old.is_functional, 'is_inverse_functional', old.is_inverse_functional, 'has_binding_ends', old.has_binding_ends, 'literal_kind', old.literal_kind, 'sentence', old.sentence, 'details', old.details, 'retired_at', old.retired_at, 'replaced_by', old.replaced_by, 'is_usually_functional', old.is_usually_functional, 'is_usually_inverse_functional', old.is_usually_inverse_functional, 'is_basis', old.is_basis, 'is_rests_on_basis', old.is_rests_on_basis
    ));
END;
