-- Where entities are on the map, so that they stay there; in units of ten between two that stand side by side. Derived:
-- an entity without a place gets one when the map is next asked for.
CREATE TABLE map_place (
    entity INTEGER PRIMARY KEY REFERENCES entity (id) ON DELETE CASCADE,
    x      REAL NOT NULL,
    y      REAL NOT NULL
) STRICT;
