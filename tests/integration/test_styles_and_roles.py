"""Styles and roles: own types under those of the core, and own predicates in its roles, behave as the core does."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

import keepgraph
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets
from keepgraph.engine.vocabulary.definitions import PredicateDefinition, SetDefinition, TypeDefinition
from keepgraph.model import NameStyle
from keepgraph.store import journal
from words import Caller, Clock, concept, counted, decision, fact, literal, person, project, source

TYPES = {
    "person": "engineer",
    "project": "epic",
    "decision": "ruling",
    "concept": "notion",
    "source": "reading",
}
PREDICATES = {
    "decided_in": "ruled_for",
    "belongs_to": "piece_of",
    "blocked_by": "stalled_by",
    "resolved_by": "settled_with",
    "depends_on": "leans_on",
    "tagged": "marked",
    "mentioned_in": "named_in",
    "reports_to": "answers_to",
}
ROLES = {
    "decided_in": "decides",
    "belongs_to": "part_of",
    "blocked_by": "blocks",
    "resolved_by": "resolves",
    "depends_on": "depends",
    "tagged": "tags",
    "mentioned_in": "mentions",
    "reports_to": "reports",
}
OWN_WORDS = {**TYPES, **PREDICATES}
OWN_SET = SetDefinition(
    "own words",
    "1",
    types=tuple(TypeDefinition(own, parents=(core,)) for core, own in TYPES.items()),
    predicates=tuple(PredicateDefinition(PREDICATES[core], role=role) for core, role in ROLES.items()),
)

WEEK = [
    fact(person("Robert Jones"), "reports_to", person("Elizabeth Stone"), aliases=["RJ"]),
    fact(person("Elizabeth Stone"), "decided_in", decision("Store telemetry locally")),
    fact(decision("Store telemetry locally"), "belongs_to", project("Atlas")),
    fact(decision("Drop the beta"), "belongs_to", project("Atlas")),
    fact(decision("Drop the beta"), "tagged", literal("done")),
    fact(decision("Drop the beta"), "resolved_by", decision("Store telemetry locally")),
    fact(project("Atlas"), "decided_in", literal("Ship in autumn")),
    fact(person("Robert Jones"), "decided_in", concept("Raft")),
    fact(concept("Raft"), "belongs_to", project("Atlas")),
    fact(project("Atlas"), "blocked_by", concept("Vendor contract")),
    fact(project("Atlas"), "blocked_by", literal("legal review")),
    fact(project("Atlas"), "resolved_by", concept("Vendor contract")),
    fact(concept("Login service"), "belongs_to", project("Atlas")),
    fact(concept("Login service"), "tagged", literal("next action")),
    fact(concept("Billing"), "tagged", literal("next-action")),
    fact(concept("Billing"), "resolved_by", person("Robert Jones")),
    fact(project("Atlas"), "depends_on", concept("PostgreSQL")),
    fact(person("Robert Jones"), "mentioned_in", source("Quarterly report on reliability")),
]

QUESTIONS = [
    *(
        ("recall_entity", {"name_or_alias": name})
        for name in (
            "Robert Jones",
            "RJ",
            "Bob Jones",
            "R. Jones",
            "Robrt Jones",
            "Jones",
            "Liz",
            "Dr Elizabeth Stone",
            "the Stones",
            "Atlas",
            "Atlas project",
            "the decision on telemetry",
            "Telemetry stored locally",
            "raft",
            "Vendor",
            "quarterly report",
            "the reliability report",
            "QRR",
            "person:Bob Jones",
            "project:atlas",
            "decision:telemetry locally",
        )
    ),
    ("recall_decisions", {"project": "Atlas"}),
    ("recall_decisions", {"project": "project Atlas", "since": "2026-05-01"}),
    ("recall_decisions", {"project": "Robert Jones"}),
    ("weekly_rollup", {}),
    ("weekly_rollup", {"project": "Atlas"}),
    ("record_fact", fact(person("Bob Jones"), "tagged", literal("here"))),
    ("record_fact", fact(person("Elizabeth"), "tagged", literal("here"))),
    ("record_fact", fact(project("Atlas"), "tagged", literal("big"))),
    ("remember", {"text": "Jones spoke with Liz Stone about Atlas and Raft.", "about": ["Robert"]}),
    ("remember", {"text": "Stone decided to buy Notion. Project Boreas is blocked by Kafka.", "source": "diary"}),
]


def add_set(call: Caller, definition: SetDefinition) -> None:
    with call.graph.database.write("test") as tx:
        sets.add(journal.begin_call(tx), definition)


def in_own_words(value: Any) -> Any:
    """An argument, with the own words in place of those of the core."""
    return translate(value, OWN_WORDS)


def in_words_of_the_core(value: Any) -> Any:
    return translate(value, {own: core for core, own in OWN_WORDS.items()})


def translate(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        spoken = {word.replace("_", " "): other.replace("_", " ") for word, other in words.items()}
        both = {**spoken, **words}
        return re.sub(rf"\b({'|'.join(sorted(both, key=len, reverse=True))})\b", lambda word: both[word[0]], value)
    if isinstance(value, Mapping):
        return {key: translate(part, words) if key != "tool" else part for key, part in value.items()}
    return [translate(part, words) for part in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def files(new_file: Callable[[], Path]) -> dict[str, Path]:
    """Two graphs with the same facts, in the words of the core and in own words, to be copied."""
    made = {"core": new_file(), "own": new_file()}
    for name, file in made.items():
        clock = Clock()
        with keepgraph.open(file, clock=clock, new_id=counted()) as graph:
            call = Caller(graph)
            add_set(call, OWN_SET if name == "own" else SetDefinition("nothing", "1"))
            for statement in WEEK:
                clock.pass_by(minutes=1)
                call.record(**(in_own_words(statement) if name == "own" else statement))
    return made


@pytest.fixture
def two_graphs(
    files: dict[str, Path], open_graph: Callable[..., Any], clock: Clock, tmp_path: Path
) -> tuple[Caller, Caller]:
    clock.pass_by(minutes=len(WEEK))
    for name, file in files.items():
        shutil.copy(file, tmp_path / f"{name}.db")
    # None of the ids that are there.
    core, own = (Caller(open_graph(tmp_path / f"{name}.db", new_id=counted(1_000_000))) for name in files)
    return core, own


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS, ids=lambda value: str(value)[:60])
def test_own_words_answer_as_those_of_the_core(two_graphs, tool, arguments):
    core, own = two_graphs
    expected = core(tool, **arguments)
    answer = own(tool, **(arguments if tool == "remember" else in_own_words(arguments)))

    assert "error" not in expected
    assert expected == in_words_of_the_core(answer)


def test_the_week_counts_the_same(two_graphs):
    core, own = (call("weekly_rollup", project="Atlas") for call in two_graphs)

    assert (core["totals"]["blockers"], core["totals"]["decisions"]) == (1, 3)
    assert core["totals"] == own["totals"]


@pytest.mark.parametrize("name", ["person:Bob Jones", "person:Robert Jones", "person:R. Jones", "engineer:Bob Jones"])
def test_a_type_means_its_subtypes_too(two_graphs, name):
    _, own = two_graphs

    assert own.recalled(name) == "Robert Jones"


def test_a_type_does_not_mean_the_types_beside_it(two_graphs):
    _, own = two_graphs

    assert own.recalled("animal:Robert Jones") is None


def test_what_is_of_exactly_the_type_comes_before_its_subtypes(two_graphs):
    _, own = two_graphs
    own.record(person("Ada Lovelace"), "tagged", literal("poet"))
    own.record({"type": "engineer", "name": "Ada Lovelace"}, "tagged", literal("namesake"))

    assert own("recall_entity", name_or_alias="person:Ada Lovelace")["entity"]["type"] == "person"
    assert own("recall_entity", name_or_alias="engineer:Ada Lovelace")["entity"]["type"] == "engineer"


@pytest.mark.parametrize(
    ("new", "existing"),
    [
        (person("Bob Jones"), "engineer"),
        ({"type": "engineer", "name": "Bob Jones"}, "engineer"),
        ({"type": "designer", "name": "Bob Jones"}, "engineer"),
        (project("Atlsa"), "epic"),
    ],
)
def test_an_entity_of_a_related_type_may_be_the_same(two_graphs, new, existing):
    _, own = two_graphs
    add_set(own, SetDefinition("more", "1", types=(TypeDefinition("designer", parents=("person",)),)))
    answer = own.record(new, "tagged", literal("new"))

    assert existing in [duplicate["type"] for duplicate in answer["possible_duplicates"]]


def test_a_task_is_a_statement_and_no_decision(call):
    call.record({"type": "task", "name": "Renew the passport"}, "part_of", project("Atlas"))
    call.record(decision("Go by train"), "part_of", project("Atlas"))

    assert [found["name"] for found in call("recall_decisions", project="Atlas")["decisions"]] == ["Go by train"]
    assert [found["name"] for found in call("weekly_rollup")["decisions"]] == ["Go by train"]


def test_what_waits_is_blocked(call):
    call.record(project("Atlas"), "waits_for", concept("Visa"))
    call.record(project("Atlas"), "blocked_by", concept("Flight"))

    assert {"Visa", "Flight"} == {fact["object"]["name"] for fact in call("weekly_rollup")["blockers"]}

    call.record(concept("Visa"), "resolved_by", person("Ada"))

    assert [fact["object"]["name"] for fact in call("weekly_rollup", project="Atlas")["blockers"]] == ["Flight"]


def test_of_a_set_with_the_style_person_the_names_are_those_of_persons(call):
    add_set(call, SetDefinition("crew", "1", types=(TypeDefinition("astronaut", style="person"),)))
    call.record({"type": "astronaut", "name": "Elizabeth Stone"}, "tagged", literal("on board"))

    assert [call.recalled(name) for name in ("Liz Stone", "E. Stone", "Stone")] == ["Elizabeth Stone"] * 3
    assert call("remember", text="Stone was here.")["mentions"][0]["name"] == "Elizabeth Stone"


@pytest.mark.parametrize("style", get_args(NameStyle))
def test_a_word_that_names_a_type_still_finds_names_with_it(call, style):
    """
    The word may be a part of a name, or name the type of what is asked for; a term is never asked for by its type.
    """
    add_set(call, SetDefinition("shipping", "1", types=(TypeDefinition("vessel", style=style),)))
    call.record(project("Vessel tracking"), "tagged", literal("new"))
    call.record({"type": "vessel", "name": "Aurora"}, "tagged", literal("afloat"))

    assert call.recalled("Vessel trackin") == "Vessel tracking"
    assert (None if style == "term" else "Aurora") == call.recalled("Auroar vessel")


def test_more_types_change_no_answer(call):
    """
    The words of a question that name types are not left out, whatever the vocabulary has.
    """
    for statement in WEEK:
        call("record_fact", **statement)
    asked = [arguments["name_or_alias"] for tool, arguments in QUESTIONS if tool == "recall_entity"]
    before = [call("recall_entity", name_or_alias=name) for name in asked]
    words = {word for name in asked for word in re.findall("[a-z]{3,}", name.casefold())} - set(TYPES)
    with call.graph.database.read("test") as tx:
        words -= set(graph_vocabulary.read(tx).type_by_name)
    types = [
        TypeDefinition(word, style=style) for word, style in zip(sorted(words), get_args(NameStyle) * 9, strict=False)
    ]
    add_set(call, SetDefinition("many", "1", types=tuple(types)))

    assert before == [call("recall_entity", name_or_alias=name) for name in asked]


def test_a_subtype_of_what_decides_is_a_project(call):
    definition = definitions.from_document(
        {
            "name": "city",
            "version": "1",
            "types": {"council": {"style": "title"}, "bylaw": {"style": "statement"}},
            "predicates": {"enacted": {"role": "decides", "sources": ["council"], "targets": ["bylaw"]}},
        }
    )
    add_set(call, definition)
    call.record({"type": "council", "name": "Lisbon"}, "enacted", {"type": "bylaw", "name": "Close the square"})

    assert [found["name"] for found in call("recall_decisions", project="Lisbon")["decisions"]] == ["Close the square"]


def test_projects_are_completed_by_what_they_are(two_graphs):
    for call in two_graphs:
        answer = call("complete_name", prefix="", only_projects=True)

        assert [entity["name"] for entity in answer["entities"]] == ["Atlas"]


def test_a_completed_type_has_the_names_of_its_subtypes(two_graphs):
    for call in two_graphs:
        answer = call("complete_name", prefix="rob", type="person")

        assert [entity["name"] for entity in answer["entities"]] == ["Robert Jones"]
