"""Ontologies and thesauri become vocabulary, from the bytes of their file alone; an export gives all of them back."""

from __future__ import annotations

import builtins
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rdflib
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from rdflib.compare import isomorphic

import keepgraph
from keepgraph import errors
from keepgraph.cli.root import kg
from keepgraph.engine.exchange import rdf_export, rdf_import
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.formats import rdf_documents, rdf_vocabulary
from keepgraph.model import EntityType, Predicate
from laws import examples

PREFIXES = """
@prefix dct: <http://purl.org/dc/terms/> .
@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix skosxl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

THESAURUS = """
ex:scheme a skos:ConceptScheme ; dct:title "Heating"@en ; dct:creator [ rdfs:label "A committee" ] ;
    skos:hasTopConcept ex:c1 .
ex:c1 a skos:Concept ; skos:prefLabel "heat source"@en, "Wärmequelle"@de ; skos:topConceptOf ex:scheme ;
    skos:definition "What gives heat."@en ; skos:scopeNote "Not the sun."@en ; skos:notation "H1" .
ex:c2 a skos:Concept ; skos:prefLabel "heat pump"@en, "Wärmepumpe"@de ; skos:altLabel "heat-pump"@en, "WP"@de ;
    skos:hiddenLabel "heatpump"@en ; skos:broader ex:c1 ; skos:inScheme ex:scheme ; skos:related ex:c3 ;
    skos:exactMatch <http://other.example/42> ; dct:created "2020-02-01"^^xsd:date ;
    skos:example "The one in the barn"@en ;
    skos:changeNote [ rdf:value "renamed"@en ; dct:creator [ rdfs:label "Somebody" ] ] .
ex:c3 a skos:Concept ; skos:prefLabel "brine \\"well\\"\\n"@en ; skos:notation "H3"^^ex:code, "3" ;
    rdfs:comment "Ein Loch."@de .
