"""Any input gets an answer: a result, or an error with a code; and a refused one leaves nothing behind."""

from __future__ import annotations

import collections
import json
import shutil
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import errors, store
from keepgraph.tools.contract import catalogue, schemas, validation
from keepgraph.tools.contract.catalogue import Tool
from laws import examples
from odd_values import LONGEST_MESSAGE, ODD, is_refusal
from words import Caller, Clock, connected, decision, dump, fact, literal, person, project

TOOLS = {tool.name: tool for tool in (*catalogue.tools(), *catalogue.tools(catalogue.INTERNAL_TOOLSETS))}


def parameters(tool: Tool) -> dict[str, Any]:
    return schemas.load(tool.toolset, tool.name, "input")["properties"]


WITH_PARAMETERS = [name for name, tool in TOOLS.items() if parameters(tool)]
assert len(WITH_PARAMETERS) > 30


def passes(tool: Tool, arguments: dict[str, Any]) -> bool:
    """Whether the input schema lets these arguments through to the tool."""
    try:
        validation.check_input(tool.toolset, tool.name, arguments)
    except errors.KeepgraphError:
        return False
    return True


@pytest.fixture(scope="module")
def filled(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small graph, to be copied."""
    file = Path(shutil.copy(blank, tmp_path_factory.mktemp("filled") / "graph.db"))
    with keepgraph.open(file, clock=Clock()) as graph:
        call = Caller(graph)
        call.record(person("Ada"), "belongs_to", project("Atlas"), aliases=["Countess"])
        call.record(decision("Go"), "belongs_to", project("Atlas"))
    return file


@pytest.fixture
def graph(filled: Path, path: Path, open_graph: Callable[..., keepgraph.Graph]) -> keepgraph.Graph:
    shutil.copy(filled, path)
    return open_graph(new_id=store.ids.ulids())


def faults(path: Path, asked: dict[str, Any], ask: Callable[[Any], dict[str, Any]]) -> dict[str, str]:
    """What went wrong with which odd value: no answer, no good one, or one that left something behind."""
    faults = {}
    with connected(path) as conn:
        for odd, value in asked.items():
            try:
                version = data_version(conn)
                is_refused = is_refusal(ask(value))

                assert not is_refused or data_version(conn) == version, "something was left behind"
            except Exception as error:  # noqa: BLE001 (none may come out of a call)
                faults[odd] = f"{type(error).__name__}: {str(error)[:200]}"
    return faults


def data_version(conn: Any) -> int:
    """A number that another connection changes by whatever it commits: while it is the same, no row has changed."""
    return int(conn.execute("PRAGMA data_version").fetchone()[0])


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_an_odd_value_gets_an_answer_and_a_refused_one_leaves_nothing(call, path, name):
    """
    Each value that the schema lets through, and one that it does not; test_validation.py has those that it refuses.
    """
    tool = TOOLS[name]
    example = schemas.example(tool.toolset, name)
    for parameter in parameters(tool):
        asked = {odd: value for odd, value in ODD.items() if passes(tool, {**example, parameter: value})}
        asked["nul"] = ODD["nul"]

        assert faults(path, asked, lambda value, parameter=parameter: call(name, **{**example, parameter: value})) == {}


@pytest.mark.parametrize("part", ["id", "type", "name", "literal"])
def test_an_odd_part_of_an_entity_gets_an_answer(call, path, part):
    def ask(value: Any) -> dict[str, Any]:
        thing = {"type": "concept", part: value}
        return call("record_fact", subject=person("Ada"), predicate="tagged", object=thing)

    assert faults(path, ODD, ask) == {}


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_fact_among_many_gets_an_answer(call, path, odd):
    answer = call("record_facts", facts=[ODD[odd]])

    if not is_refusal(answer):
        (result,) = answer["results"]
        assert result.pop("index") == 0
        assert is_refusal(result)


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("name", TOOLS)
def test_an_unknown_parameter_is_named_and_refused(call, path, name):
    asked = {unknown: {**schemas.example(TOOLS[name].toolset, name), unknown: 1} for unknown in ("more", "\x00", "tx")}
    refused = []

    def ask(arguments: dict[str, Any]) -> dict[str, Any]:
        refused.append(call(name, **arguments))
        return refused[-1]

    assert faults(path, asked, ask) == {}
    assert [answer["error"] for answer in refused] == ["INVALID_ARGUMENTS"] * 3


UNDERSTOOD = {
    *(
        "ENTITY_NOT_FOUND",
        "FACT_NOT_FOUND",
        "CHANGE_NOT_FOUND",
        "EPISODE_NOT_FOUND",
        "NOT_CONFIRMED",
        "COMMUNITY_NOT_FOUND",
        "PREDICATE_UNKNOWN",
    ),
    # One of several parameters has to be there, whichever.
    *("NAME_OR_ALIAS_REQUIRED", "QUERY_REQUIRED", "EPISODE_INVALID"),
    "PATH_NOT_ALLOWED",
    # No traversal is open that nobody began.
    "TRAVERSAL_NOT_FOUND",
    # What was merged or removed before, and a word or a set without the values that it is to have.
    *("VOCABULARY_CONFLICT", "VOCABULARY_INVALID", "VOCABULARY_SET_UNKNOWN"),
}
"""Refusals of a request that can be read: there is nothing of the kind, or nobody said yes."""

NOTHING_TO_DO = {"change": "INVALID_ARGUMENTS"}
"""How a tool refuses a request in which all its parameters are optional and none says what is to be done."""


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_what_is_missing_or_null_is_refused_or_not_needed(call, path, name):
    tool = TOOLS[name]
    required = schemas.load(tool.toolset, name, "input")["required"]
    for parameter in parameters(tool):
        before = dump(path) if parameter in required else None
        given = schemas.example(tool.toolset, name)
        given.pop(parameter, None)
        for answer in (call(name, **given), call(name, **given, **{parameter: None})):
            if parameter in required:
                assert is_refusal(answer)
                assert dump(path) == before
            else:
                assert not is_refusal(answer) or answer["error"] in {*UNDERSTOOD, NOTHING_TO_DO.get(name)}


@pytest.mark.parametrize(
    "name", ["", "recall", "recall_entity ", "RECALL_ENTITY", "x" * 1_000_000, "\x00", "\ud800", "../x", "__init__"]
)
def test_an_unknown_tool_is_refused(call, name):
    answer = call(name)

    assert answer["error"] == "UNKNOWN_TOOL"
    assert len(answer["message"]) < LONGEST_MESSAGE
    assert "recall_entity" in answer["hint"]


def test_a_mistyped_tool_is_answered_with_the_one_that_was_meant(call):
    assert call("recal_entity")["candidates"][0] == "recall_entity"


@pytest.mark.parametrize(("tool", "parameter"), [("record_fact", "aliases"), ("record_facts", "facts")])
def test_too_many_elements_are_refused(call, path, tool, parameter):
    before = dump(path)

    assert is_refusal(call(tool, **{**schemas.example(TOOLS[tool].toolset, tool), parameter: [{}] * 200_000}))
    assert dump(path) == before


@pytest.mark.parametrize(
    "wrong",
    [{"aliases": [0] * 20_000}, {"aliases": {str(n): 0 for n in range(20_000)}}, {str(n): 0 for n in range(20_000)}],
)
def test_not_every_fault_of_many_is_described(call, monkeypatch, wrong):
    """
    One is told to the caller; describing all of a million took the better part of a minute.
    """
    import jsonschema

    described = []
    init = jsonschema.ValidationError.__init__
    monkeypatch.setattr(
        jsonschema.ValidationError, "__init__", lambda *given, **more: described.append(1) or init(*given, **more)
    )

    assert is_refusal(call("record_fact", **fact(person("Ada"), "tagged", literal("x")), **wrong))
    assert len(described) < 1000


def test_a_mapping_of_another_kind_is_read_as_one(call):
    for kind in (collections.OrderedDict, types.MappingProxyType, collections.UserDict):
        answer = call("record_fact", **fact(kind(person("Ada")), "tagged", kind(literal("x"))))

        assert not is_refusal(answer)


def test_a_tuple_is_read_as_a_list(call):
    answer = call("record_facts", facts=(fact(person("Ada"), "tagged", literal("x"), aliases=("Augusta",)),))

    assert (answer.get("refused"), call.recalled("Augusta")) == (0, "Ada")


def test_arguments_are_left_as_they_were(call):
    given = fact(person("Ada"), "tagged", '{"literal": "x"}', source=None)
    kept = json.dumps(given)
    call("record_fact", **given)

    assert json.dumps(given) == kept


def test_an_integer_may_be_written_as_a_fraction(call):
    assert not is_refusal(call("record_fact", **fact(person("Ada"), "tagged", literal("x"), confidence=1.0)))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "name", "id", "literal", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@examples(20, sweep=1500)
@given(data=st.data())
def test_any_json_gets_an_answer(new_file, data):
    tool = data.draw(st.sampled_from(WITH_PARAMETERS))
    known = sorted(parameters(TOOLS[tool]))
    given_arguments = data.draw(st.dictionaries(st.sampled_from([*known, "x"]), json_values, max_size=4))
    base = schemas.example(TOOLS[tool].toolset, tool) if data.draw(st.booleans()) else {}
    path = new_file()
    with keepgraph.open(path) as graph:
        before = dump(path)
        answer = Caller(graph)(tool, **{**base, **given_arguments})

        assert not is_refusal(answer) or dump(path) == before


@examples(15, sweep=600)
@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_any_name_is_recorded_and_found_or_refused(new_file, name):
    with keepgraph.open(new_file()) as graph:
        call = Caller(graph)
        answer = call("record_fact", **fact(person(name), "tagged", literal("x")))
        if is_refusal(answer):
            return
        told = call("recall_entity", name_or_alias=name)

        assert (told["entity"] or {}).get("id") == answer["subject"]["id"]
