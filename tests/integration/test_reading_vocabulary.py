"""What is declared of words holds where the graph is read: subtypes, inverse and symmetric predicates, labels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import keepgraph
from keepgraph.tools.contract import catalogue
from laws import examples
from words import Caller, connected, person

ANA, BOB, CARL = map(person, ("Ana Silva", "Bob Stone", "Carl Oak"))
ACME = {"type": "organisation", "name": "Acme"}
PLATFORM = {"type": "team", "name": "Platform"}
ANVIL = {"type": "product", "name": "Anvil"}


def fill(call: Caller) -> Caller:
    """Ana works at Acme, Bob at a team; Ana knows Bob, Bob knows Carl; Acme owns the Anvil."""
    call.record(ANA, "works_at", ACME)
    call.record(BOB, "works_at", PLATFORM)
    call.record(ANA, "knows", BOB)
    call.record(BOB, "knows", CARL)
    call.record(ACME, "owns", ANVIL)
    return call


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A graph to read."""
    with keepgraph.open(tmp_path_factory.mktemp("office") / "graph.db") as graph:
        yield fill(Caller(graph))


@pytest.fixture
def own_office(call: Caller) -> Caller:
    """A graph to change."""
    return fill(call)


def found(call: Caller, query: str) -> list[Any]:
    """The rows of a query, sorted; those of one column as their values."""
    answer = call("run_cypher", query=query)
    assert "error" not in answer, answer
    rows = answer.get("rows") or ([[answer["result"]]] if "result" in answer else [])
    return sorted((row[0] if len(row) == 1 else tuple(row) for row in rows), key=repr)


# Subtypes


def test_a_label_matches_its_subtypes_and_they_show_it_after_their_own(office):
    query = "MATCH (o:Organisation) RETURN o.name, labels(o)[0], size(labels(o))"

    assert found(office, query) == [("Acme", "Organisation", 1), ("Platform", "Team", 2)]
    assert found(office, "MATCH (o:Organisation) WHERE NOT o:Team RETURN o.name") == ["Acme"]
    assert found(office, "MATCH (o:Team) RETURN labels(o) = ['Team', 'Organisation']") == [True]


@pytest.mark.parametrize("written", ["organisation", "Organisation", "company", "companies", "Firm"])
def test_a_filter_by_type_includes_subtypes_and_takes_labels(office, written):
    listed = office("list_entities", type=written)
    searched = office("search", query="Platform Acme", search_mode="nodes", entity_types=[written])

    assert [entity["name"] for entity in listed["entities"]] == ["Acme", "Platform"]
    assert {node["name"] for node in searched["nodes"]} == {"Acme", "Platform"}


@pytest.mark.parametrize("wrong", [["planet"], ["company", "planet"], ["?"]])
def test_a_filter_by_an_unknown_type_names_near_ones(office, wrong):
    answer = office("search", query="Acme", entity_types=wrong)

    assert answer["error"] == "ENTITY_TYPE_UNKNOWN"
    assert any(told in answer["hint"] for told in ("organisation", "place", "shows all"))


@pytest.mark.parametrize("written", ["employs", "EMPLOYS", "employer of", "works at", "WORKS_AT", "worksAt"])
def test_a_filter_by_predicate_takes_inverses_and_labels(office, written):
    searched = office("search", query="Acme", search_mode="edges", edge_types=[written])
    explored = office("explore_node", name="Acme", edge_types=[written])

    assert {edge["name"] for edge in searched["edges"]} == {"works_at"}
    assert [node["name"] for node in explored["nodes"]] == ["Ana Silva"]


def test_nodes_of_an_answer_have_the_labels_of_a_query(office):
    [node] = office("search", query="Platform", search_mode="nodes", entity_types=["team"])["nodes"]

    assert node["labels"] == ["Team", "Organisation"]


