"""The vocabulary is governed: words are added, changed, retired and merged, sets come and go, and undo restores all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from click.testing import CliRunner
from hypothesis import given

import keepgraph
from keepgraph.cli.root import kg
from keepgraph.engine.exchange import export
from laws import examples
from words import Caller, concept, counted, fact, literal, person, project, rows

TYPES = ("engineer", "manager", "machine")
PREDICATES = ("trains", "coaches", "rates")
NAMES = ("Ana", "Bo", "Cy", "Atlas")
ENGINEER = {"type": "engineer", "name": "Ana"}


def exported(graph: keepgraph.Graph) -> list[dict[str, Any]]:
    return list(export.stream_lines(graph.database))


def taken_in(lines: list[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    """The export of a new graph that has taken in these lines."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", "-"], input=text)
    assert done.exit_code == 0, done.output
    with keepgraph.open(path) as graph:
        return exported(graph)


@pytest.fixture
def extended(call: Caller) -> Caller:
    """A graph with words of its own, and with facts in them."""
    answer = call(
        "extend_vocabulary",
        types={
            "engineer": {"parents": ["person"], "description": "Builds things.", "alternative": ["developer"]},
            "manager": {"parents": ["person"]},
            "machine": {"style": "term", "disjoint": ["person"]},
        },
        predicates={
            "trains": {
                "sources": ["person"],
                "targets": ["person"],
                "inverse": "apprenticed_to",
                "sentence": "{subject} trains {object}",
            },
            "coaches": {"sources": ["person"], "targets": ["person"], "labels": {"de": "betreut"}},
            "rates": {},
        },
    )
    assert "error" not in answer, answer
    call.record(ENGINEER, "trains", person("Bo"))
    call.record({"type": "manager", "name": "Ana"}, "coaches", person("Bo"))
    call.record(person("Bo"), "rates", literal("9"))
    return call


# Adding


def test_a_word_that_is_added_can_be_recorded_with(call):
    refused = call("record_fact", **fact(person("Ana"), "trains", person("Bo")))
    call("extend_vocabulary", predicates={"trains": {"sources": ["person"], "targets": ["person"]}})
    recorded = call("record_fact", **fact(person("Ana"), "trains", person("Bo")))

    assert refused["error"] == "PREDICATE_UNKNOWN"
    assert recorded["predicate"] == "trains"


def test_a_dry_run_says_what_would_be_added_and_adds_nothing(call):
    before = exported(call.graph)
    words = {"types": {"Engineer": {"parents": ["people"]}}, "predicates": {"is mentor of": {"inverse": "has mentor"}}}
    planned = call("extend_vocabulary", **words, dry_run=True)
    after = exported(call.graph)
    added = call("extend_vocabulary", **words)

    assert (planned["types"], planned["predicates"]) == (["engineer"], ["is_mentor_of", "has_mentor"])
    assert planned["call"] is None
    assert before == after
    assert [added[part] for part in ("types", "predicates")] == [planned[part] for part in ("types", "predicates")]


def test_adding_the_same_again_adds_nothing(extended):
    before = exported(extended.graph)
    again = extended("extend_vocabulary", types={"engineer": {"parents": ["person"]}}, predicates={"rates": {}})

    assert again["existing"] == ["engineer", "rates"]
    assert again["types"] == again["predicates"] == []
    assert exported(extended.graph) == before


