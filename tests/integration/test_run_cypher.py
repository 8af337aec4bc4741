"""Questions in Cypher through the tool, on a real file: answers, limits, groups, the past, what others write."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from fork_server import python
from keepgraph import errors
from keepgraph.cypher import compiler
from keepgraph.engine.query import graph_catalogue, query_pipeline
from words import Caller, Clock, concept, fact, literal, person, project

FACTS = [
    fact(person("Ada Lovelace"), "reports_to", person("Grace Hopper"), source="chart"),
    fact(person("Alan Turing"), "reports_to", person("Grace Hopper")),
    fact(person("Grace Hopper"), "reports_to", person("Mary Jackson")),
    fact(project("Atlas"), "tagged", literal("urgent")),
    fact(project("Kipi"), "tagged", literal("urgent")),
    fact(project("Atlas"), "depends_on", project("Atlas")),
]
REPORTS = "MATCH (:Person)-[r:REPORTS_TO]->() RETURN count(r)"


@pytest.fixture
def ask(call: Caller) -> Callable[..., dict[str, Any]]:
    call("record_facts", facts=FACTS)
    return lambda query, **more: call("run_cypher", query=query, **more)


def rows(answer: dict[str, Any]) -> list[list[Any]]:
    return [[answer["result"]]] if answer["type"] == "scalar" else answer["rows"]


# What an answer is


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("RETURN 1", "scalar"),
        ("RETURN null", "scalar"),
        ("MATCH (n) RETURN count(n)", "scalar"),
        ("MATCH (n:Person) RETURN n.name, 1", "tabular"),
        ("MATCH (n:Person) RETURN n", "graph"),
        ("MATCH (a)-[r]->(b) RETURN a, r, b", "graph"),
        ("MATCH (a)-[r]->(b) RETURN collect(r)", "graph"),
        ("MATCH p=(a)-[:REPORTS_TO*]->(b) RETURN p", "path"),
        ("MATCH (n:Decision) RETURN n", "tabular"),
        ("MATCH (n:Person) RETURN n, 1", "tabular"),
    ],
)
def test_the_type_of_an_answer_follows_from_what_was_found(ask: Any, query: str, kind: str) -> None:
    answer = ask(query)

    assert answer["type"] == kind
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def test_a_graph_has_each_node_once_with_labels_and_properties(ask: Any) -> None:
    answer = ask("MATCH (a:Person)-[r:REPORTS_TO]->(b {name: 'Grace Hopper'}) RETURN a, r, b")

    assert sorted(node["properties"]["name"] for node in answer["nodes"]) == [
        "Ada Lovelace",
        "Alan Turing",
        "Grace Hopper",
    ]
    assert {edge["type"] for edge in answer["edges"]} == {"REPORTS_TO"}
    assert {edge["dest"] for edge in answer["edges"]} <= {node["id"] for node in answer["nodes"]}


def test_equal_texts_are_one_literal(ask: Any) -> None:
    answer = ask("MATCH (a)-[:TAGGED]->(t:Literal)<-[:TAGGED]-(b) RETURN a.name, t.value, b.name ORDER BY a.name")

    assert answer["rows"] == [["Atlas", "urgent", "Kipi"], ["Kipi", "urgent", "Atlas"]]


def test_numbers_that_json_does_not_have_are_texts(ask: Any) -> None:
    answer = ask("RETURN 1e308 * 10 AS a, -1e308 * 10 AS b, 0.0 / 0 AS c")

    assert answer["rows"] == [["Infinity", "-Infinity", "NaN"]]


# Limits


@pytest.mark.parametrize(
    ("query", "limit", "count", "truncated", "applied"),
    [
        ("UNWIND range(1, 200) AS x RETURN x, 1", None, 200, False, 200),
        ("UNWIND range(1, 201) AS x RETURN x, 1", None, 200, True, 200),
        ("UNWIND range(1, 201) AS x RETURN x, 1 // the end", None, 200, True, 200),
        ("UNWIND range(1, 201) AS x RETURN x, 1;", 201, 201, False, 201),
        ("UNWIND range(1, 9) AS x RETURN x, 1", 3, 3, True, 3),
        ("UNWIND range(1, 9) AS x RETURN x, 1 LIMIT 5", 3, 5, False, 5),
        ("UNWIND range(1, 300) AS x RETURN x, 1 LIMIT 300", None, 300, False, 300),
        ("UNWIND range(1, 300) AS x RETURN x, 1 SKIP 250", None, 50, False, 200),
        ("UNWIND range(1, 300) AS x WITH x LIMIT 250 RETURN x, 1", None, 200, True, 200),
        ("UNWIND range(1, 10001) AS x RETURN x, 1 LIMIT 20000", None, 10_000, True, 10_000),
        ("UNWIND range(1, 10000) AS x RETURN x, 1 LIMIT 20000", None, 10_000, False, 10_000),
        ("UNWIND range(1, 10001) AS x RETURN x, 1", 10_000, 10_000, True, 10_000),
        ("UNWIND [1, 2] AS x RETURN x UNION ALL UNWIND range(1, 5) AS x RETURN x LIMIT 2", 3, 3, True, 3),
        ("UNWIND [1, 2] AS x RETURN x UNION UNWIND range(1, 5) AS x RETURN x LIMIT 1", 3, 2, False, 3),
    ],
)
def test_truncated_says_exactly_whether_rows_were_cut(
    ask: Any, query: str, limit: int | None, count: int, truncated: bool, applied: int
) -> None:
    answer = ask(query, limit=limit)

    assert (answer["row_count"], answer["truncated"], answer["limit_applied"]) == (count, truncated, applied)


def test_a_limit_of_nothing_gives_no_rows(ask: Any) -> None:
    answer = ask("MATCH (n) RETURN n LIMIT 0")

    assert (answer["row_count"], answer["truncated"], answer["rows"]) == (0, False, [])


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n.name AS name ORDER BY name // names",
        "match (n:person) where n.name != 'x' return n.name order by n.name;",
        "MATCH (n:Person) RETURN n.name AS x UNION MATCH (n:Project) RETURN n.name AS x",
        "MATCH (n) WHERE n.name =~ '.*a.*' RETURN n.name /* here */",
        "```cypher\nMATCH (n) RETURN n.name\n```",
    ],
)
def test_the_query_of_an_answer_can_be_run_again_and_finds_the_same(ask: Any, query: str) -> None:
    first = ask(query)
    again = ask(first["query"])

    assert sorted(rows(again)) == sorted(rows(first))


# Repairs and errors


def test_repairs_are_told(ask: Any) -> None:
    answer = ask("match (n:person) where lower(n.name) <> 'ada lovelace' return n.name")

    assert answer["row_count"] == 3
    assert len(answer["auto_fixes"]) >= 3
    assert answer["auto_fixes"][-1] == "Injected LIMIT 200"


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("r.valid_from = date('2024-06-01')", 1),
        ("r.valid_from > date('2024-06-01')", 0),
        ("r.valid_from <= datetime('2024-06-01T00:00:00Z')", 1),
        ("r.valid_from = datetime('2024-06-01T02:00:00+02:00')", 1),
    ],
)
def test_a_date_in_a_query_is_an_instant_of_the_facts(call: Caller, condition: str, count: int) -> None:
    call("record_fact", **fact(person("Ada"), "reports_to", person("Grace"), valid_from="2024-06-01T00:00:00Z"))

    assert call("run_cypher", query=f"MATCH ()-[r]->() WHERE {condition} RETURN count(r)")["result"] == count


def test_an_arrow_to_any_entity_is_not_turned(ask: Any) -> None:
    answer = ask("MATCH (:Person {name: 'Ada Lovelace'})-[:REPORTS_TO]->(e:Entity) RETURN e.name")

    assert rows(answer) == [["Grace Hopper"]]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("SELECT name FROM person", "QUERY_UNSUPPORTED"),
        ("MATCH (n RETURN n", "QUERY_SYNTAX_INVALID"),
        ("", "INVALID_ARGUMENTS"),
        ("CREATE (n:Person {name: 'x'}) RETURN n", "QUERY_REFUSED"),
        ("MATCH (n) DETACH DELETE n", "QUERY_REFUSED"),
        ("MATCH (n) RETURN m", "QUERY_INCONSISTENT"),
        ("RETURN 1 / 0", "QUERY_FAILED"),
        ("RETURN range(1, 100000000)", "QUERY_TOO_LARGE"),
        ("MATCH ((n:Person)-[:KNOWS]->(m)){1,3} RETURN n", "QUERY_UNSUPPORTED"),
    ],
)
def test_every_query_that_is_wrong_is_told_why(ask: Any, query: str, code: str) -> None:
    answer = ask(query)

    assert answer.get("code", answer["error"]) == code
    if code.startswith("QUERY"):
        assert answer["type"] == "error"
        assert {"stage", "reason", "explanation"} <= answer["error"].keys()


def test_an_empty_answer_says_what_may_be_wrong(ask: Any) -> None:
    [warning] = ask("MATCH (n:Persom) RETURN n")["warnings"]

    assert (warning["kind"], warning["near"]) == ("unknown_label", ["Person"])


# Which facts and nodes


@pytest.mark.parametrize(
    "pattern",
    [
        "(a:Entity)-[*1..2]->(b:Entity)",
        "p=(a:Entity)-[*1..2]->(b)",
        "(a)-[*1..2]->(b) WHERE b:Entity AND [a:Entity][0]",
    ],
)
def test_every_entity_answers_to_the_label_entity_wherever_it_is_asked(ask: Any, pattern: str) -> None:
    """
    Also where Python lays the pattern; a literal does not.
    """
    named = ask(f"MATCH {pattern} RETURN DISTINCT labels(b)[0] AS label ORDER BY label")

    assert [label for [label] in rows(named)][-2:] == ["Person", "Project"]
    assert rows(ask("MATCH (a)-[*1..2]->(b:!Entity) RETURN count([b])")) == [[3]]


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        ("coalesce(n.aliases, 1)", [["Ada"], []]),
        ("CASE WHEN true THEN n.aliases ELSE n.name END", [["Ada"], []]),
        ("n.aliases = '[\"Ada\"]'", [False, False]),
        ("n.aliases = ['Ada']", [True, False]),
        ("size(n.aliases)", [1, 0]),
    ],
)
def test_aliases_are_a_list_in_every_expression(ask: Any, call: Caller, returned: str, found: list[Any]) -> None:
    call("add_alias", entity=person("Ada Lovelace"), alias="Ada")

    answer = ask(f"MATCH (n:Person) WHERE n.name STARTS WITH 'A' RETURN {returned} AS x, n.name ORDER BY n.name")

    assert [row[0] for row in answer["rows"]] == found


def test_a_union_of_aliases_and_numbers_keeps_both_as_they_are(ask: Any) -> None:
    answer = ask("MATCH (n:Person {name: 'Ada Lovelace'}) RETURN n.aliases AS x UNION ALL RETURN 1 AS x")

    assert answer["rows"] == [[[]], [1]]


def test_a_node_that_is_not_there_has_no_aliases(ask: Any) -> None:
    assert ask("OPTIONAL MATCH (n:Decision) RETURN n.aliases")["result"] is None


CASED = ["Ångström", "İzmir", "273 K", "ẞtraße", "naïve Bayes", "ΣΊΣΥΦΟΣ", "ǅ", "ﬁle", "ПЛАН б", "plain ASCII: Ab[]z{}"]
"""Names whose letters change by other rules than those of ASCII: some into letters of ASCII, some into several."""


@pytest.mark.parametrize(("function", "change"), [("toLower", str.lower), ("upper", str.upper)])
def test_letters_of_every_script_change_their_case(
    ask: Any, call: Caller, function: str, change: Callable[[str], str]
) -> None:
    for name in CASED:
        call("record_fact", **fact(concept(name), "tagged", literal("cased")))

    answer = ask(f"MATCH (n:Concept) RETURN n.name, {function}(n.name) AS changed")
    assert dict(answer["rows"]) == {name: change(name) for name in CASED}

    for name in CASED:
        query = f"MATCH (n:Concept) WHERE {function}(n.name) CONTAINS $part RETURN n.name"
        assert rows(ask(query, parameters={"part": change(name)})) == [[name]]


@pytest.mark.parametrize(
    "asked", [(), ("2020-01-01",), ("2020-01-01", None), (None, "2020-01-01", None, "2030-01-01", "2020-01-01")]
)
def test_what_held_at_a_moment_does_not_depend_on_what_was_asked_before(call: Caller, asked: tuple[Any, ...]) -> None:
    call("record_fact", **fact(person("Ada"), "reports_to", person("Grace"), valid_from="2024-01-01"))
    for moment in asked:
        call("run_cypher", query=REPORTS, as_of=moment)

    assert call("run_cypher", query=REPORTS, as_of="2020-01-01")["result"] == 0
    assert call("run_cypher", query=REPORTS)["result"] == 1
    assert call("run_cypher", query=REPORTS.replace("]->", "*1..2]->"), as_of="2020-01-01")["result"] == 0


def test_a_fact_is_found_only_while_it_holds(call: Caller, clock: Clock) -> None:
    call(
        "record_fact",
        **fact(
            person("Ada"),
            "reports_to",
            person("Grace"),
            valid_from="2026-05-16T00:00:00Z",
            valid_to="2026-05-17T00:00:00Z",
        ),
    )
    found = []
    for _ in range(3):
        found.append(call("run_cypher", query=REPORTS)["result"])
        clock.pass_by(days=1)

    assert found == [0, 1, 0]


def test_what_was_known_once_can_be_asked_for(call: Caller, clock: Clock) -> None:
    call("record_fact", **fact(person("Ada"), "reports_to", person("Grace")))
    before = clock.now.isoformat()
    clock.pass_by(hours=1)
    found = call("run_cypher", query="MATCH ()-[r:REPORTS_TO]->() RETURN r.id")["result"]
    call("retract_fact", fact_id=found)

    assert call("run_cypher", query=REPORTS)["result"] == 0
    assert call("run_cypher", query=REPORTS, known_at=before)["result"] == 1


def test_a_group_sees_nothing_of_another(open_graph: Callable[..., keepgraph.Graph]) -> None:
    ours, theirs = Caller(open_graph()), Caller(open_graph(group="theirs"))
    theirs("record_facts", facts=FACTS)

    for query in (
        "MATCH (n) RETURN count(n)",
        "MATCH ()-[r]->() RETURN count(r)",
        "MATCH p=()-[*]->() RETURN count(p)",
    ):
        assert ours("run_cypher", query=query)["result"] == 0
        assert theirs("run_cypher", query=query)["result"] > 0


# What others write


@pytest.mark.parametrize("returned", ["count(r)", "size(collect([r]))"])
def test_the_next_query_sees_what_was_written_by_whomever(
    call: Caller, open_graph: Callable[..., keepgraph.Graph], path: Path, returned: str
) -> None:
    query = f"MATCH ()-[r:REPORTS_TO]->() RETURN {returned}"
    found = [call("run_cypher", query=query)["result"]]
    call("record_fact", **fact(person("Ada"), "reports_to", person("Grace")))
    found.append(call("run_cypher", query=query)["result"])
    Caller(open_graph())("record_fact", **fact(person("Alan"), "reports_to", person("Grace")))
    found.append(call("run_cypher", query=query)["result"])
    subprocess.run(
        [*python(), "-m", "keepgraph.cli", "--db", str(path), "record", "person:Mary", "reports_to", "person:Ada"],
        check=True,
        capture_output=True,
    )
    found.append(call("run_cypher", query=query)["result"])
    with sqlite.connect(str(path)) as raw:
        raw.execute("UPDATE fact SET retracted_at = recorded_at WHERE id = 1")
    raw.close()
    found.append(call("run_cypher", query=query)["result"])
    call("clear_graph", confirm=True)
    found.append(call("run_cypher", query=query)["result"])

    assert found == [0, 1, 2, 3, 2, 0]


def test_taking_back_a_retraction_is_seen(call: Caller) -> None:
    made = call("record_fact", **fact(person("Ada"), "reports_to", person("Grace")))
    gone = call("retract_fact", fact_id=made["fact_id"])
    before = call("run_cypher", query=REPORTS)["result"]
    call("undo", call=gone["call"])

    assert (before, call("run_cypher", query=REPORTS)["result"]) == (0, 1)


# Who finds the rows


COMMON = [
    "MATCH (n) RETURN n.name, n.aliases",
    "MATCH (n:Person) RETURN n",
    "MATCH (p:Person)-[:REPORTS_TO]->(m) RETURN m.name, count(*) AS c ORDER BY c DESC",
    "MATCH (a)-[:TAGGED]->(t)<-[:TAGGED]-(b) RETURN a.name, t.value, b.name",
    "MATCH (a)-[:TAGGED]->(t:Literal)<-[:TAGGED]-(b) RETURN a.name, t.value, b.name",
    "MATCH (t:Literal {value: 'urgent'})<-[:TAGGED]-(b) RETURN b.name",
    "MATCH (a)-[r]-(b) RETURN a, r, b",
    "MATCH (a)-->(b)-->(c) RETURN a.name, c.name",
    "MATCH (a)<--(b)<--(c) RETURN a.name, c.name",
    "MATCH (a)-->(b)<--(c) RETURN a.name, c.name",
    "MATCH (a:Person|Project)-[r:REPORTS_TO|TAGGED]->(b) WHERE r.confidence > 0.5 RETURN type(r), count(*)",
    "MATCH (n:Person) OPTIONAL MATCH (n)-->(m) RETURN n.name, m.name",
    "MATCH (n) WHERE NOT (n)-->() RETURN n.name",
    "MATCH (n {name: 'Grace Hopper'})<-[:REPORTS_TO]-(m) RETURN count(m)",
    "MATCH (l:Literal) RETURN l.value",
    "MATCH (n) RETURN labels(n)[0] AS l, count(*) ORDER BY l",
]


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("query", COMMON)
@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("crowded", [False, True])
def test_sql_alone_answers_common_questions(
    ask: Any, call: Caller, open_graph: Any, query: str, bounded: bool, crowded: bool
) -> None:
    """
    Whatever the catalogue has to say of time and of groups; an index that does not fit would make SQLite refuse.
    """
    ask("RETURN 1")
    if bounded:
        call("record_fact", **fact(concept("Ice"), "tagged", literal("cold"), valid_to="2027-01-01"))
    if crowded:
        Caller(open_graph(group="theirs"))("record_fact", **FACTS[0])
    with call.graph.database.read("run_cypher") as tx:
        assert query_pipeline.run(tx, query, {}).target == "sql"


# Files of all kinds


AT_A_NODE = [
    "MATCH (a:Person {name: 'Ada Lovelace'})-[:REPORTS_TO]-(b) RETURN count(b)",
    "MATCH (a {name: 'Ada Lovelace'})-[:REPORTS_TO]-(b) RETURN b.name",
    "MATCH (a {name: 'Ada Lovelace'})-[:REPORTS_TO|BELONGS_TO]-(b) RETURN b.name",
    "MATCH (a {name: 'urgent'})-[:TAGGED]-(b) RETURN b.name",
    "MATCH (a:Person {name: 'Ada Lovelace'})-[:REPORTS_TO]-(b)-[:REPORTS_TO]-(c) RETURN c.name",
    "MATCH (a {name: 'Ada Lovelace'})-[:REPORTS_TO]-()-[:REPORTS_TO]-(c:Person) RETURN DISTINCT c.name",
    "MATCH (a {name: 'Ada Lovelace'})-[:REPORTS_TO]->(b)<-[:REPORTS_TO]-(c) RETURN c.name",
    "MATCH (a {name: 'Ada Lovelace'})-[:REPORTS_TO*2]-(c) RETURN c.name",
]


@pytest.mark.parametrize("query", AT_A_NODE)
def test_facts_at_a_node_are_read_by_the_node_and_not_by_their_type(
    ask: Any, graph: keepgraph.Graph, query: str
) -> None:
    with graph.database.read("test") as tx:
        explained = query_pipeline.explain(tx, query, {})
    steps = [step for _, plan in explained.statements for _, _, step in plan if "fact" in step or " e" in step]

    assert explained.target == "sql"
    assert not [step for step in steps if step.startswith("SCAN") or step.endswith("(predicate=?)")], steps


def test_an_empty_graph_answers(call: Caller) -> None:
    assert call("run_cypher", query="MATCH (n)-[r]->(m) RETURN n, r, m")["row_count"] == 0
    assert call("run_cypher", query="MATCH p=shortestPath((a)-[*]-(b)) RETURN p")["row_count"] == 0
    assert call("run_cypher", query="MATCH (n) RETURN count(n)")["result"] == 0


@pytest.mark.parametrize("key", [None, "ab" * 32])
def test_an_encrypted_or_a_read_only_graph_answers_as_any_other(
    open_graph: Callable[..., keepgraph.Graph], home: Path, key: str | None
) -> None:
    where = home / "one.db"
    with open_graph(where, key=key) as graph:
        graph.call("record_facts", facts=FACTS)
    folder_before = where.parent.stat().st_mode
    where.parent.chmod(0o500)
    try:
        with open_graph(where, key=key, read_only=True) as graph:
            found = [graph.call("run_cypher", query=query)["row_count"] for query in COMMON]
    finally:
        where.parent.chmod(folder_before)

    assert all(found)


def test_a_query_of_the_tool_is_refused_kindly_by_a_graph_that_is_gone(call: Caller, path: Path) -> None:
    path.unlink()

    with pytest.raises(errors.KeepgraphError):
        call.graph.call("run_cypher", query="RETURN 1")


@pytest.mark.parametrize("pattern", ["(p)-[:NOSUCH]->(x)", "(p)-[:RESOLVED_BY]->(x)", "(x:Nosuch)", "(x:Source)"])
def test_an_optional_pattern_of_what_nothing_has_is_looked_up_and_not_searched(call, path, pattern):
    """SQLite would read the whole table for each row, if the condition of a LEFT JOIN were FALSE alone."""
    call.record(person("Ada"), "belongs_to", project("Atlas"))
    query = f"MATCH (p:Person) OPTIONAL MATCH {pattern} RETURN p.name, x"
    with keepgraph.open(path) as graph, graph.database.read("run_cypher") as tx:
        statements = graph_catalogue.statement_cache(tx)
        [statement] = compiler.compile_text(query, statements.catalogue, {}).statements()
        values = [None] * len(set(re.findall(r"\?\d+", statement.sql)))
        plan = [row[3] for row in tx.conn.execute(f"EXPLAIN QUERY PLAN {statement.sql}", values)]

    assert [line for line in plan if line.startswith("SCAN")] == []
    assert rows(call("run_cypher", query=query.replace(", x", ", x IS NULL"))) == [["Ada", True]]


def test_the_first_and_the_last_part_of_a_text_are_those_of_its_parts(call: Caller) -> None:
    names = ["Ada", "a-b", "a-b-c", "-a", "a-", "x--y", "---", "é-ü", "\N{GRINNING FACE}-x", "100%-_", "Ada Byron-King"]
    for name in names:
        call("record_fact", subject=concept(name), predicate="tagged", object=literal(f"of {name}"), source="x")
    query = """
        MATCH (n:Concept)-[:TAGGED]->(l)
        RETURN split(n.name, '-')[0], head(split(n.name, '-')), split(n.name, '-')[-1], split(l.value, '-')[-1]
        ORDER BY n.name
    """
    expected = [(name.split("-"), f"of {name}".split("-")) for name in sorted(names)]

    assert call("explain_query", query=query)["by"] == "sql"
    assert call("run_cypher", query=query)["rows"] == [
        [parts[0], parts[0], parts[-1], tagged[-1]] for parts, tagged in expected
    ]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (p:Person {name: $name}) RETURN p.name",
        "MATCH (p:Person {name: $name})-[:REPORTS_TO]->(m) RETURN m.name",
        "MATCH (p:Person {name: $name})-[r:REPORTS_TO]->(m) RETURN r.recorded_at ORDER BY m.name LIMIT 5",
    ],
)
def test_a_query_that_runs_again_reads_its_rows_and_compiles_nothing(ask, graph, query):
    asked: list[str] = []
    compiled: list[int] = []
    parameters = {"name": "Ada Lovelace"}
    first = ask(query, parameters=parameters)
    with graph.database.read("test") as tx:
        conn = tx.conn
    conn.set_authorizer(lambda action, *_: compiled.append(action) or sqlite.SQLITE_OK)
    ask(query, parameters=parameters)  # another authorizer has SQLite compile all statements anew
    compiled.clear()
    conn.set_trace_callback(asked.append)
    again = ask(query, parameters=parameters)
    conn.set_trace_callback(None)

    assert compiled == []
    assert [text.partition(" ")[0] for text in asked] == ["BEGIN", "PRAGMA", "SELECT", "ROLLBACK"]
    assert rows(first) == rows(again)
    assert again["row_count"] == 1


def test_a_query_that_ran_before_sees_what_was_written_since(ask, call, graph):
    query, parameters = "MATCH (p:Person {name: $name})-->(m) RETURN m.name ORDER BY m.name", {"name": "Alan Turing"}
    before = ask(query, parameters=parameters)["row_count"]
    call("record_fact", subject=person("Alan Turing"), predicate="tagged", object=literal("new"))
    with keepgraph.open(graph.path) as other:
        other.call("record_fact", subject=person("Alan Turing"), predicate="tagged", object=literal("other"))

    assert (before, ask(query, parameters=parameters)["row_count"]) == (1, 3)
