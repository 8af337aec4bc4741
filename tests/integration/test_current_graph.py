"""The current graph for other programs: a table that is read back as the same facts, GraphML, and Turtle."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.cli.root import kg
from keepgraph.formats import rdf_documents
from keepgraph.formats.rdf_statements import RDF, RDFS, SCHEMA, SKOS, TYPE, XSD, Iri, Literal, StatementIndex
from laws import examples
from words import Caller, concept, literal, person, project

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
HOSTILE = '=1+1,"a";\t]]> <b>&amp;\r\n\x1b[31m\x07\u202e\ufffe\u2028\x85| C:\\'
"""A text with a sign that each format writes in another way; XML lacks some of them."""

ACME, ADA, ATLAS, ZETA = {"type": "organisation", "name": "Acme"}, person("Ada"), project("Atlas"), project("Zeta: II")


def run(path: Path, *arguments: str, **more: Any) -> Result:
    return CliRunner().invoke(kg, ["--db", str(path), *arguments], **more)


def exported(path: Path, name: str, *options: str) -> bytes:
    """What `kg export` writes into a file of this name."""
    done = run(path, "export", str(path.parent / name), *options)
    assert done.exit_code == 0, done.output
    return (path.parent / name).read_bytes()


def lines(path: Path, kind: str) -> list[dict[str, Any]]:
    """The lines of a kind of the whole export."""
    return [line for line in map(json.loads, run(path, "export").stdout.split("\n")[:-1]) if line.get("kind") == kind]


def facts(path: Path, *, without: str = "") -> Counter[str]:
    """The facts of the whole export by names instead of ids, with their sources but one."""
    names = {line["id"]: f"{line['type']}:{line['name']}" for line in lines(path, "entity")}
    return Counter(
        json.dumps(
            [
                *(names.get(fact.get(end), "") for end in ("subject", "object")),
                *(fact.get(name) for name in ("predicate", "literal", "confidence", "valid_from", "valid_to")),
                sorted(names[id] for id in fact.get("scope", ())),
                sorted({each.get("source", without) for each in fact["provenance"]} - {without}),
            ]
        )
        for fact in lines(path, "fact")
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A graph with a fact of each sort: current, future, ended, retracted, scoped, of another group."""
    path = tmp_path_factory.mktemp("made") / "graph.db"
    with keepgraph.open(path) as graph:
        call = Caller(graph)
        call.record(
            ADA, "works_at", ACME, source="https://x.org/?a=1&b=2", confidence=0.123456789, aliases=["Countess"]
        )
        call.record(ADA, "works_at", ACME, source=HOSTILE)
        call.record(ATLAS, "tagged", concept("deep"))
        call.record(ZETA, "tagged", concept("deep"))
        call.record(ADA, "job_title", literal(HOSTILE), project="Atlas")
        call.record(ADA, "job_title", literal(HOSTILE), project="Zeta: II")
        call.record(ADA, "born_on", literal("1815-12-10"))
        call.record(ADA, "knows", person("Bob"), valid_from="2020-01-01", valid_to="2999-12-31")
        call.record(ADA, "knows", person("Eve"), valid_from="2990-01-01T10:00:00Z")
        call.record(ADA, "knows", person("Old"), valid_to="2001-12-31")
        wrong = call.record(ADA, "knows", person("Nobody"))
        assert "error" not in call("retract_fact", fact_id=wrong["fact_id"])
    with keepgraph.open(path, group="elsewhere") as graph:
        Caller(graph).record(person("Zoë"), "knows", person("Yves"))
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    shutil.copy(made, tmp_path / "graph.db")
    return tmp_path / "graph.db"


def current(path: Path) -> dict[str, dict[str, Any]]:
    """The facts of `made` that an export of the current graph has, by id."""
    gone = {line["id"] for line in lines(path, "entity") if line["name"] in ("Old", "Nobody", "Yves")}
    return {fact["id"]: fact for fact in lines(path, "fact") if fact.get("object") not in gone}


def test_a_table_has_the_current_facts_and_becomes_them_again(path, tmp_path):
    first = exported(path, "graph.csv")
    other = tmp_path / "other" / "graph.db"
    other.parent.mkdir()
    done = run(other, "import", str(tmp_path / "graph.csv"))
    expected = facts(path)
    for fact in list(expected):
        if any(name in fact for name in ("person:Old", "person:Nobody", "person:Yves")):
            del expected[fact]

    assert done.exit_code == 0, done.output
    assert len(expected) == 7
    assert facts(other, without=str(tmp_path / "graph.csv")) == expected
    assert "0 added" in run(other, "import", str(tmp_path / "graph.csv")).output
    assert first == exported(path, "graph.csv")


