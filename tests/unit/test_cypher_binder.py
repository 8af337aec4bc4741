"""Binder and type inference: which queries are refused before they run, with openCypher's type and detail."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.cypher import type_inference, value_types
from keepgraph.cypher.binder import bind
from keepgraph.cypher.syntax import ast, parser, tree_walk
from keepgraph.cypher.type_inference import Context
from keepgraph.cypher.value_types import Type
from keepgraph.errors import QueryInconsistent

PARAMETERS = {
    "any": value_types.UNKNOWN,
    "null": Type(value_types.NULL),
    "integer": Type(value_types.INTEGER),
    "float": Type(value_types.FLOAT),
    "string": Type(value_types.STRING),
    "list": Type(value_types.LIST),
    "map": Type(value_types.MAP),
}


VARIABLES = {
    "n": Type(value_types.NODE),
    "maybe": Type(value_types.NODE | value_types.NULL),
    "p": Type(value_types.PATH),
}


def bound(text: str) -> ast.Query:
    return bind(parser.parse(text), PARAMETERS)


def infer_returned_type(text: str) -> Type:
    """The type of the one column of a query of one RETURN."""
    (clause,) = parser.parse(f"RETURN {text} AS value").parts[0].clauses
    assert isinstance(clause, ast.Projection)
    return type_inference.infer(clause.items[0].expression, VARIABLES, Context(PARAMETERS))


INVALID_QUERIES = """
# Variables that are not there
UndefinedVariable | MATCH () RETURN foo
UndefinedVariable | RETURN {k: missing}
UndefinedVariable | MATCH (n) WHERE n.name = other RETURN n
UndefinedVariable | MATCH (n) WITH n.name AS name RETURN n
UndefinedVariable | MATCH (a) WITH a ORDER BY c RETURN a
UndefinedVariable | MATCH (a), (b) WITH a WITH a ORDER BY b RETURN a
UndefinedVariable | MATCH (n) RETURN [x IN [1] | y]
UndefinedVariable | RETURN [x IN [1] | x] + x
UndefinedVariable | RETURN all(x IN y WHERE true)
UndefinedVariable | RETURN reduce(a = a, x IN [1] | a)
UndefinedVariable | MATCH (n {name: m.name}) RETURN n
UndefinedVariable | MATCH (n) WHERE (a) RETURN n
UndefinedVariable | MATCH (n) WHERE EXISTS { MATCH (n)-->(m) } RETURN m
UndefinedVariable | MATCH (n) RETURN [(n)-->(m) | m], m
UndefinedVariable | UNWIND x AS x RETURN x
UndefinedVariable | RETURN x {.name}
UndefinedVariable | RETURN CASE 1 WHEN missing THEN 2 END

# A pattern that is a condition brings nothing
UndefinedVariable | MATCH (n) WHERE (n)-[r]->() RETURN n
UndefinedVariable | MATCH (n) WHERE NOT (n)-->(a) RETURN n
UndefinedVariable | MATCH (n) WHERE exists((n)-->(a)) RETURN n
UndefinedVariable | MATCH (n) RETURN shortestPath((n)-[*]-(a))

# After an aggregation or DISTINCT only the columns are left
UndefinedVariable | MATCH (a) RETURN DISTINCT a.name ORDER BY a.age
UndefinedVariable | MATCH (a) WITH DISTINCT a.name AS name ORDER BY a RETURN name
UndefinedVariable | MATCH (a) WITH DISTINCT a.name AS name WHERE a.age > 1 RETURN name
UndefinedVariable | MATCH (a) RETURN count(*) AS c ORDER BY a.name
UndefinedVariable | MATCH (a) WITH a.name AS name, count(*) AS c WHERE a.age > 1 RETURN name
UndefinedVariable | MATCH (a)--(b) RETURN count(b.age) AS c ORDER BY a.age + count(b.age)
UndefinedVariable | MATCH (a) WITH a.x AS x, sum(a.y) AS s ORDER BY sum(a.z) RETURN x

