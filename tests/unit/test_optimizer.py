"""Optimizer: distinct ends and not paths, joins and not searches, earlier conditions; and where none may happen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from keepgraph.cypher import binder, value_types
from keepgraph.cypher.plan import optimizer, planner
from keepgraph.cypher.plan.algebra import BuildPaths, Distinct, Filter, Limit, Match, Plan, Project, Union
from keepgraph.cypher.syntax import ast, parser


def operators(plan: Plan) -> Iterator[Plan]:
    """All operators of a plan, from the last to the first."""
    yield plan
    if isinstance(plan, Union):
        yield from operators(plan.left)
        yield from operators(plan.right)
    elif hasattr(plan, "input"):
        yield from operators(plan.input)


def optimized(text: str, *parameters: str) -> list[Plan]:
    bound = binder.bind(parser.parse(text), dict.fromkeys(parameters, value_types.UNKNOWN))
    return list(operators(optimizer.optimize(planner.build_plan(bound))))


def distinct_ends(text: str) -> list[bool]:
    """For each relationship of each match whether each end is searched once."""
    found = [edge.distinct_ends for plan in optimized(text) if isinstance(plan, Match) for edge in plan.edges]
    assert found, "the query has no relationship"
    return found


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (a)-[:R*1..3]->(b) RETURN DISTINCT b.name",
        "MATCH (a)-[:R*1..3]->(b) RETURN count(DISTINCT b)",
        "MATCH (a)-[:R*0..3]->(b) RETURN min(b.name), max(b.name)",
        "MATCH (a)-[:R*1..3]->(b) WITH DISTINCT b RETURN count(b)",
        "MATCH (a)-[:R*1..3]->(b) WHERE b.name > 'x' RETURN DISTINCT b.name ORDER BY b.name",
        "MATCH (a)-[:R*]->(b) RETURN DISTINCT b.name UNION MATCH (a)-[:R*]->(b) RETURN DISTINCT b.name",
    ],
)
def test_each_end_is_searched_once_where_duplicates_do_not_matter(query):
    assert all(distinct_ends(query))


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (a)-[:R*1..3]->(b) RETURN b.name",
        "MATCH (a)-[:R*1..3]->(b) RETURN count(b)",
        "MATCH (a)-[:R*1..3]->(b) RETURN count(*)",
        "MATCH (a)-[:R*1..3]->(b) RETURN count(DISTINCT b), count(b)",
        "MATCH (a)-[:R*1..3]->(b) RETURN collect(b.name)",
        "MATCH (a)-[:R*1..3]->(b) RETURN sum(b.n)",
        # a limit below the DISTINCT counts rows
        "MATCH (a)-[:R*1..3]->(b) WITH b LIMIT 3 RETURN DISTINCT b.name",
        "MATCH (a)-[:R*1..3]->(b) WITH b SKIP 3 RETURN DISTINCT b.name",
        # the path itself is asked for
        "MATCH (a)-[r:R*1..3]->(b) RETURN DISTINCT size(r)",
        "MATCH p = (a)-[:R*1..3]->(b) RETURN DISTINCT length(p)",
        "MATCH shortestPath((a)-[:R*]->(b)) RETURN DISTINCT b.name",
        # a single relationship gives each end as often as it has relationships
        "MATCH (a)-[:R]->(b) RETURN DISTINCT b.name",
        # another relationship of the pattern must differ from those of the path
        "MATCH (a)-[:R*1..3]->(b)-[:S]->(c) RETURN DISTINCT c.name",
    ],
)
def test_every_path_is_searched_where_duplicates_matter_or_the_path_is_needed(query):
    assert not any(distinct_ends(query))


@pytest.mark.parametrize(
    ("query", "relationships"),
    [
        ("MATCH (a)-[:R*2]->(b) RETURN b", 2),
        ("MATCH (a)-[:R*3..3 {x: 1}]-(b) RETURN DISTINCT b", 3),
        ("MATCH (a)<-[:R*1]-(b) RETURN b", 1),
        ("MATCH p = (a)-[*4]->(b) RETURN p", 4),
        ("MATCH (a)-[:R*2]->(b)-[:S]->(c)-[:T*2]-(d) RETURN d", 5),
    ],
)
def test_a_relationship_repeated_an_exact_number_of_times_is_written_out(query, relationships):
    [match] = [plan for plan in optimized(query) if isinstance(plan, Match)]

    assert [edge.length for edge in match.edges] == [None] * relationships
    assert [edge.start for edge in match.edges[1:]] == [edge.end for edge in match.edges[:-1]]
    assert len({edge.column for edge in match.edges}) == relationships


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (a)-[:R*0..0]->(b) RETURN b",
        "MATCH (a)-[:R*0..2]->(b) RETURN b",
        "MATCH (a)-[:R*2..]->(b) RETURN b",
        "MATCH (a)-[:R*2..5]->(b) RETURN b",
        "MATCH (a)-[:R*3..2]->(b) RETURN b",
        "OPTIONAL MATCH (a)-[:R*1..2]->(b) RETURN b",
        "MATCH p = (a)-[:R*1..2]->(b) RETURN p",
        "MATCH (a)-[r:R*1..2]->(b) RETURN size(r)",
        "MATCH (a)-[:R*1..2]->(b) RETURN DISTINCT b",
        "UNWIND [1, 2] AS x MATCH (a {x: x})-[:R*1..2]->(b) RETURN b",
        "MATCH (a)-[:R*5]->(b) RETURN b",
        "MATCH (a)-[r:R*2]->(b) RETURN r",
    ],
)
def test_any_other_is_searched(query):
    [match] = [plan for plan in optimized(query) if isinstance(plan, Match)]

    assert [bool(edge.length) for edge in match.edges] == [True]


@pytest.mark.parametrize(
    ("query", "lengths"),
    [
        ("MATCH (a)-[:R*1..2]->(b) RETURN b", [1, 2]),
        ("MATCH (a)-[:R*2..3]-(b) RETURN count(*)", [2, 3]),
        ("MATCH (a)<-[:R*..4]-(b) RETURN a, b", [1, 2, 3, 4]),
        ("MATCH (a)-[:R*1..2 {x: 1}]->(b)-[:S]->(c) RETURN c", [2, 3]),
        ("MATCH (a {x: 1}) MATCH (a)-[*1..2]->(b) RETURN b", [1, 2]),
    ],
)
def test_a_path_of_few_relationships_is_written_out_in_each_length(query, lengths):
    matches = [plan for plan in optimized(query) if isinstance(plan, Match) and plan.edges]

    assert sorted(len(match.edges) for match in matches) == lengths
    for match in matches:
        assert all(edge.length is None for edge in match.edges)
        assert [edge.start for edge in match.edges[1:]] == [edge.end for edge in match.edges[:-1]]


def test_what_each_relationship_of_a_path_must_fulfil_is_asked_of_each():
    plans = optimized("MATCH (a)-[:R*1..3 {x: 1}]->(b) RETURN b")
    asked = [[str(condition) for condition in plan.conditions] for plan in plans if isinstance(plan, Match)]

    assert sorted(map(len, asked)) == [1, 2, 3]
    assert all(len(set(conditions)) == len(conditions) for conditions in asked)


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("MATCH (a)-[r]->(b) WHERE a.name = 'x' OR b.name = 'x' RETURN type(r)", 2),
        ("MATCH (a)-[r]->(b) WHERE a.name = 'x' OR b.name = 'x' OR a.name = 'y' RETURN r", 2),
        ("MATCH (a)-[r]->(b) WHERE 'x' IN [a.name, b.name] AND r.x > 1 RETURN count(*)", 2),
        ("MATCH (a)-->(b)-->(c) WHERE a.name = 'x' OR b.name = 'x' OR toLower(c.name) CONTAINS 'x' RETURN count(*)", 3),
        ("MATCH (a)-[r]->(b) WHERE (a.x = 1 AND b.x = 2) OR (a.x = 2 AND b.x = 1) RETURN r", 2),
        ("MATCH (a)-[*1..2]->(b) WHERE a.name = 'x' OR b.name = 'x' RETURN count(*)", 4),
        ("MATCH (a)-[r]->(b) WHERE a.name = 'x' OR b.name = $name RETURN r ORDER BY r.x LIMIT 3", 2),
        # an alternative that says no node
        ("MATCH (a)-[r]->(b) WHERE a.name = 'x' OR r.x = 1 RETURN r", 1),
        ("MATCH (a)-[r]->(b) WHERE a.name = 'x' OR b.x > 1 RETURN r", 1),
        ("MATCH (a)-[r]->(b) WHERE a.name = 'x' OR b.name = a.name RETURN r", 1),
        ("MATCH (a)-[r]->(b) WHERE a.name = 'x' OR (a.name = 'y' AND b.x > 1) RETURN r", 2),
        # the node of all alternatives, or one that is named anyway
        ("MATCH (a)-[r]->(b) WHERE a.name = 'x' OR a.name = 'y' RETURN r", 1),
        ("MATCH (a)-[r]->(b)-[s]->(c) WHERE a.name = 'x' AND (b.name = 'x' OR c.name = 'x') RETURN r", 1),
        # an order that an index may serve, and few rows of it
        ("MATCH (a)-[r]->(b) WHERE a.name CONTAINS 'x' OR b.name CONTAINS 'x' RETURN r ORDER BY r.x LIMIT 3", 1),
        ("OPTIONAL MATCH (a)-[r]->(b) WHERE a.name = 'x' OR b.name = 'x' RETURN r", 1),
        ("UNWIND [1] AS i MATCH (a)-[r]->(b) WHERE a.name = 'x' OR b.name = 'x' RETURN r", 1),
    ],
)
def test_a_match_begins_at_each_alternative_that_says_a_node(query, parts):
    matches = [plan for plan in optimized(query, "name") if isinstance(plan, Match)]

    assert len(matches) == parts
    assert len({str(match.conditions) for match in matches}) == parts or "*" in query


MINE = "MATCH (a:A)-[e]->(p) WITH a, collect(p) AS mine, a.x AS x "
ALONE = "MATCH (a:A)-[e]->(p) WITH a, collect(p) AS mine "


@pytest.mark.parametrize(
    ("query", "is_joined"),
    [
        (f"{ALONE}MATCH (b)-[r]->(q) WHERE q IN mine RETURN b.name, count(q)", True),
        (f"{ALONE}MATCH (b)-[r]->(q) WHERE q IN mine AND b <> a RETURN b", True),
        ("MATCH (p) WITH collect(p.name) AS names MATCH (q) WHERE q.name IN names RETURN q", True),
        (f"{MINE}MATCH (b)-[r]->(q) WHERE q IN mine RETURN b, x", True),
        # the list itself is wanted, or is asked for something else
        (f"{ALONE}MATCH (b)-[r]->(q) WHERE q IN mine RETURN b, size(mine)", False),
        (f"{ALONE}MATCH (b)-[r]->(q) WHERE q IN mine AND size(mine) > 1 RETURN b", False),
        (f"{ALONE}MATCH (b)-[r]->(q) WHERE q IN mine AND b IN mine RETURN b", False),
        (f"{ALONE}MATCH (b)-[r]->(q) WHERE NOT q IN mine RETURN b", False),
        (f"{ALONE}MATCH (b)-[r]->(q) WHERE q IN mine OR b:B RETURN b", False),
        (f"{ALONE}OPTIONAL MATCH (b)-[r]->(q) WHERE q IN mine RETURN b", False),
        ("MATCH (p) WITH collect(p) AS mine, count(*) AS n MATCH (q) WHERE q IN mine RETURN q", False),
    ],
)
def test_the_elements_of_a_list_are_joined_where_nothing_else_is_asked_of_it(query, is_joined):
    assert any(isinstance(plan, Distinct) for plan in optimized(query)) is is_joined


@pytest.mark.parametrize(
    ("query", "is_late"),
    [
        ("MATCH (n) RETURN n.name, [(n)-->(m) | m.name] AS x ORDER BY n.age LIMIT 3", True),
        ("MATCH (n) RETURN n, COUNT { (n)--() } AS x ORDER BY n.name SKIP 1 LIMIT 3", True),
        ("MATCH (n) WITH n, size([(n)-->(m) | 1]) AS x ORDER BY n.name LIMIT 3 RETURN n.name, x", True),
        ("MATCH (n) RETURN n.name, COUNT { (n)--() } AS x ORDER BY x LIMIT 3", False),
        ("MATCH (n) RETURN n.name, COUNT { (n)--() } AS x ORDER BY n.name", False),
        ("MATCH (n) RETURN DISTINCT n.name, COUNT { (n)--() } AS x ORDER BY n.name LIMIT 3", False),
        ("MATCH (n) RETURN n.name AS n, COUNT { (n)--() } AS x ORDER BY n LIMIT 3", False),
        ("MATCH (n) RETURN n.name, n.age + 1 AS x ORDER BY n.name LIMIT 3", False),
    ],
)
def test_a_pattern_of_a_column_is_matched_for_the_rows_that_a_limit_leaves(query, is_late):
    plans = optimized(query)
    limits = [number for number, plan in enumerate(plans) if isinstance(plan, Limit)]
    [column] = [number for number, plan in enumerate(plans) if isinstance(plan, Project) and _has_value(plan, "x")]

    assert any(column < limit for limit in limits) == is_late


def _has_value(project: Project, name: str) -> bool:
    """Whether a projection computes a column, and does not only pass it on."""
    return not isinstance(dict(project.items).get(name, ast.Variable(name)), ast.Variable)


def test_a_named_path_is_built_above_the_match():
    plans = optimized("MATCH p = (a)-[r:R]->(b) RETURN p")
    [match] = [plan for plan in plans if isinstance(plan, Match)]
    [build] = [plan for plan in plans if isinstance(plan, BuildPaths)]

    assert match.paths == ()
    assert "p" not in match.columns
    assert [path.column for path in build.paths] == ["p"]
    assert build.input is match


def test_named_paths_are_built_above_the_matches_of_both_sides_of_a_union():
    plans = optimized("MATCH p = (a)-[:R]->(b) RETURN p UNION MATCH p = (a)<-[:R]-(b) RETURN p")

    assert [plan.paths for plan in plans if isinstance(plan, Match)] == [(), ()]


def test_a_condition_on_a_path_is_checked_above_it_and_the_others_stay():
    plans = optimized("MATCH p = (a)-[r:R]->(b) WHERE length(p) = 1 AND a.name = 'x' RETURN p")
    [match] = [plan for plan in plans if isinstance(plan, Match)]
    [condition] = [plan for plan in plans if isinstance(plan, Filter)]

    assert len(match.conditions) == 1
    assert isinstance(condition.input, BuildPaths)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH p = (a)-[:R*1..2]->(b) RETURN p",
        "MATCH p = shortestPath((a)-[:R*]->(b)) RETURN p",
        # its condition decides whether the row gets nulls
        "MATCH (a) OPTIONAL MATCH p = (a)-[:R]->(b) WHERE length(p) = 1 RETURN a, p",
    ],
)
def test_a_path_stays_in_the_match_that_alone_can_give_it(query):
    plans = optimized(query)

    assert not any(isinstance(plan, BuildPaths) for plan in plans)
    assert [path.column for plan in plans if isinstance(plan, Match) for path in plan.paths] == ["p"]


def test_a_path_of_an_optional_match_without_a_condition_is_built_above_it():
    plans = optimized("MATCH (a) OPTIONAL MATCH p = (a)-[:R]->(b) RETURN a, p")

    assert any(isinstance(plan, BuildPaths) for plan in plans)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH p = (a)-[r:R]->(b) RETURN p AS p UNION MATCH p = (a)-[r:R]->(b) RETURN p AS p",
        "MATCH p = (a)-[r:R]->(b) RETURN p, a, b",
        "MATCH (a)-[:R*1..3]->(b) RETURN DISTINCT b.name AS name",
        "RETURN 1 AS one",
    ],
)
def test_an_optimized_plan_has_the_columns_of_the_plan(query):
    plan = planner.build_plan(binder.bind(parser.parse(query), {}))

    assert optimizer.optimize(plan).columns == plan.columns


def conditions_of_match(text: str) -> tuple[int, bool]:
    """How many conditions the first match has, and whether a filter is left."""
    plan = optimized(text)
    return len([each for each in plan if isinstance(each, Match)][-1].conditions), any(
        isinstance(each, Filter) for each in plan
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (a)-[r]->(b) WITH r.x AS y WHERE y > 1 RETURN y", (1, False)),
        ("MATCH (a)-[r]->(b) WITH r AS s, a WITH s AS t, a WHERE t.x > 1 AND 'x' = a.name RETURN t", (2, False)),
        ("MATCH (a) WITH a.x AS y WHERE y IN [1, 2] AND y <> 3 RETURN y", (2, False)),
        ("MATCH (a) WITH a.x AS y, a.z AS z WHERE y > 1 AND y > z RETURN y", (1, True)),
        # what computes is computed once
        ("MATCH (a) WITH a.x + 1 AS y WHERE y > 1 RETURN y", (0, True)),
        ("MATCH (a) WITH rand() AS y WHERE y > 0.5 RETURN y", (0, True)),
        # other rows would be counted, folded, cut or completed with nulls
        ("MATCH (a) WITH a.x AS y ORDER BY y LIMIT 3 WHERE y > 1 RETURN y", (0, True)),
        ("MATCH (a) WITH a.x AS y, count(*) AS c WHERE y > 1 RETURN y", (0, True)),
        ("OPTIONAL MATCH (a) WITH a.x AS y WHERE y > 1 RETURN y", (0, True)),
        ("MATCH p = shortestPath((a)-[*]->(b)) WITH a.x AS y WHERE y > 1 RETURN y", (0, True)),
        ("MATCH (a)-[*1..2]->(b) WITH a.x AS y WHERE y > 1 RETURN y", (0, True)),
    ],
)
def test_a_condition_behind_with_is_one_of_the_match_where_that_means_the_same(query, expected):
    assert conditions_of_match(query) == expected