# Inverse and symmetric predicates in queries


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (o)-[:EMPLOYS]->(p) RETURN o.name, p.name", [("Acme", "Ana Silva"), ("Platform", "Bob Stone")]),
        ("MATCH (p)<-[:EMPLOYS]-(o:Team) RETURN o.name, p.name", [("Platform", "Bob Stone")]),
        ("MATCH (p)-[r:EMPLOYS]-(:Team) RETURN p.name", ["Bob Stone"]),
        ("MATCH (:Team)-[r:EMPLOYS]->() RETURN type(r), startNode(r).name", [("WORKS_AT", "Bob Stone")]),
        ("MATCH (a)-[:KNOWS]->(b:Person {name: 'Ana Silva'}) RETURN a.name", ["Bob Stone"]),
        ("MATCH ()-[r:KNOWS]->() RETURN count(r), count(DISTINCT r)", [(4, 2)]),
        ("MATCH ({name: 'Ana Silva'})-[:KNOWS*1..3]->(b) RETURN b.name", ["Bob Stone", "Carl Oak"]),
        ("MATCH ({name: 'Carl Oak'})-[:KNOWS*2]->(b) RETURN b.name", ["Ana Silva"]),
        ("MATCH (a {name: 'Acme'})-[:EMPLOYS|OWNS]->(x) RETURN x.name", ["Ana Silva", "Anvil"]),
        ("MATCH (a {name: 'Acme'})-[:EMPLOYS|KNOWS*]->(x) RETURN x.name", ["Ana Silva", "Bob Stone", "Carl Oak"]),
        ("MATCH (p:Person) WHERE (p)<-[:EMPLOYS]-() RETURN p.name", ["Ana Silva", "Bob Stone"]),
        ("MATCH (p:Person) WHERE NOT EXISTS { (p)<-[:EMPLOYS]-() } RETURN p.name", ["Carl Oak"]),
        ("MATCH (a {name: 'Acme'}) RETURN COUNT { (a)-[:EMPLOYS|OWNS]->() }", [2]),
        ("MATCH (a {name: 'Acme'}) RETURN size([(a)-[:EMPLOYS|OWNS]->(x) | x])", [2]),
        ("MATCH (p:Person) OPTIONAL MATCH (p)<-[:EMPLOYS|OWNS]-(o) RETURN p.name, o.name",
         [("Ana Silva", "Acme"), ("Bob Stone", "Platform"), ("Carl Oak", None)]),
        ("MATCH p = shortestPath(({name: 'Acme'})-[:EMPLOYS|KNOWS*]->({name: 'Carl Oak'})) RETURN length(p)", [3]),
        ("MATCH p = shortestPath(({name: 'Carl Oak'})-[:KNOWS*]->({name: 'Ana Silva'})) RETURN length(p)", [2]),
        ("MATCH p = allShortestPaths(({name: 'Acme'})-[:EMPLOYS*]->({name: 'Ana Silva'})) RETURN length(p)", [1]),
        ("MATCH (a {name: 'Acme'})-[:EMPLOYS|KNOWS*]->(x) RETURN DISTINCT x.name",
         ["Ana Silva", "Bob Stone", "Carl Oak"]),
        ("MATCH (a)-[r:KNOWS&!OWNS]->(b) RETURN count(r), count(DISTINCT r)", [(4, 2)]),
        ("MATCH ()-[r]->() WHERE r:EMPLOYS RETURN endNode(r).name", ["Acme", "Platform"]),
        ("MATCH ()-[r:WORKS_AT]->() MATCH (o)-[r:EMPLOYS]->(p) RETURN o.name", ["Acme", "Platform"]),
        ("MATCH ()-[r:KNOWS|WORKS_AT]->(:Organisation) MATCH (a)-[r:EMPLOYS|OWNS]->(b) RETURN a.name",
         ["Acme", "Platform"]),
        ("MATCH (a {name: 'Bob Stone'})-->(b) RETURN b.name", ["Carl Oak", "Platform"]),
    ],
)  # fmt: skip
def test_a_predicate_is_matched_from_the_ends_that_it_reads_from(office, query, expected):
    assert found(office, query) == expected


def test_the_answer_says_that_an_inverse_was_matched_from_the_other_end(office):
    answer = office("run_cypher", query="MATCH (o)-[:EMPLOYS]->(p) RETURN p.name")

    assert "EMPLOYS is the inverse of WORKS_AT: matched WORKS_AT from its other end" in answer["auto_fixes"]


def test_a_test_for_an_inverse_outside_the_pattern_is_reported(office):
    answer = office("run_cypher", query="MATCH (o)-[r]->(p) WHERE r:EMPLOYS RETURN o.name")

    assert any("write [:EMPLOYS] in the pattern" in note for note in answer["auto_fixes"])


