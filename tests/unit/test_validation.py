"""Validation of arguments: what passes, and the messages for what is refused."""

from __future__ import annotations

import json

import pytest

from keepgraph import errors
from keepgraph.tools.contract import catalogue, schemas, validation
from odd_values import ODD, is_refusal

TOOLS = {tool.name: tool.toolset for tool in (*catalogue.tools(), *catalogue.tools(catalogue.INTERNAL_TOOLSETS))}
WITH_PARAMETERS = [name for name in TOOLS if schemas.load(TOOLS[name], name, "input")["properties"]]
assert len(WITH_PARAMETERS) > 30

ADA = {"type": "person", "name": "Ada"}
FACT = {"subject": ADA, "predicate": "tagged", "object": {"literal": "x"}}


def check(tool: str = "record_fact", **arguments: object) -> dict[str, object]:
    return validation.check_input("memory", tool, {**FACT, **arguments} if tool == "record_fact" else arguments)


def refusal(tool: str = "record_fact", **arguments: object) -> tuple[str, str]:
    with pytest.raises(errors.KeepgraphError) as caught:
        check(tool, **arguments)
    return caught.value.code, caught.value.message


def deep(levels: int) -> object:
    made: object = "x"
    for _ in range(levels):
        made = [made]
    return made


# What is let through


def test_what_fits_is_left_as_it_is():
    assert check(source="a", confidence=0.5) == {**FACT, "source": "a", "confidence": 0.5}


@pytest.mark.parametrize("name", ["source", "confidence", "valid_from", "valid_to", "aliases"])
def test_null_for_what_is_optional_is_left_out(name):
    assert check(**{name: None}) == FACT


@pytest.mark.parametrize("name", ["subject", "predicate", "object"])
def test_null_for_what_is_required_is_refused(name):
    code, message = refusal(**{name: None})

    assert code in ("SUBJECT_REQUIRED", "PREDICATE_UNKNOWN", "OBJECT_REQUIRED")
    assert message.startswith(f"{name} must be ")


@pytest.mark.parametrize("text", ['{"type": "person", "name": "Ada"}', ' \n{"name":"Ada","type":"person"}'])
def test_an_object_written_as_json_text_is_read(text):
    assert check(subject=text)["subject"] == ADA


@pytest.mark.parametrize("text", ["Ada", '"Ada"', "{", '{"type"', "null", "3", "[", "{'type': 'person'}"])
def test_another_text_for_an_object_is_refused(text):
    assert refusal(subject=text) == ("SUBJECT_REQUIRED", "subject must be an object, not a text")


@pytest.mark.parametrize(("text", "meant"), [("0.9", 0.9), (" 1 ", 1), ("1.0", 1.0)])
def test_a_number_written_as_text_is_read(text, meant):
    assert check(confidence=text)["confidence"] == meant


def test_whole_numbers_and_truth_values_written_as_text_are_read():
    assert check("undo", call="3") == {"call": 3}
    assert check("forget", what="Ada", dry_run="true") == {"what": "Ada", "dry_run": True}


@pytest.mark.parametrize("text", ["", "high", "NaN", "1e999", "[1]", "true", '"1"', "2"])
def test_another_text_for_a_number_is_refused(text):
    assert refusal(confidence=text)[0] in ("CONFIDENCE_OUT_OF_RANGE", "INVALID_ARGUMENTS")


def test_a_text_is_never_read_as_json():
    for text in ('{"a": 1}', "[1]", '{"a": NaN}'):
        assert check(source=text)["source"] == text
        assert check("recall_entity", name_or_alias=text)["name_or_alias"] == text


@pytest.mark.parametrize(
    "text", ['{"type": "person", "name": "a\\u0000b"}', '{"type": "person", "name": "\\ud800"}', '{"name": NaN}']
)
def test_what_is_unreadable_is_so_in_json_text_too(text):
    assert refusal(subject=text)[0] in ("INVALID_ARGUMENTS", "SUBJECT_REQUIRED")


# Whatever comes, for whichever tool


