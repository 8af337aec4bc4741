-- What a predicate usually has, and what rests on what: advice, by which a change is noticed when it is recorded, and
-- never a reason to refuse a fact. Where a subject usually has one object at a time, or an object one subject, another
-- one is told; where a fact ends on which others rest, such as a job, those that rest on it are told.
ALTER TABLE predicate ADD COLUMN is_usually_functional INTEGER NOT NULL DEFAULT 0
    CHECK (is_usually_functional IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_usually_inverse_functional INTEGER NOT NULL DEFAULT 0
    CHECK (is_usually_inverse_functional IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_basis INTEGER NOT NULL DEFAULT 0 CHECK (is_basis IN (0, 1));
ALTER TABLE predicate ADD COLUMN is_rests_on_basis INTEGER NOT NULL DEFAULT 0 CHECK (is_rests_on_basis IN (0, 1));

DROP TRIGGER predicate_journal_update;

-- Words of the core; those of other sets get theirs from the sets (engine/vocabulary/sets.py).
UPDATE predicate SET is_usually_functional = role = 'reports', is_rests_on_basis = 1
WHERE vocabulary_set = (SELECT id FROM vocabulary_set WHERE name = 'core') AND role IN ('reports', 'part_of');

-- journal triggers: predicate