def test_a_negated_inverse_is_refused_with_what_to_write(office):
    answer = office("run_cypher", query="MATCH (o)-[:!EMPLOYS]->(p) RETURN p.name")

    assert answer["error"]["stage"] == "semantics"
    assert "write WORKS_AT" in answer["error"]["explanation"]


@pytest.mark.parametrize(
    ("written", "repaired"),
    [
        ("MATCH (c:Company) RETURN c.name", ":Organisation"),
        ("MATCH (c:Organization) RETURN c.name", ":Organisation"),
        ("MATCH (c:Companies) RETURN c.name", ":Organisation"),
        ("MATCH (c)-[:EMPLOYER_OF]->() RETURN c.name", ":EMPLOYS"),
        ("MATCH (c:Organisation)<-[:WORKS_FOR]-() RETURN c.name", ":WORKS_AT"),
        ("MATCH (p:Person)-[:EMPLOYS]->(c:Organisation) RETURN c.name", "it leads from Organisation to Person"),
    ],
)
def test_another_wording_is_taken_for_the_word_and_the_answer_says_so(office, written, repaired):
    answer = office("run_cypher", query=written)

    assert any(repaired in fix for fix in answer["auto_fixes"])
    assert sorted(row[0] for row in answer["rows"]) == ["Acme", "Platform"]


def test_an_arrow_between_labels_that_may_be_subtypes_is_not_turned(office):
    answer = office("run_cypher", query="MATCH (p:Person)-[:WORKS_AT]->(t:Team) RETURN t.name")

    assert (answer["result"], answer["auto_fixes"]) == ("Platform", ["Injected LIMIT 200"])


def test_a_running_graph_knows_a_new_label_at_once(own_office, graph):
    before = own_office("run_cypher", query="MATCH (o:Outfit) RETURN o.name")
    with connected(graph.path) as conn:
        conn.execute(
            """
            INSERT INTO vocabulary_label (kind, term, language, status, label, label_key)
            SELECT 'entity_type', id, 'en', 'alternative', 'outfit', 'outfit' FROM entity_type
            WHERE name = 'organisation'
            """
        )

    assert before["row_count"] == 0
    assert found(own_office, "MATCH (o:Outfit) RETURN o.name") == ["Acme", "Platform"]


def test_an_empty_answer_about_an_inverse_says_what_there_is(office):
    [warning] = office("run_cypher", query="MATCH (:Team)-[:EMPLOYS]->(o:Product) RETURN o")["warnings"]

    assert warning["kind"] == "failing_condition"
    assert warning["message"] == (
        "No row passes the label in (o:Product); without it there are rows, where the label is 'Person'."
    )


# The schema


def test_the_schema_counts_a_label_with_its_subtypes_and_names_inverses(office):
    schema = office("get_schema")

    assert schema["node_labels"]["Organisation"]["count"] == 2
    assert schema["node_labels"]["Team"]["ancestors"] == ["Organisation"]
    assert schema["relationship_types"]["WORKS_AT"]["inverse"] == ["EMPLOYS"]
    assert "EMPLOYS" not in schema["relationship_types"]
    assert schema["relationship_types"]["KNOWS"]["symmetric"] is True
    assert (schema["node_count"], schema["relationship_count"]) == (6, 5)


def test_the_schema_names_unused_words_without_describing_them_all(office):
    schema = office("get_schema")

    assert {"Skill", "Topic"} <= {*schema["unused"]["labels"]}
    assert "LIVES_IN" in schema["unused"]["types"]
    assert len(json.dumps(schema)) < 8_000


def test_descriptions_stay_short_with_very_many_words(own_office, graph):
    with connected(graph.path) as conn:
        for number in range(500):
            conn.execute("INSERT INTO entity_type (name, description, version) VALUES (?, '', '1')", (f"t{number}",))
            conn.execute("INSERT INTO predicate (name, description, version) VALUES (?, '', '1')", (f"p{number}",))
        conn.execute("UPDATE vocabulary_revision SET revision = 'many'")
    names = [tool.name for tool in catalogue.tools() if tool.name in ("get_schema", "run_cypher")]
    descriptions = own_office("describe_tools", tools=names)["descriptions"]

    assert sum(map(len, descriptions.values())) / 4 < 550
    assert "EMPLOYS" in descriptions["run_cypher"]
    assert len(json.dumps(own_office("get_schema"))) < 12_000


# From the other end


