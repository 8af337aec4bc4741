"""A fact ends: by recording it again with an end, or by end_fact; what was known before stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from words import Caller, dump, fact, literal, person, project, rows

ANA, ACME, ATLAS = person("Ana"), {"type": "organisation", "name": "Acme"}, project("Atlas")

# Days stand for the instants between which a fact holds: "2020" is the beginning of that year, None an open end.
EXISTING_AND_STATED = [
    # What is known; what is said; what happens; what is known then.
    # An open interval
    ([(None, None)], (None, None), "nothing_changed", [(None, None)]),
    ([(None, None)], (None, "2024"), "ended", [(None, "2024")]),
    ([(None, None)], ("2020", None), "changed", [("2020", None)]),
    ([(None, None)], ("2020", "2024"), "ended", [("2020", "2024")]),
    ([(None, None)], ("2027", None), "recorded", [(None, None), ("2027", None)]),
    ([("2020", None)], (None, None), "nothing_changed", [("2020", None)]),
    ([("2020", None)], (None, "2024"), "ended", [("2020", "2024")]),
    ([("2020", None)], ("2020", "2024"), "ended", [("2020", "2024")]),
    ([("2020", None)], (None, "2028"), "ended", [("2020", "2028")]),
    ([("2020", None)], ("2022", "2024"), "recorded", [("2020", None), ("2022", "2024")]),
    ([("2020", None)], ("2018", "2019"), "recorded", [("2020", None), ("2018", "2019")]),
    ([("2020", None)], (None, "2019"), "recorded", [("2020", None), (None, "2019")]),
    # One that has ended
    ([(None, "2024")], (None, None), "recorded", [(None, "2024"), (None, None)]),
    ([(None, "2024")], (None, "2024"), "nothing_changed", [(None, "2024")]),
    ([(None, "2024")], (None, "2023"), "changed", [(None, "2023")]),
    ([(None, "2024")], (None, "2025"), "changed", [(None, "2025")]),
    ([(None, "2024")], ("2020", "2024"), "changed", [("2020", "2024")]),
    ([(None, "2024")], ("2020", None), "changed", [("2020", "2024")]),
    ([(None, "2024")], ("2025", None), "recorded", [(None, "2024"), ("2025", None)]),
    ([("2020", "2024")], (None, None), "recorded", [("2020", "2024"), (None, None)]),
    ([("2020", "2024")], ("2020", None), "nothing_changed", [("2020", "2024")]),
    ([("2020", "2024")], ("2020", "2025"), "changed", [("2020", "2025")]),
    ([("2020", "2024")], ("2024", "2026"), "recorded", [("2020", "2024"), ("2024", "2026")]),
    ([("2020", "2024")], ("2025", None), "recorded", [("2020", "2024"), ("2025", None)]),
    ([("2020", "2024")], (None, "2019"), "recorded", [("2020", "2024"), (None, "2019")]),
    # One that ends only later
    ([("2020", "2028")], (None, None), "nothing_changed", [("2020", "2028")]),
    ([("2020", "2028")], (None, "2026"), "changed", [("2020", "2026")]),
    ([("2020", "2028")], (None, "2030"), "changed", [("2020", "2030")]),
    # Several
    ([("2010", "2012"), ("2020", None)], (None, "2025"), "ended", [("2010", "2012"), ("2020", "2025")]),
    ([("2010", "2012"), ("2020", None)], (None, "2011"), "changed", [("2010", "2011"), ("2020", None)]),
    ([("2020", None), ("2022", None)], (None, "2025"), "ended", [("2020", "2025"), ("2022", "2025")]),
    ([("2020", None), ("2022", None)], ("2020", "2025"), "ended", [("2020", "2025"), ("2022", None)]),
    ([("2020", None), ("2018", None)], (None, "2019"), "ended", [("2020", None), ("2018", "2019")]),
]


def dates(interval: tuple[str | None, str | None]) -> dict[str, str]:
    """As instants: a day as the end includes that day."""
    names = zip(("valid_from", "valid_to"), interval, strict=True)
    return {name: f"{year}-01-01T00:00Z" for name, year in names if year}


def intervals(path: Path) -> list[tuple[str | None, str | None]]:
    found = rows(path, "SELECT valid_from, valid_to FROM fact WHERE retracted_at IS NULL ORDER BY id")
    return [(start[:4] or None, None if end == "~" else end[:4]) for start, end in found]


def know(call: Caller, known: list[tuple[str | None, str | None]]) -> None:
    """Have these intervals side by side, as merges and imports leave them: each of a namesake, and these are one."""
    for number, interval in enumerate(known):
        name = ACME if number == 0 else {**ACME, "name": f"Acme {number}"}
        call.record(ANA, "works_at", name, **dates(interval))
    for number in range(1, len(known)):
        call("merge_entities", keep=ACME, absorb={**ACME, "name": f"Acme {number}"})


def works_at(call: Caller, **moment: str) -> list[str]:
    found = call("recall_entity", name_or_alias="Ana", **moment)["facts"]
    return [each["object"]["name"] for each in found if each["predicate"] == "works_at"]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("known", "stated", "effect", "after"),
    EXISTING_AND_STATED,
    ids=[f"{known}-{stated}" for known, stated, _, _ in EXISTING_AND_STATED],
)
def test_what_recording_again_does_to_what_is_known(call, path, known, stated, effect, after):
    know(call, known)
    answer = call.record(ANA, "works_at", ACME, **dates(stated))

    assert (answer["effect"], intervals(path)) == (effect, after)
    assert answer["deduplicated"] == (effect != "recorded")


@pytest.mark.parametrize("known", [[(None, None)], [("2020", None)], [("2020", "2028")]])
def test_an_ended_fact_is_the_fact_that_was_known(call, known):
    know(call, known)
    (before,) = call("recall_entity", name_or_alias="Ana")["facts"]
    answer = call.record(ANA, "works_at", ACME, valid_to="2026-03-31")

    assert (answer["fact_id"], answer["valid_to"]) == (before["id"], "2026-04-01T00:00:00.000+02:00")
    assert answer["validity_before"] == {name: before[name] for name in ("valid_from", "valid_to")}


def test_what_has_ended_held_until_then_and_was_known_to_hold(call, clock):
    call.record(ANA, "works_at", ACME)
    clock.pass_by(days=10)
    call.record(ANA, "works_at", ACME, valid_to="2026-03-31")

    assert works_at(call) == []
    assert works_at(call, as_of="2026-03-31") == ["Acme"]
    assert works_at(call, as_of="2026-04-01") == []
    assert works_at(call, known_at="2026-05-16") == ["Acme"]


def test_an_inverse_ends_the_fact_too(call, path):
    call.record(ANA, "works_at", ACME)
    answer = call.record(ACME, "employs", ANA, valid_to="2024-01-01T00:00Z")

    assert (answer["effect"], intervals(path)) == ("ended", [(None, "2024")])


def test_a_symmetric_fact_ends_from_either_side(call, path):
    call.record(ANA, "knows", person("Bo"))
    answer = call.record(person("Bo"), "knows", ANA, valid_to="2024-01-01T00:00Z")

    assert (answer["effect"], intervals(path)) == ("ended", [(None, "2024")])


def test_a_literal_ends_in_other_capitals(call):
    call.record(ANA, "tagged", literal("On Hold"))
    answer = call.record(ANA, "tagged", literal("on hold"), valid_to="2026-03-31")

    assert (answer["effect"], answer["object"]) == ("ended", {"literal": "On Hold"})
    assert call("recall_entity", name_or_alias="Ana")["facts"] == []


def test_a_literal_that_is_known_in_two_spellings_is_taken_as_it_is_stated(call):
    for text in ("CTO", "Cto"):
        call.record(ANA, "tagged", literal(text))

    assert call.record(ANA, "tagged", literal("cto"), valid_to="2026-03-31")["effect"] == "recorded"
    assert call.record(ANA, "tagged", literal("CTO"), valid_to="2026-03-31")["effect"] == "ended"


def test_what_was_retracted_does_not_end(call):
    call("retract_fact", fact_id=call.record(ANA, "works_at", ACME)["fact_id"])

    assert call.record(ANA, "works_at", ACME, valid_to="2024-01-01")["effect"] == "recorded"


def test_several_open_ones_end_together_and_are_named(call, path):
    know(call, [("2020", None), ("2022", None)])
    answer = call.record(ANA, "works_at", ACME, valid_to="2024-12-31T00:00Z")

    assert [each["valid_to"][:10] for each in answer["also_ended"]] == ["2024-12-31"]


def test_a_second_time_that_overlaps_is_told(call):
    first = call.record(ANA, "works_at", ACME, valid_from="2020-01-01")
    answer = call.record(ANA, "works_at", ACME, valid_from="2022-01-01", valid_to="2024-01-01")

    assert [each["fact_id"] for each in answer["overlapping"]] == [first["fact_id"]]


def test_another_source_is_no_repetition_without_effect(call):
    effects = [
        call.record(ANA, "works_at", ACME, **more)["effect"]
        for more in ({}, {}, {"source": "mail"}, {"source": "mail"}, {"source": "mail", "confidence": 0.5})
    ]

    assert effects == ["recorded", "nothing_changed", "repeated", "nothing_changed", "repeated"]


def test_what_changed_nothing_is_an_assertion_that_undo_takes_back(call, path):
    call.record(ANA, "works_at", ACME)
    before = dump(path)
    again = call.record(ANA, "works_at", ACME)
    between = dump(path)
    call("undo", call=again["call"])

    assert between["fact"] == before["fact"]
    assert len(between["provenance"]) == len(before["provenance"]) + 1
    assert (dump(path)["fact"], dump(path)["provenance"]) == (before["fact"], before["provenance"])


def test_a_fact_in_many_ends_as_a_fact_alone(call):
    call.record(ANA, "works_at", ACME)
    answer = call("record_facts", facts=[fact(ANA, "works_at", ACME, valid_to="2026-01-31")])

    assert (answer["results"][0]["effect"], answer["recorded"]) == ("ended", 0)


def test_what_takes_the_place_of_its_own_earlier_time_does_not_become_it(call, path):
    old = call.record(ANA, "works_at", ACME, valid_to="2024-01-01T00:00Z")["fact_id"]
    initech = call.record(ANA, "works_at", {**ACME, "name": "Initech"})["fact_id"]
    answer = call.record(ANA, "works_at", ACME, supersedes=[initech])

    assert answer["fact_id"] != old
    assert works_at(call) == ["Acme"]


# end_fact


NAMED = [
    {"subject": ANA, "predicate": "works_at", "object": ACME},
    {"subject": {"name": "ana"}, "predicate": "works at", "object": {"name": "ACME"}},
    {"subject": ANA, "predicate": "works_at"},
    {"subject": {"name": "Annie"}, "predicate": "works_at", "object": {"name": "acme inc"}},
    {"subject": ACME, "predicate": "employs", "object": ANA},
    {"subject": {"name": "Acme"}, "predicate": "employs"},
]


@pytest.mark.parametrize("named", NAMED, ids=range(len(NAMED)))
def test_a_fact_is_ended_by_what_it_says(call, clock, named):
    call.record(ANA, "works_at", ACME, aliases=["Annie"])
    call("add_alias", entity=ACME, alias="Acme Inc")
    clock.pass_by(days=1)
    answer = call("end_fact", **named)

    assert (answer["effect"], answer["fact"]["valid_to"][:10]) == ("ended", "2026-05-16")
    assert works_at(call) == []


def test_a_fact_is_ended_by_its_id_on_a_day_that_still_counts(call):
    fact_id = call.record(ANA, "works_at", ACME)["fact_id"]
    answer = call("end_fact", fact_id=fact_id.upper(), valid_to="2026-03-31", source="her mail")

    assert answer["fact"]["valid_to"] == "2026-04-01T00:00:00.000+02:00"
    assert answer["fact"]["source"] == "her mail"
    assert answer["validity_before"] == {"valid_from": None, "valid_to": None}


def test_an_end_is_corrected(call):
    fact_id = call.record(ANA, "works_at", ACME, valid_to="2026-03-31")["fact_id"]
    by_id = call("end_fact", fact_id=fact_id, valid_to="2026-04-30")
    by_name = call("end_fact", subject=ANA, predicate="works_at", object=ACME, valid_to="2026-02-28")
    again = call("end_fact", fact_id=fact_id, valid_to="2026-02-28")

    assert [by_id["effect"], by_name["effect"], again["effect"]] == ["changed", "changed", "nothing_changed"]
    assert by_name["validity_before"]["valid_to"] == "2026-05-01T00:00:00.000+02:00"


def test_an_end_is_corrected_without_the_object_if_only_one_fits(call, path):
    call.record(ANA, "works_at", ACME, valid_to="2026-03-31")
    corrected = call("end_fact", subject=ANA, predicate="works_at", valid_to="2026-02-28")
    call.record(ANA, "works_at", {"type": "organisation", "name": "Beta"}, valid_to="2026-01-31")
    before = dump(path)
    refused = call("end_fact", subject=ANA, predicate="works_at", valid_to="2026-02-20")

    assert corrected["effect"] == "changed"
    assert (refused["error"], len(refused["candidates"])) == ("AMBIGUOUS", 2)
    assert dump(path) == before


@pytest.mark.parametrize("by_id", [True, False])
def test_what_has_ended_does_not_end_now_without_being_said_so(call, path, by_id):
    fact_id = call.record(ANA, "works_at", ACME, valid_to="2026-03-31")["fact_id"]
    before = dump(path)
    named = {"fact_id": fact_id} if by_id else {"subject": ANA, "predicate": "works_at", "object": ACME}
    refused = call("end_fact", **named)

    assert refused["error"] == "FACT_NOT_FOUND"
    assert "held until 2026-03-31" in refused["message"]
    assert dump(path) == before


@pytest.mark.parametrize(
    ("valid_to", "said"), [("2026-03-31", "2026-03-31"), ("2026-03-31T14:30+02:00", "2026-03-31 14:30")]
)
def test_messages_say_the_end_that_was_said(call, valid_to, said):
    fact_id = call.record(ANA, "works_at", ACME, valid_from="2026-01-01")["fact_id"]
    ended = call("end_fact", fact_id=fact_id, valid_to=valid_to)
    too_early = call("end_fact", fact_id=fact_id, valid_to="2025-12-30")

    assert ended["message"] == f"Ended Ana works at Acme, until {said}."
    assert "cannot end on 2025-12-30" in too_early["message"]


def test_an_unknown_predicate_is_answered_with_what_is_known(call):
    call.record(ANA, "works_at", ACME)

    assert call("end_fact", subject=ANA, predicate="left")["hint"] == "Known about Ana: Ana works at Acme."


def test_a_literal_is_ended_with_and_without_saying_that_it_is_one(call):
    for text, named in (("active", {"literal": "active"}), ("on hold", {"name": "On hold"})):
        call.record(ATLAS, "tagged", literal(text))
        assert call("end_fact", subject=ATLAS, predicate="tagged", object=named)["effect"] == "ended"

    assert call("recall_entity", name_or_alias="Atlas")["facts"] == []


def test_where_several_fit_none_ends_and_all_are_listed(call, path):
    ids = [call.record(ANA, "works_at", {**ACME, "name": name})["fact_id"] for name in ("Acme", "Initech")]
    before = dump(path)["fact"]
    refused = call("end_fact", subject=ANA, predicate="works_at")

    assert refused["error"] == "AMBIGUOUS"
    assert [(each["id"], each["text"]) for each in refused["candidates"]] == [
        (ids[0], "Ana works at Acme"),
        (ids[1], "Ana works at Initech"),
    ]
    assert dump(path)["fact"] == before


def test_a_fact_that_would_say_the_same_twice_is_folded_into_the_other(call, path):
    ended = call.record(ANA, "works_at", ACME, valid_to="2024-01-01T00:00Z")["fact_id"]
    second = call.record(ANA, "works_at", ACME)["fact_id"]
    answer = call("end_fact", fact_id=second, valid_to="2024-01-01T00:00Z")

    assert (answer["fact"]["id"], intervals(path)) == (ended, [(None, "2024")])


REFUSED = [
    ({}, "FACT_NOT_FOUND"),
    ({"subject": ANA}, "FACT_NOT_FOUND"),
    ({"predicate": "works_at"}, "FACT_NOT_FOUND"),
    ({"object": ACME}, "FACT_NOT_FOUND"),
    ({"fact_id": "FACT", "object": ACME}, "INVALID_ARGUMENTS"),
    ({"fact_id": "FACT", "subject": ANA, "predicate": "works_at"}, "INVALID_ARGUMENTS"),
    ({"fact_id": "fact_1"}, "FACT_NOT_FOUND"),
    ({"fact_id": ""}, "FACT_NOT_FOUND"),
    ({"fact_id": 3}, "FACT_NOT_FOUND"),
    ({"fact_id": "RETRACTED"}, "FACT_NOT_FOUND"),
    ({"fact_id": "FACT", "valid_to": "soon"}, "VALIDITY_INVALID"),
    ({"fact_id": "FACT", "valid_to": "2019-12-31"}, "VALIDITY_INVALID"),
    ({"fact_id": "FACT", "valid_to": 2026}, "VALIDITY_INVALID"),
    ({"fact_id": "FACT", "source": ""}, "INVALID_ARGUMENTS"),
    ({"fact_id": "FACT", "why": "x"}, "INVALID_ARGUMENTS"),
    ({"subject": person("Nobody"), "predicate": "works_at"}, "ENTITY_NOT_FOUND"),
    ({"subject": {"type": "frob", "name": "Ana"}, "predicate": "works_at"}, "ENTITY_TYPE_UNKNOWN"),
    ({"subject": ANA, "predicate": "frobs"}, "PREDICATE_UNKNOWN"),
    ({"subject": ANA, "predicate": "lives_in"}, "FACT_NOT_FOUND"),
    ({"subject": ANA, "predicate": "works_at", "object": {"type": "organisation", "name": "Nope"}}, "ENTITY_NOT_FOUND"),
    ({"subject": ANA, "predicate": "works_at", "object": {"name": "Nope"}}, "FACT_NOT_FOUND"),
    ({"subject": ANA, "predicate": "works_at", "object": {"literal": "Nope"}}, "FACT_NOT_FOUND"),
    ({"subject": ANA, "predicate": "works_at", "object": ACME, "valid_to": "2019-01-01"}, "VALIDITY_INVALID"),
    ({"subject": "Ana", "predicate": "works_at"}, "SUBJECT_REQUIRED"),
    ({"subject": ANA, "predicate": "works_at", "object": {}}, "OBJECT_REQUIRED"),
]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("wrong", "code"), REFUSED, ids=range(len(REFUSED)))
def test_a_wrong_end_is_refused_and_changes_nothing(call, path, wrong, code):
    ids = {
        "FACT": call.record(ANA, "works_at", ACME, valid_from="2020-01-01")["fact_id"],
        "RETRACTED": call.record(ANA, "tagged", literal("x"))["fact_id"],
    }
    call("retract_fact", fact_id=ids["RETRACTED"])
    before = dump(path)
    refused = call(
        "end_fact", **{name: ids.get(value, value) if name == "fact_id" else value for name, value in wrong.items()}
    )

    assert refused["error"] == code
    assert refused["hint"]
    assert dump(path) == before


def test_what_has_ended_already_is_told_with_what_there_is(call):
    fact_id = call.record(ANA, "works_at", ACME, valid_to="2026-03-31")["fact_id"]
    refused = call("end_fact", subject=ANA, predicate="works_at")

    assert refused["error"] == "FACT_NOT_FOUND"
    assert "has already ended" in refused["message"]
    assert [each["id"] for each in refused["candidates"]] == [fact_id]


def test_nothing_is_created_by_an_end(call, path):
    call.record(ANA, "works_at", ACME)
    before = len(dump(path)["entity"])
    call("end_fact", subject={"name": "Anna"}, predicate="works_at", object={"name": "Acmee"})

    assert len(dump(path)["entity"]) == before
