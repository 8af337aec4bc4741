-- Proposals that wait for a decision, the decisions, and what the gardener keeps of its runs.

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

-- journal triggers: review_decision

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