def test_a_fact_reads_from_its_object_where_the_vocabulary_has_a_word(office):
    recalled = {
        (fact["subject"]["name"], fact["predicate"]): fact.get("reads")
        for fact in office("recall_entity", name_or_alias="Acme")["facts"]
    }
    explored = [edge.get("reads") for edge in office("explore_node", name="Acme", depth=1)["edges"]]
    connections = office("get_entity_connections", entity_uuid="Bob Stone")["facts"]

    assert recalled == {
        ("Ana Silva", "works_at"): {"name": "employs", "fact": "Acme employs Ana Silva"},
        ("Acme", "owns"): None,
    }
    assert {"name": "employs", "fact": "Acme employs Ana Silva"} in explored
    assert [edge["reads"] for edge in connections if "reads" in edge] == [
        {"name": "knows", "fact": "Bob Stone knows Ana Silva"}
    ]


# Declared, or stored under both names

NAMES = "ABCD"
triples = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(["works_with", "leads", "uses"]), st.sampled_from(NAMES)
).filter(lambda triple: triple[0] != triple[2])
QUERIES = [
    "MATCH (a)-[:WORKS_WITH]->(b) RETURN DISTINCT a.name, b.name",
    "MATCH (a)-[:LED_BY]->(b) RETURN DISTINCT a.name, b.name",
    "MATCH (a)<-[:LED_BY|USES]-(b) RETURN DISTINCT a.name, b.name",
    "MATCH (a)-[:WORKS_WITH|LED_BY|USES]->(b) RETURN DISTINCT a.name, b.name",
    "MATCH (a)-[:WORKS_WITH|LED_BY*]->(b) WHERE a.name < b.name RETURN DISTINCT a.name, b.name",
    "MATCH (a)-[:WORKS_WITH*1..2]->(b) WHERE a.name < b.name RETURN DISTINCT a.name, b.name",
    "MATCH (a)-[:LEADS]->(b)-[:LED_BY]->(c) WHERE a <> c RETURN DISTINCT a.name, b.name, c.name",
    "MATCH (a)-[:WORKS_WITH]->(b)-[:LED_BY]->(c)-[:USES]->(d) RETURN DISTINCT a.name, b.name, c.name, d.name",
    "MATCH (a)-[:WORKS_WITH]->(b) RETURN a.name, count(DISTINCT b)",
    "MATCH (a) WHERE EXISTS { (a)-[:LED_BY]->(b)-[:WORKS_WITH]->(c) WHERE c <> a } RETURN a.name",
    "MATCH (a) WHERE NOT (a)-[:LED_BY]->() OPTIONAL MATCH (a)-[:USES|WORKS_WITH]->(b) RETURN DISTINCT a.name, b.name",
    "MATCH (a {name: 'A'}), (b {name: 'B'}), p = shortestPath((a)-[:WORKS_WITH|LED_BY*]->(b)) RETURN length(p)",
    "MATCH (a {name: 'C'}), (b {name: 'D'}), p = shortestPath((a)-[:LED_BY|USES*]->(b)) RETURN length(p)",
]


@examples(5, sweep=150)
@given(facts=st.sets(triples, max_size=9))
def test_a_declared_word_answers_as_one_that_is_stored_from_both_ends(new_file, facts):
    other_names = {"works_with": "works_with", "leads": "led_by"}
    twins = {(end, other_names[word], start) for start, word, end in facts if word in other_names}
    with keepgraph.open(new_file()) as declared, keepgraph.open(new_file()) as stored_twice:
        record(declared, facts, "has_binding_ends = 0")
        record(stored_twice, facts | twins, "has_binding_ends = 0, is_symmetric = 0, inverse_of = NULL")
        for query in QUERIES:
            note(query)

            assert found(Caller(declared), query) == found(Caller(stored_twice), query)


def record(graph: keepgraph.Graph, facts: set[tuple[str, str, str]], declaration: str) -> None:
    """Record facts between persons, in a vocabulary of which this is declared."""
    for name in NAMES:
        graph.call("record_fact", subject=person(name), predicate="tagged", object={"literal": "here"})
    with connected(graph.path) as conn:
        conn.execute(f"UPDATE predicate SET {declaration}")
    written = [{"subject": person(one), "predicate": word, "object": person(other)} for one, word, other in facts]
    answer = graph.call("record_facts", facts=written) if written else {"refused": 0}

    assert answer["refused"] == 0, answer
