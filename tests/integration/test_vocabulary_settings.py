"""A profile declares the vocabulary of its graph: what a new one begins with, and what an existing one is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import keepgraph
from words import Caller

WORDS = """
[vocabulary.types.engineer]
parents = ["person"]
[vocabulary.predicates.mentors]
sources = ["engineer"]
targets = ["person"]
inverse = { name = "mentored_by" }
"""


def opened(path: Path, settings: str, **options: Any) -> dict[str, Any]:
    """What a graph has after it was opened with these settings: its sets, its own words, and its calls."""
    path.with_suffix(".toml").write_text(settings, encoding="utf-8")
    try:
        graph = keepgraph.open(path, **options)
    except keepgraph.KeepgraphError as error:
        return error.answer()
    with graph:
        call = Caller(graph)
        names = [entry["name"] for entry in call("list_vocabulary_sets")["sets"] if entry["added"]]
        own = call("list_vocabulary", set="own") if "own" in names else {"entity_types": [], "predicates": []}
        return {
            "sets": names,
            "own": [term["name"] for kind in ("entity_types", "predicates") for term in own[kind]],
            "calls": [entry["tool"] for entry in call("list_calls", limit=10)["calls"]],
        }


@pytest.mark.parametrize(
    ("settings", "sets"),
    [
        ("", ["core", "personal"]),
        ("[vocabulary]\n", ["core", "personal"]),
        ('[vocabulary]\nsets = ["personal"]\n', ["core", "personal"]),
        ("[vocabulary]\nsets = []\n", ["core"]),
        ('[vocabulary]\nsets = ["core"]\n', ["core"]),
        ('[vocabulary]\nsets = ["research", "personal"]\n', ["core", "research", "personal"]),
    ],
)
def test_a_new_graph_begins_with_the_sets_that_are_declared(path, settings, sets):
    assert opened(path, settings) == {"sets": sets, "own": [], "calls": []}


def test_a_new_graph_begins_with_the_words_that_are_declared(path):
    graph = opened(path, WORDS)

    assert graph == {"sets": ["core", "personal", "own"], "own": ["engineer", "mentors", "mentored_by"], "calls": []}


def test_an_existing_graph_is_given_what_it_lacks_once_in_a_call_that_can_be_undone(path):
    opened(path, "[vocabulary]\nsets = []\n")
    given = opened(path, f'[vocabulary]\nsets = ["research"]\n{WORDS}')
    again = opened(path, f'[vocabulary]\nsets = ["research"]\n{WORDS}')
    with keepgraph.open(path.rename(path.with_name("other.db"))) as graph:
        undone = graph.call("undo")

    assert given["own"] == ["engineer", "mentors", "mentored_by"]
    assert given["calls"] == again["calls"] == ["settings"]
    assert undone["tool"] == "settings"


def test_what_a_person_retired_removed_or_merged_does_not_come_back(path):
    settings = f'[vocabulary]\nsets = ["research"]\n{WORDS}'
    opened(path, settings)
    with keepgraph.open(path) as graph:
        graph.call("retire_word", word="mentors")
        graph.call("merge_words", absorb="engineer", keep="person")
        graph.call("remove_vocabulary_set", name="research")
        before = graph.call("list_vocabulary")
    after = opened(path, settings)
    with keepgraph.open(path) as graph:
        assert graph.call("list_vocabulary") == before
    assert "settings" not in after["calls"]


def test_a_graph_that_may_only_be_read_is_left_as_it_is(path):
    opened(path, "")
    graph = opened(path, WORDS, read_only=True)

    assert graph["own"] == []


def test_settings_without_a_vocabulary_leave_an_older_graph_with_the_core_alone(path):
    opened(path, "[vocabulary]\nsets = []\n")

    assert opened(path, "[names]\naccept = 0.9\n")["sets"] == ["core"]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("settings", "line", "named"),
    [
        ('[vocabulary]\nsets = ["nothing"]\n', 2, "nothing"),
        ("[vocabulary]\nsets = 3\n", 2, "sets"),
        ('[vocabulary]\nset = ["personal"]\n', 2, "did you mean sets"),
        ("[vocabulary]\ntypes = 3\n", 2, "types"),
        ('\n[vocabulary.types.engineer]\nparents = ["persn"]\n', 3, "persn"),
        ('\n[vocabulary.types.engineer]\nparents = ["person"]\nstyle = "bold"\n', 4, "bold"),
        ('\n[vocabulary.types."Big Engineer"]\nparents = ["person"]\n', None, "Big Engineer"),
        ('[vocabulary.types]\nengineer = { parents = "person" }\n', 2, "person"),
        ('[vocabulary.types.a]\nparents = ["b"]\n[vocabulary.types.b]\nparents = ["a"]\n', None, "kind of"),
        ('[vocabulary.predicates.lifts]\nflags = ["symmetric", "asymmetric"]\n', None, "lifts"),
        ('[vocabulary.predicates.lifts]\nsources = ["crane"]\n', 2, "crane"),
        ("[vocabulary]\nbogus = 3\n", 2, "bogus"),
        ("[vocabulary]\ntype_extensions = {}\n", 2, "[vocabulary.types.NAME]"),
        ("type_extensions = { x = 1 }\n", 1, "[vocabulary.types.NAME]"),
        ('[vocabulary.types.person]\nstyle = "term"\n', 2, "belongs to the set core"),
        ('[vocabulary.types.person]\nalternative = ["chap"]\n', 2, "belongs to the set core"),
        ('[vocabulary]\nsets = ["personal"]\n[vocabulary.types.team]\nstyle = "term"\n', 4, "set personal"),
        (
            '[vocabulary]\nsets = ["personal"]\n[vocabulary.predicates.m]\ninverse = { name = "works_at" }\n',
            4,
            "works_at",
        ),
        ('[vocabulary.predicates.lifts]\nliteral = "url"\ntargets = ["person"]\n', None, "lifts"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused_with_its_line(path, settings, line, named):
    refused = opened(path, settings)
    left_behind = path.exists()
    opened(path, "")
    later = opened(path, settings)

    for answer in (refused, later):
        assert answer["error"] == "SETTINGS_INVALID"
        assert named in answer["message"]
        assert line is None or f"line {line}:" in answer["message"]
    assert not left_behind
