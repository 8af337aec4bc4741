"""profile_graph: coverage and values of properties, languages, what relationship types connect, and ghosts."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgraph import store
from keepgraph.engine.analysis import graph_profile
from keepgraph.ml import language_identification
from laws import examples
from vocabularies import AVIATION, add_set
from words import NOON, Caller, connected, literal, person, project

ADA, BOB, ATLAS = person("Ada"), person("Bob"), project("Atlas")

SPANISH = "El 16 de julio el avión aterrizó en Barcelona con un motor parado y sin heridos a bordo."
ENGLISH = "On 2 January the aircraft departed from the runway and came to rest in the grass."
FRENCH = "Le 3 mars l'avion a quitté la piste pendant l'atterrissage, sans faire de blessés."

needs_languages = pytest.mark.skipif(
    language_identification.unavailable_reason() is not None, reason="py3langid is not installed"
)


def fill(call: Caller, path: Path, properties: list[dict[str, Any]]) -> None:
    """Concepts with these properties, written past the door."""
    if not call("recall_entity", name_or_alias="Ada")["entity"]:
        call.record(ADA, "reports_to", BOB)  # the journal has an entry for what follows
    with connected(path) as conn:
        first = conn.execute("SELECT count(*) FROM entity").fetchone()[0]
        conn.executemany(
            """
            INSERT INTO entity (public_id, group_id, type, name, name_key, name_folded, properties, created_at)
            VALUES (?, 'default', 4, ?, ?, ?, ?, '2026-05-15T10:00:00.000Z')
            """,
            [
                (f"ent_9{number:025d}", *[f"thing {number}"] * 3, json.dumps(each))
                for number, each in enumerate(properties, first)
            ],
        )


def damage(path: Path, content: bytes, other: bytes) -> None:
    """Other bytes of the same length in the file, as a fault of the disk writes them; then a write of somebody else."""
    with connected(path) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()

    assert len(content) == len(other)
    assert whole.count(content) == 1

    path.write_bytes(whole.replace(content, other))
    with connected(path) as conn:
        conn.execute("UPDATE vocabulary_revision SET revision = revision + 1")


def concept_properties(call: Caller, **arguments: Any) -> dict[str, Any]:
    return call("profile_graph", **arguments)["entity_profiles"]["Concept"]["properties"]


# Properties


def test_coverage_leaves_out_what_is_empty(call, path):
    fill(call, path, [{"status": "open"}, {"status": ""}, {"status": None}, {}])

    assert concept_properties(call)["status"]["coverage"] == 0.25


def test_coverage_has_two_decimals_and_is_one_only_if_all_have_it(call, path):
    fill(call, path, [{"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 2}, {"a": 3}] + [{"a": 0}] * 400)
    properties = concept_properties(call)

    assert properties["a"]["coverage"] == 1.0
    assert properties["b"]["coverage"] == 0.0
    fill(call, path, [{"d": 1}] * 399 + [{}])
    assert concept_properties(call)["a"]["coverage"] == 0.5


def test_a_share_that_is_not_all_is_never_shown_as_all(call, path):
    fill(call, path, [{"a": 1}] * 999 + [{}])

    assert concept_properties(call)["a"]["coverage"] == 0.99


def test_categories_have_their_values_by_frequency(call, path):
    fill(call, path, [{"status": "open"}] * 3 + [{"status": "closed"}] * 2 + [{"status": True}])

    assert concept_properties(call)["status"]["top_values"] == [
        {"value": "open", "count": 3},
        {"value": "closed", "count": 2},
        {"value": "true", "count": 1},
    ]
    assert concept_properties(call)["status"]["distinct"] == 3


def test_many_different_values_are_no_categories_and_few_among_many_are(call, path):
    fill(call, path, [{"number": n, "kind": n % 25} for n in range(300)])
    properties = concept_properties(call)

    assert "top_values" not in properties["number"]
    assert (properties["number"]["distinct"], properties["kind"]["distinct"]) == (300, 25)
    assert len(properties["kind"]["top_values"]) == 10


def test_samples_are_as_many_as_asked_for_and_cut(call, path):
    fill(call, path, [{"text": f"{n} {'x' * 300}"} for n in range(9)])
    values = concept_properties(call, sample_size=3)["text"]["sample_values"]

    assert len(values) == 3
    assert {len(value) for value in values} == {203}
    assert all(value.endswith("...") for value in values)


def test_the_average_length_is_that_of_long_texts(call, path):
    fill(call, path, [{"text": "x" * 40, "code": "A1"}, {"text": "x" * 60, "code": "A2"}, {"text": "short"}])
    properties = concept_properties(call)

    assert properties["text"]["avg_length"] == 50
    assert "avg_length" not in properties["code"]


def test_names_summaries_and_aliases_are_properties_and_embeddings_are_none(call, path):
    fill(call, path, [{"name_embedding": [1, 2], "uses": ["a", "b"]}])
    call("add_alias", entity={"type": "person", "name": "Ada"}, alias="Countess")
    profiles = call("profile_graph")["entity_profiles"]

    assert {"name", "aliases"} <= profiles["Person"]["properties"].keys()
    assert profiles["Person"]["properties"]["aliases"]["coverage"] == 0.5
    assert profiles["Concept"]["properties"].keys() == {"name", "uses"}


def test_a_label_that_cannot_be_read_does_not_take_the_others_with_it(call, path):
    fill(call, path, [{"is": "whole"}])
    damage(path, b'{"is": "whole"}', b'{"is": "broken"')
    profiles = call("profile_graph")["entity_profiles"]

    assert (profiles["Concept"]["sampled"], profiles["Concept"]["properties"], profiles["Concept"]["count"]) == (
        False,
        {},
        1,
    )
    assert profiles["Concept"]["problem"]
    assert profiles["Person"]["sampled"]
    assert profiles["Person"]["properties"]["name"]["coverage"] == 1.0


def test_a_label_has_the_entities_of_its_subtypes(graph, call):
    add_set(graph, AVIATION)
    call.record({"type": "aircraft", "name": "EC-ABC"}, "registered_as", literal("EC-ABC"))
    profiles = call("profile_graph")["entity_profiles"]

    assert {label: profiles[label]["count"] for label in ("Thing", "Vehicle", "Aircraft")} == {
        "Thing": 1,
        "Vehicle": 1,
        "Aircraft": 1,
    }


def test_literals_are_profiled_as_the_nodes_that_they_are(call):
    call.record(ADA, "tagged", literal("busy"))
    call.record(BOB, "tagged", literal("busy"))
    profile = call("profile_graph")["entity_profiles"]["Literal"]

    assert (profile["count"], profile["properties"]["value"]["top_values"]) == (1, [{"value": "busy", "count": 2}])


# Relationship types


def test_relationships_have_patterns_degrees_and_paths(call):
    call.record(ADA, "works_on", ATLAS)
    call.record(ADA, "works_on", project("Borealis"))
    call.record(BOB, "works_on", ATLAS)
    call.record({"type": "organisation", "name": "Acme"}, "works_on", ATLAS)
    profile = call("profile_graph", sample_size=2)["relationship_profiles"]["WORKS_ON"]

    assert (profile["count"], profile["confirmed"]) == (4, True)
    assert profile["source_target_patterns"] == [["Person", "Project"], ["Organisation", "Project"]]
    assert profile["pattern_counts"] == [3, 1]
    assert profile["avg_out_degree"] == 1.3
    assert profile["coverage"] == 1.0
    assert profile["sample_paths"] == [{"source": "Ada", "target": "Atlas"}, {"source": "Ada", "target": "Borealis"}]


def test_a_declared_type_without_a_relationship_is_a_ghost(call):
    call.record(ADA, "works_on", ATLAS)
    answer = call("profile_graph")

    assert answer["relationship_profiles"]["REPORTS_TO"]["confirmed"] is False
    assert "REPORTS_TO" in answer["ghost_relationships"]["declared_not_used"]
    assert "WORKS_ON" not in answer["ghost_relationships"]["declared_not_used"]


def test_what_connects_other_types_than_declared_is_shown(call):
    call.record(ATLAS, "reports_to", project("Borealis"))  # the ends of the core are advice
    call.record(ADA, "works_on", ATLAS)
    answer = call("profile_graph")

    assert answer["relationship_profiles"]["REPORTS_TO"]["undeclared_patterns"] == [["Project", "Project"]]
    assert answer["ghost_relationships"]["used_not_declared"] == ["REPORTS_TO"]
    assert "undeclared_patterns" not in answer["relationship_profiles"]["WORKS_ON"]


def test_facts_that_do_not_hold_and_other_groups_are_left_out(open_graph):
    ours, theirs = Caller(open_graph()), Caller(open_graph(group="theirs"))
    theirs.record(ADA, "works_on", ATLAS)
    ours.record(ADA, "works_on", ATLAS, valid_from="2020-01-01", valid_to="2021-01-01")

    assert ours("profile_graph")["relationship_profiles"]["WORKS_ON"]["confirmed"] is False
    assert theirs("profile_graph")["relationship_profiles"]["WORKS_ON"]["count"] == 1


# Languages


@needs_languages
def test_the_languages_of_long_texts_are_detected(call, path):
    fill(call, path, [{"report": text, "code": "A1"} for text in (SPANISH, ENGLISH, FRENCH, ENGLISH)])
    answer = call("profile_graph")

    assert answer["entity_profiles"]["Concept"]["properties"]["report"]["detected_languages"] == ["en", "es", "fr"]
    assert "detected_languages" not in answer["entity_profiles"]["Concept"]["properties"]["code"]
    assert answer["language_summary"] == {
        "primary_languages": ["en", "es", "fr"],
        "multilingual_fields": ["Concept.report"],
        "detection": "on",
    }


@needs_languages
def test_the_languages_of_episodes_count(call):
    call("add_memory", name="Bericht", episode_body="Am Montag haben wir beschlossen, den Umzug zu verschieben.")

    assert call("profile_graph")["language_summary"]["primary_languages"] == ["de"]


def test_without_the_package_everything_else_is_profiled(call, path, monkeypatch):
    monkeypatch.setattr(language_identification, "find_spec", lambda name: None)
    fill(call, path, [{"report": ENGLISH}])
    answer = call("profile_graph")

    assert answer["language_summary"]["primary_languages"] == []
    assert "py3langid" in answer["language_summary"]["detection"]
    assert answer["entity_profiles"]["Concept"]["properties"]["report"]["coverage"] == 1.0


@needs_languages
@settings(max_examples=50)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=60), max_size=5))
def test_any_text_has_a_language_or_none_and_always_the_same(texts):
    first = language_identification.identify(texts)

    assert first == language_identification.identify(texts)
    assert len(first) == len(texts)


# The same until the graph changes


@pytest.fixture
def profiles_made(monkeypatch) -> list[int]:
    """The sample sizes of the profiles that were computed."""
    made: list[int] = []
    compute = graph_profile._profile

    def counted(tx: store.transactions.Tx, used: Any, sample_size: int) -> Any:
        made.append(sample_size)
        return compute(tx, used, sample_size)

    monkeypatch.setattr(graph_profile, "_profile", counted)
    return made


def test_a_profile_is_computed_once_until_somebody_writes(call, profiles_made):
    call.record(ADA, "works_on", ATLAS)
    first, second = call("profile_graph"), call("profile_graph")

    assert first == second
    assert profiles_made == [5]
    call.record(BOB, "works_on", ATLAS)
    assert call("profile_graph")["relationship_profiles"]["WORKS_ON"]["count"] == 2
    assert profiles_made == [5, 5]


def test_a_profile_is_computed_anew_when_a_fact_ceases_to_hold(call, clock, profiles_made):
    call.record(ADA, "works_on", ATLAS, valid_to=(NOON + timedelta(hours=1)).isoformat())

    assert call("profile_graph")["relationship_profiles"]["WORKS_ON"]["confirmed"] is True
    clock.pass_by(hours=2)
    assert call("profile_graph")["relationship_profiles"]["WORKS_ON"]["confirmed"] is False
    assert profiles_made == [5, 5]


def test_an_empty_graph_has_a_profile(call):
    answer = call("profile_graph")

    assert answer["entity_profiles"] == {}
    assert all(not profile["confirmed"] for profile in answer["relationship_profiles"].values())


@pytest.mark.parametrize("wrong", [{"sample_size": 0}, {"sample_size": 51}, {"sample_size": "x"}, {"label": "Person"}])
def test_what_it_does_not_take_is_refused(call, wrong):
    assert call("profile_graph", **wrong)["error"] == "INVALID_ARGUMENTS"


# The same as counted one by one

values = st.one_of(st.none(), st.just(""), st.booleans(), st.integers(0, 3), st.sampled_from(["a", "b", "c"]))
bags = st.lists(st.dictionaries(st.sampled_from("pqr"), values, max_size=3), min_size=1, max_size=12)


@examples(10, sweep=300)
@given(bags)
def test_statistics_are_those_of_the_values_themselves(open_graph, tmp_path_factory, bags):
    path = tmp_path_factory.mktemp("graph") / "graph.db"
    call = Caller(open_graph(path))
    fill(call, path, bags)
    properties = concept_properties(call)

    for key in "pqr":
        present = [bag[key] for bag in bags if bag.get(key) not in (None, "")]
        if not present:
            assert key not in properties
            continue
        texts = [json.dumps(value) for value in present]
        assert properties[key]["distinct"] == len(set(texts))
        assert abs(properties[key]["coverage"] - len(present) / len(bags)) <= 0.01
        assert sum(each["count"] for each in properties[key]["top_values"]) == len(present)
