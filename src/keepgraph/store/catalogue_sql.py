"""SQL fragments for the Cypher catalogue: the facts as they were known, and properties that other tables hold.

`{row}` stands for the alias of the row of an entity or a fact, `{known}` for a timestamp.
"""

from __future__ import annotations

FACTS_AS_KNOWN = """(
    SELECT id, public_id, subject, predicate, object, literal, text, confidence, recorded_at,
           valid_from, valid_to, NULL AS retracted_at
    FROM fact
    WHERE (retracted_at IS NULL OR retracted_at > {known})
      AND iif(known_from = '', recorded_at, known_from) <= {known}
    UNION ALL
    SELECT fact.id, public_id, subject, predicate, object, literal, text, confidence, recorded_at,
           earlier.valid_from, earlier.valid_to, NULL
    FROM fact JOIN earlier_validity AS earlier ON earlier.fact = fact.id
    WHERE earlier.known_from <= {known} AND {known} < earlier.known_to
)"""
"""The facts as they were known at a timestamp, in place of the table."""

SOURCE_OF = """(
    SELECT source FROM provenance
    WHERE provenance.fact = {row}.id AND source IS NOT NULL
    ORDER BY provenance.recorded_at, provenance.id LIMIT 1
)"""

ALIASES_OF = "(SELECT json_group_array(alias ORDER BY id) FROM alias WHERE alias.entity = {row}.id)"

GROUP_OF = "(SELECT g.group_id FROM entity AS g WHERE g.id = {row}.subject)"
