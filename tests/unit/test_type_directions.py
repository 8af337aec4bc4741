"""Patterns over inverse and symmetric types become patterns over what is stored."""

from __future__ import annotations

import pytest

from keepgraph import errors
from keepgraph.cypher.plan import optimizer
from keepgraph.cypher.syntax import ast, parser
from keepgraph.cypher.syntax.tree_walk import walk

INVERSES = {"EMPLOYS": "WORKS_AT", "OWNED_BY": "OWNS", "ACQUAINTED": "KNOWS"}
SYMMETRIC = frozenset({"KNOWS", "NEAR"})


def resolved(pattern: str) -> ast.RelationshipPattern:
    query, _ = optimizer.resolve(parser.parse(f"MATCH {pattern} RETURN 1"), INVERSES, SYMMETRIC)
    return next(part for part in walk(query) if isinstance(part, ast.RelationshipPattern))


def written(types: ast.LabelExpression | None) -> str:
    if isinstance(types, ast.TypesByDirection):
        return ", ".join(f"{direction} {written(part)}" for direction, part in types.directions)
    if isinstance(types, ast.LabelOr):
        return "|".join(map(written, types.operands))
    return types.name if isinstance(types, ast.LabelName) else ""


@pytest.mark.parametrize(
    ("pattern", "direction", "types"),
    [
        ("()-[:EMPLOYS]->()", "in", "WORKS_AT"),
        ("()<-[:EMPLOYS]-()", "out", "WORKS_AT"),
        ("()-[:EMPLOYS]-()", "both", "WORKS_AT"),
        ("()-[:EMPLOYS|OWNED_BY]->()", "in", "OWNS|WORKS_AT"),
        ("()-[:EMPLOYS|WORKS_AT]->()", "both", "WORKS_AT"),
        ("()-[:KNOWS]->()", "both", "KNOWS"),
        ("()<-[:KNOWS|NEAR]-()", "both", "KNOWS|NEAR"),
        ("()-[:ACQUAINTED]->()", "both", "KNOWS"),
        ("()-[:EMPLOYS|OWNS]->()", "out", "out OWNS, in WORKS_AT"),
        ("()<-[:EMPLOYS|KNOWS]-()", "in", "in WORKS_AT, both KNOWS"),
        ("()-[:EMPLOYS|OWNS|KNOWS*1..3]->()", "out", "out OWNS, in WORKS_AT, both KNOWS"),
        ("()-[:KNOWS&KNOWS]->()", "both", "KNOWS"),
        ("()<-[:KNOWS&!OWNS]-()", "both", "KNOWS"),
        ("()-[:KNOWS&%]->()", "both", "KNOWS"),
        ("()-[:(KNOWS|OWNS)&!NEAR]->()", "out", "out OWNS, both KNOWS"),
        ("()-[:OWNS]->()", "out", "OWNS"),
        ("()-->()", "out", ""),
    ],
)
def test_a_list_of_types_is_matched_as_each_reads(pattern, direction, types):
    relationship = resolved(pattern)

    assert (relationship.direction, written(relationship.types)) == (direction, types)


@pytest.mark.parametrize("types", ["!KNOWS", "!(KNOWS|OWNS)", "%", "KNOWS|!OWNS", "KNOWS&OWNS", "OWNS&!KNOWS"])
def test_what_comes_to_no_list_of_symmetric_types_is_matched_as_it_is_stored(types):
    assert resolved(f"()-[:{types}]->()").direction == "out"


@pytest.mark.parametrize("types", ["!EMPLOYS", "EMPLOYS&OWNS", "OWNS|!EMPLOYS"])
def test_an_inverse_outside_a_list_is_refused_with_the_type_to_write(types):
    with pytest.raises(errors.QueryInconsistent, match="write WORKS_AT here") as refusal:
        resolved(f"()-[:{types}]->()")

    assert refusal.value.span is not None


def test_patterns_everywhere_are_resolved():
    query = parser.parse(
        "MATCH (a)-[r:OWNS WHERE EXISTS { (a)-[:EMPLOYS]->() }]->(b) "
        "WHERE (a)-[:EMPLOYS]->() AND r:EMPLOYS "
        "RETURN [(a)-[:EMPLOYS]->(x) | x] AS l, COUNT { (a)-[:EMPLOYS]->() } AS c"
    )
    query, notes = optimizer.resolve(query, INVERSES, SYMMETRIC)
    patterns = [part for part in walk(query) if isinstance(part, ast.RelationshipPattern)]

    assert sorted(written(part.types) for part in patterns) == ["OWNS", *["WORKS_AT"] * 4]
    assert len(notes) == 2


def test_a_query_without_such_types_stays_the_same_object():
    query = parser.parse("MATCH (a)-[:OWNS]->(b) RETURN a")

    assert optimizer.resolve(query, INVERSES, SYMMETRIC) == (query, ())


def test_a_type_compared_with_an_inverse_is_noted():
    query = parser.parse("MATCH ()-[r]->() WHERE type(r) = 'EMPLOYS' RETURN r")

    assert optimizer.resolve(query, INVERSES, SYMMETRIC)[1] == (
        "EMPLOYS is the inverse of WORKS_AT: the type(…) of a relationship is WORKS_AT",
    )


@pytest.mark.parametrize("test", ["r:EMPLOYS", "NOT r:EMPLOYS", "r:EMPLOYS|OWNS"])
def test_a_relationship_tested_for_an_inverse_is_noted_with_what_to_write(test):
    query = parser.parse(f"MATCH ()-[r]->() WHERE {test} RETURN r")

    [note] = optimizer.resolve(query, INVERSES, SYMMETRIC)[1]
    assert note.startswith("EMPLOYS is the inverse of WORKS_AT")
    assert "write [:EMPLOYS] in the pattern" in note