# One name, two kinds
VariableTypeConflict | MATCH ()-[r]-() MATCH (r) RETURN r
VariableTypeConflict | MATCH p = ()-->() MATCH (p) RETURN p
VariableTypeConflict | MATCH p = ()-->(), (p) RETURN p
VariableTypeConflict | MATCH ()-[r]-(r) RETURN r
VariableTypeConflict | MATCH (r)-[r]-() RETURN r
VariableTypeConflict | MATCH (r) MATCH ()-[r]-() RETURN r
VariableTypeConflict | MATCH ()-[r*]-() MATCH ()-[r]-() RETURN r
VariableTypeConflict | MATCH ()-[r]-() MATCH ()-[r*]-() RETURN r
VariableTypeConflict | MATCH ()-[r]-(), ()-[r*]-() RETURN r
VariableTypeConflict | WITH 1 AS n MATCH (n) RETURN n
VariableTypeConflict | WITH [1] AS n MATCH (n) RETURN n
VariableTypeConflict | WITH {x: 1} AS r MATCH ()-[r]-() RETURN r
VariableTypeConflict | WITH [1, 2] AS r MATCH ()-[r*]-() RETURN r
VariableTypeConflict | WITH $integer AS n MATCH (n) RETURN n
VariableTypeConflict | UNWIND [1, 2] AS n MATCH (n) RETURN n
VariableTypeConflict | MATCH (n) WITH collect(n) AS ns MATCH (ns) RETURN ns
VariableTypeConflict | MATCH p = ()-->() UNWIND nodes(p) AS r MATCH ()-[r]-() RETURN r
VariableTypeConflict | MATCH ()-[r]->() WHERE EXISTS { (r)-->() } RETURN r
VariableTypeConflict | MATCH ()-[r]->() WHERE (r)-->() RETURN r
VariableTypeConflict | MATCH ()-[r]->() RETURN [(r)-->(m) | m]
RelationshipUniquenessViolation | MATCH (a)-[r]->()-[r]->(a) RETURN r
RelationshipUniquenessViolation | MATCH ()-[r]->(), ()-[r]->() RETURN r

# A name that is used already
VariableAlreadyBound | MATCH (p) MATCH p = ()-->() RETURN p
VariableAlreadyBound | MATCH p = (p)-->() RETURN p
VariableAlreadyBound | MATCH p = ()-[p]->() RETURN p
VariableAlreadyBound | MATCH p = (), p = () RETURN p
VariableAlreadyBound | MATCH p = () MATCH p = () RETURN p
VariableAlreadyBound | WITH 1 AS p MATCH p = ()-->() RETURN p
VariableAlreadyBound | WITH 1 AS x UNWIND [1] AS x RETURN x
VariableAlreadyBound | MATCH (n) RETURN [n = ()-->() | n]
VariableAlreadyBound | MATCH (n) WHERE EXISTS { MATCH (m) WITH m.x AS n RETURN n } RETURN n
VariableAlreadyBound | MATCH (n) RETURN COUNT { UNWIND [1] AS n RETURN n }

# Columns
NoVariablesInScope | MATCH () RETURN *
NoVariablesInScope | RETURN *
NoVariablesInScope | MATCH ()-->() RETURN *, 1 AS x
ColumnNameConflict | RETURN 1 AS a, 2 AS a
ColumnNameConflict | WITH 1 AS a, 2 AS a RETURN a
ColumnNameConflict | MATCH (n) RETURN *, n.x AS n
ColumnNameConflict | MATCH (n) RETURN n.x, n.x
NoExpressionAlias | MATCH (a) WITH a, count(*) RETURN a
NoExpressionAlias | MATCH (a) WITH a.x ORDER BY a.x RETURN 1
AmbiguousAggregationExpression | MATCH (a)--(b) WITH a.x + b.x, count(*) AS c ORDER BY a.x + b.x + count(*) RETURN *
AmbiguousAggregationExpression | MATCH (a)--(b) WITH a.x + count(b.x) RETURN *
DifferentColumnsInUnion | RETURN 1 AS a UNION RETURN 2 AS b
DifferentColumnsInUnion | RETURN 1 AS a UNION ALL RETURN 2 AS a, 3 AS b
DifferentColumnsInUnion | MATCH (n) RETURN * UNION MATCH (m) RETURN *
InvalidClauseComposition | RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a
UnexpectedSyntax | RETURN COLLECT { MATCH (n) RETURN n.x AS x, n.y AS y }

