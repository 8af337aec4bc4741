"""What other dialects have is refused by name, with what to write instead; what writes is refused anywhere."""

import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_tables import PlainTables

from keepgraph.cypher import binder, dialect, functions
from keepgraph.cypher.dialect import explain, refuse
from keepgraph.cypher.query_repair import Vocabulary, repair
from keepgraph.cypher.syntax import parser
from keepgraph.errors import QueryError, QueryRefused, QuerySyntaxInvalid, QueryUnsupported
from laws import examples

NOTHING = Vocabulary(frozenset(), frozenset(), {})
PEOPLE = [
    (1, ["Person"], {"name": "Ada", "age": 36, "tags": ["x", "y", "x"], "kind": "a", "lat": 51.5, "lon": 0.0}),
    (2, ["Person"], {"name": "Bob", "age": 20, "tags": ["z"], "kind": "a", "lat": 48.85, "lon": 2.35}),
    (3, ["Person"], {"name": "Cy", "tags": [], "kind": "b"}),
    (4, ["City"], {"name": "London"}),
]
KNOWS = [
    (1, "KNOWS", 1, 2, {}),
    (2, "KNOWS", 2, 3, {}),
    (3, "KNOWS", 1, 3, {}),
    (4, "LIVES_IN", 1, 4, {}),
]


@pytest.fixture(scope="module")
def tables():
    found = PlainTables()
    found.load(PEOPLE, KNOWS)
    return found


@pytest.fixture(scope="module")
def ask(tables):
    def rows(text):
        found, _ = tables.rows(tables.compile(text, {}), {})
        return [list(row) for row in found]

    return rows


def failure(text):
    """The error that a query ends with, its text repaired first."""
    text = repair(text, NOTHING).text
    try:
        query = parser.parse(text)
        refuse(query, text)
        binder.bind(query, {})
    except QueryError as error:
        return explain(text, error)
    raise AssertionError(f"{text} is not refused")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("apoc.text.join(['a', 'b'], ', ')", "reduce(all = ''"),
        ("apoc.coll.toSet([1, 2, 1])", "RETURN DISTINCT x"),
        ("apoc.map.fromPairs([])", "map {key: value}"),
        ("apoc.convert.fromJsonMap('{}')", "toInteger"),
        ("apoc.date.format(1000)", "datetime.fromEpochMillis"),
        ("apoc.agg.median(n.age)", "percentileCont(n.age, 0.5)"),
        ("apoc.node.degree.out(n)", "COUNT { (n)--() }"),
        ("apoc.path.combine(n, n)", "variable length"),
        ("apoc.meta.type(n)", "RETURN DISTINCT type(r)"),
        ("apoc.util.md5([n])", "APOC"),
        ("gds.similarity.cosine(n.v, n.w)", "search"),
        ("gds.util.asNode(1)", "MATCH"),
        ("db.nameFromElementId('x')", "RETURN DISTINCT type(r)"),
        ("dbms.functions()", "RETURN DISTINCT type(r)"),
        ("point({latitude: 1, longitude: 2})", "haversin"),
        ("point.withinBBox(n.a, n.b, n.c)", "haversin"),
        ("vector.similarity.cosine(n.v, [1.0])", "search"),
        ("contains('abc', 'b')", "CONTAINS"),
        ("year('2024-05-06')", "date('2026-05-01').year"),
        ("datediff(n.a, n.b)", "duration.inDays"),
        ("mod(7, 4)", "7 % 4"),
        ("tanh(0)", "exp(1)"),
        ("isnull(null)", "IS NULL"),
        ("iif(1 > 2, 'a', 'b')", "CASE WHEN"),
        ("row_number()", "range(0, size(names) - 1)"),
        ("linenumber()", "parameter"),
        ("group_concat(n.name)", "reduce"),
    ],
)
def test_a_function_of_others_is_refused_with_what_to_write(call, words):
    error = failure(f"MATCH (n) RETURN {call} AS it")

    assert isinstance(error, QueryUnsupported)
    assert error.message.startswith(call.partition("(")[0])
    assert words in error.hint