def test_a_new_word_that_was_a_wording_of_another_is_named(call):
    answer = call("extend_vocabulary", types={"company": {"parents": ["organisation"]}})

    assert answer["overlaps"] == [{"name": "company", "existing": "organisation"}]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({}, "VOCABULARY_INVALID"),
        ({"types": {"…": {}}}, "VOCABULARY_INVALID"),
        ({"types": {"a b": {}, "a_b": {}}}, "VOCABULARY_INVALID"),
        ({"types": {"crane": {"parents": ["vehicel"]}}}, "VOCABULARY_INVALID"),
        ({"types": {"crane": {"parents": ["crane"]}}}, "VOCABULARY_CONFLICT"),
        ({"types": {"a": {"parents": ["b"]}, "b": {"parents": ["a"]}}}, "VOCABULARY_CONFLICT"),
        ({"types": {"tier_1": {}, "tier1": {}}}, "VOCABULARY_CONFLICT"),
        ({"types": {"re_search": {}, "research_1": {}, "research1": {}}}, "VOCABULARY_CONFLICT"),
        ({"types": {"literal": {}}}, "VOCABULARY_CONFLICT"),
        ({"types": {"entity": {}}}, "VOCABULARY_CONFLICT"),
        ({"types": {"tier_1": {}, "tier_2": {}}}, None),
        ({"types": {"crane": {"style": "bird"}}}, "VOCABULARY_INVALID"),
        ({"types": {"crane": {"colour": "red"}}}, "VOCABULARY_INVALID"),
        ({"types": {"crane": "a bird"}}, "VOCABULARY_INVALID"),
        ({"types": {"person": {"parents": ["project"]}}}, "VOCABULARY_CONFLICT"),
        ({"types": {"x" * 300: {}}}, None),
        ({"predicates": {"lifts": {"sources": ["crane"]}}}, "VOCABULARY_INVALID"),
        ({"predicates": {"lifts": {"role": "lifting"}}}, "VOCABULARY_INVALID"),
        ({"predicates": {"lifts": {"sentence": "it lifts"}}}, "VOCABULARY_INVALID"),
        ({"predicates": {"lifts": {"flags": ["symmetric", "asymmetric"]}}}, "VOCABULARY_INVALID"),
        ({"predicates": {"lifts": {"inverse": "works_at"}}}, "VOCABULARY_CONFLICT"),
        ({"predicates": {"works_at": {"sources": ["project"]}}}, "VOCABULARY_CONFLICT"),
        ({"predicates": {"lifts": {"sources": ["any"], "targets": ["entity"]}}}, None),
        ({"map_wordings": [{"wordings": ["lifts"], "predicate": "liftz"}]}, "PREDICATE_UNKNOWN"),
        ({"map_wordings": [{"wordings": ["tractor"], "entity_type": "tractr"}]}, "ENTITY_TYPE_UNKNOWN"),
        ({"map_wordings": [{"wordings": ["knows"], "predicate": "works_at"}]}, "VOCABULARY_CONFLICT"),
        ({"map_wordings": [{"wordings": ["!"], "predicate": "works_at"}]}, "VOCABULARY_INVALID"),
        ({"map_wordings": [{"wordings": [], "predicate": "works_at"}]}, "VOCABULARY_INVALID"),
        ({"map_wordings": [{"wordings": ["x"]}]}, "VOCABULARY_INVALID"),
        ({"dismiss_wordings": [""]}, "VOCABULARY_INVALID"),
    ],
)
def test_what_does_not_hold_together_is_refused_and_says_what_to_do(call, words, code):
    before = exported(call.graph)
    answer = call("extend_vocabulary", **words)

    assert answer.get("error") == code
    assert code is None or (answer["hint"] and exported(call.graph) == before)


def test_wordings_of_a_type_are_found(call):
    call("extend_vocabulary", map_wordings=[{"wordings": ["outfit"], "entity_type": "organisation"}])
    call.record(person("Ana"), "works_at", {"type": "outfit", "name": "Acme"})

    assert call("recall_entity", name_or_alias="Acme")["entity"]["type"] == "organisation"


# Changing


def test_a_changed_word_has_the_values_given_and_keeps_the_others(extended):
    answer = extended(
        "change_word",
        word="trains",
        values={"description": "Teaches.", "sources": ["engineer"], "role": "reports", "alternative": ["teaches"]},
        removed_labels=[],
    )
    word = extended("describe_word", word="trains")
    inverse = extended("describe_word", word="apprenticed_to")

    assert (word["description"], word["sources"], word["targets"]) == ("Teaches.", ["engineer"], ["person"])
    assert (inverse["sources"], inverse["targets"]) == (["person"], ["engineer"])
    assert "teaches" in [label["label"] for label in word["labels"]]
    assert answer["outside_ends"] == 0


