"""A question that finds nothing is told what the graph does not have, or which condition has rows without it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.engine.query import empty_results
from laws import examples
from words import Caller, concept, connected, decision, literal, person, project

PRIYA, ADA, ATLAS, GO = person("Priya Raman"), person("Ada Lovelace"), project("Atlas"), decision("Adopt SQLite")


@pytest.fixture
def call(call: Caller, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """A small graph to ask. On a busy machine a probe takes longer than a few milliseconds."""
    monkeypatch.setattr(empty_results, "MAX_SECONDS", 10.0)
    call.record(PRIYA, "decided_in", GO)
    call.record(ADA, "reports_to", PRIYA)
    call.record(GO, "belongs_to", ATLAS)
    call.record(concept("Latency"), "belongs_to", ATLAS)
    call.record(concept("Latency"), "tagged", literal("blocked"))
    return call


def doubts(call: Caller, query: str, **given: object) -> list[tuple[str, str, list[str]]]:
    """Kind, what was written, what is near."""
    answer = call("run_cypher", query=query, parameters=given)
    return [(each["kind"], each["written"], each["near"]) for each in answer.get("warnings", [])]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (p:Persn) RETURN p", ("unknown_label", "Persn", ["Person"])),
        ("MATCH (p) WHERE p:Persn RETURN p", ("unknown_label", "Persn", ["Person"])),
        ("MATCH (p:REPORTS_TO) RETURN p", ("unknown_label", "REPORTS_TO", [])),
        ("MATCH ()-[r:REPORT_TO]->() RETURN r", ("unknown_type", "REPORT_TO", ["REPORTS_TO"])),
        ("MATCH (p:Person) WHERE p.nmae = 'x' RETURN p", ("unknown_property", "nmae", ["name"])),
        ("MATCH (p:Person {agee: 3}) RETURN p", ("unknown_property", "agee", [])),
        ("MATCH ()-[r {confidnce: 3}]->() RETURN r", ("unknown_property", "confidnce", ["confidence"])),
        ("MATCH ()-[r]->() WHERE r.conf > 3 RETURN r", ("unknown_property", "conf", ["confidence"])),
        ("MATCH (t:Literal) WHERE t.valu = 'x' RETURN t", ("unknown_property", "valu", ["value"])),
        ("MATCH (p:Project) RETURN p.created_at.yeer", ("unknown_property", "yeer", ["year", "years"])),
    ],
)
def test_what_the_graph_lacks_is_named_with_what_is_near(call, query, expected):
    assert expected in doubts(call, query)


@pytest.mark.parametrize(
    ("query", "written", "near"),
    [
        ("MATCH (p:Person {name: 'priya'}) RETURN p", "{name: 'priya'}", ["Priya Raman"]),
        ("MATCH (p:Person {name: 'priya'}) RETURN count(p)", "{name: 'priya'}", ["Priya Raman"]),
        ("MATCH (p:Person {name: 'priya'}) RETURN count(p) = 0", "{name: 'priya'}", ["Priya Raman"]),
        ("MATCH (p:Person {name: 'priya'}) RETURN collect(p.summary)", "{name: 'priya'}", ["Priya Raman"]),
        ("MATCH (q:Project) OPTIONAL MATCH (p:Person {name: 'priya'})-->(q) RETURN q.name, count(p)",
         "MATCH", None),
        ("MATCH (q:Project) RETURN q.name, EXISTS { (q)<--(:Decision {name: 'SQLite'}) } AS is_there",
         "{name: 'SQLite'}", ["Adopt SQLite"]),
        ("MATCH (p:Person {name: $who}) RETURN p", "{name: $who}", ["Priya Raman"]),
        ("MATCH (p:Person) WHERE p.name IN $all RETURN p", "p.name IN $all", ["Priya Raman"]),
        ("MATCH (p) WHERE p.name IN ['Pirya Raman'] RETURN p", "p.name IN ['Pirya Raman']", ["Priya Raman"]),
        ("MATCH (p:Person) WHERE p.name LIKE 'ada%' RETURN p", "p.name LIKE 'ada%'", ["Ada Lovelace"]),
        ("MATCH (q:Project) CALL { WITH q MATCH (q)--(p {name: 'latenci'}) RETURN p } RETURN p.name",
         "{name: 'latenci'}", ["Latency"]),
        ("MATCH (p) WHERE 'ada' = p.name RETURN p", "'ada' = p.name", ["Ada Lovelace"]),
        ("MATCH (p) WITH p AS q WHERE q.name = 'ada' RETURN q", "q.name = 'ada'", ["Ada Lovelace"]),
        ("MATCH (p:Person) WHERE p.name = 'ada' OR p.name = 'Bob' RETURN p", "p.name = 'ada' OR p.name = 'Bob'",
         ["Ada Lovelace"]),
        ("MATCH (p:Person) WHERE p.name ENDS WITH 'raman' RETURN p", "p.name ENDS WITH 'raman'", ["Priya Raman"]),
        ("MATCH (t:Literal {value: 'Block'}) RETURN t", "{value: 'Block'}", ["blocked"]),
        ("MATCH ()-[r]->() WHERE type(r) = $t RETURN r", "type(r) = $t", ["REPORTS_TO"]),
        ("MATCH (n) WHERE labels(n)[0] = 'Persn' RETURN n", "labels(n)[0] = 'Persn'", ["Person"]),
    ],
)  # fmt: skip
def test_a_value_that_nothing_has_is_told_with_those_like_it_that_have_rows(call, query, written, near):
    found = doubts(call, query, who="priya", all=["priya", 7, None], t="reports_to")
    if near is None:
        assert [kind for kind, *_ in found] == ["failing_condition"]
    else:
        assert ("failing_condition", written, near) in found


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("UNWIND [] AS x RETURN x", "UNWIND [] AS x gives no rows."),
        ("MATCH (s:Source) RETURN s",
         "No row passes the label in (s:Source); without it there are rows, where the label is 'Concept', 'Decision', "
         "'Literal' …."),
        ("MATCH ()-[r:RESOLVED_BY]->() RETURN r",
         "No row passes the type in -[r:RESOLVED_BY]->; without it there are rows, where the type is 'BELONGS_TO', "
         "'DECIDED_IN', 'REPORTS_TO' …."),
        ("MATCH (p:Person {name: 'Atlas'}) RETURN p",
         "No row passes the label in (p:Person {name: 'Atlas'}); without it there are rows, where the label is "
         "'Project'."),
        ("MATCH (a:Project)-[:DECIDED_IN]->(b:Decision) RETURN b",
         "No row passes the label in (a:Project); without it there are rows, where the label is 'Person'."),
        ("MATCH (p:Person) WHERE p.created_at > '2030' RETURN p",
         "No row passes p.created_at > '2030'; without it there are rows, where p.created_at is "
         "'2026-05-15T10:00:00.000Z'."),
        ("MATCH ()-[r]->() WHERE type(r) = 'sails_with' RETURN r",
         "No row passes type(r) = 'sails_with'; without it there are rows, where type(r) is 'BELONGS_TO', "
         "'DECIDED_IN', 'REPORTS_TO' …."),
        ("MATCH (p:Person) WHERE size(p.name) = '3' RETURN p",
         "No row passes size(p.name) = '3'; without it there are rows, where size(p.name) is 11, 12."),
        ("MATCH (p:Person) WHERE p.name > 5 RETURN p",
         "No row passes p.name > 5; without it there are rows, where p.name is 'Ada Lovelace', 'Priya Raman'."),
        ("MATCH (t:Literal) WHERE t = 'blocked' RETURN t",
         "No row passes t = 'blocked'; without it there are rows, where t is (:Literal)."),
        ("MATCH (p:Person) WHERE NOT p.name STARTS WITH '' RETURN p",
         "No row passes NOT p.name STARTS WITH ''; without it there are rows, where p.name is 'Ada Lovelace', "
         "'Priya Raman'."),
    ],
)  # fmt: skip
def test_a_condition_that_no_row_passes_is_told_with_what_the_rows_have(call, query, message):
    assert message in [each["message"] for each in call("run_cypher", query=query)["warnings"]]


@pytest.mark.parametrize(
    ("query", "written", "near"),
    [
        ("MATCH (a:Project)-[:BELONGS_TO]->(b:Decision) RETURN b",
         "(a:Project)-[:BELONGS_TO]->(b:Decision)", "(a:Project)<-[:BELONGS_TO]-(b:Decision)"),
        ("MATCH (p:Person {name: 'Priya Raman'})-[:REPORTS_TO]->(q) RETURN q",
         "(p:Person {name: 'Priya Raman'})-[:REPORTS_TO]->(q)", "(p:Person {name: 'Priya Raman'})<-[:REPORTS_TO]-(q)"),
        ("MATCH (q)-[:REPORTS_TO]->(p) WHERE p.name = 'Ada Lovelace' RETURN q",
         "(q)-[:REPORTS_TO]->(p)", "(q)<-[:REPORTS_TO]-(p)"),
        ("MATCH (p:Person {name: 'Priya Raman'}) WHERE (p)-[:REPORTS_TO]->() RETURN p",
         "(p)-[:REPORTS_TO]->()", "(p)<-[:REPORTS_TO]-()"),
        ("MATCH (p {name: 'Priya Raman'})-[r]->(q) WHERE type(r) = 'REPORTS_TO' RETURN q",
         "(p {name: 'Priya Raman'})-[r]->(q)", "(p {name: 'Priya Raman'})<-[r]-(q)"),
    ],
)  # fmt: skip
def test_an_arrow_that_leads_the_other_way_is_told(call, query, written, near):
    assert ("no_such_direction", written, [near]) in doubts(call, query)


def test_an_inverse_type_matches_from_the_other_end_without_a_condition(call):
    call.record(PRIYA, "leads", ATLAS)

    assert doubts(call, "MATCH (:Project {name: 'Atlas'})-[:LED_BY]->(p {name: 'priya'}) RETURN p") == [
        ("failing_condition", "{name: 'priya'}", ["Priya Raman"]),
    ]


def test_facts_that_ended_are_told(call):
    fact = call.record(ADA, "depends_on", ATLAS, valid_from="2026-01-05")
    call("end_fact", fact_id=fact["fact_id"], valid_to="2026-03-01")
    query = "MATCH (p:Person)-[:DEPENDS_ON]->(q) RETURN q"
    [first, *_] = call("run_cypher", query=query)["warnings"]

    assert first["written"] == "MATCH (p:Person)-[:DEPENDS_ON]->(q)"
    assert "ended, the last one on 2026-03-0" in first["message"]
    assert call("run_cypher", query=query, as_of="2026-02-01")["row_count"] == 1


def test_a_column_of_nulls_is_nothing_too(call):
    assert doubts(call, "MATCH (p:Person) RETURN p.name, p.emial") == [("unknown_property", "emial", [])]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (p:Person) WHERE p.created_at > '2020' AND p.summary = 'x' RETURN p",
        "MATCH (p:Person {name: 'Ada Lovelace'})-[:REPORTS_TO]->(q:Person) WHERE q.summary = 'x' RETURN q",
        "MATCH (p:Person) RETURN p.summary",
        "MATCH (p:Person) WHERE NOT p.name = 'nobody' AND p.id = '' RETURN p",
        "MATCH (p:Entity {name: 'Atlas', summary: 'x'}) RETURN p",
        "MATCH (a:Person)-[:REPORTS_TO*2..3]->(b:Person) RETURN b",
        "RETURN 0",
        "UNWIND [] AS x RETURN x.name",
    ],
)
def test_nothing_is_called_missing_where_all_that_is_named_is_there(call, query):
    assert {kind for kind, *_ in doubts(call, query)} <= {"failing_condition"}


def test_a_word_behind_not_may_be_unknown(call):
    query = "MATCH (p:Person&!Ghost {name: 'priya'}) RETURN p"

    assert doubts(call, query) == [("failing_condition", "{name: 'priya'}", ["Priya Raman"])]


def test_an_answer_carries_no_warnings(call):
    assert "warnings" not in call("run_cypher", query="MATCH (p:Person) RETURN p.name")


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("MATCH (n) RETURN n.name, n.created_at ORDER BY n.created_at DESC LIMIT 3", "n.created_at"),
        ("MATCH (n) RETURN n.name, n.created_at ORDER BY n.created_at DESC LIMIT 1", "n.created_at"),
        ("MATCH (n) RETURN n.created_at AS at, n.name ORDER BY at DESC LIMIT 3", "at"),
        ("MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN n.name, max(r.recorded_at) ORDER BY max(r.recorded_at) DESC",
         "max(r.recorded_at)"),
        ("MATCH (n) RETURN n.name, date(n.created_at) ORDER BY date(n.created_at) DESC LIMIT 3", "date(n.created_at)"),
    ],
)  # fmt: skip
def test_that_null_comes_first_is_told(call, query, written):
    (warning,) = call("run_cypher", query=query)["warnings"]

    assert (warning["kind"], warning["written"], warning["near"]) == (
        "nulls_first",
        written,
        [f"{written} IS NOT NULL"],
    )


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Entity) RETURN n.name, n.created_at ORDER BY n.created_at DESC LIMIT 3",
        "MATCH (n) RETURN n.name, n.created_at ORDER BY n.created_at LIMIT 3",
        "MATCH (n) RETURN n.name ORDER BY n.created_at DESC LIMIT 3",
        "MATCH (n) WHERE n.created_at IS NOT NULL RETURN n ORDER BY n.created_at DESC LIMIT 3",
        "MATCH (n) RETURN n.name AS n, n.created_at AS created_at ORDER BY n DESC LIMIT 3",
    ],
)
def test_that_null_comes_first_is_told_only_where_it_does(call, query):
    assert "warnings" not in call("run_cypher", query=query)


def test_a_property_that_only_other_kinds_have_is_null(call, path):
    with connected(path) as conn:
        conn.execute("""UPDATE entity SET properties = '{"budget": 3}' WHERE name = 'Atlas'""")
    warning = call("run_cypher", query="MATCH (p:Person) WHERE p.budget > 1 RETURN p")["warnings"][0]

    assert (warning["kind"], warning["written"]) == ("failing_condition", "p.budget > 1")
    assert "where p.budget is null" in warning["message"]
    assert doubts(call, "MATCH (p:Project) WHERE p.budget > 5 RETURN p") == [("failing_condition", "p.budget > 5", [])]


def test_another_group_lends_nothing(call, open_graph):
    other = Caller(open_graph(group="other"))

    assert doubts(other, "MATCH (p:Person {name: 'priya'}) RETURN p") == [
        ("failing_condition", "(p:Person {name: 'priya'})", []),
    ]


def test_it_speaks_of_the_moment_that_was_asked_about(call, clock):
    call.record(ADA, "belongs_to", ATLAS, valid_from="2026-05-10")
    query = "MATCH (p:Person)-[:BELONGS_TO]->(q:Project) RETURN p.name"
    then = call("run_cypher", query=query, as_of="2026-05-01")

    assert [each["kind"] for each in then["warnings"]] == ["failing_condition"]
    assert "warnings" not in call("run_cypher", query=query)


@pytest.fixture
def hurried(call: Caller, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """The same graph, with no time to probe it."""
    monkeypatch.setattr(empty_results, "MAX_SECONDS", 0.0)
    return call


def test_what_cannot_be_found_out_in_time_is_said_to_be_unknown(hurried):
    for query in ("MATCH (p:Person {name: 'priya'}) RETURN p", "MATCH (p:Person {name: 'priya'}) RETURN count(p)"):
        [warning] = hurried("run_cypher", query=query)["warnings"]

        assert (warning["kind"], warning["written"]) == ("failing_condition", query.partition(" RETURN")[0])
        assert "no time to find out" in warning["message"]
    # no clause drops rows: OPTIONAL MATCH gives a row of nulls
    for ending in (
        "RETURN DISTINCT p.name",
        "RETURN null AS x UNION OPTIONAL MATCH (d:Decision)-[s]->(d) RETURN d AS x",
    ):
        answer = hurried("run_cypher", query=f"OPTIONAL MATCH (p:Person)-[r]->(b) WHERE p.name = b.name {ending}")

        assert (answer["result"], answer["warnings"]) == (None, [])
    # one of several columns is empty: something was found
    assert doubts(hurried, "MATCH (p:Person) RETURN p.name, null AS nothing") == []
    assert doubts(hurried, "MATCH (p:Persn) RETURN p") == [("unknown_label", "Persn", ["Person"])]


def test_where_there_is_no_time_to_look_at_every_node_a_sample_tells(hurried, path):
    with connected(path) as conn:
        conn.execute("""UPDATE entity SET properties = '{"budget": 3}' WHERE name = 'Atlas'""")
    warning = hurried("run_cypher", query="MATCH (p:Project) RETURN p.budgte")["warnings"][0]

    assert "that was examined" in warning["message"]
    assert warning["near"] == ["budget"]
    [unknown] = doubts(hurried, "MATCH (p:Project) WHERE p.budget > 5 RETURN p")
    assert unknown[0] == "failing_condition"


ODD = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=12)
SHAPES = (
    "MATCH (n:{0}) RETURN n",
    "MATCH (n)-[:{0}]->(m:{1}) RETURN n",
    "MATCH (n:Person {{{0}: $v}}) RETURN n",
    "MATCH (n:Person)<-[r:{0}|REPORTS_TO]-(m:!{1}) WHERE r.{1} = $v RETURN n.{0}",
    "MATCH (n:Person&!{0}) WHERE n.name CONTAINS $v AND n.{1} IN [1, 'x', null] RETURN count(n)",
    "MATCH (n) WHERE n.id = $v OR n.value = $v WITH n AS {0} RETURN {0}.{1}",
    "MATCH (n:Person) WHERE EXISTS {{ MATCH (n)-->(:{0} {{name: $v}}) }} RETURN n",
)


@examples(40, sweep=400)
@given(
    shape=st.sampled_from(SHAPES),
    one=ODD,
    other=ODD,
    value=st.one_of(ODD, st.none(), st.integers(-9, 9), st.lists(ODD)),
)
def test_whatever_is_named_gets_an_answer(shape, one, other, value, tmp_path_factory):
    with keepgraph.open(tmp_path_factory.getbasetemp() / "odd.db") as graph:
        call = Caller(graph)
        call.record(PRIYA, "reports_to", ADA)
        quoted = ["`" + each.replace("`", "``") + "`" for each in (one, other)]
        answer = call("run_cypher", query=shape.format(*quoted), parameters={"v": value})

    assert answer["type"] != "error" or answer["code"].startswith("QUERY_"), answer