def test_the_first_of_several_is_named():
    error = failure("MATCH (n {name: 'Ada'}) WHERE apoc.coll.contains(n.tags, 'x') RETURN apoc.coll.sum([1, 2]) AS s")

    assert error.message.startswith("apoc.coll.contains() is not known here (line 1, column 31)")
    assert error.span == (30, 61)


def test_what_is_known_here_and_what_nobody_knows_is_not_refused():
    for name in functions.names():
        text = f"RETURN {name}(1)"
        refuse(parser.parse(text), text)
    text = "RETURN nonsense(1), `apoc.x`, 'apoc.coll.sum(1)', {point: 1}.point // gds.x()"
    refuse(parser.parse(text), text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("SELECT name, age FROM Person WHERE age > 3 ORDER BY age LIMIT 5", "SELECT"),
        ("SELECT a.x FROM A a JOIN B b ON a.id = b.id", "SELECT"),
        ("MATCH (n:Person) SELECT n.name", "SELECT"),
        ("FROM Person MATCH (n) RETURN n", "FROM"),
        ("MATCH (n:Person) RETURN n.kind, count(*) AS c GROUP BY n.kind ORDER BY c", "GROUP BY"),
        ("MATCH (n:Person) RETURN n.kind, count(*) GROUP BY n.kind HAVING count(*) > 1", "GROUP BY"),
        ("MATCH (n:Person) RETURN n.kind AS k, count(*) AS c HAVING c < 2 ORDER BY k LIMIT 3", "HAVING"),
        ("MATCH (n) RETURN row_number() OVER (ORDER BY n.name) AS r", "OVER"),
        ("MATCH (n) RETURN sum(n.x) OVER (PARTITION BY n.y)", "OVER"),
        ("MATCH (a) JOIN (b) ON a.id = b.id RETURN a", "JOIN"),
        ("MATCH (a) LEFT OUTER JOIN b RETURN a", "JOIN"),
        ("MATCH (n:Person) WHERE n.age NOT BETWEEN 20 AND 30 RETURN n.name", "BETWEEN"),
        ("MATCH (n:Person) RETURN n.name AS m ORDER BY m LIMIT 1 SKIP 1", "SKIP after LIMIT"),
        ("MATCH (n:Person) RETURN n.name AS m ORDER BY m LIMIT 1 OFFSET 2", "OFFSET after LIMIT"),
        ("MATCH (n:Person) RETURN n.name ORDER BY n.age DESC NULLS LAST", "NULLS LAST"),
        ("MATCH (n:Person) RETURN n.name ORDER BY n.age NULLS FIRST", "NULLS FIRST"),
    ],
)
def test_sql_is_named_and_what_to_write_is_told_with_an_example(text, name):
    error = failure(text)

    assert isinstance(error, QueryUnsupported)
    assert error.message.startswith(f"SQL's {name} is not known here")
    assert dialect.ADVICE[name] == error.hint
    assert error.rewrite is None


EXAMPLE = re.compile(r": ((?:MATCH|RETURN) .*)")
HINTS = {*dialect.ADVICE.values(), *dialect.HINTS_BY_PREFIX.values(), *dialect.HINTS_BY_NAME.values()}


@pytest.mark.parametrize("hint", sorted(hint for hint in HINTS if EXAMPLE.search(hint)))
def test_the_examples_of_the_advice_run(ask, hint):
    example = EXAMPLE.search(hint)[1]

    assert example == repair(example, NOTHING).text
    assert isinstance(ask(example), list)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("MATCH (n:Data Science) RETURN n", "a label of several words in back-ticks"),
        ("MATCH (n)-[:WORKS WITH]->() RETURN n", "a type of several words in back-ticks"),
        ("MATCH (n {first name: 'x'}) RETURN n", "takes back-ticks"),
        ("MATCH (n {name = 'x'}) RETURN n", "A map is written {key: value}"),
        ("MATCH (n {name == 'x'}) RETURN n", "A map is written {key: value}"),
        ("MATCH (n {age > 3}) RETURN n", "go into WHERE"),
        ("UNWIND (1, 2) AS x RETURN x", "A list is written [1, 2]"),
        ("MATCH (n:A&&B) RETURN n", "joined by one &"),
        ("MATCH (n) WHERE n.a = 1 & n.b = 2 RETURN n", "Write AND between conditions."),
        ("`MATCH (n) RETURN n`", "without back-ticks"),
        ("``MATCH (n) RETURN n``", "without back-ticks"),
        ("MATCH a-[:KNOWS]->(b) RETURN a", "Put nodes in round brackets"),
        ("UNWIND [1] AS x WHERE x > 1 RETURN x", "write WITH x WHERE"),
        ("MATCH (n) WITH n.name AS name", "Add RETURN"),
        ("RETURN 1 &lt; 2", "plain text"),
        ("MATCH (n)-[:KNOWS]-&gt;(m) RETURN n", "plain text"),
        ("RETURN &#39;a&#39; AS x", "plain text"),
        ("MATCH (n) -- every one of them\nRETURN n", "a comment begins with //"),
        ("MATCH (n) WHERE n.a || n.b RETURN n", "Write OR"),
    ],
)
def test_habits_of_other_languages_are_told_how_to_write_it(text, hint):
    assert hint in failure(text).hint