DAYS = st.dates().map(str) | st.datetimes().map(lambda at: f"{at.isoformat(timespec='milliseconds')}Z")
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
RECORDED = st.fixed_dictionaries(
    {"subject": st.builds(person, TEXTS), "object": st.builds(concept, TEXTS) | st.builds(literal, TEXTS)},
    optional={"valid_from": DAYS, "source": TEXTS, "confidence": st.floats(0, 1)},
)


@examples(7, sweep=300)
@given(st.lists(RECORDED, min_size=1, max_size=8))
def test_whatever_can_be_recorded_comes_back_from_a_table(tmp_path_factory, recorded):
    folder = tmp_path_factory.mktemp("law")
    with keepgraph.open(folder / "graph.db") as graph:
        for fact in recorded:
            Caller(graph)("record_fact", predicate="tagged", **fact)
    exported(folder / "graph.db", "graph.csv")
    run(folder / "other.db", "import", str(folder / "graph.csv"))
    before, after = (
        sorted(json.dumps(json.loads(fact)[:7]) for fact in facts(folder / name).elements())
        for name in ("graph.db", "other.db")
    )

    assert before == after


def test_graphml_has_each_entity_and_literal_as_a_node_and_each_fact_as_an_edge(path, tmp_path):
    root = ElementTree.fromstring(exported(path, "graph.graphml"))
    names = {key.get("id"): key.get("attr.name") for key in root.iter(f"{GRAPHML}key")}
    nodes, edges = (
        {
            found.get("id"): {**found.attrib, **{names[each.get("key")]: each.text for each in found}}
            for found in root.iter(f"{GRAPHML}{element}")
        }
        for element in ("node", "edge")
    )
    title = next(edge for edge in edges.values() if edge["label"] == "job_title")
    works = next(edge for edge in edges.values() if edge["label"] == "works_at")
    shown = HOSTILE.replace("\x1b", "\ufffd").replace("\x07", "\ufffd").replace("\ufffe", "\ufffd")

    assert edges.keys() == current(path).keys()
    assert {edge[end] for edge in edges.values() for end in ("source", "target")} <= nodes.keys()
    assert {(nodes[edge["source"]]["label"], nodes[edge["target"]]["label"]) for edge in edges.values()} >= {
        ("Ada", "Bob"),
        ("Ada", "Eve"),
        ("Ada", "1815-12-10"),
        ("Atlas", "deep"),
    }
    assert (nodes[title["target"]]["label"], nodes[title["target"]]["type"]) == (shown, "literal")
    assert title["scope"] == "project:Atlas\nproject:Zeta: II"
    assert works["sources"] == f"https://x.org/?a=1&b=2\n{shown}"
    assert nodes[works["source"]]["aliases"] == "Countess"
    assert len(networkx.read_graphml(tmp_path / "graph.graphml").edges) == len(edges)


def test_turtle_has_each_fact_as_a_triple_with_its_validity(path):
    index = StatementIndex(rdf_documents.read(exported(path, "graph.ttl"), file_name="graph.ttl"))
    expected = current(path)
    described = {f"urn:keepgraph:fact:{id}" for id in expected}
    (ada,) = (iri for iri in index.statements if index.values(iri, f"{SKOS}altLabel") == [Literal("Countess")])
    (met,) = (iri for iri in index.statements if index.values(iri, f"{SCHEMA[0]}validThrough"))

    assert {iri for iri in index.statements if f"{RDF}Statement" in index.types(iri)} == described
    for id, fact in expected.items():
        (object_,) = index.values(Iri(f"urn:keepgraph:fact:{id}"), f"{RDF}object")
        subject, predicate = f"urn:keepgraph:entity:{fact['subject']}", f"urn:keepgraph:predicate:{fact['predicate']}"
        assert object_ in index.values(Iri(subject), predicate)
        said = object_.text if isinstance(object_, Literal) else object_.removeprefix("urn:keepgraph:entity:")
        assert said == fact.get("object", fact.get("literal"))
    assert index.values(ada, TYPE) == [Iri("urn:keepgraph:type:person")]
    assert index.values(ada, f"{RDFS}label") == [Literal("Ada")]
    assert index.values(ada, "urn:keepgraph:predicate:born_on") == [Literal("1815-12-10", datatype=f"{XSD}date")]
    assert index.values(met, f"{SCHEMA[0]}validFrom") == [Literal("2020-01-01", datatype=f"{XSD}date")]


