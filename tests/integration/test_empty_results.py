"""A question that finds nothing is told what the graph does not have, and what it has that is near."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import keepgraph
from keepgraph.engine.query import empty_results, graph_probe
from words import Caller, concept, connected, decision, literal, person, project

PRIYA, ADA, ATLAS, GO = person("Priya Raman"), person("Ada Lovelace"), project("Atlas"), decision("Adopt SQLite")


@pytest.fixture
def call(call: Caller, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """A small graph to ask. On a busy machine a probe takes longer than a few milliseconds."""
    for name in ("MAX_SECONDS", "MAX_SECONDS_FOR_CONDITIONS"):
        monkeypatch.setattr(empty_results, name, 10.0)
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
        ("MATCH (s:Source) RETURN s", ("unused_label", "Source", [])),
        ("MATCH ()-[r:REPORT_TO]->() RETURN r", ("unknown_type", "REPORT_TO", ["REPORTS_TO"])),
        ("MATCH ()-[r:RESOLVED_BY]->() RETURN r", ("unused_type", "RESOLVED_BY", [])),
        ("MATCH (p:Person) WHERE p.nmae = 'x' RETURN p", ("unknown_property", "nmae", ["name"])),
        ("MATCH (p:Person {agee: 3}) RETURN p", ("unknown_property", "agee", [])),
        ("MATCH ()-[r {confidnce: 3}]->() RETURN r", ("unknown_property", "confidnce", ["confidence"])),
        ("MATCH ()-[r]->() WHERE r.conf > 3 RETURN r", ("unknown_property", "conf", ["confidence"])),
        ("MATCH (t:Literal) WHERE t.valu = 'x' RETURN t", ("unknown_property", "valu", ["value"])),
        (
            "MATCH (a:Project)-[:BELONGS_TO]->(b:Decision) RETURN b",
            (
                "no_such_direction",
                "(:Project)-[:BELONGS_TO]->(:Decision)",
                ["(:Project)<-[:BELONGS_TO]-(:Decision)"],
            ),
        ),
        (
            "MATCH (a:Project)-[:DECIDED_IN]->(b:Decision) RETURN b",
            (
                "no_such_pattern",
                "(:Project)-[:DECIDED_IN]->(:Decision)",
                ["(:Person)-[:DECIDED_IN]->(:Decision)"],
            ),
        ),
        ("MATCH (p:Person {name: 'priya'}) RETURN p", ("no_such_value", "priya", ["Priya Raman"])),
        ("MATCH (p) WHERE p.name IN ['Pirya Raman'] RETURN p", ("no_such_value", "Pirya Raman", ["Priya Raman"])),
        ("MATCH (p) WHERE 'ada' = p.name RETURN p", ("no_such_value", "ada", ["Ada Lovelace"])),
        ("MATCH (p) WITH p AS q WHERE q.name = 'ada' RETURN q", ("no_such_value", "ada", ["Ada Lovelace"])),
        ("MATCH (p:Person {name: 'Atlas'}) RETURN p", ("no_such_value", "Atlas", ["Atlas"])),
        ("MATCH (t:Literal {value: 'Block'}) RETURN t", ("no_such_value", "Block", ["blocked"])),
    ],
)
def test_what_the_graph_lacks_is_named_with_what_is_near(call, query, expected):
    assert expected in doubts(call, query)


def test_a_value_may_come_as_a_parameter(call):
    found = [
        doubts(call, "MATCH (p:Person {name: $who}) RETURN p", who="priya"),
        doubts(call, "MATCH (p:Person) WHERE p.name IN $who RETURN p", who=["priya", 7, None]),
    ]

    assert found == [[("no_such_value", "priya", ["Priya Raman"])]] * 2


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (p:Person {name: 'priya'}) RETURN count(p)",
        "MATCH (p:Person {name: 'priya'}) RETURN collect(p.summary)",
        "MATCH (q:Project) OPTIONAL MATCH (p:Person {name: 'priya'})-->(q) RETURN q.name, count(p)",
    ],
)
def test_a_count_of_nothing_is_nothing_too(call, query):
    assert ("no_such_value", "priya", ["Priya Raman"]) in doubts(call, query)


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


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (p:Person {name: 'Priya Raman'})-[:REPORTS_TO]->(q) RETURN q",
         ("no_such_direction", "(n:Person {name: 'Priya Raman'})-[:REPORTS_TO]->()",
          ["(n:Person {name: 'Priya Raman'})<-[:REPORTS_TO]-()"])),
        ("MATCH (q)-[:REPORTS_TO]->(p) WHERE p.name = 'Ada Lovelace' RETURN q",
         ("no_such_direction", "(n {name: 'Ada Lovelace'})<-[:REPORTS_TO]-()",
          ["(n {name: 'Ada Lovelace'})-[:REPORTS_TO]->()"])),
        ("MATCH (p {name: 'Atlas'})-[:REPORTS_TO]-(q) RETURN q",
         ("no_such_pattern", "(n {name: 'Atlas'})-[:REPORTS_TO]-()", [])),
        ("MATCH (p:Person) WHERE p.name > 5 RETURN p", ("other_kind", "name >", [])),
        ("MATCH (p:Person) WHERE 5 < p.name RETURN p", ("other_kind", "name >", [])),
        ("MATCH (p:Person {name: 5}) RETURN p", ("other_kind", "name =", [])),
        ("MATCH (p:Person) WHERE p.name IN [1, 2] RETURN p", ("other_kind", "name IN", [])),
        ("MATCH (p:Person) WHERE p.name = $n RETURN p", ("other_kind", "name =", [])),
        ("MATCH ()-[r]->() WHERE r.confidence > '0.5' RETURN r", ("other_kind", "confidence >", [])),
        ("MATCH (p:Person) WHERE p.created_at > 5 RETURN p", ("other_kind", "created_at >", [])),
        ("MATCH (p:Person) WHERE p.created_at > time('10:00') RETURN p", ("other_kind", "created_at >", [])),
        ("MATCH (p:Person) WHERE p.created_at.year > '2020' RETURN p", ("other_kind", "year >", [])),
        ("MATCH (p:Person) WHERE size(p.name) = '3' RETURN p", ("other_kind", "size(…) =", [])),
        ("MATCH (p:Person) WHERE duration.between(p.created_at, datetime()) < duration('P7D') RETURN p",
         ("other_kind", "duration.between(…) <", [])),
        ("MATCH (p:Person)-[r]->(q) WHERE p.name = 'Priya Raman' AND type(r) = 'REPORTS_TO' RETURN q",
         ("no_such_direction", "(n:Person {name: 'Priya Raman'})-[:REPORTS_TO]->()",
          ["(n:Person {name: 'Priya Raman'})<-[:REPORTS_TO]-()"])),
        ("MATCH (n) WHERE 'source' IN labels(n) RETURN n", ("unused_label", "Source", [])),
        ("MATCH (p:Person) WHERE p.created_at > '2030' RETURN p", ("out_of_range", "created_at > 2030", [])),
        ("MATCH ()-[r:REPORTS_TO]->() WHERE r.valid_to < datetime() RETURN r", ("ended_facts", "valid_to <", [])),
        ("MATCH ()-[r]->() WHERE type(r) = 'sails_with' RETURN r", ("unknown_type", "sails_with", [])),
        ("MATCH ()-[r]->() WHERE type(r) = $t RETURN r", ("unknown_type", "reports_to", ["REPORTS_TO"])),
        ("MATCH (n) WHERE 'Entity' IN labels(n) RETURN n", ("unknown_label", "Entity", [])),
        ("MATCH (n) WHERE labels(n)[0] = 'Persn' RETURN n", ("unknown_label", "Persn", ["Person"])),
    ],
)  # fmt: skip
def test_a_condition_that_is_never_true_is_told(call, query, expected):
    assert expected in doubts(call, query, n=5, t="reports_to")


def test_an_answer_carries_no_warnings(call):
    assert "warnings" not in call("run_cypher", query="MATCH (p:Person) RETURN p.name")


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("MATCH (n) RETURN n.name, n.created_at ORDER BY n.created_at DESC LIMIT 3", "n.created_at"),
        ("MATCH (n) RETURN n.created_at AS at, n.name ORDER BY at DESC LIMIT 3", "at"),
        ("MATCH (n) RETURN n AS m ORDER BY m.created_at DESC, m.name LIMIT 3", "m.created_at"),
        ("MATCH (n) RETURN n ORDER BY n.created_at DESC LIMIT 3", "n.created_at"),
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


def test_a_property_that_other_kinds_have_is_told_with_them(call, path):
    with connected(path) as conn:
        conn.execute("""UPDATE entity SET properties = '{"budget": 3}' WHERE name = 'Atlas'""")
    warning = call("run_cypher", query="MATCH (p:Person) WHERE p.budget > 1 RETURN p")["warnings"][0]

    assert warning["kind"] == "unknown_property"
    assert "Project" in warning["message"]
    assert doubts(call, "MATCH (p:Project) WHERE p.budget > 5 RETURN p") == [("failing_condition", "p.budget > 5", [])]


def test_another_group_lends_nothing(call, open_graph):
    other = Caller(open_graph(group="other"))

    assert doubts(other, "MATCH (p:Person {name: 'priya'}) RETURN p") == [
        ("unused_label", "Person", []),
        ("no_such_value", "priya", []),
    ]


def test_it_speaks_of_the_moment_that_was_asked_about(call, clock):
    call.record(ADA, "belongs_to", ATLAS, valid_from="2026-05-10")
    query = "MATCH (p:Person)-[:BELONGS_TO]->(q:Project) RETURN p.name"
    then = call("run_cypher", query=query, as_of="2026-05-01")

    assert [each["kind"] for each in then["warnings"]] == ["no_such_pattern"]
    assert "warnings" not in call("run_cypher", query=query)


@pytest.fixture
def hurried(call: Caller, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """The same graph, with no time to probe it."""
    for name in ("MAX_SECONDS", "MAX_SECONDS_FOR_CONDITIONS"):
        monkeypatch.setattr(empty_results, name, 0.0)
    return call


def test_what_cannot_be_found_out_in_time_is_said_to_be_unknown(hurried):
    for query in ("MATCH (p:Person {name: 'priya'}) RETURN p", "MATCH (p:Person {name: 'priya'}) RETURN count(p)"):
        [warning] = hurried("run_cypher", query=query)["warnings"]

        assert (warning["kind"], warning["written"]) == ("failing_condition", query.partition(" RETURN")[0])
        assert "no time to find out" in warning["message"]
    # one of several columns is empty: something was found
    assert doubts(hurried, "MATCH (p:Person) RETURN p.name, null AS nothing") == []
    assert doubts(hurried, "MATCH (p:Persn) RETURN p") == [("unknown_label", "Persn", ["Person"])]


def test_where_there_is_no_time_to_look_at_every_node_a_sample_tells(hurried, path):
    with connected(path) as conn:
        conn.execute("""UPDATE entity SET properties = '{"budget": 3}' WHERE name = 'Atlas'""")
    warning = hurried("run_cypher", query="MATCH (p:Project) RETURN p.budgte")["warnings"][0]

    assert "that was looked at" in warning["message"]
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


@settings(max_examples=80)
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


def test_a_pattern_that_has_rows_is_not_asked_for_the_other_way_round(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each question takes of the time in which the causes have to be found.
    call("record_fact", subject=person("Ada"), predicate="belongs_to", object=project("Atlas"), source="notes")
    asked: list[object] = []
    are_connected = graph_probe.GraphProbe.are_connected

    def count(self: graph_probe.GraphProbe, *ends: object) -> bool | None:
        asked.append(ends)
        return are_connected(self, *ends)  # type: ignore[arg-type]

    monkeypatch.setattr(graph_probe.GraphProbe, "are_connected", count)
    answer = call("run_cypher", query="MATCH (a:Person {name: 'Ada'})-[r]-(x)-[s]-(b {name: 'Nope'}) RETURN x")

    assert [warning["kind"] for warning in answer["warnings"]] == ["no_such_value"]
    assert len(asked) == 1