def test_null_takes_a_value_away(extended):
    extended("change_word", word="trains", values={"role": "reports", "notation": "M-1"})
    extended("change_word", word="trains", values={"role": None, "notation": None, "sources": None})
    word = extended("describe_word", word="trains")

    assert (word["role"], word["notation"], word["sources"]) == (None, None, [])


def test_another_sentence_is_how_all_facts_read(extended, path):
    extended("change_word", word="trains", values={"sentence": "{subject} is the trainer of {object}"})

    assert rows(path, "SELECT text FROM fact WHERE text LIKE '%trainer%'") == [("Ana is the trainer of Bo",)]
    assert extended("search", query="is the trainer")["edges"]


def test_facts_said_both_ways_become_one_where_a_predicate_becomes_symmetric(extended):
    extended.record(person("Bo"), "rates", person("Cy"))
    extended.record(person("Cy"), "rates", person("Bo"))
    extended("change_word", word="rates", values={"flags": ["symmetric"]})

    assert extended("describe_word", word="rates")["count"] == 2


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("word", "values", "code"),
    [
        ("person", {"description": "An animal."}, "VOCABULARY_CONFLICT"),
        ("decided_in", {"role": None}, "VOCABULARY_CONFLICT"),
        ("apprenticed_to", {"sources": ["person"]}, "VOCABULARY_CONFLICT"),
        ("engineer", {"parents": ["engineer"]}, "VOCABULARY_CONFLICT"),
        ("engineer", {"parents": ["nobody"]}, "VOCABULARY_INVALID"),
        ("engineer", {"abstract": True}, "VOCABULARY_CONFLICT"),
        ("engineer", {"colour": "red"}, "VOCABULARY_INVALID"),
        ("engineer", {"role": "blocks"}, "VOCABULARY_INVALID"),
        ("engineer", {}, "VOCABULARY_INVALID"),
        ("trains", {"flags": ["symmetric"]}, "VOCABULARY_CONFLICT"),
        ("trains", {"flags": ["symmetric", "acyclic"]}, "VOCABULARY_INVALID"),
        ("trains", {"inverse": {"name": "coaches"}}, "VOCABULARY_CONFLICT"),
        ("mentros", {"description": "x"}, "PREDICATE_UNKNOWN"),
    ],
)
def test_a_change_that_cannot_be_is_refused(extended, word, values, code):
    before = exported(extended.graph)
    answer = extended("change_word", word=word, values=values)

    assert answer["error"] == code
    assert answer["hint"]
    assert exported(extended.graph) == before


def test_words_of_the_core_may_get_labels_and_keep_those_they_have(call):
    call("change_word", word="depends_on", values={"alternative": ["rests upon"]})
    call.record(project("Atlas"), "rests upon", concept("SQLite"))
    kept = call("change_word", word="depends_on", removed_labels=["needs"])
    removed = call("change_word", word="depends_on", removed_labels=["rests upon"])

    assert kept["error"] == "VOCABULARY_CONFLICT"
    assert "error" not in removed
    assert "error" in call("record_fact", **fact(project("Atlas"), "rests upon", concept("Rust")))


# Retiring


def test_a_retired_word_is_refused_or_mapped_and_what_was_recorded_stays(extended):
    extended("retire_word", word="rates")
    retired = extended("record_fact", **fact(person("Cy"), "rates", literal("1")))
    kept = extended("recall_entity", name_or_alias="Bo")["facts"]
    extended("restore_word", word="rates")
    restored = extended("record_fact", **fact(person("Cy"), "rates", literal("1")))

    assert "error" in retired
    assert "rates" in [each["predicate"] for each in kept]
    assert "error" not in restored


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"word": "person"}, "VOCABULARY_CONFLICT"),
        ({"word": "rates", "replaced_by": "rates"}, "VOCABULARY_CONFLICT"),
        ({"word": "rates", "replaced_by": "nothing"}, "PREDICATE_UNKNOWN"),
        ({"word": "rates", "replaced_by": "engineer"}, "PREDICATE_UNKNOWN"),
    ],
)
def test_a_word_that_cannot_be_retired_is_refused(extended, arguments, code):
    assert extended("retire_word", **arguments)["error"] == code
    assert extended("restore_word", word="rates")["fields"] == []