# Conditions of SQL


@pytest.mark.parametrize(
    ("condition", "older"),
    [
        ("n.x NOT IN [1]", "NOT n.x IN [1]"),
        ("n.x NOT =~ 'a.*'", "NOT n.x =~ 'a.*'"),
        ("n.x AND n.a + f(n)[0].b not in [1] OR n.y", "n.x AND NOT n.a + f(n)[0].b IN [1] OR n.y"),
        ("any(x IN n.l WHERE x NOT IN n.m)", "any(x IN n.l WHERE NOT x IN n.m)"),
        ("n.x NOT CONTAINS 'x'", "NOT n.x CONTAINS 'x'"),
        ("n.x NOT STARTS WITH 'x' + 'y'", "NOT n.x STARTS WITH 'x' + 'y'"),
        ("n.x NOT ENDS WITH 'x'", "NOT n.x ENDS WITH 'x'"),
        ("n.x != 1 && n.y==2 AND n.z<>'!='", "n.x <> 1 AND n.y = 2 AND n.z <> '!='"),
        ("n.x LIKE 'a%b_'", "n.x =~ '(?s)a.*b.'"),
        ("n.x NOT ILIKE '%A.b\\n%'", "NOT n.x =~ '(?is).*A\\\\.b\\n.*'"),
    ],
)
def test_conditions_of_sql_are_read_as_those_that_mean_the_same(condition, older):
    assert parser.parse(f"MATCH (n) WHERE {older} RETURN n") == parser.parse(f"MATCH (n) WHERE {condition} RETURN n")


@given(
    text=st.text("aB%_.*\\[é\n", max_size=6),
    pattern=st.text("aB%_.*\\[é\n", max_size=6),
    like=st.sampled_from(["LIKE", "ILIKE"]),
)
@examples(60, sweep=600)
def test_like_matches_what_it_matches_in_sql(ask, text, pattern, like):
    quoted = [json.dumps(each, ensure_ascii=False) for each in (text, pattern)]
    one, other = (text, pattern) if like == "LIKE" else (text.lower(), pattern.lower())

    assert [[matches(one, other)]] == ask(f"RETURN {quoted[0]} {like} {quoted[1]} AS it")