ex:c1 skos:narrower ex:c3 .
ex:c4 a skos:Concept ; skosxl:prefLabel ex:label4 .
ex:label4 a skosxl:Label ; skosxl:literalForm "district heating"@en .
ex:list a skos:OrderedCollection ; skos:memberList ( ex:c1 ex:c2 ) .
[] a skos:Collection ; skos:member ex:c3 .
ex:Kind rdfs:subClassOf skos:Concept ; rdfs:label "kind" .
"""

ONTOLOGY = """
<http://example.org/crew> a owl:Ontology ; dct:title "Crew"@en ; owl:versionInfo "1.2" .
ex:Agent a owl:Class ; rdfs:label "agent"@en, "Agent"@de ; rdfs:comment "Who acts."@en .
ex:Engineer a owl:Class ; rdfs:subClassOf ex:Agent ; rdfs:label "engineer"@en ; skos:altLabel "techie"@en .
ex:Machine a owl:Class ; owl:disjointWith ex:Agent .
ex:maintains a owl:ObjectProperty ; rdfs:domain ex:Engineer ; rdfs:range ex:Machine ; rdfs:label "maintains"@en .
ex:isMaintainedBy a owl:ObjectProperty ; owl:inverseOf ex:maintains .
ex:builtOn a owl:DatatypeProperty, owl:FunctionalProperty ; rdfs:domain ex:Machine ; rdfs:range xsd:date .
"""


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever opens a socket or looks a name up fails the test."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.fixture
def import_rdf(graph: keepgraph.Graph, no_network: None) -> Callable[..., rdf_import.ImportReport]:
    """Imports a document from its text; Turtle gets the prefixes of this file."""

    def run(text: str | bytes, *, name: str = "words.ttl", individuals: bool = False) -> rdf_import.ImportReport:
        content = (PREFIXES + text).encode() if isinstance(text, str) else text
        document = rdf_vocabulary.define(rdf_documents.read(content, file_name=name))
        return rdf_import.run(graph.database, document, file_stem=Path(name).stem, with_individuals=individuals)

    return run


@pytest.fixture
def types(graph: keepgraph.Graph) -> Callable[[], dict[str, EntityType]]:
    def read() -> dict[str, EntityType]:
        with graph.database.read("test") as tx:
            return dict(graph_vocabulary.read(tx).type_by_name)

    return read


@pytest.fixture
def predicates(graph: keepgraph.Graph) -> Callable[[], dict[str, Predicate]]:
    def read() -> dict[str, Predicate]:
        with graph.database.read("test") as tx:
            return dict(graph_vocabulary.read(tx).predicate_by_name)

    return read


def export_skos(graph: keepgraph.Graph) -> str:
    with graph.database.read("test") as tx:
        return "\n".join(rdf_export.write_skos(tx, rdf_export.choose_sets(tx, ())))


def export_shacl(graph: keepgraph.Graph) -> rdflib.Graph:
    with graph.database.read("test") as tx:
        return parse("\n".join(rdf_export.write_shacl(tx, rdf_export.choose_sets(tx, ()))))


def parse(text: str, format: str = "turtle") -> rdflib.Graph:
    return rdflib.Graph().parse(data=text, format=format)


def labels(graph: keepgraph.Graph, word: str) -> list[tuple[str, str, str]]:
    answer = graph.call("describe_word", word=word)
    return [(label["language"], label["status"], label["label"]) for label in answer["labels"]]


# Types


def test_classes_become_types_with_their_parents_and_what_they_are_disjoint_with(import_rdf, types):
    import_rdf(ONTOLOGY)
    found = types()

    assert found["engineer"].parents == ("agent",)
    assert found["machine"].disjoint == ("agent",)
    assert found["agent"].description == "Who acts."
    assert found["agent"].set == "crew"
    assert found["agent"].version == "1.2"


def test_a_type_is_found_by_its_labels_in_any_language(import_rdf, call):
    import_rdf(ONTOLOGY)
    recorded = call(
        "record_fact",
        subject={"type": "techie", "name": "Ana"},
        predicate="maintains",
        object={"type": "machine", "name": "Pump 3"},
    )

    assert [entity["type"] for entity in recorded["auto_created_entities"]] == ["engineer", "machine"]


def test_concepts_become_types_with_broader_ones_as_parents(import_rdf, types):
    import_rdf(THESAURUS)
    found = types()

    assert found["heat_pump"].parents == ("heat_source",)
    assert found["brine_well"].parents == ("heat_source",)
    assert found["heat_source"].description == "What gives heat."
    assert "district_heating" in found
    assert "kind" not in found


@pytest.mark.parametrize(
    ("turtle", "name"),
    [
        ('ex:WindTurbine a owl:Class ; rdfs:label "Rotor" .', "wind_turbine"),
        ('ex:Q42 a owl:Class ; rdfs:label "tea set"@en, "Teeservice"@de .', "tea_set"),
        ('<http://purl.example/GO_0008150> a owl:Class ; rdfs:label "growth" .', "growth"),
        ('ex:c17 a skos:Concept ; skos:prefLabel "Teekanne"@de, "tea pot"@en-GB .', "tea_pot"),
        ('ex:c17 a skos:Concept ; skos:prefLabel "Teekanne"@de .', "teekanne"),
        ('ex:c17 a skos:Concept ; skos:prefLabel "茶壶"@zh .', "茶壶"),
        ("ex:c17 a skos:Concept .", "c17"),
        ('ex:c17 a skos:Concept ; skos:prefLabel "!?"@en .', "c17"),
        ('<http://example.org/%> a skos:Concept ; skos:prefLabel "!"@en .', "word"),
    ],
)
def test_a_word_is_named_by_what_reads_best(import_rdf, types, turtle, name):
    import_rdf(turtle)

    assert name in types()


def test_what_has_the_same_label_gets_a_number(import_rdf, types):
    import_rdf('ex:c1 a skos:Concept ; skos:prefLabel "bank"@en . ex:c2 a skos:Concept ; skos:prefLabel "Bank"@en .')

    assert {"bank", "bank_2"} <= types().keys()


def test_a_word_that_exists_is_used_and_stays_as_it_is(import_rdf, types, graph):
    before = types()["person"]
    report = import_rdf(
        'ex:Person a owl:Class ; rdfs:comment "Somebody else."@en ; rdfs:subClassOf ex:Thing .'
        "ex:Thing a owl:Class . ex:Diver a owl:Class ; rdfs:subClassOf ex:Person ."
    )

    assert types()["person"] == before
    assert types()["diver"].parents == ("person",)
    assert report.plan.existing == ("person",)
    with graph.database.read("test") as tx:
        assert graph_vocabulary.read(tx).style("diver") == "person"


def test_a_deprecated_class_is_retired(import_rdf, types):
    import_rdf('ex:Old a owl:Class ; owl:deprecated true . ex:New a owl:Class ; rdfs:comment "Instead." .')

    assert types()["old"].retired_at is not None
    assert types()["new"].retired_at is None


# Predicates


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("turtle", "sources", "targets", "literal"),
    [
        ("rdfs:domain ex:Apple ; rdfs:range ex:Bean", ("apple",), ("bean",), None),
        ("rdfs:domain [ owl:unionOf ( ex:Apple ex:Bean ) ]", ("apple", "bean"), (), None),
        ("schema:domainIncludes ex:Apple, ex:Bean ; schema:rangeIncludes ex:Bean", ("apple", "bean"), ("bean",), None),
        ("schema:rangeIncludes ex:Apple, schema:Text", (), (), None),
        ("schema:rangeIncludes schema:URL, schema:Text", (), (), "text"),
        ("schema:rangeIncludes schema:URL", (), (), "url"),
        ("rdfs:domain owl:Thing ; rdfs:range owl:Thing", (), (), None),
        ("rdfs:domain ex:Apple, ex:Unknown", (), (), None),
        ("rdfs:domain [ a owl:Restriction ; owl:onProperty ex:q ]", (), (), None),
        ("a owl:DatatypeProperty", (), (), "text"),
        ("rdfs:range rdfs:Literal", (), (), "text"),
        ("rdfs:range xsd:gYear", (), (), "date"),
        ("rdfs:range xsd:nonNegativeInteger", (), (), "number"),
        ("rdfs:range xsd:anyURI", (), (), "url"),
        ("rdfs:range xsd:token", (), (), "identifier"),
        ("rdfs:range ex:Code", (), (), "text"),
    ],
)
def test_domain_and_range_become_ends_or_a_kind_of_literal(import_rdf, predicates, turtle, sources, targets, literal):
    import_rdf(
        "ex:Apple a owl:Class . ex:Bean a owl:Class . ex:Code a rdfs:Datatype ."
        f"ex:growsBeside a rdf:Property ; {turtle} ."
    )
    predicate = predicates()["grows_beside"]

    assert (predicate.sources, predicate.targets, predicate.literal_kind) == (sources, targets, literal)


def test_characteristics_become_flags(import_rdf, predicates):
    import_rdf(
        "ex:touches a owl:SymmetricProperty, owl:IrreflexiveProperty, owl:AsymmetricProperty ."
        "ex:contains a owl:ObjectProperty, owl:TransitiveProperty, owl:AsymmetricProperty ."
        "ex:code a owl:FunctionalProperty, owl:InverseFunctionalProperty ."
        "ex:equals owl:inverseOf ex:equals ; a rdf:Property ."
    )
    found = predicates()

    assert found["touches"].flags == {"symmetric", "irreflexive"}
    assert found["contains"].flags == {"transitive", "asymmetric"}
    assert found["code"].flags == {"functional", "inverse_functional"}
    assert found["equals"].flags == {"symmetric"}


def test_an_inverse_is_stored_under_the_property_that_it_is_the_inverse_of(import_rdf, predicates):
    import_rdf(ONTOLOGY)
    inverse = predicates()["is_maintained_by"]

    assert inverse.inverse_of == "maintains"
    assert (inverse.sources, inverse.targets) == (("machine",), ("engineer",))


def test_properties_that_are_each_the_inverse_of_the_other_have_one_direction(import_rdf, predicates):
    import_rdf(
        "ex:above a owl:ObjectProperty ; owl:inverseOf ex:below ."
        "ex:below a owl:ObjectProperty ; owl:inverseOf ex:above ."
        "ex:under a owl:ObjectProperty ; owl:inverseOf ex:above ."
    )
    found = predicates()

    assert [found[name].inverse_of for name in ("above", "below", "under")] == ["below", None, None]


# Formats

IN_RDF_XML = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [
    <!ENTITY owl "http://www.w3.org/2002/07/owl#">
    <!ENTITY xsd "http://www.w3.org/2001/XMLSchema#">
]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
         xmlns:owl="&owl;" xmlns:ex="http://example.org/">
  <owl:Class rdf:about="http://example.org/Machine"><rdfs:label xml:lang="en">machine</rdfs:label></owl:Class>
  <owl:Class rdf:about="http://example.org/Pump"><rdfs:subClassOf rdf:resource="http://example.org/Machine"/></owl:Class>
  <owl:DatatypeProperty rdf:about="http://example.org/builtOn">
    <rdfs:domain rdf:resource="http://example.org/Machine"/><rdfs:range rdf:resource="&xsd;date"/>
  </owl:DatatypeProperty>
</rdf:RDF>"""


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("name", ["a.ttl", "a.owl", "a.jsonld", "a.json", "a.nt", "a.txt"])
@pytest.mark.parametrize("format", ["turtle", "xml", "json-ld", "nt", "rdf with a document type", "utf-16"])
def test_the_content_tells_the_format(import_rdf, types, predicates, format, name):
    source = parse(IN_RDF_XML, "xml")
    if format == "rdf with a document type":
        content = IN_RDF_XML.encode()
    elif format == "utf-16":
        content = source.serialize(format="turtle").encode("utf-16")
    else:
        context = {"context": {"ex": "http://example.org/"}} if format == "json-ld" else {}
        content = source.serialize(format=format, encoding="utf-8", **context)
    import_rdf(content, name=name)

    assert types()["pump"].parents == ("machine",)
    assert (predicates()["built_on"].sources, predicates()["built_on"].literal_kind) == (("machine",), "date")


