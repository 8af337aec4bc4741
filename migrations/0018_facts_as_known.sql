-- Facts that were retracted are in the indexes by predicate, object and literal too: as it was known before, the graph still
-- has them, and an index without them cannot be used to look there. They are few, and each index says which they are.
DROP INDEX fact_by_predicate;
CREATE INDEX fact_by_predicate ON fact (predicate, subject, object, valid_from, valid_to, retracted_at, literal);

DROP INDEX fact_in;
CREATE INDEX fact_in ON fact (object, predicate, subject, valid_from, valid_to, retracted_at) WHERE object IS NOT NULL;

DROP INDEX fact_with_literal;
CREATE INDEX fact_with_literal ON fact (literal, predicate, subject, valid_from, valid_to, retracted_at)
    WHERE literal IS NOT NULL;
