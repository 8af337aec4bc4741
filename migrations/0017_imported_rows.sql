-- Which rows came with an import, by ranges of their numbers, which are not used again: what such a row says of when, by
-- which tool and in which conversation it was recorded is what a file says. The journal tells it too, but not for ever. An
-- export leaves it out, since whoever imports that knows it of all rows.
CREATE TABLE imported_rows (
    id          INTEGER PRIMARY KEY,
    tbl         TEXT NOT NULL,
    first       INTEGER NOT NULL,
    last        INTEGER NOT NULL CHECK (first <= last),
    imported_at TEXT NOT NULL
) STRICT;

CREATE INDEX imported_rows_of ON imported_rows (tbl, last);

INSERT INTO imported_rows (tbl, first, last, imported_at)
SELECT journal.tbl, min(journal.row), max(journal.row), call.at
FROM journal JOIN call ON call.id = journal.call
WHERE call.tool = 'import' AND journal.op = 'insert' AND journal.tbl IN ('entity', 'alias', 'provenance', 'episode')
GROUP BY call.id, journal.tbl
ORDER BY call.id, journal.tbl;