# Refusals


def nested(depth: int) -> str:
    return "ex:a ex:b " + "[ ex:b " * depth + "ex:c" + " ]" * depth + " ."


def document_type(declarations: str, content: str = "") -> bytes:
    return (
        f"<?xml version='1.0'?><!DOCTYPE rdf:RDF [{declarations}]>"
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
        f" xmlns:rdfs='http://www.w3.org/2000/01/rdf-schema#'>{content}</rdf:RDF>"
    ).encode()


BOMB = '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (document_type(BOMB, "<rdfs:Class rdf:about='http://e/&c;'/>"), "stands for other entities"),
        (document_type('<!ENTITY a SYSTEM "file:///etc/passwd">', "&a;"), "stands for 'file:///etc/passwd'"),
        (document_type('<!ENTITY a SYSTEM "http://127.0.0.1:9/">', "&a;"), "stands for 'http://127.0.0.1:9/'"),
        (document_type('<!ENTITY % a SYSTEM "http://127.0.0.1:9/">%a;'), "stands for 'http://127.0.0.1:9/'"),
        (document_type(f'<!ENTITY a "{"x" * 600}">'), "a long text"),
        (document_type(f'<!ENTITY a "{"x" * 400}">', "&a;" * 300_000), "too large"),
        (document_type("<!ATTLIST rdfs:Class rdf:about CDATA 'http://e/a'>"), "gives attributes to 'rdfs:Class'"),
        (b"<!DOCTYPE rdf:RDF SYSTEM 'http://127.0.0.1:9/a.dtd'><rdf:RDF/>", "declared elsewhere"),
        (b"<?xml version='1.0'?><rdf:RDF xmlns:rdf='http://a'>", "not well-formed"),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", "unknown encoding"),
        (b'{"@context": "https://schema.org/", "@type": "Class"}', "its context is at 'https://schema.org/'"),
        (b'{"@context": ["http://127.0.0.1:9/"], "@id": "a"}', "its context is at 'http://127.0.0.1:9/'"),
        (b'{"@context": {"@import": "http://127.0.0.1:9/"}}', "its context is at 'http://127.0.0.1:9/'"),
        (
            b'[{"a": [{"@context": {"b": {"@id": "http://b", "@context": "http://c"}}}]}]',
            "its context is at 'http://c'",
        ),
        (b"[" * 100_000, "cannot|can be read|nested"),
        (b'{"@id": "http://a", "http://b": ' + b'[{"http://b": ' * 2_000 + b"1" + b"}]" * 2_000 + b"}", "nested|read"),
        ((PREFIXES + nested(20_000)).encode(), "nested too deeply"),
        (b"@prefix ex: <http://example.org/> .\nex:a ex:b ex:c ;; , .", "line 2"),
        (b"@prefix a: <http://a/> .\n" + b"a:b a:c undefined:d .", "not Turtle"),
        (b"\xff\xfa\x00 not text", "cannot|can be read"),
        (b"", "nothing in the file"),
        (b"  \n", "nothing in the file"),
        (b"<html><body>Not found</body></html>", "a web page"),
        (b'<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "OWL/XML"),
        (b"Prefix(:=<http://a/>)\nOntology(<http://a>)", "functional syntax"),
        (b"Prefix: a: <http://a/>\nOntology: <http://a>", "Manchester syntax"),
        (b"format-version: 1.2\n[Term]\nid: GO:1", "OBO"),
        (b"<http://a> <http://b> <http://c> .", "defines no class"),
    ],
)
def test_what_is_hostile_or_no_vocabulary_is_refused_without_a_socket(import_rdf, content, message):
    with pytest.raises(errors.VocabularyInvalid, match=message):
        import_rdf(content)


