-- What queries in Cypher need: nodes by their exact name, literals by their text, facts that end; and between which
-- types a predicate is meant to lead.

CREATE INDEX entity_named ON entity (name);

CREATE INDEX fact_with_literal ON fact (literal, predicate, subject, valid_from, valid_to, retracted_at)
    WHERE retracted_at IS NULL AND literal IS NOT NULL;

CREATE INDEX fact_ends ON fact (valid_to) WHERE retracted_at IS NULL AND valid_to <> '~';

-- The same two indexes as before, with every column that the facts of a pattern are picked by: a query that follows
-- them does not touch the table. `retracted_at IS NULL` counts as a use of its column even where the index implies it.
DROP INDEX fact_in;
CREATE INDEX fact_in ON fact (object, predicate, subject, valid_from, valid_to, retracted_at)
    WHERE retracted_at IS NULL AND object IS NOT NULL;
DROP INDEX fact_by_predicate;
CREATE INDEX fact_by_predicate ON fact (predicate, subject, object, valid_from, valid_to, retracted_at, literal)
    WHERE retracted_at IS NULL;

-- The types that a predicate's description names for its subject or its object; none for a side where any will do.
-- Advice for readers: a fact between other types is not refused.
CREATE TABLE predicate_end (
    predicate INTEGER NOT NULL REFERENCES predicate (id),
    side      TEXT NOT NULL CHECK (side IN ('subject', 'object')),
    type      INTEGER NOT NULL REFERENCES entity_type (id),
    PRIMARY KEY (predicate, side, type)
) STRICT, WITHOUT ROWID;

INSERT INTO predicate_end (predicate, side, type)
SELECT predicate.id, meant.side, entity_type.id
FROM (
    SELECT 'mentioned_in' AS name, 'object' AS side, 'source' AS type
    UNION ALL SELECT 'decided_in', 'subject', 'person'
    UNION ALL SELECT 'decided_in', 'subject', 'project'
    UNION ALL SELECT 'decided_in', 'object', 'decision'
    UNION ALL SELECT 'reports_to', 'object', 'person'
) AS meant
JOIN predicate ON predicate.name = meant.name
JOIN entity_type ON entity_type.name = meant.type;