def answer(tool: str, arguments: dict[str, object]) -> dict[str, object]:
    """The refusal as a caller is told it, or an empty answer."""
    try:
        validation.check_input(TOOLS[tool], tool, arguments)
    except errors.KeepgraphError as error:
        return error.answer()
    return {}


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("tool", WITH_PARAMETERS)
def test_an_odd_value_is_let_through_or_refused_with_a_reason(tool):
    """
    Every parameter with every odd value; test_bad_input.py calls the tool with those that are let through.
    """
    example = schemas.example(TOOLS[tool], tool)
    for parameter in schemas.load(TOOLS[tool], tool, "input")["properties"]:
        answers = {odd: answer(tool, {**example, parameter: value}) for odd, value in ODD.items()}
        refused = {odd for odd, given in answers.items() if is_refusal(given)}

        assert NEVER_STORED - refused == set()


NEVER_STORED = {
    *("nul", "surrogate", "nan", "infinity", "a huge integer", "a long integer", "ten megabytes", "300 levels"),
    *("a hundred thousand levels", "bytes", "a set", "a date", "a decimal", "a complex number", "an object", "a class"),
}
"""What no parameter takes."""


@pytest.mark.parametrize("name", ["more", "", "x" * 100_000, "\x00", "\ud800", "tx", "self", "__class__"])
def test_an_unknown_parameter_is_refused_by_every_tool(name):
    for tool in TOOLS:
        given = answer(tool, {**schemas.example(TOOLS[tool], tool), name: 1})

        assert is_refusal(given), tool
        assert given["error"] == "INVALID_ARGUMENTS", tool


def test_what_is_required_cannot_be_left_out_or_null():
    for tool in WITH_PARAMETERS:
        schema, example = schemas.load(TOOLS[tool], tool, "input"), schemas.example(TOOLS[tool], tool)
        for parameter in schema["properties"]:
            without = {name: value for name, value in example.items() if name != parameter}
            answers = (answer(tool, without), answer(tool, {**without, parameter: None}))

            assert [is_refusal(given) for given in answers] == [parameter in schema["required"]] * 2, (tool, parameter)


# What nothing can store


@pytest.mark.parametrize("odd", ["\x00", "a\x00b", "\ud800", "\udc00\ud800", "a\udfffb"])
@pytest.mark.parametrize(
    "place",
    [
        lambda odd: odd,
        lambda odd: {"name": odd},
        lambda odd: {odd: 1},
        lambda odd: [[odd]],
        lambda odd: {"a": {odd: [odd]}},
    ],
)
def test_what_is_no_text_is_refused_wherever_it_is(odd, place):
    code, message = refusal(source=place(odd))

    assert code == "INVALID_ARGUMENTS"
    assert ("NUL" in message) or ("surrogate" in message)
    assert odd not in message


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_finite_number_is_refused(number):
    assert refusal(confidence=number)[0] == "CONFIDENCE_OUT_OF_RANGE"
    assert refusal(subject={"type": "person", "name": number})[0] == "INVALID_ARGUMENTS"
    assert refusal(nonsense=number)[0] == "INVALID_ARGUMENTS"
    assert refusal("recall_entity", name_or_alias=number)[0] == "NAME_OR_ALIAS_REQUIRED"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**5000], ids=["just", "below", "far"])
def test_a_number_of_more_than_64_bits_is_refused(number):
    assert refusal(confidence=number)[0] in ("INVALID_ARGUMENTS", "CONFIDENCE_OUT_OF_RANGE")


@pytest.mark.parametrize(("levels", "said"), [(10, "must be"), (62, "must be"), (80, "deeper"), (100_000, "deeper")])
def test_what_is_nested_too_deep_is_refused(levels, said):
    code, message = refusal(source=deep(levels))

    assert (code, said in message) == ("INVALID_ARGUMENTS", True)


def test_what_is_nested_too_deep_is_refused_in_json_text():
    assert refusal(subject=json.dumps(deep(300)))[0] == "INVALID_ARGUMENTS"
    assert refusal(subject="[" * 100_000)[0] in ("INVALID_ARGUMENTS", "SUBJECT_REQUIRED")


@pytest.mark.parametrize("big", ["x" * 8_000_001, ["x" * 1_000_000] * 9, {"x" * 8_000_001: 1}])
def test_what_is_too_large_is_refused(big):
    assert refusal(source=big) == ("INVALID_ARGUMENTS", "the arguments have more than 8,000,000 characters")


