-- schema: 9207a529611eb55a3b6e3f4b1d82afb3bfd068b2d1e47dca950746dfc2c7b65a
-- The schema of a graph. The line above has the digest of what is made here; `make golden` writes it.
--
-- What may be said (entity_type, predicate), who and what there is (entity, alias), what holds between them (fact), and who
-- said so (provenance); texts (episode, chunk) and what is read in them (mention, proposal); proposals and decisions
-- (review_*); the journal; and what finds names, facts and texts by their letters, their words and their meaning.
--
-- Times are UTC, always 24 characters (2026-11-21T08:44:39.123Z), so that text order is time order. Public ids are a
-- prefix and a 26-character lower-case ULID; joins go over the integer keys.

CREATE TABLE migration (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL CHECK (length(sha256) = 64),
    applied_at TEXT NOT NULL
) STRICT;

-- `details` is what only people and exports read: {"examples": […], "notation": …, "uri": …}; and of a word that was
-- imported from RDF, "statements" that no column holds, and "unstated": those that columns hold and the file did not.
-- A type without a style has that of its first parent, else `term`.
CREATE TABLE entity_type (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    version     TEXT NOT NULL,
    vocabulary_set INTEGER REFERENCES vocabulary_set (id),
    style TEXT CHECK (style IN ('person', 'title', 'statement', 'term', 'reference')),
    is_abstract INTEGER NOT NULL DEFAULT 0 CHECK (is_abstract IN (0, 1)),
    details TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object'),
    retired_at TEXT CHECK (length(retired_at) = 24),
    replaced_by INTEGER REFERENCES entity_type (id)
) STRICT;

CREATE INDEX entity_type_replaced_by ON entity_type (replaced_by) WHERE replaced_by IS NOT NULL;

-- `inverse_of` is the predicate under which a fact in this word is stored, with its ends exchanged. `sentence` reads a
-- fact aloud: `{subject} works at {object}`; empty for the name of the predicate between its ends. `has_binding_ends` is
-- 0 where the types at its ends are advice: then a fact between other types is not refused. What a predicate usually has,
-- and what rests on what (`is_usually_*`, `is_basis`, `is_rests_on_basis`), is advice too: a change is noticed by it.
CREATE TABLE predicate (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    version     TEXT NOT NULL,
    vocabulary_set INTEGER REFERENCES vocabulary_set (id),
    role TEXT CHECK (role IN ('decides', 'part_of', 'blocks', 'resolves', 'depends', 'tags', 'mentions', 'reports', 'answers')),
    inverse_of INTEGER REFERENCES predicate (id),
    is_symmetric INTEGER NOT NULL DEFAULT 0 CHECK (is_symmetric IN (0, 1)),
    is_asymmetric INTEGER NOT NULL DEFAULT 0 CHECK (is_asymmetric IN (0, 1)),
    is_irreflexive INTEGER NOT NULL DEFAULT 0 CHECK (is_irreflexive IN (0, 1)),
    is_transitive INTEGER NOT NULL DEFAULT 0 CHECK (is_transitive IN (0, 1)),
    is_acyclic INTEGER NOT NULL DEFAULT 0 CHECK (is_acyclic IN (0, 1)),
    is_functional INTEGER NOT NULL DEFAULT 0 CHECK (is_functional IN (0, 1)),
    is_inverse_functional INTEGER NOT NULL DEFAULT 0 CHECK (is_inverse_functional IN (0, 1)),
    has_binding_ends INTEGER NOT NULL DEFAULT 1 CHECK (has_binding_ends IN (0, 1)),
    literal_kind TEXT CHECK (literal_kind IN ('text', 'number', 'date', 'url', 'identifier')),
    sentence TEXT NOT NULL DEFAULT '',
    details TEXT NOT NULL DEFAULT '{}' CHECK (json_type(details) = 'object'),
    retired_at TEXT CHECK (length(retired_at) = 24),
    replaced_by INTEGER REFERENCES predicate (id),
    is_usually_functional INTEGER NOT NULL DEFAULT 0 CHECK (is_usually_functional IN (0, 1)),
    is_usually_inverse_functional INTEGER NOT NULL DEFAULT 0 CHECK (is_usually_inverse_functional IN (0, 1)),
    is_basis INTEGER NOT NULL DEFAULT 0 CHECK (is_basis IN (0, 1)),
    is_rests_on_basis INTEGER NOT NULL DEFAULT 0 CHECK (is_rests_on_basis IN (0, 1))
) STRICT;

