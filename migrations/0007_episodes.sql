-- Texts that were remembered or ingested (episode, in pieces: chunk), what is read in them (mention, proposal), and what
-- finds entities, facts and texts by their words and by their meaning.

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
    session     TEXT
) STRICT;

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
CREATE INDEX chunk_spoken ON chunk (speaker_key) WHERE speaker_key IS NOT NULL;

-- An assertion may come out of a text.
ALTER TABLE provenance ADD COLUMN episode INTEGER REFERENCES episode (id);
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

DROP TRIGGER provenance_journal_update;
CREATE TRIGGER provenance_journal_update AFTER UPDATE ON provenance BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'update', 'provenance', old.id, json_object(
        'id', old.id, 'fact', old.fact, 'source', old.source, 'confidence', old.confidence,
        'recorded_at', old.recorded_at, 'session', old.session, 'tool', old.tool, 'episode', old.episode
    ));
END;
DROP TRIGGER provenance_journal_delete;
CREATE TRIGGER provenance_journal_delete AFTER DELETE ON provenance BEGIN
    INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), 'delete', 'provenance', old.id, json_object(
        'id', old.id, 'fact', old.fact, 'source', old.source, 'confidence', old.confidence,
        'recorded_at', old.recorded_at, 'session', old.session, 'tool', old.tool, 'episode', old.episode
    ));
END;

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

CREATE TRIGGER proposal_without_evidence AFTER DELETE ON proposal_evidence
WHEN NOT EXISTS (SELECT 1 FROM proposal_evidence WHERE proposal = old.proposal) BEGIN
    DELETE FROM proposal WHERE id = old.proposal;
END;

-- Chunks that have to be read, and names that have to be looked for in chunks (2 × entity.id, 2 × alias.id + 1).
CREATE TABLE chunk_unread (
    chunk INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE
) STRICT;
CREATE TABLE name_unread (
    surface INTEGER PRIMARY KEY
) STRICT;

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

CREATE VIRTUAL TABLE chunk_text USING fts5 (
    text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);

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

-- The words of names and summaries. A name has the number 2 × entity.id, an alias 2 × alias.id + 1, as in name_trigram.
CREATE VIRTUAL TABLE entity_text USING fts5 (
    text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);

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

-- Entities that belong together, as an algorithm has found; whoever builds them drops the old ones first.
CREATE TABLE community (
    id         INTEGER PRIMARY KEY,
    public_id  TEXT NOT NULL UNIQUE CHECK (public_id GLOB 'com_*' AND length(public_id) = 30),
    group_id   TEXT NOT NULL CHECK (length(group_id) BETWEEN 1 AND 200),
    name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
    summary    TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL CHECK (length(created_at) = 24)
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

INSERT INTO entity_text (rowid, text) SELECT 2 * id, name || char(10) || summary FROM entity;
INSERT INTO entity_text (rowid, text) SELECT 2 * id + 1, alias FROM alias;
INSERT INTO fact_unembedded SELECT id FROM fact;