# Merging


def test_the_facts_of_a_merged_predicate_move_and_its_names_become_wordings(extended, path):
    merged = extended("merge_words", absorb="coaches", keep="trains")
    again = extended.record(person("Bo"), "betreut", person("Cy"))

    assert (merged["moved"], merged["folded"]) == (1, 0)
    assert again["predicate"] == "trains"
    assert rows(path, "SELECT count(*) FROM predicate WHERE name = 'coaches'") == [(0,)]
    assert rows(path, "SELECT text FROM fact WHERE text LIKE 'Ana trains%'") == [("Ana trains Bo",)] * 2


def test_facts_that_say_the_same_become_one_with_the_sources_of_both(extended, path):
    extended.record(person("Cy"), "trains", person("Bo"), source="minutes")
    extended.record(person("Cy"), "coaches", person("Bo"), source="mail")
    merged = extended("merge_words", absorb="coaches", keep="trains")
    sources = rows(path, "SELECT source FROM provenance WHERE source IS NOT NULL ORDER BY source")

    assert merged["folded"] == 1
    assert sources == [("mail",), ("minutes",)]
    assert len({row[0] for row in rows(path, "SELECT fact FROM provenance WHERE source IS NOT NULL")}) == 1


def test_merging_into_an_inverse_exchanges_the_ends(extended, path):
    merged = extended("merge_words", absorb="coaches", keep="apprenticed_to")

    assert (merged["reversed"], merged["moved"]) == (True, 1)
    assert ("Bo trains Ana",) in rows(path, "SELECT text FROM fact")


def test_merging_into_a_symmetric_predicate_leaves_one_fact_of_a_pair(extended):
    extended.record(person("Bo"), "coaches", person("Cy"))
    extended.record(person("Cy"), "coaches", person("Bo"))
    extended.record(person("Cy"), "knows", person("Bo"))
    merged = extended("merge_words", absorb="coaches", keep="knows")

    assert merged["folded"] == 2
    assert extended("describe_word", word="knows")["count"] == 2


def test_entities_of_a_merged_type_move_and_those_of_one_name_become_one(extended):
    merged = extended("merge_words", absorb="manager", keep="engineer")
    ana = extended("recall_entity", name_or_alias="Ana")

    assert (merged["moved"], merged["folded"], merged["merged_names"]) == (0, 1, ["Ana"])
    assert {each["predicate"] for each in ana["facts"]} == {"trains", "coaches"}
    assert ana["entity"]["type"] == "engineer"


def test_a_type_merged_with_its_parent_leaves_its_kinds_under_that(extended):
    extended("extend_vocabulary", types={"chief_engineer": {"parents": ["engineer"]}})
    extended("merge_words", absorb="engineer", keep="person")

    assert extended("describe_word", word="chief_engineer")["parents"] == ["person"]


def test_texts_and_proposed_facts_name_the_type_that_is_kept(extended, path):
    chunk = {
        "text": "Dee tutors Eve.",
        "idx": 0,
        "entities": [{"name": "Dee", "type": "manager"}, {"name": "Eve", "type": "manager"}],
        "relations": [{"from": "Dee", "to": "Eve", "type": "tutors"}],
    }
    extended("ingest_prechunked", source="a.md", chunks=[chunk])
    before = exported(extended.graph)
    merged = extended("merge_words", absorb="manager", keep="engineer")
    lines = exported(extended.graph)
    extended("undo", call=merged["call"])

    assert next(line for line in before if line.get("kind") == "proposed_fact")["subject_type"] == "manager"
    assert [line for line in lines if line.get("kind") not in ("word", "label") and "manager" in json.dumps(line)] == []
    assert exported(extended.graph) == before