# Aggregates where there is nothing to aggregate
InvalidAggregation | MATCH (a) WHERE count(a) > 10 RETURN a
InvalidAggregation | MATCH (n) WITH n WHERE count(n) > 1 RETURN n
InvalidAggregation | MATCH (n) RETURN n.x ORDER BY max(n.y)
InvalidAggregation | MATCH (n) WITH n.x AS x ORDER BY n.y, count(1) RETURN x
InvalidAggregation | MATCH (n) RETURN n.x, count(*) ORDER BY count(1)
InvalidAggregation | RETURN [x IN [1, 2] | count(x)]
InvalidAggregation | RETURN [x IN [1, 2] WHERE count(x) > 1]
InvalidAggregation | RETURN any(x IN [1, 2] WHERE count(*) > 1)
InvalidAggregation | RETURN reduce(a = 0, x IN [1] | a + count(x))
InvalidAggregation | MATCH (n) RETURN [(n)-->(m) | count(m)]
InvalidAggregation | UNWIND collect(1) AS x RETURN x
InvalidAggregation | MATCH (n {x: count(*)}) RETURN n
InvalidAggregation | MATCH (n) RETURN n LIMIT count(*)
NestedAggregation | RETURN count(count(*))
NestedAggregation | MATCH (n) RETURN sum(1 + max(n.x))
NonConstantExpression | RETURN count(rand())
NonConstantExpression | RETURN collect([x IN [1] | rand()])
AmbiguousAggregationExpression | MATCH (a)--(b) RETURN a.age + count(b.age)
AmbiguousAggregationExpression | MATCH (a)--(b) RETURN a.age + b.age, a.age + b.age + count(*)
AmbiguousAggregationExpression | MATCH (a)--(b) WITH a.age + b.age AS g, a.age + b.age + count(*) AS c RETURN *
AmbiguousAggregationExpression | MATCH (a)--(b) RETURN a.age, a.name + count(b)
AmbiguousAggregationExpression | MATCH (a)--(b) RETURN [x IN collect(b) | x.y + a.y]
AmbiguousAggregationExpression | MATCH (a)--(b) RETURN collect(b)[0].y = a.y
AmbiguousAggregationExpression | MATCH (a)--(b) RETURN {n: count(b), seen: EXISTS { (a)-->() }}
AmbiguousAggregationExpression | MATCH (a)--(b) RETURN a.x + b.x, count(*) AS c ORDER BY a.x + b.x + count(*)

# SKIP and LIMIT
NonConstantExpression | MATCH (n) RETURN n SKIP n.count
NonConstantExpression | MATCH (n) RETURN n AS x LIMIT x
NonConstantExpression | MATCH (n) RETURN n LIMIT size([(n)-->() | 1])
NegativeIntegerArgument | RETURN 1 AS x SKIP -1
NegativeIntegerArgument | RETURN 1 AS x LIMIT -3
InvalidArgumentType | RETURN 1 AS x SKIP 1.5
InvalidArgumentType | RETURN 1 AS x LIMIT 'one'
InvalidArgumentType | RETURN 1 AS x LIMIT null
InvalidArgumentType | RETURN 1 AS x LIMIT $float
UndefinedVariable | WITH 1 AS a RETURN a AS b ORDER BY c LIMIT 1

# Functions and parameters
UnknownFunction | RETURN nonsense(1)
UnknownFunction | RETURN date.nonsense()
InvalidNumberOfArguments | RETURN size()
InvalidNumberOfArguments | RETURN size('a', 'b')
InvalidNumberOfArguments | RETURN count()
InvalidNumberOfArguments | RETURN substring('a')
InvalidParameterUse | MATCH (n $map) RETURN n
ParameterMissing MissingParameter | RETURN $missing

# Patterns that are no conditions
UnexpectedSyntax | MATCH (n) RETURN (n)-->()
UnexpectedSyntax | MATCH (n) WITH (n)-->() AS x RETURN x
UnexpectedSyntax | MATCH (n) RETURN size((n)-->())
UnexpectedSyntax | MATCH (n) RETURN [(n)-->()]
UnexpectedSyntax | MATCH (n) WHERE size((n)-->()) > 1 RETURN n
UnexpectedSyntax | MATCH (n) WHERE ((n)-->()) = true RETURN n
UnexpectedSyntax | MATCH (n) RETURN n ORDER BY (n)-->()
InvalidRelationshipPattern | MATCH p = shortestPath((a)-[*]-()-[*]-(b)) RETURN p
InvalidRelationshipPattern | MATCH p = shortestPath((a)) RETURN p

