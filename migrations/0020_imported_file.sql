-- The name of the file that an import read; null for standard input.
ALTER TABLE imported_rows ADD COLUMN file TEXT CHECK (length(file) BETWEEN 1 AND 255);