def test_turtle_becomes_entities_and_facts_again(path, tmp_path):
    exported(path, "graph.ttl")
    done = run(tmp_path / "other.db", "--json", "vocabulary", "import", "--individuals", str(tmp_path / "graph.ttl"))
    report = json.loads(done.stdout)

    assert (report["facts"], report["left_out"], report["refused"]) == (7, {}, 0)


@pytest.mark.parametrize("name", ["graph.csv", "graph.graphml", "graph.TTL"])
def test_an_export_is_safe_to_show_whole_for_its_owner_alone_and_may_be_repeated(path, tmp_path, name):
    content = exported(path, name)
    controls = [] if name == "graph.csv" else [sign for sign in "\x1b\x07\x85\u202e" if sign in content.decode()]

    assert content == exported(path, name)
    assert controls == []
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_an_empty_graph_gives_documents_without_facts(tmp_path):
    empty = tmp_path / "empty.db"
    with keepgraph.open(empty):
        pass

    assert exported(empty, "graph.csv").count(b"\r\n") == 1
    assert not list(ElementTree.fromstring(exported(empty, "graph.graphml")).iter(f"{GRAPHML}node"))
    assert rdf_documents.read(exported(empty, "graph.ttl"), file_name="graph.ttl") == []


def test_a_format_may_be_named_for_any_file_and_for_standard_output(path):
    table = run(path, "export", "--format", "csv").stdout_bytes

    assert table == exported(path, "graph.csv") == exported(path, "table.txt", "--format", "csv")
    assert exported(path, "lines.csv", "--format", "lines").startswith(b'{"keepgraph"')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["graph.svg"], "named as image/svg"),
        (["notes.csv"], "is not an export"),
        (["graph.db", "--format", "turtle"], "is the graph itself"),
        (["graph.csv", "--format", "xlsx"], "Invalid value for '--format'"),
        (["--vault", "pages", "--format", "csv"], "not both"),
        (["missing/graph.ttl"], "No such file"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_lost(path, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.csv").write_text("my,own\n")
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if not file.name.endswith(("-shm", "-wal"))}
    done = run(path, "export", *arguments)

    assert done.exit_code != 0
    assert message in done.output
    assert "GRAPH_UNAVAILABLE" not in done.output
    assert {file: file.read_bytes() for file in before} == before
    assert not [file for file in tmp_path.iterdir() if file.suffix == ".part" or file.name == "pages"]


@pytest.mark.parametrize("name", ["plain.csv", "plain.graphml", "plain.ttl"])
def test_an_encrypted_graph_is_not_written_as_plain_text_unasked(tmp_path, monkeypatch, name):
    (tmp_path / "key").write_text("5f" * 32)
    (tmp_path / "key").chmod(0o600)
    monkeypatch.setenv("KG_KEY_FILE", str(tmp_path / "key"))
    with keepgraph.open(tmp_path / "secret.db", key="5f" * 32):
        pass
    done = run(tmp_path / "secret.db", "export", str(tmp_path / name))

    assert (done.exit_code, (tmp_path / name).exists()) == (1, False)
    assert "--yes" in done.output
    assert exported(tmp_path / "secret.db", name, "--yes")


def test_a_row_names_the_project_in_which_its_fact_holds(tmp_path):
    """
    A group is no project, and a fact that holds everywhere is not narrowed.
    """
    table = tmp_path / "facts.csv"
    table.write_text(
        "subject,predicate,literal,scope\nperson:Ada,tagged,a,Atlas\nperson:Ada,tagged,a,project:Zeta\n"
        "person:Ada,tagged,b,\nperson:Ada,tagged,b,Atlas\nperson:Ada,tagged,c,default\n"
    )
    report = json.loads(run(tmp_path / "graph.db", "--json", "import", str(table)).stdout)
    scopes = {json.loads(fact)[3]: json.loads(fact)[7] for fact in facts(tmp_path / "graph.db")}

    assert scopes == {"a": ["project:Atlas", "project:Zeta"], "b": []}
    assert [(each["line"], each["error"]) for each in report["refused"]] == [(6, "SCOPE_UNKNOWN")]
