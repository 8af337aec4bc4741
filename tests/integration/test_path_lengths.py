"""Paths of few relationships: joined in each length or searched, the rows are the same."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import laws
from graph_tables import Tables
from keepgraph.cypher.plan import path_lengths
from keepgraph.errors import KeepgraphError
from random_cypher import PropertyGraph, graphs

PATTERNS = [
    "(n)-[*1..2]->(m)",
    "(n)-[*1..3]-(m)",
    "(n:A)<-[:R*2..3]-(m)",
    "(n)-[:R|S*..2]->(m:B)",
    "(n)-[*1..2 {x: 1}]->(m)",
    "(n)-[:R*1..2]->(m)-[e:S]->(o)",
    "(n)-[:R*1..2]->(n)",
    "(n:A)-[*1..2]-(m:A)",
    "(o)-[e]->(n), (n)-[*1..2]-(m)",
]
BEFORE = ["", "MATCH (n) ", "MATCH (n)-[f]->() ", "MATCH (m:B) MATCH (n:A) "]
CONDITIONS = ["", " WHERE n.name <> 'a'", " WHERE n <> m", " WHERE m.x > 1 OR n.x IS NULL", " WHERE (m)-->(n)"]
RETURNS = [
    "n.name, m.name",
    "count(*)",
    "m.name AS k, count(*)",
    "n.id, m.id",
    "labels(m) AS k, count(DISTINCT n), sum(n.x)",
]


@st.composite
def queries(draw: Any) -> str:
    before, pattern = draw(st.sampled_from(BEFORE)), draw(st.sampled_from(PATTERNS))
    condition, returned = draw(st.sampled_from(CONDITIONS)), draw(st.sampled_from(RETURNS))
    text = f"{before}MATCH {pattern}{condition} RETURN {returned}"
    return text if "(m" in before + pattern else text.replace("m.", "n.").replace("(m)", "(n)").replace("m", "n")


@laws.examples(100, sweep=3_000)
@given(graph=graphs(literals=True), query=queries(), chance=st.randoms(use_true_random=False))
def test_paths_that_are_joined_are_those_that_are_searched(
    tables: Tables, graph: PropertyGraph, query: str, chance: random.Random
) -> None:
    tables.load(graph, chance, crowded=False)
    joined = rows_of(tables, query)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_lengths, "unite_lengths", lambda match: match)
        # a space, so that the compiled query is not found again
        searched = rows_of(tables, query + " ")

    assert joined == searched


def rows_of(tables: Tables, query: str) -> list[str]:
    try:
        answer = tables.graph.call("run_cypher", query=query, limit=10_000)
    except KeepgraphError as error:
        return [type(error).__name__]
    return sorted(map(str, answer["rows"])) if answer["type"] == "tabular" else [str(answer.get("result", answer))]
