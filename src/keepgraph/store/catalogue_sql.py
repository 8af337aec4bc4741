"""SQL fragments for the Cypher catalogue: which entities and facts it shows, and properties that other tables hold.

`{row}` stands for the alias of the row of an entity or a fact, `{at}` and `{known}` for timestamps.

With `known_at` a query is over the table of facts too: a condition says which facts were known, and the validity is
that of today or, where it became known later, the earlier one. The indexes by predicate, object and literal have the
retracted facts for it. A UNION of what was known, which SQLite reads whole in a join, took 3 to 11 s at a million
facts, this takes 3 to 210 ms; it stays for the facts of one entity (store/facts.py).
"""

from __future__ import annotations

_IS_CURRENT = "iif({row}.known_from = '', {row}.recorded_at, {row}.known_from) <= {known}"
_ONCE = """
    FROM earlier_validity AS once
    WHERE once.fact = {row}.id AND once.known_from <= {known} AND {known} < once.known_to
"""
VALID_FROM_AS_KNOWN = f"iif({_IS_CURRENT}, {{row}}.valid_from, (SELECT once.valid_from {_ONCE}))"
VALID_TO_AS_KNOWN = f"iif({_IS_CURRENT}, {{row}}.valid_to, (SELECT once.valid_to {_ONCE}))"
"""The validity of a fact as it was known at a timestamp: that of today, or an earlier one; null if it was not known."""

_NOT_RETRACTED_YET = "{row}.retracted_at IS NULL OR {row}.retracted_at > {known}"
KNOWN_FACT = f"iif({_IS_CURRENT}, {_NOT_RETRACTED_YET}, EXISTS (SELECT 1 {_ONCE}))"
"""The condition for facts that were known at a timestamp, retracted or not since."""

SOURCE_OF = """(
    SELECT source FROM provenance
    WHERE provenance.fact = {row}.id AND source IS NOT NULL
    ORDER BY provenance.recorded_at, provenance.id LIMIT 1
)"""

SOURCES = """(
    SELECT fact AS row_key, source AS value FROM provenance AS given
    WHERE source IS NOT NULL AND id = (
        SELECT id FROM provenance
        WHERE provenance.fact = given.fact AND source IS NOT NULL
        ORDER BY provenance.recorded_at, provenance.id LIMIT 1
    )
)"""
"""The facts that have a source, each once, with it: what `SOURCE_OF` says of one."""

ALIASES_OF = "(SELECT json_group_array(alias ORDER BY id) FROM alias WHERE alias.entity = {row}.id)"

ALIASES = "(SELECT entity AS row_key, alias AS value FROM alias)"
"""The aliases of all entities, one a row; those of one are read in the order of `ALIASES_OF`."""

HAS_OBJECT = "+{row}.object IS NOT NULL"
HAS_LITERAL = "{row}.literal IS NOT NULL"


KNOWN_ENTITY = """(
    {row}.created_at <= {known} OR (
        EXISTS (SELECT 1 FROM former_id WHERE former_id.entity = {row}.id) AND (
            EXISTS (SELECT 1 FROM fact AS own WHERE own.subject = {row}.id AND own.object IS NOT NULL
                    AND own.retracted_at IS NULL AND own.recorded_at <= {known})
            OR EXISTS (SELECT 1 FROM fact AS own WHERE own.subject = {row}.id AND own.literal IS NOT NULL
                       AND own.retracted_at IS NULL AND own.recorded_at <= {known})
            OR EXISTS (SELECT 1 FROM fact AS own WHERE own.object = {row}.id AND own.object IS NOT NULL
                       AND own.recorded_at <= {known})
        )
    )
)"""
"""The condition for entities that were known at a timestamp.

When those were created that were merged into an entity is not kept: it was known when a fact of it was that it has now.
"""


def visible_entities(*, is_only_group: bool, as_known: bool) -> str:
    """The condition for entities that belong to the group and were known; empty where all are.

    Args:
        is_only_group: whether there is no other group.
        as_known: whether the entities are asked for that were known at a timestamp.
    """
    return " AND ".join(([] if is_only_group else ["{row}.group_id = {group}"]) + ([KNOWN_ENTITY] if as_known else []))


def current_facts(*, all_hold: bool, is_only_group: bool, as_known: bool = False) -> str:
    """The condition for facts that hold and belong to the group.

    Args:
        all_hold: whether every fact that is not retracted holds, so that this need not be asked.
        is_only_group: whether there is no other group.
        as_known: whether the facts are asked for as they were known at a timestamp, retracted or not since.
    """
    if as_known:
        conditions = [
            KNOWN_FACT,
            f"{VALID_FROM_AS_KNOWN} <= {{at}} AND {{at}} < {VALID_TO_AS_KNOWN}",
        ]
    else:
        conditions = ["{row}.retracted_at IS NULL"]
        if not all_hold:
            conditions.append("{row}.valid_from <= {at} AND {at} < {row}.valid_to")
    if not is_only_group:
        conditions.append("(SELECT g.group_id FROM entity AS g WHERE g.id = {row}.subject) = {group}")
    return " AND ".join(conditions)
