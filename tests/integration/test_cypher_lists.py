"""Lists in queries: any, all, none, IN, comprehensions and UNWIND answer by SQL as by Python alone, and by hand."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import laws
from cypher_agreement import agree
from graph_tables import Tables
from random_cypher import PropertyGraph, Query, graphs
from words import Caller, fact, literal, person, project

MATCHES = [
    "MATCH (n)",
    "MATCH (n:A)",
    "MATCH (n:A)-[r]->(m)",
    "MATCH (m)-[r]-(n:A)",
    "MATCH (n)-[r:R]->(m:A)",
    "MATCH (m:A) OPTIONAL MATCH (m)-[r]->(n)",
    "MATCH (m:A) OPTIONAL MATCH (m)-[r]->(n:B)",
]
LISTS = [
    *(["n.aliases"] * 6),
    *("labels(n)", "['abc', 'a']", "['abc', n.name, n.summary]", "[]", "$ls", "$li", "[n.x, n.y, 1]", "[null, n.name]"),
    *("[x IN n.aliases WHERE x <> 'abc']", "collected", "n.name"),
]
ELEMENTS = [
    *("x = 'abc'", "'abc' = x", "x CONTAINS 'a'", "toLower(x) = 'äb'", "toLower(x) CONTAINS toLower(n.name)"),
    *(
        "x = n.name",
        "x <> n.name",
        "x IN ['a', 'abc']",
        "x IN n.aliases",
        "x = null",
        "x = n.summary",
        "x =~ '(?i)ä.*'",
    ),
    *("size(x) > 1", "x IS NULL", "x STARTS WITH $s", "true", "any(y IN n.aliases WHERE y > x)", "n.name = 'abc'"),
    *("x = 1", "x > 'a'", "EXISTS { MATCH (n)-->(o) WHERE o.name = x }", "x = n.aliases[0]"),
]
VALUES = ["'abc'", "n.name", "n.summary", "null", "1", "$s", "'A'", "'Entity'", "'Literal'", "toLower(n.name)", "n.x"]


@st.composite
def conditions(draw: Any) -> str:
    """A condition on a list."""
    listed = draw(st.sampled_from(LISTS)).replace("collected", "[(n)-->(o) | o.name]")
    form = draw(st.sampled_from(["any", "any", "all", "none", "single", "in", "not in", "size", "empty", "isEmpty"]))
    if form == "in":
        return f"{draw(st.sampled_from(VALUES))} IN {listed}"
    if form == "not in":
        return f"NOT {draw(st.sampled_from(VALUES))} IN {listed}"
    if form == "size":
        return f"size([x IN {listed} WHERE {draw(st.sampled_from(ELEMENTS))}]) > {draw(st.integers(0, 1))}"
    if form == "empty":
        return f"{listed} {draw(st.sampled_from(['=', '<>']))} []"
    if form == "isEmpty":
        return f"isEmpty({listed})"
    return f"{form}(x IN {listed} WHERE {draw(st.sampled_from(ELEMENTS))})"


@st.composite
def queries(draw: Any) -> Query:
    match, first, second = draw(st.sampled_from(MATCHES)), draw(conditions()), draw(conditions())
    joined = draw(
        st.sampled_from(["{0}", "NOT ({0})", "{0} OR {1}", "{0} AND NOT {1}", "n.name = 'abc' OR {0}", "n:A"])
    )
    where = f"WITH * WHERE {joined}" if "OPTIONAL" in match else f"WHERE {joined}"
    listed, element = draw(st.sampled_from(LISTS[:-2])), draw(st.sampled_from(ELEMENTS))
    returned = draw(
        st.sampled_from(
            [
                "RETURN n.id, m",
                "RETURN n.name AS a, {1} AS b",
                "RETURN n.id, [x IN {2} WHERE {3}]",
                "RETURN n.id, [x IN {2} | x]",
                "RETURN n.id, [x IN {2} WHERE {3} | n.name]",
                "UNWIND {2} AS x RETURN n.id, x",
                "UNWIND {2} AS x WITH n, x WHERE {3} RETURN x, count(*)",
                "WITH n, [x IN {2} WHERE {3}] AS l WHERE size(l) > 0 RETURN n.id, l",
            ]
        )
    )
    text = f"{match} {where} {returned}".format(first, second, listed, element)
    if "m)" not in match and "m:" not in match:
        text = text.replace("RETURN n.id, m", "RETURN n.id, n.aliases")
    return Query(text)


@laws.examples(75, sweep=4_000)
@given(graph=graphs(literals=True), query=queries(), chance=st.randoms(use_true_random=False))
def test_lists_answer_by_sql_as_by_python(
    tables: Tables, graph: PropertyGraph, query: Query, chance: random.Random
) -> None:
    agree(tables, graph, query, chance)


def test_lists_mean_what_they_say(call: Caller) -> None:
    ada, grace, atlas = person("Ada Lovelace"), person("Grace Hopper"), project("Atlas")
    call("record_fact", **fact(ada, "belongs_to", atlas, aliases=["AL", "Countess", "Enchantress"]))
    call("record_fact", **fact(grace, "belongs_to", atlas, aliases=["Amazing Grace"]))
    call("record_fact", **fact(atlas, "tagged", literal("AL")))
    found = {
        "'AL' IN n.aliases": ["Ada Lovelace"],
        "NOT 'AL' IN n.aliases": ["Atlas", "Grace Hopper"],
        "any(a IN n.aliases WHERE toLower(a) CONTAINS 'grace')": ["Grace Hopper"],
        "none(a IN n.aliases WHERE a STARTS WITH 'A')": ["Atlas"],
        "all(a IN n.aliases WHERE a CONTAINS 'A')": ["Atlas", "Grace Hopper"],
        "single(a IN n.aliases WHERE a STARTS WITH 'A')": ["Ada Lovelace", "Grace Hopper"],
        "size([a IN n.aliases WHERE a CONTAINS 'n']) = 2": ["Ada Lovelace"],
        "n.aliases = []": ["Atlas"],
        "NOT isEmpty(n.aliases)": ["Ada Lovelace", "Grace Hopper"],
        "'Project' IN labels(n)": ["Atlas"],
        "'Entity' IN labels(n)": [],
        "any(l IN labels(n) WHERE l STARTS WITH 'P')": ["Ada Lovelace", "Atlas", "Grace Hopper"],
        "all(w IN ['love', 'ada'] WHERE toLower(n.name) CONTAINS w)": ["Ada Lovelace"],
        "any(text IN [n.name, n.summary] WHERE text CONTAINS 'Hopper')": ["Grace Hopper"],
        "any(w IN [] WHERE true)": [],
        "all(w IN [] WHERE false) AND n:Project": ["Atlas"],
    }
    for condition, names in found.items():
        answer = call("run_cypher", query=f"MATCH (n) WHERE {condition} RETURN collect(n.name) AS names")
        assert (condition, sorted(answer["result"])) == (condition, names)