CREATE INDEX predicate_replaced_by ON predicate (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX predicate_inverse_of ON predicate (inverse_of) WHERE inverse_of IS NOT NULL;

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

-- Names that are run together or divided otherwise: SQLite vec, sqlitevec.
CREATE INDEX entity_spelled ON entity (replace(name_folded, ' ', ''));
CREATE INDEX entity_named ON entity (name);

-- Which entities have a property called `value`, as every literal has one for queries: usually none, so the index is empty,
-- and a query for a value looks at literals alone.
CREATE INDEX entity_with_value ON entity (properties ->> '$.value') WHERE properties ->> '$.value' IS NOT NULL;

-- `scope` of an alias or a fact: the public ids of the projects in which alone it holds; an empty list is everywhere. Ids of
-- merged projects lead to the one that was kept; what holds in a project alone is deleted with it.
CREATE TABLE alias (
    id           INTEGER PRIMARY KEY,
    entity       INTEGER NOT NULL REFERENCES entity (id),
    alias        TEXT NOT NULL CHECK (length(alias) BETWEEN 1 AND 200),
    alias_key    TEXT NOT NULL CHECK (alias_key <> ''),
    alias_folded TEXT NOT NULL,
    created_at   TEXT NOT NULL CHECK (length(created_at) = 24),
    scope        TEXT NOT NULL DEFAULT '[]' CHECK (json_type(scope) = 'array'),
    UNIQUE (alias_key, entity)
) STRICT;

CREATE INDEX alias_of ON alias (entity);
CREATE INDEX alias_spelled ON alias (replace(alias_folded, ' ', ''));
CREATE INDEX alias_scoped ON alias (id) WHERE scope <> '[]';

-- An open validity is '' or '~', which sort before and after every stamp: one row per triple and interval
-- can then be UNIQUE, and "holds at T" is valid_from <= T AND T < valid_to without a test for NULL.
-- `known_from` is since when a fact is known as it stands; '' where that is since it was recorded. When the validity of a
-- fact is closed later, the validity as it was known before is kept in earlier_validity. A fact that is `pinned` is told to
-- whoever asks about anything in its scope.
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
    known_from   TEXT NOT NULL DEFAULT '' CHECK (length(known_from) IN (0, 24)),
    scope        TEXT NOT NULL DEFAULT '[]' CHECK (json_type(scope) = 'array'),
    pinned       INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    CHECK ((object IS NULL) <> (literal IS NULL)),
    CHECK (valid_from < valid_to)
) STRICT;

-- What holds, in both directions and by predicate. The queries over them name no other column of fact.
CREATE UNIQUE INDEX fact_out ON fact (subject, predicate, object, valid_from, valid_to)
    WHERE retracted_at IS NULL AND object IS NOT NULL;
CREATE UNIQUE INDEX fact_literal ON fact (subject, predicate, literal, valid_from, valid_to)
    WHERE retracted_at IS NULL AND literal IS NOT NULL;

-- What is new: recorded, or beginning to hold.
CREATE INDEX fact_recorded ON fact (recorded_at);
CREATE INDEX fact_scoped ON fact (id) WHERE scope <> '[]';
CREATE INDEX fact_pinned ON fact (id) WHERE pinned;
CREATE INDEX fact_begins ON fact (valid_from) WHERE valid_from <> '';

-- Retracted facts, which are few.
CREATE INDEX fact_gone_out ON fact (subject, predicate) WHERE retracted_at IS NOT NULL;
CREATE INDEX fact_gone_in ON fact (object, predicate) WHERE retracted_at IS NOT NULL;
CREATE INDEX fact_gone_by_predicate ON fact (predicate) WHERE retracted_at IS NOT NULL;

-- A fact whose validity was changed is known as it is only from then on: a count of the past has to find these.
CREATE INDEX fact_known ON fact (known_from) WHERE known_from <> '';
CREATE INDEX fact_ends ON fact (valid_to, valid_from, predicate, subject, object)
    WHERE retracted_at IS NULL AND valid_to <> '~';