def test_entities_of_one_name_are_merged_in_each_group_by_itself(extended, open_graph, path):
    with keepgraph.open(path, group="work") as work:
        for kind in ("engineer", "manager"):
            work.call("record_fact", **fact({"type": kind, "name": f"Zoe of {kind}"}, "rates", literal("1")))
            work.call("record_fact", **fact({"type": kind, "name": "Yan"}, "rates", literal("1")))
    merged = extended("merge_words", absorb="manager", keep="engineer")

    assert (merged["moved"], merged["merged_names"]) == (1, ["Ana", "Yan"])


@pytest.mark.parametrize(
    ("absorb", "keep", "code"),
    [
        ("person", "engineer", "VOCABULARY_CONFLICT"),
        ("engineer", "engineer", "VOCABULARY_CONFLICT"),
        ("trains", "apprenticed_to", "VOCABULARY_CONFLICT"),
        ("apprenticed_to", "trains", "VOCABULARY_CONFLICT"),
        ("apprenticed_to", "coaches", "VOCABULARY_CONFLICT"),
        ("rates", "apprenticed_to", "VOCABULARY_CONFLICT"),
        ("trains", "engineer", "PREDICATE_UNKNOWN"),
        ("mentros", "trains", "PREDICATE_UNKNOWN"),
    ],
)
def test_words_that_cannot_be_one_are_refused(extended, absorb, keep, code):
    before = exported(extended.graph)
    answer = extended("merge_words", absorb=absorb, keep=keep)

    assert answer["error"] == code
    assert answer["hint"]
    assert exported(extended.graph) == before


def test_a_merge_that_would_make_a_circle_of_types_is_refused(extended):
    extended("extend_vocabulary", types={"chief": {"parents": ["engineer"]}, "head": {"parents": ["chief"]}})

    assert extended("merge_words", absorb="engineer", keep="head")["error"] == "VOCABULARY_CONFLICT"


# Sets


def test_a_set_that_is_removed_leaves_what_is_used_retired(call):
    call.record(person("Ana"), "works_at", {"type": "organisation", "name": "Acme"})
    removed = call("remove_vocabulary_set", name="personal")
    added = call("add_vocabulary_set", name="personal")

    assert {"works_at", "organisation"} <= set(removed["retired"])
    assert "likes" in removed["deleted"]
    assert {"works_at", "organisation"} <= set(added["revived"])
    assert "likes" in added["added"]


def test_a_set_that_was_exported_can_be_added_elsewhere(extended, open_graph, tmp_path):
    definition = extended("export_vocabulary_set", name="own")["definition"]
    other = Caller(open_graph(tmp_path / "other.db"))
    added = other("add_vocabulary_set", definition=definition)

    assert sorted(added["added"]) == sorted([*TYPES, *PREDICATES, "apprenticed_to"])
    assert other("export_vocabulary_set", name="own")["definition"] == definition


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("add_vocabulary_set", {"name": "nothing"}, "VOCABULARY_SET_UNKNOWN"),
        ("add_vocabulary_set", {}, "VOCABULARY_INVALID"),
        ("add_vocabulary_set", {"definition": {"name": "x"}}, "VOCABULARY_INVALID"),
        ("remove_vocabulary_set", {"name": "core"}, "VOCABULARY_CONFLICT"),
        ("remove_vocabulary_set", {"name": "research"}, "VOCABULARY_SET_UNKNOWN"),
        ("export_vocabulary_set", {"name": "research"}, "VOCABULARY_SET_UNKNOWN"),
        ("list_vocabulary", {"set": "research"}, "VOCABULARY_SET_UNKNOWN"),
    ],
)
def test_a_set_that_is_not_there_is_refused(call, tool, arguments, code):
    assert call(tool, **arguments)["error"] == code


# Undo and exports

Step = tuple[str, dict[str, Any]]

