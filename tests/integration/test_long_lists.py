"""Lists that come again in each row: IN finds the same in them, however long they are and whatever is in them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import laws
from words import Caller, fact, person, project

ELEMENTS = st.one_of(st.sampled_from("abcdefghij"), st.none(), st.integers(0, 3), st.booleans())
LISTS = st.one_of(st.lists(st.sampled_from("abcdefghijklmnop"), max_size=30), st.lists(ELEMENTS, max_size=30))


def contained(value: Any, elements: list[Any]) -> bool | None:
    """openCypher: true where one is equal, else null where one or the value is null and there is any, else false."""
    if any(value is not None and type(value) is type(element) and value == element for element in elements):
        return True
    return None if elements and (value is None or None in elements) else False


@laws.examples(100, sweep=3_000)
@given(elements=LISTS, sought=st.lists(ELEMENTS, min_size=1, max_size=12))
def test_a_value_is_found_in_a_list_that_comes_again(call: Caller, elements: list[Any], sought: list[Any]) -> None:
    query = """
        WITH $elements AS listed UNWIND range(0, size($sought) - 1) AS i RETURN i, $sought[i] IN listed ORDER BY i
    """
    answer = call("run_cypher", query=query, parameters={"elements": elements, "sought": sought})

    assert [value for _, value in answer["rows"]] == [contained(value, elements) for value in sought]


def test_nodes_are_found_in_a_list_of_each_group(call: Caller) -> None:
    for team in range(3):
        for number in range(20):
            call("record_fact", **fact(person(f"Member {team} {number}"), "belongs_to", project(f"Team {team}")))
            if number < 5 * team:
                call("record_fact", **fact(person(f"Member {team} {number}"), "belongs_to", project("Board")))
    answer = call(
        "run_cypher",
        query="""
        MATCH (p:Project)<-[:BELONGS_TO]-(m) WITH p, collect(m) AS members
        MATCH (b:Project {name: 'Board'})<-[:BELONGS_TO]-(m) WHERE m IN members
        RETURN p.name AS name, count(m) AS shared, count { (x:Person) WHERE NOT x IN members } AS others ORDER BY name
        """,
    )

    assert answer["rows"] == [["Board", 15, 45], ["Team 1", 5, 40], ["Team 2", 10, 40]]
