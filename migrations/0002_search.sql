-- What finds things by their letters: names for the fuzzy rung, facts for full text.

-- Trigrams of every name and alias, with a space at both ends so that the start and the end of a word count.
-- A name has the row number 2 × entity.id, an alias 2 × alias.id + 1.
CREATE VIRTUAL TABLE name_trigram USING fts5 (
    folded, content='', contentless_delete=1, tokenize='trigram'
);

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

-- Names that are run together or divided otherwise: SQLite vec, sqlitevec.
CREATE INDEX entity_spelled ON entity (replace(name_folded, ' ', ''));
CREATE INDEX alias_spelled ON alias (replace(alias_folded, ' ', ''));

CREATE VIRTUAL TABLE fact_text USING fts5 (
    text, content='fact', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

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
