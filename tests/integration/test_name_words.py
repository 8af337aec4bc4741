"""The words of names: how many entities have one, and doubles that do not depend on it."""

from __future__ import annotations

import pytest

from keepgraph.store import word_references

_KNOWN = [
    ("concept", "Schema Migration Plan"),
    ("concept", "Migration Plan"),
    ("project", "Migration Plan Review"),
    ("person", "Anna Keller"),
    ("person", "Anna Brandt"),
    ("person", "Johann Keller"),
    ("source", "Anna Keller on Migration"),
]
_NEW = [
    ("concept", "Schema Migraton Plan"),
    ("concept", "Migration Plans"),
    ("person", "Anna Kellner"),
    ("person", "Ana Brandt"),
    ("source", "Anna Keller on Migratons"),
]


@pytest.fixture
def doubles(open_graph, new_file):
    """The doubles that each new name is told of, where names beyond a number of postings are looked up one by one."""

    def read(limit: int) -> list[list[tuple[str, float]]]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(word_references, "_MAX_POSTINGS", limit)
            graph = open_graph(new_file())
            for kind, name in _KNOWN:
                graph.call("add_entity", entity={"type": kind, "name": name})
            graph.call("add_alias", entity={"name": "Johann Keller"}, alias="Hans Kellner")
            answers = [graph.call("add_entity", entity={"type": kind, "name": name}) for kind, name in _NEW]
        return [[(each["name"], each["score"]) for each in answer["possible_duplicates"]] for answer in answers]

    return read


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_frequent_words_bring_the_same_doubles(doubles, limit):
    expected = doubles(2_000)

    assert sum(map(bool, expected)) >= 4, expected
    assert expected == doubles(limit)


@pytest.mark.parametrize(
    ("word", "count"),
    [("anna", 3), ("keller", 3), ("hans", 1), ("migration", 4), ("kell", 0), ("nobody", 0)],
)
def test_a_word_counts_once_for_each_entity_that_has_it_in_a_name(graph, word, count):
    """
    Johann Keller is also called Hans Keller: that is one entity.
    """
    for kind, name in _KNOWN:
        graph.call("add_entity", entity={"type": kind, "name": name})
    graph.call("add_alias", entity={"name": "Johann Keller"}, alias="Hans Keller")
    with graph.database.read("test") as tx:
        counted = word_references.entity_counts(tx, [word, "plan"], at_most=12)

    assert {word: count, "plan": 3} == counted


def test_of_a_frequent_word_only_so_many_names_are_counted(graph):
    for kind, name in _KNOWN:
        graph.call("add_entity", entity={"type": kind, "name": name})
    with graph.database.read("test") as tx:
        counted = word_references.entity_counts(tx, ["migration"], at_most=2)

    assert counted == {"migration": 2}