-- Retracted facts are in these too: as it was known before, the graph still has them, and an index without them cannot be
-- used to look there. They are few, and each index says which they are.
CREATE INDEX fact_by_predicate ON fact (predicate, subject, object, valid_from, valid_to, retracted_at, literal);
CREATE INDEX fact_in ON fact (object, predicate, subject, valid_from, valid_to, retracted_at) WHERE object IS NOT NULL;
CREATE INDEX fact_with_literal ON fact (literal, predicate, subject, valid_from, valid_to, retracted_at)
    WHERE literal IS NOT NULL;

-- Every assertion of a fact, the first one too. An assertion may come out of a text (`episode`); then `statement` may be a
-- digest of the words with which the text states it, by which the statement is known again when the text has changed.
CREATE TABLE provenance (
    id          INTEGER PRIMARY KEY,
    fact        INTEGER NOT NULL REFERENCES fact (id),
    source      TEXT CHECK (length(source) BETWEEN 1 AND 2000),
    confidence  REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    recorded_at TEXT NOT NULL CHECK (length(recorded_at) = 24),
    session     TEXT,
    tool        TEXT NOT NULL,
    episode     INTEGER REFERENCES episode (id),
    statement   INTEGER
) STRICT;

CREATE INDEX provenance_of ON provenance (fact);
CREATE INDEX provenance_from ON provenance (episode, fact) WHERE episode IS NOT NULL;

-- The statements of a text that are not settled. Of one without `waits_for`, somebody has removed the fact: it is not
-- recorded again while the text states it. Another names what is not in the graph yet, and is read again when it is.
CREATE TABLE open_statement (
    id        INTEGER PRIMARY KEY,
    episode   INTEGER NOT NULL REFERENCES episode (id),
    statement INTEGER NOT NULL,
    waits_for TEXT,
    UNIQUE (episode, statement)
) STRICT;

-- Trigrams of every name and alias, with a space at both ends so that the start and the end of a word count.
-- A name has the row number 2 × entity.id, an alias 2 × alias.id + 1.
CREATE VIRTUAL TABLE name_trigram USING fts5 (
    folded, content='', contentless_delete=1, tokenize='trigram'
);

CREATE VIRTUAL TABLE fact_text USING fts5 (
    text, content='fact', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

-- `call` is one call of one tool, with the group that it worked in and the call that it took back. It is written first in
-- its transaction, so while a transaction writes, the newest call is its own.
CREATE TABLE call (
    id      INTEGER PRIMARY KEY,
    at      TEXT NOT NULL CHECK (length(at) = 24),
    tool    TEXT NOT NULL,
    session TEXT,
    group_id TEXT,
    undoes INTEGER REFERENCES call (id)
) STRICT;

-- The call that made a row is found by its instant; what happened to the row later, by its number.
CREATE INDEX call_at ON call (at);
CREATE INDEX call_undoing ON call (undoes) WHERE undoes IS NOT NULL;

-- The answer given under an idempotency key, and a digest of what was asked, for the caller who asks again.
CREATE TABLE idempotency (
    group_id TEXT NOT NULL,
    key      TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    call     INTEGER NOT NULL REFERENCES call (id),
    digest   TEXT NOT NULL CHECK (length(digest) = 64),
    answer   TEXT NOT NULL CHECK (json_valid(answer)),
    PRIMARY KEY (group_id, key)
) STRICT, WITHOUT ROWID;

-- Every change to the graph, written by triggers. An insert is journalled by its row number alone (the row is there to be
-- read, and undoing it removes it); an update or a delete keeps the row as it was.
CREATE TABLE journal (
    id     INTEGER PRIMARY KEY,
    call   INTEGER NOT NULL REFERENCES call (id),
    op     TEXT NOT NULL CHECK (op IN ('insert', 'update', 'delete')),
    tbl    TEXT NOT NULL,
    row    INTEGER NOT NULL,
    was    TEXT CHECK ((was IS NULL) = (op = 'insert'))
) STRICT;

CREATE INDEX journal_of_call ON journal (call);
CREATE INDEX journal_of_row ON journal (tbl, row) WHERE op <> 'insert';

CREATE TABLE earlier_validity (
    id         INTEGER PRIMARY KEY,
    fact       INTEGER NOT NULL REFERENCES fact (id),
    valid_from TEXT NOT NULL CHECK (length(valid_from) IN (0, 24)),
    valid_to   TEXT NOT NULL CHECK (valid_to = '~' OR length(valid_to) = 24),
    known_from TEXT NOT NULL CHECK (length(known_from) = 24),
    known_to   TEXT NOT NULL CHECK (length(known_to) = 24)
) STRICT;

CREATE INDEX earlier_validity_of ON earlier_validity (fact);

-- Ids of entities that were merged into another, by which it is still found.
CREATE TABLE former_id (
    id        INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'ent_*' AND length(public_id) = 30),
    entity    INTEGER NOT NULL REFERENCES entity (id)
) STRICT;