@pytest.mark.parametrize(
    ("turtle", "cycle"),
    [
        ("ex:A rdfs:subClassOf ex:B . ex:B rdfs:subClassOf ex:C . ex:C rdfs:subClassOf ex:A .", "A → B → C → A"),
        ("ex:a a skos:Concept ; skos:broader ex:b . ex:b a skos:Concept ; skos:broader ex:a .", "a → b → a"),
        ("ex:a a skos:Concept ; skos:broader ex:b . ex:b a skos:Concept ; skos:broader ex:b .", "b → b"),
        ("ex:a a skos:Concept ; skos:broader ex:b ; skos:narrower ex:b . ex:b a skos:Concept .", "a → b → a"),
    ],
)
def test_a_cycle_is_refused_and_named(import_rdf, turtle, cycle):
    with pytest.raises(errors.VocabularyConflict, match=f"of itself: {cycle}$"):
        import_rdf(turtle)


def test_a_hierarchy_of_many_levels_is_refused(import_rdf):
    chain = "".join(f"ex:c{number} rdfs:subClassOf ex:c{number + 1} ." for number in range(5_000))

    with pytest.raises(errors.VocabularyInvalid, match="levels deep"):
        import_rdf(chain)


def test_long_names_under_a_short_prefix_are_refused(import_rdf):
    namespace = "http://e/" + "x" * 1_000_000
    content = f"@prefix a: <{namespace}> ." + "".join(f"a:{number} a a:Class ." for number in range(500))

    with pytest.raises(errors.VocabularyInvalid, match="too long"):
        import_rdf(content.encode())


