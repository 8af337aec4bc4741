"""Any input gets an answer: a result, or an error with a code; and a refused one leaves nothing behind."""

from __future__ import annotations

import collections
import datetime
import decimal
import json
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import keepgraph
from keepgraph import errors
from keepgraph.tools.contract import catalogue, schemas
from words import Caller, decision, dump, fact, literal, person, project

TOOLS = [*catalogue.tools(), *catalogue.tools(catalogue.INTERNAL_TOOLSETS)]
PARAMETERS = [
    (tool.name, name) for tool in TOOLS for name in schemas.load(tool.toolset, tool.name, "input")["properties"]
]
LONGEST_MESSAGE = 1000


def deep(levels: int, leaf: Any = 1) -> Any:
    made = leaf
    for level in range(levels):
        made = {"a": made} if level % 2 else [made]
    return made


ODD: dict[str, Any] = {
    "nul": "a\x00b",
    "nul in a key": {"a\x00": 1},
    "surrogate": "\ud800",
    "surrogate in a key": {"\udfff": 1},
    "surrogate within": {"type": "person", "name": "A\ud83d"},
    "nan": float("nan"),
    "nan within": {"type": "person", "name": float("nan")},
    "infinity": float("inf"),
    "minus infinity within": [float("-inf")],
    "ten megabytes": "x" * 10_000_000,
    "ten megabytes within": {"type": "person", "name": "x" * 10_000_000},
    "ten megabytes of brackets": "[" * 10_000_000,
    "many elements": [0] * 2_000,
    "300 levels": deep(300),
    "300 levels of text": json.dumps(deep(300)),
    "a hundred thousand levels": deep(100_000),
    "a hundred thousand levels of text": "[" * 100_000 + "]" * 100_000,
    "a huge integer": 10**400,
    "a long integer": 2**63,
    "a true": True,
    "a number": 12,
    "a fraction": 1e308,
    "an empty text": "",
    "white space": " \t\n\u3000",
    "a mark of byte order": "\ufeff",
    "joiners": "\u200d\u200c",
    "an empty list": [],
    "an empty object": {},
    "a list of nothing": [None],
    "nested text": '{"type": "person"',
    "a bracket": "{",
    "bytes": b"Ada",
    "a set": {1, 2},
    "a date": datetime.date(2026, 5, 1),
    "a decimal": decimal.Decimal("0.5"),
    "a complex number": 1j,
    "a key that is a number": {1: "x"},
    "a key that is nothing": {None: "x"},
    "an object": object(),
    "a class": dict,
    "SQL": "'; DROP TABLE fact; --",
    "emoji": "🚀" * 200,
    "combining": "a" + "\u0301" * 199,
    "right to left": "\u202eabc",
    "text that folds to nothing": "---",
    "a word too long": "x" * 1_000_000,
    "many words": "ab " * 66,
}


def refused(answer: dict[str, Any]) -> bool:
    """Whether an answer is an error; then it must be a helpful one."""
    if "error" not in answer:
        return False
    if answer.get("type") == "error":
        # Queries have an envelope of their own.
        answer = {"error": answer["code"], "message": answer["error"]["explanation"], "example": {}} | {
            "hint": answer["error"]["suggestion"]
        }
    assert answer["error"] in errors.leaves()
    assert answer["error"] != "INTERNAL_ERROR"
    assert 0 < len(answer["message"]) <= LONGEST_MESSAGE
    assert answer["hint"]
    assert isinstance(answer["example"], dict)
    # Whatever is shown must be showable: valid text, finite numbers.
    assert len(json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()) < 10_000
    return True


@pytest.fixture
def call(call: Caller) -> Caller:
    call.record(person("Ada"), "belongs_to", project("Atlas"), aliases=["Countess"])
    call.record(decision("Go"), "belongs_to", project("Atlas"))
    return call


def faults(call: Caller, path: Path, ask: Callable[[Any], dict[str, Any]]) -> dict[str, str]:
    """What went wrong with which odd value: no answer, no good one, or one that left something behind."""
    found = {}
    before = dump(path)
    for odd, value in ODD.items():
        try:
            if refused(ask(value)):
                assert dump(path) == before, "something was left behind"
            else:
                before = dump(path)
        except Exception as error:  # noqa: BLE001 (none may come out of a call)
            found[odd] = f"{type(error).__name__}: {str(error)[:200]}"
    return found


@pytest.mark.parametrize(("tool", "parameter"), PARAMETERS)
def test_an_odd_value_gets_an_answer_and_a_refused_one_leaves_nothing(call, path, tool, parameter):
    example = schemas.example(catalogue.find(tool).toolset, tool)

    assert faults(call, path, lambda value: call(tool, **{**example, parameter: value})) == {}