_labels = st.lists(st.sampled_from(["tutors", "leads on", "guides"]), max_size=2, unique=True)
_types = st.lists(st.sampled_from([*TYPES, "person", "organisation", "concept"]), max_size=2, unique=True)
_names = st.sampled_from(NAMES)
_entity = st.builds(lambda kind, name: {"type": kind, "name": name}, st.sampled_from([*TYPES, "person"]), _names)

CHANGES: st.SearchStrategy[Step] = st.one_of(
    st.builds(
        lambda name, parents: ("extend_vocabulary", {"types": {name: {"parents": parents}}}),
        st.sampled_from(["crane", "robot"]),
        _types,
    ),
    st.builds(
        lambda name, ends, inverse: (
            "extend_vocabulary",
            {"predicates": {name: {"sources": ends, **({"inverse": "lifted_by"} if inverse else {})}}},
        ),
        st.sampled_from(["lifts", "tows"]),
        _types,
        st.booleans(),
    ),
    st.builds(
        lambda word, parents, labels: (
            "change_word",
            {"word": word, "values": {"parents": parents, "alternative": labels, "description": "Changed."}},
        ),
        st.sampled_from([*TYPES, "team"]),
        _types,
        _labels,
    ),
    st.builds(
        lambda word, ends, labels, flags: (
            "change_word",
            {
                "word": word,
                "values": {
                    "sources": ends,
                    "targets": [],
                    "alternative": labels,
                    "flags": flags,
                    "sentence": "{subject} and {object}",
                },
            },
        ),
        st.sampled_from([*PREDICATES, "works_with"]),
        _types,
        _labels,
        st.sampled_from([[], ["symmetric"], ["transitive", "acyclic"]]),
    ),
    st.builds(
        lambda word, other: ("retire_word", {"word": word, **({"replaced_by": other} if other else {})}),
        st.sampled_from([*TYPES, *PREDICATES]),
        st.sampled_from([None, "person", "knows"]),
    ),
    st.builds(
        lambda absorb, keep: ("merge_words", {"absorb": absorb, "keep": keep}),
        st.sampled_from([*TYPES, *PREDICATES, "apprenticed_to", "likes"]),
        st.sampled_from([*TYPES, *PREDICATES, "apprenticed_to", "person", "knows"]),
    ),
    st.sampled_from([("add_vocabulary_set", {"name": name}) for name in ("research", "graphiti", "personal")]),
    st.sampled_from([("remove_vocabulary_set", {"name": name}) for name in ("personal", "own", "research")]),
    st.just(("extend_vocabulary", {"map_wordings": [{"wordings": ["guides"], "predicate": "depends_on"}]})),
    st.just(("extend_vocabulary", {"dismiss_wordings": ["is a"]})),
)
FACTS: st.SearchStrategy[Step] = st.builds(
    lambda subject, predicate, target: ("record_fact", fact(subject, predicate, target)),
    _entity,
    st.sampled_from([*PREDICATES, "knows", "apprenticed_to"]),
    _entity,
)


def governed(graph: keepgraph.Graph) -> Caller:
    call = Caller(graph)
    call(
        "extend_vocabulary",
        types={"engineer": {"parents": ["person"]}, "manager": {"parents": ["person"]}, "machine": {"style": "term"}},
        predicates={"trains": {"inverse": "apprenticed_to"}, "coaches": {}, "rates": {"flags": ["irreflexive"]}},
    )
    return call


def check_undo_restores_every_change(path: Path, steps: list[Step], check: Callable[[keepgraph.Graph], None]) -> None:
    with keepgraph.open(path, new_id=counted()) as graph:
        call = governed(graph)
        for tool, arguments in steps:
            before = exported(graph)
            answer = call(tool, **arguments)
            if "error" in answer or answer["call"] is None:
                assert exported(graph) == before
            elif tool != "record_fact":
                changed = exported(graph)
                undone = call("undo", call=answer["call"])
                assert exported(graph) == before
                redone = call("undo", call=undone["call"])
                assert "error" not in redone, redone
                assert exported(graph) == changed
        check(graph)


