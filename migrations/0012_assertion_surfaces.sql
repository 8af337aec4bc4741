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

-- journal triggers: assertion_surface
