"""RDF statements survive their lines of N-Triples and their Turtle, whatever characters they have."""

from __future__ import annotations

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from keepgraph.formats import rdf_statements
from keepgraph.formats.rdf_statements import BlankNode, Iri, Literal, Statement

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
IRIS = st.text(
    st.characters(min_codepoint=0x21, exclude_categories=["Cs", "Cc", "Zs"], exclude_characters='<>"{}|^`\\')
).map(lambda path: Iri(f"http://example.org/{path}"))
NODES = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True).map(BlankNode)
LITERALS = st.one_of(
    TEXTS.map(Literal),
    st.tuples(TEXTS, st.sampled_from(["en", "de-CH", "zh-Hant"])).map(lambda parts: Literal(*parts)),
    st.tuples(TEXTS, IRIS).map(lambda parts: Literal(parts[0], datatype=parts[1])),
)
STATEMENTS = st.tuples(IRIS | NODES, IRIS, IRIS | NODES | LITERALS).map(lambda parts: Statement(*parts))


@given(STATEMENTS)
def test_a_statement_is_read_from_the_line_that_was_written(statement):
    line = rdf_statements.write_line(statement)

    assert rdf_statements.read_line(line) == statement
    assert "\n" not in line


@given(st.lists(STATEMENTS, max_size=6))
def test_turtle_and_n_triples_say_the_same_to_another_program(statements):
    lines = "\n".join(map(rdf_statements.write_line, statements))
    document = "\n".join(rdf_statements.write(statements))

    assert isomorphic(
        rdflib.Graph().parse(data=lines, format="nt"), rdflib.Graph().parse(data=document, format="turtle")
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "<http://a> <http://b> .",
        '<http://a> "b" <http://c> .',
        '<http://a> <http://b> "c',
        "<http://a> <http://b> _: .",
    ],
)
def test_what_is_no_statement_is_refused(line):
    with pytest.raises(ValueError, match="not a line of N-Triples"):
        rdf_statements.read_line(line)


def test_blank_nodes_are_renamed_at_both_ends():
    statement = Statement(BlankNode("a"), Iri("http://b"), BlankNode("c"))

    assert rdf_statements.rename_blank_nodes(statement, "s1") == (BlankNode("s1a"), "http://b", BlankNode("s1c"))