CREATE INDEX former_id_of ON former_id (entity);

-- The first letters of the words of a name that has several: of all of them, of those that acronyms do not skip,
-- and of the first and the last.
-- Where a name is compared in several forms (a line each), the first counts.
CREATE TABLE name_initials (
    initials TEXT NOT NULL,
    surface  INTEGER NOT NULL,
    PRIMARY KEY (initials, surface)
) STRICT, WITHOUT ROWID;

CREATE INDEX name_initials_of ON name_initials (surface);

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

-- The text of an episode is that of its chunks in the order of their places, one behind the other: nothing is kept twice.
-- `digest` is the SHA-256 of the whole text, in UTF-8. A document is a file, known by its path in `source`; what is
-- prechunked was cut, and read, by a caller.
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
    session     TEXT,
    pinned      INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1))
) STRICT;

CREATE INDEX episode_pinned ON episode (group_id, id) WHERE pinned;
CREATE INDEX episode_of_time ON episode (group_id, occurred_at, id);
CREATE INDEX episode_of_text ON episode (digest, group_id);
CREATE INDEX episode_of_source ON episode (source, group_id) WHERE source <> '';
CREATE INDEX episode_of_kind ON episode (group_id, kind, id);

-- `heading` is the path of headings above a piece, `speaker` who says it, where it is a turn of a conversation. `named`
-- is what the piece is about besides what its words say: links, tags, and what the caller has read in it; a list of
-- {"how": "link" | "tag" | "given", "type": …, "name": …} or {"how": "given", "id": …}. `spaced` is the text as
-- full text looks for it, where that differs: see names.spaced.
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

CREATE INDEX chunk_of ON chunk (episode, place);
CREATE INDEX chunk_naming ON chunk (id) WHERE instr(named, '"name":') > 0;
CREATE INDEX chunk_spoken ON chunk (speaker_key) WHERE speaker_key IS NOT NULL;