@examples(5, sweep=200)
@given(steps=st.lists(st.one_of(FACTS, CHANGES), max_size=10))
def test_what_is_undone_leaves_the_export_of_before(new_file, steps):
    path = new_file()

    check_undo_restores_every_change(path, steps, lambda graph: None)


@examples(5, sweep=200)
@given(steps=st.lists(st.one_of(FACTS, CHANGES), max_size=10))
def test_an_export_of_any_vocabulary_gives_the_same_export(new_file, steps):
    path = new_file()
    with keepgraph.open(path, new_id=counted()) as graph:
        call = governed(graph)
        for tool, arguments in steps:
            call(tool, **arguments)
        lines = exported(graph)

    assert taken_in(lines, path.with_name("copy.db")) == lines


# Undoing


def test_undo_is_refused_where_facts_recorded_since_would_say_the_same_twice(extended):
    extended("change_word", word="rates", values={"flags": ["symmetric"]})
    extended.record(person("Bo"), "rates", person("Cy"))
    changed = extended("change_word", word="rates", values={"flags": []})
    other = extended.record(person("Cy"), "rates", person("Bo"))
    refused = extended("undo", call=changed["call"])
    extended("undo", call=other["call"])
    undone = extended("undo", call=changed["call"])

    assert refused["error"] == "LATER_CHANGES"
    assert other["call"] in [candidate["call"] for candidate in refused["candidates"]]
    assert "error" not in undone
    assert extended("describe_word", word="rates")["flags"] == ["symmetric"]


# Export of what a graph has no more


@pytest.mark.parametrize(
    ("steps", "kind", "gone"),
    [
        ([("merge_words", {"absorb": "team", "keep": "organisation"})], "entity_type", "team"),
        ([("merge_words", {"absorb": "works_at", "keep": "member_of"})], "predicate", "works_at"),
        ([("remove_vocabulary_set", {"name": "personal"})], "entity_type", "team"),
    ],
)
def test_a_word_that_a_graph_has_no_more_does_not_come_back_with_its_export(call, tmp_path, steps, kind, gone):
    for tool, arguments in steps:
        assert "error" not in call(tool, **arguments)
    lines = exported(call.graph)
    copy = tmp_path / "copy.db"
    again = taken_in(lines, copy)
    with keepgraph.open(copy) as graph:
        known = graph.call("list_vocabulary")
    names = {entry["name"] for entry in known["entity_types" if kind == "entity_type" else "predicates"]}

    assert again == lines
    assert gone not in names


def test_a_merged_type_names_the_same_entity_after_an_import(call, tmp_path):
    team, organisation = {"type": "team", "name": "T"}, {"type": "organisation", "name": "O"}
    call.record(team, "part_of", organisation)
    call("merge_words", absorb="team", keep="organisation")
    copy = tmp_path / "copy.db"
    taken_in(exported(call.graph), copy)
    with keepgraph.open(copy) as graph:
        graph.call("record_fact", **fact(team, "part_of", organisation))
        types = {entry["name"]: entry["count"] for entry in graph.call("list_vocabulary")["entity_types"]}

    assert (types.get("team"), types["organisation"]) == (None, 2)


def test_a_word_in_use_stays_where_a_file_has_it_no_more(call, open_graph, tmp_path):
    with open_graph(tmp_path / "other.db") as other:
        other.call(
            "record_fact", **fact({"type": "team", "name": "T"}, "part_of", {"type": "organisation", "name": "O"})
        )
    call("merge_words", absorb="team", keep="organisation")
    taken_in(exported(call.graph), tmp_path / "other.db")
    with keepgraph.open(tmp_path / "other.db") as other:
        team = other.call("describe_word", word="team")

    assert (team["name"], team["count"]) == ("team", 1)


# Values that hold together