def test_a_file_that_is_too_large_is_refused(import_rdf, monkeypatch):
    monkeypatch.setattr(rdf_documents, "MAX_BYTES", 100)

    with pytest.raises(errors.VocabularyInvalid, match="at most 100 are allowed"):
        import_rdf(THESAURUS)


def test_an_import_of_another_ontology_is_reported_and_not_followed(graph_file, tmp_path, no_network):
    file = tmp_path / "words.ttl"
    file.write_text(PREFIXES + "<http://a> a owl:Ontology ; owl:imports <http://127.0.0.1:9/b> . ex:Cup a owl:Class .")
    result = run("vocabulary", "import", str(file))

    assert result.exit_code == 0, result.output
    assert "http://127.0.0.1:9/b, which was not read" in result.output


def test_without_rdflib_the_message_says_how_to_have_it(import_rdf, monkeypatch):
    real_import = builtins.__import__

    def without_rdflib(name: str, *arguments: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "rdflib":
            raise ImportError(name)
        return real_import(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without_rdflib)

    with pytest.raises(errors.InvalidArguments) as refusal:
        import_rdf(THESAURUS)
    assert ",rdf]" in (refusal.value.hint or "")


# Round trips


def test_a_thesaurus_is_given_back_statement_by_statement(import_rdf, graph):
    import_rdf(THESAURUS)

    assert isomorphic(parse(PREFIXES + THESAURUS), parse(export_skos(graph)))


def test_a_thesaurus_that_shares_words_with_the_vocabulary_is_given_back(import_rdf, graph):
    text = """
    ex:scheme a skos:ConceptScheme .
    ex:c1 a skos:Concept ; skos:prefLabel "event"@en ; skos:definition "What happens."@en ; skos:inScheme ex:scheme .
    ex:c2 a skos:Concept ; skos:prefLabel "concert"@en ; skos:broader ex:c1 .
    """
    import_rdf(text)

    assert isomorphic(parse(PREFIXES + text), parse(export_skos(graph)))


def test_two_thesauri_keep_their_blank_nodes_apart(import_rdf, graph):
    text = 'ex:{0} a skos:Concept ; skos:prefLabel "{0}"@en ; skos:note [ rdf:value "note of {0}" ] .'
    import_rdf(text.format("cup"), name="cups.ttl")
    import_rdf(text.format("jug"), name="jugs.ttl")

    assert isomorphic(parse(PREFIXES + text.format("cup") + text.format("jug")), parse(export_skos(graph)))


def test_an_export_of_the_graph_carries_all_statements(import_rdf, graph, open_graph, tmp_path):
    import_rdf(THESAURUS)
    lines, other = tmp_path / "graph.jsonl", tmp_path / "other.db"
    assert run("--db", str(graph.path), "export", str(lines)).exit_code == 0
    assert run("--db", str(other), "import", str(lines)).exit_code == 0

    assert isomorphic(parse(PREFIXES + THESAURUS), parse(export_skos(open_graph(other))))


def test_what_is_changed_later_is_in_the_export(import_rdf, graph):
    import_rdf(THESAURUS)
    changed = run("--db", str(graph.path), "vocabulary", "change", "heat_pump", "--description", "A machine.")
    exported = export_skos(graph)

    assert changed.exit_code == 0, changed.output
    assert '"A machine."@en' in exported
    assert '"heat-pump"@en' in exported


LABELS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
CONCEPTS = st.integers(0, 5).map(lambda number: f"ex:c{number}")
OTHERS = st.sampled_from(["ex:scheme", "_:one", "_:two", "<http://other.example/ü>", "ex:list"])
LANGUAGES = st.sampled_from(["", "@en", "@de", "@en-GB", "@x-private", "^^xsd:string", "^^ex:code"])
LITERALS = st.builds(
    lambda text, suffix: json.dumps(text, ensure_ascii=False).replace("\\/", "/") + suffix, LABELS, LANGUAGES
)
STATEMENTS = st.one_of(
    st.tuples(
        CONCEPTS,
        st.sampled_from(
            """
            skos:prefLabel skos:altLabel skos:hiddenLabel skos:definition skos:notation skos:example skos:note
            rdfs:label rdfs:comment dct:title owl:deprecated owl:versionInfo
            """.split()
        ),
        LITERALS,
    ),
    st.tuples(CONCEPTS, st.sampled_from(["skos:related", "skos:exactMatch", "rdfs:seeAlso"]), CONCEPTS | OTHERS),
    st.tuples(CONCEPTS, st.sampled_from(["skos:inScheme", "skos:broader", "skos:narrower", "a"]), OTHERS),
    st.tuples(OTHERS, st.sampled_from(["dct:title", "rdf:first", "skos:member"]), CONCEPTS | OTHERS | LITERALS),
    st.tuples(st.integers(1, 5), st.sampled_from(["skos:broader", "skos:narrower"]), st.integers(1, 5)).map(
        lambda edge: (
            (f"ex:c{edge[0]}", edge[1], f"ex:c{(edge[0] - 1) % edge[2] if edge[2] > 1 else 0}")
            if edge[1] == "skos:broader"
            else (f"ex:c{(edge[0] - 1) % edge[2] if edge[2] > 1 else 0}", edge[1], f"ex:c{edge[0]}")
        )
    ),
)


@examples(12, sweep=300)
@given(data=st.lists(STATEMENTS, max_size=25), typed=st.sets(CONCEPTS, min_size=1))
def test_any_thesaurus_is_given_back_as_it_was(open_graph, tmp_path_factory, data, typed):
    text = "".join(f"{concept} a skos:Concept .\n" for concept in sorted(typed))
    text += "".join(f"{subject} {predicate} {target} .\n" for subject, predicate, target in data)
    content = (PREFIXES + text).encode()
    graph = open_graph(tmp_path_factory.mktemp("any") / "graph.db")
    document = rdf_vocabulary.define(rdf_documents.read(content, file_name="any.ttl"))
    rdf_import.run(graph.database, document, file_stem="any", with_individuals=False)

    assert isomorphic(parse(content.decode()), parse(export_skos(graph)))


# Import as a change


def rows(graph: keepgraph.Graph) -> dict[str, list[Any]]:
    tables = ("vocabulary_set", "entity_type", "predicate", "type_parent", "type_disjoint", "predicate_end")
    with graph.database.read("test") as tx:
        return {
            table: tx.conn.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
            for table in (*tables, "vocabulary_label", "entity", "alias", "fact")
        }


@pytest.mark.parametrize("individuals", [False, True])
def test_an_import_is_one_call_that_undo_takes_back(import_rdf, graph, call, individuals):
    before = rows(graph)
    report = import_rdf(THESAURUS + ONTOLOGY + "ex:pump a ex:Machine .", individuals=individuals)
    assert rows(graph) != before
    undone = call("undo")

    assert (undone["undone_call"],) == report.calls
    assert rows(graph) == before


def test_the_same_file_again_changes_nothing(import_rdf, graph):
    import_rdf(THESAURUS + ONTOLOGY)
    before = rows(graph)
    report = import_rdf(THESAURUS + ONTOLOGY)

    assert rows(graph) == before
    assert report.change.added == ()


def test_a_file_that_has_grown_adds_what_is_new(import_rdf, graph, types):
    import_rdf(THESAURUS)
    more = 'ex:c9 a skos:Concept ; skos:prefLabel "heat pump"@en ; skos:broader ex:c2 .'
    report = import_rdf(THESAURUS + more)

    assert report.change.added == ("heat_pump_2",)
    assert types()["heat_pump_2"].parents == ("heat_pump",)
    assert isomorphic(parse(PREFIXES + THESAURUS + more), parse(export_skos(graph)))


def test_a_set_is_named_by_the_title_or_by_the_file(import_rdf):
    titled = import_rdf(THESAURUS)
    by_file = import_rdf("ex:Cup a owl:Class .", name="Tea things.ttl")
    again = import_rdf("ex:Jug a owl:Class .", name="core.ttl")

    assert titled.plan.definition.name == "heating"
    assert by_file.plan.definition.name == "tea_things"
    assert again.plan.definition.name == "core_2"


# Individuals

CREW = (
    ONTOLOGY
    + """
ex:ana a ex:Agent, ex:Engineer, owl:NamedIndividual ; rdfs:label "Ana Ruiz"@en ; skos:altLabel "Anita"@es ;
    rdfs:comment "Keeps the pumps running."@en ; ex:maintains ex:p1, ex:p2 ; ex:shoeSize 39 .
ex:p1 a ex:Machine ; rdfs:label "pump" ; ex:builtOn "2019-05-01"^^xsd:date ; ex:isMaintainedBy ex:ana .
ex:p2 a ex:Machine ; rdfs:label "pump" .
ex:stray rdfs:label "no class" .
"""
)


def test_individuals_become_entities_with_aliases_and_facts(import_rdf, call):
    report = import_rdf(CREW, individuals=True).individuals
    ana = call("recall_entity", name_or_alias="Anita")

    assert (report.entities, report.aliases, report.facts) == (3, 1, 3)
    assert report.left_out == {"http://example.org/shoeSize": 1}
    assert report.refusals == ()
    assert ana["entity"]["type"] == "engineer"
    assert {fact["object"]["name"] for fact in ana["facts"]} == {"pump", "pump (p2)"}


def test_without_being_asked_for_individuals_stay_statements(import_rdf, call, graph):
    import_rdf(CREW)

    assert call("recall_entity", name_or_alias="Ana Ruiz")["entity"] is None
    assert '"Keeps the pumps running."@en' in export_skos(graph)


def test_concepts_become_entities_where_individuals_are_asked_for(import_rdf, call, types):
    before = types()
    report = import_rdf(THESAURUS, individuals=True).individuals
    pump = call("recall_entity", name_or_alias="Wärmepumpe")

    assert types() == before
    assert report.entities == 4
    assert pump["entity"]["name"] == "heat pump"
    assert report.left_out["http://www.w3.org/2004/02/skos/core#broader"] == 1


def test_a_label_of_a_predicate_lets_concepts_have_facts(import_rdf, call):
    call(
        "extend_vocabulary",
        predicates={"narrower_than": {"description": "A kind of.", "alternative": ["broader"]}},
    )
    import_rdf(THESAURUS, individuals=True)
    pump = call("recall_entity", name_or_alias="heat pump")

    assert [(fact["predicate"], fact["object"]["name"]) for fact in pump["facts"]] == [("narrower_than", "heat source")]


def test_many_individuals_are_recorded_in_many_calls(import_rdf, call, graph, monkeypatch):
    monkeypatch.setattr(rdf_import, "_MAX_INDIVIDUALS_PER_CALL", 2)
    before = rows(graph)
    report = import_rdf(CREW, individuals=True)
    assert (report.individuals.entities, report.individuals.facts) == (3, 3)
    for _ in report.calls:
        call("undo")

    assert len(report.calls) == 4
    assert rows(graph) == before


def test_a_file_of_individuals_alone_says_how_to_have_them(import_rdf):
    with pytest.raises(errors.VocabularyInvalid) as refusal:
        import_rdf("ex:ana a ex:Engineer .")
    assert "--individuals" in (refusal.value.hint or "")


# SHACL


def test_shapes_have_ends_datatypes_and_cardinalities(import_rdf, graph):
    import_rdf(
        ONTOLOGY
        + "ex:tag a owl:InverseFunctionalProperty, owl:ObjectProperty ; schema:domainIncludes ex:Agent, ex:Machine ."
    )
    shapes = export_shacl(graph)
    sh, ex = rdflib.Namespace("http://www.w3.org/ns/shacl#"), rdflib.Namespace("http://example.org/")

    def values(path: str) -> dict[str, Any]:
        rows = shapes.query(
            "PREFIX sh: <http://www.w3.org/ns/shacl#> PREFIX ex: <http://example.org/> SELECT ?value WHERE { "
            + path
            + " }"
        )
        return [row[0] for row in rows]

    assert shapes.value(predicate=sh.targetClass, object=ex.Engineer)
    assert values("?s sh:targetSubjectsOf ex:maintains ; sh:class ?value") == [ex.Engineer]
    assert values("?s sh:path ex:maintains ; sh:class ?value") == [ex.Machine]
    assert values("?s sh:path ex:builtOn ; sh:maxCount ?value") == [rdflib.Literal(1)]
    assert rdflib.XSD.date in values(
        "?s sh:path ex:builtOn ; sh:or ?l . ?l <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>*"
        "/<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>/sh:datatype ?value"
    )
    assert values("?s sh:targetClass ex:Machine ; sh:not/sh:class ?value") == [ex.Agent]
    assert values("?s sh:path/sh:inversePath ex:tag ; sh:maxCount ?value") == [rdflib.Literal(1)]
    assert len(values("?s sh:targetSubjectsOf ex:tag ; sh:or ?value")) == 1


# The command line


def run(*arguments: str) -> Result:
    return CliRunner().invoke(kg, arguments)


def test_a_preview_tells_what_would_come_and_makes_no_graph(graph_file, tmp_path):
    file = tmp_path / "crew.ttl"
    file.write_text(PREFIXES + CREW)
    result = run("vocabulary", "import", str(file), "--preview")

    assert result.exit_code == 0, result.output
    assert "type engineer, a kind of agent" in result.output
    assert "predicate built_on, from machine to date" in result.output
    assert "3 individuals" in result.output
    assert "Nothing was changed" in result.output
    assert not graph_file.exists()


def test_a_thesaurus_goes_in_and_out_at_the_command_line(graph_file, tmp_path):
    source, target = tmp_path / "heating.ttl", tmp_path / "out.ttl"
    source.write_text(PREFIXES + THESAURUS)
    imported = run("vocabulary", "import", str(source))
    first = run("vocabulary", "export", "--skos", "--set", "heating", str(target))
    again = run("vocabulary", "export", "--skos", str(target))

    assert imported.exit_code == first.exit_code == again.exit_code == 0, imported.output + first.output
    assert "`kg undo 1` takes it back" in imported.output
    assert isomorphic(parse(PREFIXES + THESAURUS), parse(target.read_text()))


def test_an_export_overwrites_no_other_file(graph_file, tmp_path):
    source = tmp_path / "heating.ttl"
    source.write_text(PREFIXES + THESAURUS)
    run("vocabulary", "import", str(source))
    result = run("vocabulary", "export", "--skos", str(source))

    assert result.exit_code == 1
    assert source.read_text() == PREFIXES + THESAURUS


@pytest.mark.parametrize(
    ("arguments", "word"), [([], "hint"), (["--everything"], "type:person"), (["--set", "core"], "type:person")]
)
@pytest.mark.parametrize("kind", ["--skos", "--shacl"])
def test_the_words_that_came_with_the_program_are_exported_when_asked_for(graph_file, kind, arguments, word):
    run("record", "person:Ana", "works_on", "project:Atlas")
    result = run("vocabulary", "export", kind, *arguments)

    assert word in result.output
    if arguments:
        assert len(parse(result.output)) > 20


def test_individuals_at_the_command_line(graph_file, tmp_path):
    file = tmp_path / "crew.ttl"
    file.write_text(PREFIXES + CREW)
    result = run("vocabulary", "import", str(file), "--individuals", "--json")
    answer = json.loads(result.output)

    assert (answer["entities"], answer["facts"]) == (3, 3)
    assert "(brought here from “crew.ttl” by call" in run("why", "Ana Ruiz", "maintains", "pump").output
    assert answer["set"] == {"name": "crew", "version": "1.2", "uri": "http://example.org/crew"}
