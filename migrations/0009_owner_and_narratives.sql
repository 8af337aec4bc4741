-- The person whose graph this is, texts that tell what happened in a week, and who gave the name of a community.

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

-- Who gave the name of a community; NULL where that was not noted yet. It has no triggers of the journal: its rows mean
-- nothing without their members, and who writes it journals both as one state.
ALTER TABLE community ADD COLUMN named_by TEXT CHECK (named_by IN ('algorithm', 'caller', 'person'));

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