def matches(text: str, pattern: str) -> bool:
    """Whether LIKE of SQL matches: `%` is any text, `_` one character."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(matches(text[start:], pattern[1:]) for start in range(len(text) + 1))
    return bool(text) and pattern[0] in ("_", text[0]) and matches(text[1:], pattern[1:])


def test_a_name_may_be_like():
    text = "MATCH (like:Like {like: 1}) WHERE like.like LIKE 'x' RETURN like AS ilike"

    assert binder.bind(parser.parse(text), {})


# Newer Cypher


@pytest.mark.parametrize(
    ("text", "older"),
    [
        ("(a)-[:T]->{1,3}(b)", "(a)-[:T*1..3]->(b)"),
        ("(a)<-[r:T|S {x: 1}]-{2}(b)", "(a)<-[r:T|S*2 {x: 1}]-(b)"),
        ("(a)-->+(b)", "(a)-[*1..]->(b)"),
        ("(a)--*(b)", "(a)-[*0..]-(b)"),
        ("(a)-[:T]->{,3}(b)", "(a)-[:T*0..3]->(b)"),
        ("(a)-[:T]->{2,}(b)", "(a)-[:T*2..]->(b)"),
        ("(a) ((x)-[r:T]->(y)){1,3} (b)", "(a)-[r:T*1..3]->(b)"),
        ("(a:A)-->(c) (()<--())+ (b)-->(d)", "(a:A)-->(c)<-[*1..]-(b)-->(d)"),
        ("((x)-[:T]->(y)){1,3}, (a), (b)", "()-[:T*1..3]->(), (a), (b)"),
        ("(a) (()-->())+ (()--())* (b)", "(a)-[*1..]->()-[*0..]-(b)"),
        ("(a)-[r:T WHERE r.x > 1]->{1,3}(b)", "(a)-[r:T*1..3 WHERE r.x > 1]->(b)"),
        ("(a) ((x:A|B)-[r:T]-(y:A|B)){2} (b)", "(a)-[r:T*2 WHERE startNode(r):A|B AND endNode(r):A|B]-(b)"),
        ("p = SHORTEST 1 (a)-->+(b), (c)", "p = shortestPath((a)-[*1..]->(b)), (c)"),
        ("p = any shortest path (a)-[:T]-+(b)", "p = shortestPath((a)-[:T*1..]-(b))"),
        ("p = ALL SHORTEST PATHS (a)-->+(b) WHERE a.x > 1", "p = allShortestPaths((a)-[*1..]->(b)) WHERE a.x > 1"),
    ],
)
def test_newer_patterns_are_read_as_the_older_ones_that_mean_the_same(text, older):
    assert parser.parse(f"MATCH {older} RETURN a, b") == parser.parse(f"MATCH {text} RETURN a, b")


@pytest.mark.parametrize(("least", "most"), [(1, 3), (2, 2)])
@pytest.mark.parametrize("label", ["Person", "City|Person", "!City"])
@pytest.mark.parametrize("ends", [("(x)", "(y)"), ("(x:Person)", "(y {name: 'Cy'})"), ("", "")])
def test_labels_of_both_nodes_of_a_repeated_pattern_hold_at_each_hop(ask, least, most, label, ends):
    """
    As many paths as where each hop is written out.
    """
    text = f"MATCH {ends[0]}((a:{label})-->(:{label})){{{least},{most}}}{ends[1]} RETURN count(*) AS c"
    written_out = 0
    for hops in range(least, most + 1):
        path = "".join([f"(n{hop})-->" for hop in range(hops)]) + f"(n{hops})"
        conditions = [f"n{hop}:{label}" for hop in range(hops + 1)]
        if ends[0] == "(x:Person)":
            conditions += ["n0:Person", f"n{hops}.name = 'Cy'"]
        written_out += ask(f"MATCH {path} WHERE {' AND '.join(conditions)} RETURN count(*) AS c")[0][0]

    assert [[written_out]] == ask(text)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("CALL { MATCH (n:Person) RETURN n.name AS x ORDER BY x LIMIT 2 } RETURN x", [["Ada"], ["Bob"]]),
        ("MATCH (n:Person) CALL { WITH n MATCH (n)-[:KNOWS]->(m) RETURN count(m) AS c } RETURN n.name, c ORDER BY c",
         [["Cy", 0], ["Bob", 1], ["Ada", 2]]),
        ("MATCH (n:Person) call (n) { MATCH (n)-[:KNOWS]->(m) RETURN count(*) AS c } RETURN sum(c) AS s", [[3]]),
        ("MATCH (n {name: 'Bob'}) CALL { WITH n MATCH (n)-[:KNOWS]->(m) RETURN m.name AS x, m } RETURN x, m.kind",
         [["Cy", "b"]]),
        ("MATCH (n:Person) CALL { WITH n MATCH (n)-[:KNOWS]->(m) RETURN m ORDER BY m.name LIMIT 1 } "
         "RETURN n.name AS a, m.name AS b ORDER BY a", [["Ada", "Bob"], ["Bob", "Cy"]]),
        ("MATCH (n {name: 'Ada'}) CALL { WITH n MATCH (n)-[:KNOWS]->(m) RETURN count(m) AS c, max(m.age) AS x } "
         "RETURN c, x", [[2, 20]]),
        ("CALL { MATCH (n:City) RETURN n.name AS x UNION MATCH ()-[:KNOWS]->(n {name: 'Cy'}) RETURN n.name AS x } "
         "RETURN x ORDER BY x", [["Cy"], ["London"]]),
        ("CALL { MATCH (n:City) RETURN n.name AS x, 1 AS y UNION ALL MATCH ()-[:KNOWS]->({name: 'Cy'}) "
         "RETURN 2 AS y, 'Cy' AS x } RETURN y, x ORDER BY y, x", [[1, "London"], [2, "Cy"], [2, "Cy"]]),
        ("MATCH (n:Person) CALL { WITH n MATCH (n)-[:KNOWS]->(m) RETURN m UNION WITH n MATCH (n)<-[:KNOWS]-(m) "
         "RETURN m } RETURN n.name, count(m), max(m.age) ORDER BY n.name",
         [["Ada", 2, 20], ["Bob", 2, 36], ["Cy", 2, 36]]),
        ("CALL { MATCH (p:Person) RETURN count(p) AS people } CALL { MATCH (p:City) RETURN count(p) AS cities } "
         "RETURN people, cities", [[3, 1]]),
        ("MATCH (n {name: 'Ada'}) CALL { WITH * RETURN n.name AS x UNION RETURN 'b' AS x } RETURN x", [["Ada"], ["b"]]),
        ("MATCH (n:City) CALL { RETURN 1 AS x, 2 AS y } MATCH ((:Person)-[:KNOWS]->(:Person)){2} RETURN *",
         [[4, 1, 2]]),
        ("MATCH (n:City) CALL (*) { WITH n MATCH (n)<--(m) CALL (m) { MATCH (m)-->(o) RETURN count(o) AS c } "
         "RETURN c } RETURN n.name, c", [["London", 3]]),
    ],
)  # fmt: skip
def test_a_call_of_a_subquery_gives_its_rows(ask, text, rows):
    assert rows == [[getattr(value, "id", value) for value in row] for row in ask(text)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("MATCH (x) ((a)-->({name: 'Cy'})){1,3} (y) RETURN 1 AS x", "all(n IN nodes(p) WHERE"),
        ("MATCH (x) ((a)-->(b WHERE b.age > 3)){1,3} (y) RETURN 1 AS x", "all(n IN nodes(p) WHERE"),
        ("MATCH (x) ((a)-->(b)){1,3} (y) RETURN a", "all(n IN nodes(p) WHERE"),
        ("MATCH (a:City) MATCH (x) ((a)<--(b)){1,3} (y) RETURN count(*) AS c", "all(n IN nodes(p) WHERE"),
        ("MATCH (x)-[*2]->{1,3}(y) RETURN x", "all(n IN nodes(p) WHERE"),
        ("MATCH ((a)-->(b)-->(c)){1,3} RETURN 1 AS x", "all(n IN nodes(p) WHERE"),
        ("MATCH ((a)-->(b) WHERE a.age > b.age){1,3} RETURN 1 AS x", "all(n IN nodes(p) WHERE"),
        ("MATCH ((a:Person)-->(b)){1,3} RETURN 1 AS x", "all(n IN nodes(p) WHERE"),
        ("MATCH ((:City)<-[:LIVES_IN]-(:Person)){1,3} RETURN 1 AS x", "all(n IN nodes(p) WHERE"),
        ("MATCH ((a)-->(a)){1,3} RETURN 1 AS x", "all(n IN nodes(p) WHERE"),
        ("MATCH (a){2} RETURN 1 AS x", "all(n IN nodes(p) WHERE"),
        ("MATCH (n) CALL { RETURN 1 AS x, 2 AS y UNION RETURN 3 AS x, 4 AS z } RETURN x", "CALL { WITH n"),
        ("MATCH (n) CALL { WITH n RETURN n.name AS x UNION MATCH (n) RETURN n.name AS x } RETURN x", "CALL { WITH n"),
        ("MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN * } RETURN n", "CALL { WITH n"),
        ("MATCH (m:City) MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN m.age AS x } RETURN m.name, x", "CALL { WITH n"),
    ],
)
def test_newer_cypher_of_another_meaning_is_refused_with_an_example(ask, text, hint):
    error = failure(text)

    assert isinstance(error, QueryUnsupported)
    assert hint in error.hint
    assert isinstance(ask(error.hint.partition(": ")[2]), list)


@pytest.mark.parametrize(
    "text",
    [
        "MATCH p = SHORTEST 2 (a)-->+(b) RETURN p",
        "MATCH (a)-->{}(b) RETURN a",
        "MATCH (a)-->{1.5}(b) RETURN a",
        "MATCH (n) CALL { WITH n RETURN n.name AS x } IN TRANSACTIONS OF 5 ROWS RETURN x",
        "MATCH (n) CALL (n) { MATCH (n)-->(m) } RETURN n",
        "MATCH (n) CALL (n { RETURN 1 AS x } RETURN x",
    ],
)
def test_what_is_no_pattern_and_no_subquery_is_refused(text):
    assert isinstance(failure(text), QuerySyntaxInvalid)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("CALL apoc.path.subgraphNodes(n, {maxLevel: 3}) YIELD node RETURN node", "variable length"),
        ("CALL gds.pageRank.stream('g') YIELD nodeId RETURN nodeId", "MATCH"),
        ("CALL db.index.fulltext.queryNodes('i', 'x') YIELD node RETURN node", "CONTAINS"),
        ("CALL db.index.vector.queryNodes('i', 3, [1]) YIELD node RETURN node", "search"),
        ("CALL db.schema.visualization()", "RETURN DISTINCT type(r)"),
        ("CALL dbms.components() YIELD name RETURN name", "RETURN DISTINCT type(r)"),
        ("CALL my.own()", "RETURN DISTINCT type(r)"),
    ],
)
def test_a_procedure_is_refused_with_what_to_do_instead(text, word):
    error = failure(text)

    assert isinstance(error, (QueryRefused, QueryUnsupported))
    assert error.detail == "ProcedureNotFound"
    assert word in error.hint


def test_the_lists_of_a_schema_have_a_query(ask):
    assert sorted(ask(failure("CALL db.labels() YIELD label RETURN label").rewrite)) == [["City"], ["Person"]]


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) RETRUN n",
        "MATCH (n) WHERE n.x = = 1 RETURN n",
        "MATCH (n) WHERE n.x = 'GROUP BY RETURN n",
        "MATCH (n:`GROUP BY` RETURN n",
        "MATCH (n)",
        "RETURN 'SELECT' 'FROM'",
    ],
)
def test_other_errors_stay_as_they_are(text):
    with pytest.raises(QueryError) as caught:
        parser.parse(text)

    assert caught.value is explain(text, caught.value)
    assert isinstance(caught.value, QuerySyntaxInvalid)


# What writes, calls or loads


WRITES = [
    "CREATE (m)",
    "MERGE (m:Person {name: 'x'})",
    "SET n.x = 1",
    "SET n:Label",
    "SET n += {a: 1}",
    "DELETE n",
    "DETACH DELETE n",
    "REMOVE n.x",
    "FOREACH (x IN [1] | SET n.x = x)",
    "LOAD CSV FROM 'file:///etc/passwd' AS row",
    "CALL db.createLabel('x')",
    "CALL apoc.cypher.doIt('CREATE (n)', {})",
    "DROP INDEX x",
    "INSERT (m)",
]
PLACES = [
    "{write}",
    "MATCH (n) {write}",
    "MATCH (n) {write} RETURN n",
    "MATCH (n) RETURN n {write}",
    "MATCH (n) WITH n {write} RETURN n",
    "UNWIND [1] AS n {write} RETURN n",
    "OPTIONAL MATCH (n) WHERE n.x = 1 {write}",
    "MATCH (n) RETURN n UNION MATCH (n) {write} RETURN n",
    "MATCH (n) RETURN n UNION ALL {write}",
    "{write} UNION MATCH (n) RETURN n",
    "MATCH (n) WHERE EXISTS {{ MATCH (n) {write} }} RETURN n",
    "MATCH (n) WHERE EXISTS {{ {write} }} RETURN n",
    "MATCH (n) RETURN COUNT {{ MATCH (n) {write} }} AS c",
    "MATCH (n) RETURN COLLECT {{ MATCH (n) {write} RETURN n }} AS c",
    "MATCH (n) RETURN [x IN [1] WHERE EXISTS {{ MATCH (n) {write} }} | x] AS c",
]


def lowered(write):
    head, space, rest = write.partition(" ")
    return head.lower() + space + rest


DRESSES = [
    str,
    lowered,
    lambda write: f"/* MATCH */\n{write}",
    lambda write: f"\u3000\u00a0\t{write}",
    lambda write: write.replace(" ", "/**/", 1),
    lambda write: write.replace(" ", " // RETURN\n ", 1),
    lambda write: f"{write};",
]


@pytest.mark.parametrize("place", PLACES)
def test_what_writes_is_refused_wherever_it_hides(place):
    for write, dress in itertools.product(WRITES, DRESSES):
        text = place.format(write=dress(write))
        for asked in (text, repair(text, NOTHING).text):
            with pytest.raises(QueryError) as caught:
                parser.parse(asked)

            assert isinstance(caught.value, QueryRefused) or ";" in text
            assert isinstance(explain(asked, caught.value), QueryError)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    "place",
    [
        "MATCH (n) WHERE n.x = \"{write}\" RETURN n",
        "MATCH (n:`{write}`) RETURN n AS `{write}`",
        "MATCH (n) RETURN n // {write}",
        "MATCH (n) /* {write} */ RETURN n",
    ],
)  # fmt: skip
def test_in_a_string_a_name_or_a_comment_it_writes_nothing(place, write):
    text = place.format(write=write)

    assert text == repair(text, NOTHING).text
    assert binder.bind(parser.parse(text), {})


@pytest.mark.parametrize("word", ["CREATE", "MERGE", "SET", "DELETE", "REMOVE", "CALL", "LOAD", "FOREACH", "DROP"])
def test_the_words_are_names_where_names_stand(word):
    text = f"MATCH ({word}:{word} {{{word}: 1}})-[:{word}]->() WHERE {word}.{word} = 1 RETURN {word} AS {word}"

    assert text == repair(text, NOTHING).text
    assert binder.bind(parser.parse(text), {})


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) CR/**/EATE (m)",
        "MATCH (n) \u0421REATE (m)",
        "MATCH (n) ＳＥＴ n.x = 1",
        "MATCH (n) DELE\u0301TE n",
        "MATCH (n) \u017fET n.x = 1",
        "MATCH (n) `CREATE` (m)",
        "MATCH (n) $CREATE (m)",
        "MATCH (n) \\u0043REATE (m)",
    ],
)
def test_what_only_looks_like_a_write_is_no_query_at_all(text):
    for asked in (text, repair(text, NOTHING).text):
        with pytest.raises(QueryError):
            parser.parse(asked)


def test_a_write_behind_characters_that_are_not_seen_is_refused_once_they_are_gone():
    text = repair("MATCH (n) CRE\u200bATE (m)", NOTHING).text

    assert text == "MATCH (n) CREATE (m)"
    with pytest.raises(QueryRefused):
        parser.parse(text)


WORDS = """
    SELECT FROM GROUP BY HAVING OVER ( ) [ ] { } JOIN ON BETWEEN AND LIKE NOT NULLS LAST ORDER LIMIT SKIP SHORTEST ALL
    CALL MATCH (n) (a)-->(b) RETURN n . , ; 1 'x' + * WITH AS -> - {1,2} WHERE IN count(*) apoc.coll.max( tanh( :
"""
words = st.sampled_from(WORDS.split())


@given(st.lists(words, max_size=20).map(" ".join))
@examples(250, sweep=2_000)
def test_no_error_makes_it_stumble(text):
    try:
        query = parser.parse(text)
    except QueryError as error:
        told = explain(text, error)
    else:
        try:
            refuse(query, text)
        except QueryUnsupported as error:
            told = error
        else:
            return

    assert isinstance(told, QueryError)
    assert told.rewrite is None or binder.bind(parser.parse(told.rewrite), {})
