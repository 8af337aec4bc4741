"""The doubles of a new name do not depend on how many names have its words."""

from __future__ import annotations

import pytest

from keepgraph.store import name_words

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
            patch.setattr(name_words, "_MAX_POSTINGS", limit)
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