-- What is read in a chunk. All of it can be read again from `chunk`, and is, when a name comes or goes; so none of it is
-- journalled. `start` and `stop` count characters of the chunk's text; both are null for what its words do not say.
CREATE TABLE mention (
    chunk  INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
    entity INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
    how    TEXT NOT NULL CHECK (how IN ('name', 'alias', 'speaker', 'link', 'tag', 'given')),
    start  INTEGER,
    stop   INTEGER,
    PRIMARY KEY (chunk, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX mention_of ON mention (entity, chunk);

-- Something inferred that nobody has said: a name that the graph does not know (kind entity: subject alone), or a fact.
-- `key` is what makes two of them one.
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

CREATE INDEX proposal_evidence_in ON proposal_evidence (chunk);

-- Chunks that have to be read, and names that have to be looked for in chunks (2 × entity.id, 2 × alias.id + 1).
CREATE TABLE chunk_unread (
    chunk INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE name_unread (
    surface INTEGER PRIMARY KEY
) STRICT;

CREATE VIRTUAL TABLE chunk_text USING fts5 (
    text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);

-- The words of names and summaries. A name has the number 2 × entity.id, an alias 2 × alias.id + 1, as in name_trigram.
CREATE VIRTUAL TABLE entity_text USING fts5 (
    text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);

-- Entities that belong together, as an algorithm has found; whoever builds them drops the old ones first.
-- `named_by` is who gave its name; NULL where that was not noted. Its rows mean nothing without their members, so who
-- writes it journals both as one state.
CREATE TABLE community (
    id         INTEGER PRIMARY KEY,
    public_id  TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'com_*' AND length(public_id) = 30),
    group_id   TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
    summary    TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL CHECK (length(created_at) = 24),
    named_by TEXT CHECK (named_by IN ('algorithm', 'caller', 'person'))
) STRICT;

CREATE TABLE community_member (
    community INTEGER NOT NULL REFERENCES community (id) ON DELETE CASCADE,
    entity    INTEGER NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
    PRIMARY KEY (community, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX community_member_of ON community_member (entity, community);

CREATE VIRTUAL TABLE community_text USING fts5 (
    name, summary, content='community', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

-- The terms of the indexes of facts, names and texts, in which the forms of a word of another language are looked for.
CREATE VIRTUAL TABLE fact_term USING fts5vocab (fact_text, row);
CREATE VIRTUAL TABLE entity_term USING fts5vocab (entity_text, row);
CREATE VIRTUAL TABLE chunk_term USING fts5vocab (chunk_text, row);

-- Vectors of facts, as of names: the sentence of a fact has the number of the fact.
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

-- Vectors of chunks: 2 × chunk.id is that of its text, 2 × chunk.id + 1 that of a turn read with the one before it.
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

-- What a type is a kind of, and what nothing can be besides it.
CREATE TABLE type_parent (
    id     INTEGER PRIMARY KEY,
    type   INTEGER NOT NULL REFERENCES entity_type (id),
    parent INTEGER NOT NULL REFERENCES entity_type (id),
    CHECK (type <> parent),
    UNIQUE (type, parent)
) STRICT;

-- What refers to a word: asked for each word that is deleted, and there may be ten thousand of them.
CREATE INDEX type_parent_of ON type_parent (parent);

CREATE TABLE type_disjoint (
    id    INTEGER PRIMARY KEY,
    type  INTEGER NOT NULL REFERENCES entity_type (id),
    other INTEGER NOT NULL REFERENCES entity_type (id),
    CHECK (type < other),
    UNIQUE (type, other)
) STRICT;

CREATE INDEX type_disjoint_of ON type_disjoint (other);

CREATE TABLE predicate_end (
    id        INTEGER PRIMARY KEY,
    predicate INTEGER NOT NULL REFERENCES predicate (id),
    side      TEXT NOT NULL CHECK (side IN ('subject', 'object')),
    type      INTEGER NOT NULL REFERENCES entity_type (id),
    UNIQUE (predicate, side, type)
) STRICT;

CREATE INDEX predicate_end_of ON predicate_end (type);

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

-- The owner of a group: whom "I" and "me" mean there.
CREATE TABLE owner (
    id       INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL UNIQUE CHECK (length(group_id) BETWEEN 1 AND 200),
    entity   INTEGER NOT NULL UNIQUE REFERENCES entity (id),
    set_at   TEXT NOT NULL CHECK (length(set_at) = 24)
) STRICT;

-- An episode whose text tells of an ISO week, of one project or of all (NULL). Where several tell of the same week and
-- project, the newest counts.
CREATE TABLE narrative (
    id          INTEGER PRIMARY KEY,
    episode     INTEGER NOT NULL REFERENCES episode (id),
    week        TEXT NOT NULL CHECK (week GLOB '[0-9][0-9][0-9][0-9]-W[0-5][0-9]'),
    project     INTEGER REFERENCES entity (id),
    recorded_at TEXT NOT NULL CHECK (length(recorded_at) = 24)
) STRICT;

CREATE UNIQUE INDEX narrative_once ON narrative (episode, week, coalesce(project, 0), recorded_at);
CREATE INDEX narrative_of_week ON narrative (week, project, recorded_at);
CREATE INDEX narrative_of_project ON narrative (project) WHERE project IS NOT NULL;

-- A proposal: a call that somebody may want made, with what it rests on. Nothing in the graph changes when it is offered,
-- so nothing is journalled. `key` is what makes two of a kind one. `evidence` are digests of what it rests on. It is open
-- while no decision on this kind and key knew all of its evidence.
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

-- A decision on a proposal, in the journal call that made it: to undo the call is to undo the decision. A kind that is
-- woken (key '') counts its decisions anew from there.
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

CREATE INDEX review_decision_on ON review_decision (group_id, kind, key);

-- A run of the gardener. `group_id` is null where it looked at all groups, `ended_at` until it ends; `passes` is what each
-- pass did.
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

-- How often each tool that reads was called in a conversation; only where the settings ask for it.
CREATE TABLE read_count (
    conversation TEXT NOT NULL,
    group_id     TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    tool         TEXT NOT NULL,
    times        INTEGER NOT NULL CHECK (times > 0),
    first_at     TEXT NOT NULL CHECK (length(first_at) = 24),
    last_at      TEXT NOT NULL CHECK (length(last_at) = 24),
    PRIMARY KEY (conversation, group_id, tool)
) STRICT, WITHOUT ROWID;

-- Names that were asked for and that mean nothing in the graph; only where the settings ask for it.
CREATE TABLE unknown_name (
    group_id TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    name_key TEXT NOT NULL CHECK (name_key <> ''),
    name     TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    times    INTEGER NOT NULL CHECK (times > 0),
    last_at  TEXT NOT NULL CHECK (length(last_at) = 24),
    PRIMARY KEY (group_id, name_key)
) STRICT, WITHOUT ROWID;

-- Where entities are on the map, so that they stay there; in units of ten between two that stand side by side. Derived:
-- an entity without a place gets one when the map is next asked for.
CREATE TABLE map_place (
    entity INTEGER PRIMARY KEY REFERENCES entity (id) ON DELETE CASCADE,
    x      REAL NOT NULL,
    y      REAL NOT NULL
) STRICT;

-- The name under which a fact was recorded, where it is not the name of the entity: an alias, or the id of an entity that
-- was merged into it. Only from then on: a merge cannot be taken back after a fact was recorded under the name of the
-- entity that it absorbed. It goes with the assertion and with the alias, and is journalled: an assertion that comes
-- back after the merge was taken back finds no alias, and is refused.
CREATE TABLE assertion_surface (
    id        INTEGER PRIMARY KEY,
    assertion INTEGER NOT NULL REFERENCES provenance (id) ON DELETE CASCADE,
    alias     INTEGER REFERENCES alias (id) ON DELETE CASCADE,
    former_id INTEGER REFERENCES former_id (id) ON DELETE CASCADE,
    CHECK ((alias IS NULL) + (former_id IS NULL) = 1)
) STRICT;

CREATE INDEX assertion_surface_of ON assertion_surface (assertion);
CREATE INDEX assertion_surface_alias ON assertion_surface (alias) WHERE alias IS NOT NULL;
CREATE INDEX assertion_surface_former_id ON assertion_surface (former_id) WHERE former_id IS NOT NULL;

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

-- Which vectors have changed, the newest 20,000 changes or more: a process that holds the signs of all vectors in memory
-- reads only those again. Derived: whoever has missed a change reads all of them.
CREATE TABLE vector_change (
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL CHECK (kind IN ('name', 'fact', 'text')),
    number INTEGER NOT NULL
) STRICT;

-- Which words the names have, each once, and in which names each stands: what finds a word that was mistyped, and the
-- names that have it. A name has the number 2 × entity.id, an alias 2 × alias.id + 1, as in name_trigram.
CREATE TABLE name_word (
    id   INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
) STRICT;

-- Words by their end, since a slip in the first half of a word leaves the second one.
CREATE INDEX name_word_end ON name_word (substr(word, -2), length(word), word);

CREATE TABLE name_posting (
    word    INTEGER NOT NULL,
    surface INTEGER NOT NULL,
    PRIMARY KEY (word, surface)
) STRICT, WITHOUT ROWID;

-- Which rows came with an import, by ranges of their numbers, which are not used again: what such a row says of when, by
-- which tool and in which conversation it was recorded is what a file says. The journal tells it too, but not for ever. An
-- export leaves it out, since whoever imports that knows it of all rows. `file` is the name of the file; null for standard
-- input.
CREATE TABLE imported_rows (
    id          INTEGER PRIMARY KEY,
    tbl         TEXT NOT NULL,
    first       INTEGER NOT NULL,
    last        INTEGER NOT NULL CHECK (first <= last),
    imported_at TEXT NOT NULL,
    file        TEXT CHECK (length(file) BETWEEN 1 AND 255)
) STRICT;

CREATE INDEX imported_rows_of ON imported_rows (tbl, last);

-- The vocabulary of every graph. Its rows refer to each other.

PRAGMA defer_foreign_keys = ON;

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
    (71, 'predicate', 7, 'en', 'alternative', 'has label', 'has label', 0),
    (72, 'entity_type', 1, 'de', 'preferred', 'Person', 'person', 0),
    (73, 'entity_type', 1, 'fr', 'preferred', 'personne', 'personne', 0),
    (74, 'entity_type', 1, 'es', 'preferred', 'persona', 'persona', 0),
    (75, 'entity_type', 1, 'pt', 'preferred', 'pessoa', 'pessoa', 0),
    (76, 'entity_type', 2, 'de', 'preferred', 'Projekt', 'projekt', 0),
    (77, 'entity_type', 2, 'fr', 'preferred', 'projet', 'projet', 0),
    (78, 'entity_type', 2, 'es', 'preferred', 'proyecto', 'proyecto', 0),
    (79, 'entity_type', 2, 'pt', 'preferred', 'projeto', 'projeto', 0),
    (80, 'entity_type', 3, 'de', 'preferred', 'Entscheidung', 'entscheidung', 0),
    (81, 'entity_type', 3, 'fr', 'preferred', 'décision', 'décision', 0),
    (82, 'entity_type', 3, 'es', 'preferred', 'decisión', 'decisión', 0),
    (83, 'entity_type', 3, 'pt', 'preferred', 'decisão', 'decisão', 0),
    (84, 'entity_type', 4, 'de', 'preferred', 'Begriff', 'begriff', 0),
    (85, 'entity_type', 4, 'fr', 'preferred', 'notion', 'notion', 0),
    (86, 'entity_type', 4, 'es', 'preferred', 'concepto', 'concepto', 0),
    (87, 'entity_type', 4, 'pt', 'preferred', 'conceito', 'conceito', 0),
    (88, 'entity_type', 5, 'de', 'preferred', 'Quelle', 'quelle', 0),
    (89, 'entity_type', 5, 'fr', 'preferred', 'source', 'source', 0),
    (90, 'entity_type', 5, 'es', 'preferred', 'fuente', 'fuente', 0),
    (91, 'entity_type', 5, 'pt', 'preferred', 'fonte', 'fonte', 0);

INSERT INTO vocabulary_revision (id, revision) VALUES
    (1, hex(randomblob(8)));

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

-- journal triggers: entity

-- journal triggers: alias

-- journal triggers: fact

-- journal triggers: provenance

-- journal triggers: open_statement

CREATE TRIGGER open_statement_episode_delete BEFORE DELETE ON episode BEGIN
    DELETE FROM open_statement WHERE episode = old.id;
END;

-- journal triggers: earlier_validity

-- journal triggers: former_id

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

-- journal triggers: episode

-- journal triggers: chunk

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

-- The words of a chunk, with those of its episode's name and of the headings above it, unless it is a message: the name
-- of a message says nothing of it.
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

-- What stands under no heading is embedded with the name of its text.
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

-- journal triggers: vocabulary_set

-- journal triggers: entity_type

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

-- journal triggers: owner

-- journal triggers: narrative

CREATE TRIGGER owner_entity_delete BEFORE DELETE ON entity BEGIN
    DELETE FROM owner WHERE entity = old.id;
END;

CREATE TRIGGER narrative_entity_delete BEFORE DELETE ON entity BEGIN
    DELETE FROM narrative WHERE project = old.id;
END;

CREATE TRIGGER narrative_episode_delete BEFORE DELETE ON episode BEGIN
    DELETE FROM narrative WHERE episode = old.id;
END;

-- journal triggers: review_decision

-- journal triggers: assertion_surface

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

-- The words of a folded form. Inserting a name here enters them there; it keeps nothing itself.
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

-- Deleting the postings of a name deletes the words that stand in no other one.
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

-- journal triggers: predicate
