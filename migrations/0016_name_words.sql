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

INSERT INTO name_to_posting SELECT 2 * id, name_folded FROM entity;
INSERT INTO name_to_posting SELECT 2 * id + 1, alias_folded FROM alias;