@pytest.mark.parametrize("part", ["id", "type", "name", "literal"])
def test_an_odd_part_of_an_entity_gets_an_answer(call, path, part):
    def ask(value: Any) -> dict[str, Any]:
        thing = {"type": "concept", part: value}
        return call("record_fact", subject=person("Ada"), predicate="tagged", object=thing)

    assert faults(call, path, ask) == {}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_fact_among_many_gets_an_answer(call, path, odd):
    answer = call("record_facts", facts=[ODD[odd]])

    if not refused(answer):
        (result,) = answer["results"]
        assert result.pop("index") == 0
        assert refused(result)


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
@pytest.mark.parametrize("name", ["more", "", "x" * 100_000, "\x00", "\ud800", "tx", "self", "__class__"])
def test_an_unknown_parameter_is_named_and_refused(call, path, tool, name):
    before = dump(path)
    answer = call(tool, **{**schemas.example(catalogue.find(tool).toolset, tool), name: 1})

    assert refused(answer)
    assert answer["error"] == "INVALID_ARGUMENTS"
    assert dump(path) == before


UNDERSTOOD = {
    *("ENTITY_NOT_FOUND", "FACT_NOT_FOUND", "CHANGE_NOT_FOUND", "EPISODE_NOT_FOUND", "NOT_CONFIRMED"),
    # One of several parameters has to be there, whichever.
    *("NAME_OR_ALIAS_REQUIRED", "QUERY_REQUIRED", "EPISODE_INVALID"),
    "PATH_NOT_ALLOWED",
}
"""Refusals of a request that can be read: there is nothing of the kind, or nobody said yes."""


@pytest.mark.parametrize(("tool", "parameter"), PARAMETERS)
def test_what_is_missing_or_null_is_refused_or_not_needed(call, path, tool, parameter):
    before = dump(path)
    given = schemas.example(catalogue.find(tool).toolset, tool)
    given.pop(parameter, None)
    needed = parameter in schemas.load(catalogue.find(tool).toolset, tool, "input")["required"]

    for answer in (call(tool, **given), call(tool, **given, **{parameter: None})):
        assert refused(answer) if needed else not refused(answer) or answer["error"] in UNDERSTOOD
    assert not needed or dump(path) == before


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

    assert refused(call(tool, **{**schemas.example(catalogue.find(tool).toolset, tool), parameter: [{}] * 5_000_000}))
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

    assert refused(call("record_fact", **fact(person("Ada"), "tagged", literal("x")), **wrong))
    assert len(described) < 1000


def test_a_mapping_of_another_kind_is_read_as_one(call):
    for kind in (collections.OrderedDict, types.MappingProxyType, collections.UserDict):
        answer = call("record_fact", **fact(kind(person("Ada")), "tagged", kind(literal("x"))))

        assert not refused(answer)


def test_a_tuple_is_read_as_a_list(call):
    answer = call("record_facts", facts=(fact(person("Ada"), "tagged", literal("x"), aliases=("Augusta",)),))

    assert (answer.get("refused"), call.recalled("Augusta")) == (0, "Ada")


def test_arguments_are_left_as_they_were(call):
    given = fact(person("Ada"), "tagged", '{"literal": "x"}', source=None)
    kept = json.dumps(given)
    call("record_fact", **given)

    assert json.dumps(given) == kept


def test_an_integer_may_be_written_as_a_fraction(call):
    assert not refused(call("record_fact", **fact(person("Ada"), "tagged", literal("x"), confidence=1.0)))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "name", "id", "literal", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=120)
@given(data=st.data())
def test_any_json_gets_an_answer(tmp_path_factory, data):
    tool, _ = data.draw(st.sampled_from(PARAMETERS))
    known = sorted(schemas.load(catalogue.find(tool).toolset, tool, "input")["properties"])
    given_arguments = data.draw(st.dictionaries(st.sampled_from([*known, "x"]), json_values, max_size=4))
    base = schemas.example(catalogue.find(tool).toolset, tool) if data.draw(st.booleans()) else {}
    path = tmp_path_factory.mktemp("json") / "graph.db"
    with keepgraph.open(path) as graph:
        before = dump(path)
        answer = Caller(graph)(tool, **{**base, **given_arguments})

        assert not refused(answer) or dump(path) == before


@settings(max_examples=60)
@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_any_name_is_recorded_and_found_or_refused(tmp_path_factory, name):
    with keepgraph.open(tmp_path_factory.mktemp("name") / "graph.db") as graph:
        call = Caller(graph)
        answer = call("record_fact", **fact(person(name), "tagged", literal("x")))
        if refused(answer):
            return
        told = call("recall_entity", name_or_alias=name)

        assert (told["entity"] or {}).get("id") == answer["subject"]["id"]