def test_each_element_and_each_key_counts_as_a_character_of_the_size(monkeypatch):
    monkeypatch.setattr(validation, "MAX_CHARACTERS", 300)
    too_large = ("INVALID_ARGUMENTS", "the arguments have more than 300 characters")

    assert refusal(source=[0] * 301) == too_large
    assert refusal(source={str(n): 0 for n in range(301)}) == too_large
    assert refusal(source=[0] * 100) == ("INVALID_ARGUMENTS", "source must be a text, not a list")


def test_the_largest_text_is_refused_by_its_own_limit_only():
    assert refusal(source="x" * 7_000_000)[1] == "source has 7,000,000 characters; 2,000 are allowed"


@pytest.mark.parametrize("odd", [b"x", {1}, object(), 1j])
def test_what_is_not_json_is_refused(odd):
    assert refusal(source=odd)[0] == "INVALID_ARGUMENTS"


@pytest.mark.parametrize("arguments", [None, [], "x", 3, [("a", 1)]])
def test_arguments_are_an_object(arguments):
    with pytest.raises(errors.InvalidArguments):
        validation.check_input("memory", "record_fact", arguments)


# How it is said


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ({"subject": {}}, "SUBJECT_REQUIRED", None),
        ({"subject": [1]}, "SUBJECT_REQUIRED", "subject must be an object, not a list"),
        (
            {"subject": {"name": 5, "type": "person"}},
            "SUBJECT_REQUIRED",
            "subject.name must be a text, not a whole number",
        ),
        ({"subject": {"name": "", "type": "person"}}, "SUBJECT_REQUIRED", "subject.name is empty"),
        (
            {"subject": {"name": "x" * 201, "type": "person"}},
            "SUBJECT_REQUIRED",
            "subject.name has 201 characters; 200 are allowed",
        ),
        ({"object": {"name": "x", "type": 5}}, "ENTITY_TYPE_UNKNOWN", "object.type must be a text, not a whole number"),
        ({"confidence": 2}, "CONFIDENCE_OUT_OF_RANGE", "confidence is 2, above 1"),
        ({"confidence": -0.5}, "CONFIDENCE_OUT_OF_RANGE", "confidence is -0.5, below 0"),
        ({"confidence": True}, "CONFIDENCE_OUT_OF_RANGE", "confidence must be a number, not true or false"),
        ({"aliases": ["a", 5]}, "ALIAS_INVALID", "aliases.1 must be a text, not a whole number"),
        ({"aliases": ["a"] * 21}, "ALIAS_INVALID", "aliases has 21 elements; 20 are allowed"),
        ({"colour": "red"}, "INVALID_ARGUMENTS", None),
    ],
)
def test_a_refusal_says_what_is_wrong(arguments, code, message):
    raised = refusal(**arguments)

    assert raised[0] == code
    assert message in (None, raised[1])


def test_an_unknown_parameter_is_named_beside_the_known_ones():
    code, message = refusal(colour="red")

    assert code == "INVALID_ARGUMENTS"
    assert message.startswith("colour is not a parameter; known are subject, predicate, object, source")


def test_of_several_faults_the_first_declared_is_told():
    assert refusal(predicate=3, confidence=9, subject="x", aliases=3)[0] == "SUBJECT_REQUIRED"
    assert refusal(aliases=3, object=None, confidence=9)[0] == "OBJECT_REQUIRED"


def test_a_call_without_arguments_is_told_the_first_that_is_missing():
    with pytest.raises(errors.KeepgraphError) as caught:
        validation.check_input("memory", "record_fact", {})

    assert caught.value.message == "subject is missing"


def test_an_answer_that_breaks_its_contract_is_a_fault_of_ours():
    with pytest.raises(errors.InternalError, match="breaks its own contract at facts"):
        validation.check_output("memory", "recall_entity", {
            "entity": None, "facts": 3, "related_entities": [], "truncated_facts": False,
            "truncated_related_entities": False, "resolution": {"method": "none", "score": 0.0, "candidates": []},
        })  # fmt: skip


def test_what_is_too_long_is_refused_before_it_is_walked(monkeypatch):
    def refuse(*given, **more):
        pytest.fail("it was walked")

    monkeypatch.setattr(validation, "_refuse_oversized", refuse)
    with pytest.raises(errors.KeepgraphError, match="1,000,000 elements"):
        validation.check_input("memory", "record_facts", {"facts": [{}] * 1_000_000})