@pytest.mark.parametrize(
    "values",
    [
        {"flags": ["symmetric"], "inverse": {"name": "lifted_by"}},
        {"literal": "url", "targets": ["person"]},
        {"literal": "url", "inverse": {"name": "lifted_by"}},
        {"literal": "url", "flags": ["symmetric"]},
        {"inverse": {"name": "lifts"}},
    ],
)
def test_a_predicate_of_values_that_cannot_hold_together_is_neither_added_nor_made(call, values):
    before = exported(call.graph)
    refused = call("extend_vocabulary", predicates={"lifts": values})
    as_set = call("add_vocabulary_set", definition={"name": "cranes", "version": "1", "predicates": {"lifts": values}})
    unchanged = exported(call.graph)
    call("extend_vocabulary", predicates={"lifts": {}})
    plain = exported(call.graph)
    unmade = call("change_word", word="lifts", values=values)

    for answer in (refused, as_set, unmade):
        assert answer["error"] in ("VOCABULARY_CONFLICT", "VOCABULARY_INVALID")
    assert unchanged == before
    assert exported(call.graph) == plain


def test_an_inverse_can_be_taken_away(extended):
    refused = extended("change_word", word="trains", values={"flags": ["symmetric"]})
    changed = extended("change_word", word="trains", values={"inverse": None, "flags": ["symmetric"]})
    described = extended("describe_word", word="trains")

    assert "--inverse none" in refused["hint"]
    assert "error" not in changed
    assert (described["inverses"], described["flags"]) == ([], ["symmetric"])
    assert extended("describe_word", word="apprenticed_to")["error"] == "PREDICATE_UNKNOWN"


def test_a_predicate_with_facts_of_entities_keeps_them(extended):
    extended.record(person("Bo"), "rates", person("Cy"))
    refused = extended("change_word", word="rates", values={"literal": "number"})

    assert refused["error"] == "VOCABULARY_CONFLICT"


@pytest.mark.parametrize(("word", "replacement"), [("works_at", "employs"), ("born_on", "lives_in")])
def test_a_word_is_replaced_only_by_one_that_says_the_same(call, word, replacement):
    retired = call("retire_word", word=word, replaced_by=replacement)
    other_way = call("retire_word", word=replacement, replaced_by=word)

    assert (retired["error"], other_way["error"]) == ("VOCABULARY_CONFLICT", "VOCABULARY_CONFLICT")


def test_a_merge_neither_invents_a_direction_nor_makes_entities_of_literals(extended):
    extended.record(person("Bo"), "knows", person("Cy"))
    directed = extended("merge_words", absorb="knows", keep="coaches")
    extended("change_word", word="knows", values={"flags": []})
    admitted = extended("merge_words", absorb="knows", keep="coaches", dry_run=True)
    literal_one = extended("merge_words", absorb="born_on", keep="lives_in")

    assert (directed["error"], literal_one["error"]) == ("VOCABULARY_CONFLICT", "VOCABULARY_CONFLICT")
    assert admitted["moved"] == 1


def test_a_set_says_which_of_its_inverses_are_words_of_their_own_here(call):
    call("remove_vocabulary_set", name="personal")
    call("extend_vocabulary", predicates={"works_at": {}, "employs": {}})
    answer = call("add_vocabulary_set", name="personal")

    assert "employs is a predicate of its own" in answer["message"]
    assert "merge employs" in answer["message"]


def test_a_wording_of_another_word_is_told_and_no_wording_is_both_mapped_and_dismissed(call):
    mapped = call("extend_vocabulary", map_wordings=[{"wordings": ["works for"], "predicate": "knows"}])
    refused = call(
        "extend_vocabulary",
        map_wordings=[{"wordings": ["toils for"], "predicate": "works_at"}],
        dismiss_wordings=["Toils for"],
    )
    named = call("change_word", word="works_at", values={"alternative": ["knows"]})
    empty = call("change_word", word="works_at", values={"alternative": ["is"]})

    assert empty["error"] == "VOCABULARY_INVALID"
    assert mapped["overlaps"] == [{"name": "works for", "existing": "works_at"}]
    assert refused["error"] == "VOCABULARY_INVALID"
    assert named["error"] == "VOCABULARY_CONFLICT"