# Truth values
InvalidArgumentType | RETURN NOT 1
InvalidArgumentType | RETURN 123 AND true
InvalidArgumentType | RETURN null OR 'foo'
InvalidArgumentType | RETURN [true] XOR false
InvalidArgumentType | MATCH (n) WHERE (n) RETURN n
InvalidArgumentType | MATCH (n) WHERE n.x + 1.5 - 1.5 AND 1 RETURN n
InvalidArgumentType | WITH 1 AS x WHERE x RETURN x
InvalidArgumentType | RETURN CASE WHEN 1 THEN 2 END
InvalidArgumentType | RETURN [x IN ['a'] WHERE x]
InvalidArgumentType | RETURN all(x IN [1, 2] WHERE x)
InvalidArgumentType | MATCH (n WHERE 1) RETURN n

# Kinds of operands
InvalidArgumentType | RETURN 1 IN 'foo'
InvalidArgumentType | RETURN 1 IN {x: []}
InvalidArgumentType | RETURN none(x IN ['Clara'] WHERE x % 2 = 0)
InvalidArgumentType | RETURN true + 1
InvalidArgumentType | RETURN 'a' - 'b'
InvalidArgumentType | RETURN {a: 1} + 1
InvalidArgumentType | RETURN date() + 1
InvalidArgumentType | RETURN duration('P1D') / '2'
InvalidArgumentType | RETURN -'a'
InvalidArgumentType | RETURN 2 ^ 'a'
InvalidArgumentType | RETURN [x IN 1 | x]
InvalidArgumentType | RETURN any(x IN 'abc' WHERE true)
InvalidArgumentType | RETURN reduce(a = 0, x IN {k: 1} | a)
InvalidArgumentType | RETURN reduce(a = 'x', x IN [1] | a * 2)
InvalidArgumentType | RETURN 1:Label
InvalidArgumentType | MATCH p = ()-->() RETURN p:Label
InvalidArgumentType | WITH 1 AS x RETURN x {.a}
InvalidArgumentType | MATCH (n) RETURN type(n)
InvalidArgumentType | OPTIONAL MATCH (n) RETURN type(n)
InvalidArgumentType | MATCH (n) RETURN length(n)
InvalidArgumentType | MATCH p = ()-[*]->() RETURN size(p)
InvalidArgumentType | MATCH p = () RETURN labels(p)
InvalidArgumentType | MATCH p = () RETURN type(nodes(p)[0])
InvalidArgumentType | MATCH (n) WITH collect(n) AS ns RETURN [x IN ns | type(x)]
InvalidArgumentType | MATCH (n) RETURN type(head([n]))
InvalidArgumentType | MATCH ()-[r*]->() RETURN type(r)
InvalidArgumentType | RETURN properties(1)
InvalidArgumentType | RETURN sum('a')
InvalidArgumentType | RETURN toUpper($integer)
InvalidArgumentType | MATCH p = (n)-[*]->() WHERE p.name = 'apa' RETURN p
InvalidArgumentType | RETURN COUNT { (n) } + true
InvalidArgumentType | RETURN type(COLLECT { MATCH (n) RETURN n }[0])
TypeError InvalidArgumentType | WITH 123 AS x RETURN x.num
TypeError InvalidArgumentType | WITH [1, true] AS x RETURN x.num
TypeError InvalidArgumentType | MATCH ()-[r*]->() RETURN r.name
TypeError InvalidArgumentType | WITH true AS list RETURN list[0]
TypeError InvalidArgumentType | RETURN 'abc'[0]
TypeError InvalidArgumentType | RETURN 'abc'[0..1]
TypeError InvalidArgumentType | RETURN [1, 2]['a'..]
TypeError InvalidArgumentType | RETURN [1, 2][..'a']
TypeError ListElementAccessByNonInteger | RETURN [1, 2, 3][1.5]
TypeError ListElementAccessByNonInteger | WITH $list AS list RETURN list[$string]
TypeError MapElementAccessByNonString | RETURN {a: 1}[0]
TypeError MapElementAccessByNonString | MATCH (n) RETURN n[0]
"""

VALID_QUERIES = """
RETURN CASE WHEN $any THEN [1] ELSE {a: 1} END['a']
MATCH (n) RETURN *
WITH * MATCH (n) RETURN n
MATCH () WITH * RETURN 1 AS x
MATCH (a)-[r]->(b) WITH a, r MATCH (a)-[r]->(c) RETURN c
MATCH ()-[a]->()-[b]->() WITH [a, b] AS rs MATCH (x)-[rs*]->(y) RETURN x, y
MATCH ()-[r*]->() MATCH (x)-[r*]->(y) RETURN x, y
WITH null AS n OPTIONAL MATCH p = (n)-[r]->() RETURN nodes(p), n.x, type(r)
WITH $any AS n MATCH (n) RETURN n
MATCH (a) WITH a.friend AS b MATCH (b) RETURN b
MATCH (a) OPTIONAL MATCH (a)-->(b) OPTIONAL MATCH (a)-->(c) WITH coalesce(b, c) AS x MATCH (x)-->(d) RETURN d
MATCH (n) WITH collect(n) AS ns UNWIND ns AS m MATCH (m)-->(o) RETURN labels(m), o
MATCH p = (a)-->(b), (b {x: a.x}) WHERE length(p) = 1 RETURN p
MATCH (a)-[r WHERE r.x > a.x]->(b WHERE b.y = a.y) RETURN a
MATCH (a)-[rs* WHERE rs.x > 1]->(b) RETURN size(rs)
MATCH p = shortestPath((a)-[*]-(b)) RETURN p
MATCH (a), (b) RETURN length(shortestPath((a)-[*]-(b))), [p IN allShortestPaths((a)-[*]-(b)) | length(p)]
MATCH (a) RETURN a.name + count(*) AS x, a.name
MATCH (a) RETURN a, a.name + count(*)
MATCH (a) RETURN a.b, a.b.c + count(*)
MATCH (a)--(b) WITH a.age AS age, b RETURN age, age + count(b.age)
MATCH (a)--(b) RETURN a.name, {same: a.name = 'x', all: collect(b.name)}
MATCH (a)--(b) RETURN [x IN collect(b) WHERE x.k > $integer | x.k] AS xs, size(collect(a)) > 3
MATCH (a)--(b) RETURN a, [(a)-->(c) | c.x] AS xs, count(b), EXISTS { (a)-->() } AND count(b) > 1
MATCH (a) RETURN $integer + avg(a.age) - 1000
MATCH (a)--(b) RETURN a.age AS age, count(b.age) AS cnt ORDER BY age, age + count(b.age)
MATCH (a)--(b) RETURN a.age AS age, count(b.age) AS cnt ORDER BY a.age + count(b.age), $integer + count(b.age)
MATCH (a) RETURN a, count(*) ORDER BY count(*)
MATCH (a) RETURN a.x + a.y, count(*) ORDER BY a.x + a.y
MATCH (a) WITH a.name AS name, count(*) AS c ORDER BY a.name + 'C' WHERE c > 1 AND a.name <> 'x' RETURN name, c
MATCH (a) WITH a.name AS name, count(*) AS c WHERE count(*) > 1 RETURN name
MATCH (a) WITH DISTINCT a.name AS name ORDER BY a.name WHERE a.name = 'x' RETURN *
MATCH (a) RETURN DISTINCT a ORDER BY a.name
MATCH (a) RETURN DISTINCT a AS b ORDER BY a.name
MATCH (a) WITH a.name AS name WHERE a.age > 3 OR name = 'x' RETURN *
MATCH (a) RETURN a.num AS a ORDER BY a + 2
MATCH (a) RETURN a.num AS a ORDER BY a.num
MATCH (n) WITH n SKIP toInteger(rand() * 9) LIMIT $integer RETURN n LIMIT $any
RETURN 1 AS x LIMIT 0
MATCH (n) WHERE (n)-->() AND NOT (n)<--() OR (n)-[:X]-() XOR exists((n)-->()) RETURN n
MATCH (n) RETURN exists((n)-->()), CASE WHEN (n)-->() THEN 1 ELSE 2 END
MATCH p = ()-->() RETURN [x IN nodes(p) WHERE (x)-->() | x.name], all(x IN nodes(p) WHERE (x)-->())
MATCH (n) WHERE EXISTS { (n)-[r]->(m) WHERE type(r) = 'A' AND m.x = n.x } RETURN n
MATCH (n) WHERE EXISTS { MATCH (n)-->(m) WITH n, count(*) AS c WHERE c = 3 RETURN true } RETURN n
MATCH (n) WHERE EXISTS { MATCH (m) WITH m.x AS x WHERE x = n.x RETURN 1 } RETURN n
MATCH (n) RETURN COUNT { (n)-->() } + 1, [x IN COLLECT { MATCH (n)-->(m) RETURN m } | labels(x)]
MATCH (n) RETURN COUNT { MATCH (n)-->(m) RETURN m UNION MATCH (n)<--(m) RETURN m }
MATCH (n) RETURN [(n)-[r]->(m) WHERE r.x > 1 | {r: type(r), m: m.name}]
MATCH (n) RETURN [p = (n)-->() | length(p)]
RETURN 1 AS a, 2 AS b UNION RETURN 3 AS b, 4 AS a
MATCH (n) RETURN n UNION MATCH ()-[n]->() RETURN n
UNWIND 5 AS x RETURN x + 1
UNWIND null AS x RETURN x
UNWIND [] AS x RETURN x.name, x + 1, NOT x
UNWIND [1, 'a', null] AS x RETURN x + 1
RETURN none(x IN [] WHERE x), [x IN [] WHERE x], [x IN [null] | x.name]
RETURN null AND true, null + true, -null, null IN null, null[0], null.x, size(null), type(null)
RETURN true IN [true] AND NOT (1 = 'a') OR 1 < 'a' OR 'a' STARTS WITH 1
RETURN [1] + true, true + [1], [1] + [[2]], 'a' + 1, 1.5 + 'a', date() + duration('P1D'), duration('P1D') * 2
RETURN date().year, {a: 1}['a'], {a: {b: 1}}.a.b, [1, 2, 3][0..-1], $any[0], $map.x, $null.x
MATCH (n) RETURN n['name'], n.x[0], n.x.y, n.x + 1, -n.x, NOT n.x, n.x:Label, keys(n.x), size(n.x)
MATCH (n)-[r]->() RETURN n:A, n:A&!B, r:T, n {.name, x: 1, .*}, id(n), elementId(r)
MATCH (n)-[r]->() WITH [n, r, 1] AS xs RETURN type(xs[1]), labels(xs[0]), xs[2] + 1
RETURN reduce(a = 0, x IN [1, 2] | a + x) + 1, reduce(a = null, x IN [1] | coalesce(a, 'x') + x)
RETURN CASE 1 WHEN 'a' THEN 2 WHEN null THEN 'b' END + 1
RETURN count(DISTINCT 1), percentileCont(1, 0.5), collect(1)[0] + 1, max('a') + 'b', min(1) + 1
RETURN coalesce(null, 1) + 1, head([1]) + 1, last(['a']) + 'b', reverse('abc') + 'd', size(tail([1, 2]))
RETURN rand() > 0.5, count(*), [x IN [1] | rand()]
MATCH (x) RETURN [x IN [1, 2] | x + 1], reduce(x = 0, y IN [1] | x + y), x.name
MATCH (n) WITH n AS m, n.x AS n MATCH (m) RETURN n, m
"""


def _parse_invalid_queries() -> list[tuple[str, str, str]]:
    cases = []
    for line in INVALID_QUERIES.splitlines():
        if line and not line.startswith("#"):
            error, query = line.split(" | ", 1)
            *kind, detail = error.split()
            cases.append((query, kind[0] if kind else "SyntaxError", detail))
    return cases


@pytest.mark.parametrize(("query", "kind", "detail"), _parse_invalid_queries())
def test_what_can_never_be_right_is_refused_before_it_runs(query: str, kind: str, detail: str) -> None:
    with pytest.raises(Exception) as refused:  # noqa: PT011 - its type is what is looked at
        bound(query)

    error = refused.value
    assert (kind, detail) == (getattr(error, "kind", error), getattr(error, "detail", error))
    assert error.span is not None
    assert 0 <= error.span[0] < error.span[1] <= len(query)


@pytest.mark.parametrize("query", VALID_QUERIES.strip().splitlines())
def test_what_may_be_right_is_not_refused(query: str) -> None:
    first = bound(query)

    assert bind(first, PARAMETERS) == first


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("MATCH (b)-[a]->(c) RETURN *", ["b", "c", "a"]),
        ("WITH 1 AS z, 2 AS y UNWIND [3] AS x RETURN *", ["z", "y", "x"]),
        ("WITH 1 AS z RETURN *, 2 AS y", ["z", "y"]),
        ("MATCH p = (n)-->() WITH *, 1 AS x RETURN *", ["n", "p", "x"]),
    ],
)
def test_a_star_becomes_the_variables_in_the_order_they_came(query: str, names: list[str]) -> None:
    last = bound(query).parts[0].clauses[-1]

    assert isinstance(last, ast.Projection)
    assert not last.star
    assert names == [item.name for item in last.items]


def test_a_star_in_a_subquery_is_written_out_too() -> None:
    """
    The same text in two scopes becomes two lists of items.
    """
    query = bound(
        "MATCH (n) WITH n, COUNT { MATCH (m) RETURN DISTINCT * } AS c RETURN COUNT { MATCH (m) RETURN DISTINCT * }"
    )
    starred: list[list[str]] = []

    def look(part: ast.SyntaxNode) -> None:
        if isinstance(part, ast.Subquery):
            last = part.query.parts[0].clauses[-1]
            assert isinstance(last, ast.Projection)
            assert not last.star
            starred.append([item.name for item in last.items])

    tree_walk.rewrite(query, look)

    expected = [["n", "m"], ["n", "c", "m"]]
    assert expected == starred


def test_a_query_without_a_star_comes_back_as_it_was() -> None:
    query = parser.parse("MATCH (n)-->(m) WHERE n.x > 1 WITH n, count(m) AS c ORDER BY c RETURN n.name, c LIMIT 3")

    assert bind(query, {}) is query


@pytest.mark.parametrize(
    ("query", "as_if"),
    [
        (
            "MATCH (a) WITH a.x AS x, count(*) AS c WHERE a.x + count(*) > 2 RETURN x",
            "MATCH (a) WITH a.x AS x, count(*) AS c WHERE x + c > 2 RETURN x",
        ),
        ("MATCH (a) RETURN DISTINCT a.x AS x ORDER BY a.x", "MATCH (a) RETURN DISTINCT a.x AS x ORDER BY x"),
        ("MATCH (a) RETURN a.x AS a ORDER BY a.x", "MATCH (a) RETURN a.x AS a ORDER BY a"),
    ],
)
def test_order_and_where_name_the_column_where_they_repeat_it(query: str, as_if: str) -> None:
    assert bound(as_if) == bound(query)


@pytest.mark.parametrize(
    ("query", "candidate"),
    [
        ("MATCH (person) RETURN persn", "person"),
        ("RETURN toUper('a')", "toUpper"),
        ("RETURN $integr", "integer"),
    ],
)
def test_near_names_are_offered(query: str, candidate: str) -> None:
    with pytest.raises(QueryInconsistent) as refused:
        bound(query)

    assert candidate in refused.value.candidates


def test_a_variable_that_with_dropped_is_told_apart_from_a_misspelt_one() -> None:
    with pytest.raises(QueryInconsistent, match="does not pass it on"):
        bound("MATCH (n) WITH n.name AS name RETURN n")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2", value_types.INTEGER),
        ("1 + 2.0", value_types.FLOAT),
        ("2 ^ 2", value_types.FLOAT),
        ("'a' + 1", value_types.STRING),
        ("[1] + 1", value_types.LIST),
        ("1 + [1]", value_types.LIST),
        ("-$integer", value_types.INTEGER),
        ("n", value_types.NODE),
        ("n.name", value_types.ANY),
        ("nodes(p)[0]", value_types.NODE | value_types.NULL),
        ("head(relationships(p))", value_types.RELATIONSHIP | value_types.NULL),
        ("head(collect(n))", value_types.NODE | value_types.NULL),
        ("[x IN nodes(p) | size(labels(x))][0]", value_types.INTEGER | value_types.NULL),
        ("last([(n)-[r]->(m) | r])", value_types.RELATIONSHIP | value_types.NULL),
        ("([n] + n)[0]", value_types.NODE | value_types.NULL),
        ("[[1], [2.5]][0][0]", value_types.INTEGER | value_types.FLOAT | value_types.NULL),
        ("coalesce(null, n)", value_types.NODE),
        ("[1, 2][..1]", value_types.LIST | value_types.NULL),
        ("n {.name}", value_types.MAP),
        ("maybe {.name}", value_types.MAP | value_types.NULL),
        ("-maybe.age", value_types.INTEGER | value_types.FLOAT | value_types.NULL),
        ("CASE WHEN true THEN 1 END", value_types.INTEGER | value_types.NULL),
        ("CASE WHEN true THEN 1 ELSE 'a' END", value_types.INTEGER | value_types.STRING),
        ("CASE WHEN true THEN n ELSE null END", value_types.NODE | value_types.NULL),
        ("shortestPath((n)-[*]-(n))", value_types.PATH | value_types.NULL),
        ("EXISTS { (n)-->() }", value_types.BOOLEAN),
        ("date('2020-01-01') - duration('P1D')", value_types.DATE | value_types.NULL),
        ("reduce(a = 0, x IN [1.5] | a + x)", value_types.INTEGER | value_types.FLOAT | value_types.NULL),
    ],
)
def test_the_kinds_of_a_value_are_known(expression: str, expected: int) -> None:
    assert expected == infer_returned_type(expression).kinds


# Laws

NAMES = st.sampled_from("xyz")
LEAVES = st.one_of(
    st.builds(ast.Literal, st.integers(0, 3)),
    st.builds(ast.Variable, NAMES),
)


def _nest(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
    return st.one_of(
        st.builds(ast.Binary, st.sampled_from(["+", "=", "AND"]), inner, inner),
        st.builds(ast.Property, inner, st.sampled_from("kl")),
        st.builds(ast.ListLiteral, st.lists(inner, max_size=3).map(tuple)),
        st.builds(ast.Call, st.sampled_from(["size", "count"]), st.tuples(inner)),
        st.builds(ast.ListComprehension, NAMES, inner, st.none() | inner, st.none() | inner),
        st.builds(ast.Quantifier, st.just("all"), NAMES, inner, inner),
        st.builds(ast.Reduce, NAMES, inner, NAMES, inner, inner),
        st.builds(ast.Case, st.none(), st.tuples(st.tuples(inner, inner)), st.none() | inner),
    )


EXPRESSIONS = st.recursive(LEAVES, _nest, max_leaves=12)


@given(EXPRESSIONS)
def test_nothing_exchanged_is_the_same_object(expression: ast.Expression) -> None:
    assert tree_walk.substitute(expression, {}) is expression
    assert tree_walk.substitute(expression, {ast.Variable("nowhere"): ast.Variable("x")}) is expression


@given(EXPRESSIONS)
def test_a_variable_exchanged_for_a_new_one_is_free_no_more(expression: ast.Expression) -> None:
    free = tree_walk.free_variables(expression)
    exchanged = tree_walk.substitute(expression, {ast.Variable("x"): ast.Variable("new")})

    assert {"new" if name == "x" else name for name in free} == tree_walk.free_variables(exchanged)


@given(EXPRESSIONS)
def test_there_and_back_again_is_the_same(expression: ast.Expression) -> None:
    there = tree_walk.substitute(expression, {ast.Variable("x"): ast.Variable("new")})

    assert expression == tree_walk.substitute(there, {ast.Variable("new"): ast.Variable("x")})


@given(EXPRESSIONS)
def test_only_free_variables_must_be_defined(expression: ast.Expression) -> None:
    scope = dict.fromkeys(tree_walk.free_variables(expression), value_types.UNKNOWN)
    detail = None
    try:
        type_inference.infer(expression, scope, Context({}))
    except QueryInconsistent as error:
        detail = error.detail

    assert detail != "UndefinedVariable"


@given(EXPRESSIONS)
def test_an_aggregate_is_seen_wherever_it_stands(expression: ast.Expression) -> None:
    assert tree_walk.has_aggregate(expression) == ("count" in repr(expression))
