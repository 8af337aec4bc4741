-- Which entities have a property called `value`, as every literal has one for queries: usually none, so the index is empty,
-- and a query for a value looks at literals alone.
CREATE INDEX entity_with_value ON entity (properties ->> '$.value') WHERE properties ->> '$.value' IS NOT NULL;
