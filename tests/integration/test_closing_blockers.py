"""A resolution closes the blocker that it names, says which, and leaves none silently open."""

from __future__ import annotations

import json
from typing import Any

import pytest

from keepgraph.engine.exchange import export
from words import Caller, concept, decision, dump, fact, literal, person, project, rows

ATLAS, BOREAS, ANA = project("Atlas"), project("Boreas"), person("Ana")
LICENCE = "waiting for the licence"


def opened(call: Caller, **moment: str) -> list[tuple[str, str]]:
    """What is blocked by what, oldest first."""
    blockers = call("weekly_rollup", **moment)["blockers"]
    return [
        (each["subject"]["name"], each["object"].get("name") or each["object"]["literal"])
        for each in reversed(blockers)
    ]


def block(call: Caller, *blockers: tuple[dict[str, str], dict[str, str]]) -> list[str]:
    """The ids of new blockers."""
    return [call.record(blocked, "blocked_by", blocking)["fact_id"] for blocked, blocking in blockers]


def texts(blockers: list[dict[str, Any]]) -> list[str]:
    return [each["text"] for each in blockers]


# Atlas waits for the licence and for Storm; Boreas waits for the second quote.

RESOLUTIONS = [
    fact(ATLAS, "resolved_by", literal("Waiting for the  Licence")),
    fact(ATLAS, "resolved_by", literal("the licence arrived by mail")),
    fact(ATLAS, "resolved_by", concept("Licence")),
    fact(concept("licence"), "resolved_by", ANA),
    fact(concept(LICENCE), "resolved_by", literal("a phone call")),
    fact(concept("the license"), "settled by", decision("Pay for it")),
    fact({"name": "the licence"}, "resolved_by", literal("arrived")),
    fact({"name": "licence"}, "fixed by", ANA),
    fact({"id": "LICENCE"}, "resolved_by", ANA),
    fact({"name": "LICENCE"}, "resolved_by", literal("arrived")),
    fact(ATLAS, "resolved_by", {"id": "LICENCE"}),
    fact(ATLAS, "resolved_by", literal("LICENCE")),
    fact(ANA, "resolved_by", {"id": "LICENCE"}),
]


@pytest.mark.parametrize("resolution", RESOLUTIONS, ids=range(len(RESOLUTIONS)))
def test_a_resolution_closes_the_blocker_that_it_names_and_says_which(call, clock, resolution):
    (licence, _, _) = block(
        call, (ATLAS, literal(LICENCE)), (ATLAS, concept("Storm")), (BOREAS, literal("no second quote"))
    )
    clock.pass_by(days=1)
    resolution = json.loads(json.dumps(resolution).replace('"LICENCE"', json.dumps(licence)))
    answer = call("record_fact", **resolution)

    assert [(each["fact_id"], each["text"]) for each in answer["closed_blockers"]] == [
        (licence, "Atlas blocked by waiting for the licence")
    ]
    assert "open_blockers" not in answer
    assert opened(call) == [("Atlas", "Storm"), ("Boreas", "no second quote")]


@pytest.mark.parametrize("resolution", RESOLUTIONS, ids=range(len(RESOLUTIONS)))
def test_a_resolution_that_is_taken_back_opens_the_blocker_again(call, clock, resolution):
    (licence, *_) = block(call, (ATLAS, literal(LICENCE)), (ATLAS, concept("Storm")))
    clock.pass_by(days=1)
    resolution = json.loads(json.dumps(resolution).replace('"LICENCE"', json.dumps(licence)))
    before, lines = opened(call), list(export.stream_lines(call.graph.database))
    call("undo", call=call("record_fact", **resolution)["call"])

    assert opened(call) == before
    assert list(export.stream_lines(call.graph.database)) == lines


def test_a_resolution_of_what_has_one_blocker_closes_it(call):
    block(call, (ATLAS, literal(LICENCE)), (BOREAS, literal("no budget")))
    answer = call.record(ATLAS, "resolved_by", ANA)

    assert texts(answer["closed_blockers"]) == ["Atlas blocked by waiting for the licence"]
    assert opened(call) == [("Boreas", "no budget")]


def test_an_entity_that_blocks_several_is_free_for_all(call):
    block(call, (ATLAS, concept("Storm")), (BOREAS, concept("Storm")))
    answer = call.record(concept("Storm"), "resolved_by", ANA)

    assert len(answer["closed_blockers"]) == 2
    assert opened(call) == []


# Never the wrong one

NOT_SURE = [
    # What blocks; what is recorded; which of them are told to be still open.
    ([("Atlas", "waiting for licence A"), ("Atlas", "waiting for licence B")], "licence", [0, 1]),
    ([("Atlas", "waiting for licence A"), ("Boreas", "waiting for licence B")], "licence", [0, 1]),
    ([("Atlas", "waiting for the licence"), ("Boreas", "waiting for the licence")], LICENCE, [0, 1]),
    ([("Atlas", "waiting for the licence"), ("Boreas", "waiting for the driving licence")], "the licence", [0, 1]),
    ([("Atlas", "waiting for the licence of Siemens")], "licence from Bosch", [0]),
    ([("Atlas", "waiting for the database")], "database outage", [0]),
    ([("Atlas", "no budget")], "the permit", [0]),
]


@pytest.mark.parametrize(("blockers", "name", "told"), NOT_SURE, ids=[name for _, name, _ in NOT_SURE])
def test_what_is_not_sure_closes_nothing_and_is_told(call, blockers, name, told):
    ids = block(call, *((project(blocked), literal(text)) for blocked, text in blockers))
    answer = call.record(concept(name), "resolved_by", ANA)

    assert "closed_blockers" not in answer
    assert {each["fact_id"] for each in answer["open_blockers"]} == {ids[number] for number in told}
    assert ids[told[-1]] in answer["hint"]
    assert opened(call) == blockers


CONTRADICTED = [
    ("waiting for licence A", "licence B arrived"),
    ("waiting for the Q4 report", "Q3 report finished"),
    ("waiting for the licence of Siemens", "the licence from Bosch arrived"),
]


@pytest.mark.parametrize(("blocker", "resolution"), CONTRADICTED)
def test_the_only_blocker_is_not_closed_by_what_settles_another_matter(call, clock, blocker, resolution):
    block(call, (ATLAS, literal(blocker)))
    clock.pass_by(days=1)
    answer = call.record(ATLAS, "resolved_by", literal(resolution))

    assert texts(answer["open_blockers"]) == [f"Atlas blocked by {blocker}"]
    assert opened(call) == [("Atlas", blocker)]


def test_the_one_of_two_that_is_named_is_closed(call):
    block(call, (ATLAS, literal("waiting for licence A")), (ATLAS, literal("waiting for licence B")))
    call.record(ATLAS, "resolved_by", literal("licence B has arrived"))

    assert opened(call) == [("Atlas", "waiting for licence A")]


def test_of_two_that_may_be_meant_one_is_named_by_its_id(call):
    block(call, (ATLAS, literal("waiting for licence A")), (ATLAS, literal("waiting for licence B")))
    asked = call.record(ATLAS, "resolved_by", literal("the licence arrived"))["open_blockers"]
    call.record({"id": asked[0]["fact_id"]}, "resolved_by", literal("the licence arrived"))

    assert [text for _, text in opened(call)] == [asked[1]["text"].removeprefix("Atlas blocked by ")]


def test_words_of_what_blocks_another_do_not_close_the_only_blocker(call, path):
    block(call, (ATLAS, literal("no budget")), (BOREAS, literal(LICENCE)))
    before = dump(path)
    refused = call("record_fact", **fact(ATLAS, "resolved_by", literal("the licence arrived")))

    assert refused["error"] == "AMBIGUOUS"
    assert texts(refused["candidates"]) == ["Atlas: no budget", f"Boreas: {LICENCE}"]
    assert dump(path) == before


def test_a_name_without_a_type_that_may_mean_two_is_refused(call, path):
    block(call, (ATLAS, literal("waiting for licence A")), (BOREAS, literal("waiting for licence B")))
    before = dump(path)
    refused = call("record_fact", **fact({"name": "the licence"}, "resolved_by", ANA))

    assert (refused["error"], len(refused["candidates"])) == ("AMBIGUOUS", 2)
    assert dump(path) == before


@pytest.mark.parametrize("subject", [BOREAS, ANA])
def test_what_is_not_blocked_by_it_closes_no_blocker_of_another(call, subject):
    call.record(subject, "tagged", literal("x"))
    (storm,) = block(call, (ATLAS, concept("Storm")))
    answer = call.record(subject, "resolved_by", concept("Storm"))

    assert [each["fact_id"] for each in answer["open_blockers"]] == [storm]
    assert opened(call) == [("Atlas", "Storm")]


def test_a_decision_that_replaces_another_closes_no_blocker(call):
    block(call, (ATLAS, literal("waiting for SQLite")))
    call.record(decision("SQLite"), "resolved_by", decision("Postgres"))

    assert opened(call) == [("Atlas", "waiting for SQLite")]


def test_what_resolves_one_matter_tells_nothing_of_others_that_are_known(call):
    block(call, (ATLAS, literal("no budget")))
    call.record(concept("Leak"), "tagged", literal("bug"))

    assert "open_blockers" not in call.record(concept("Leak"), "resolved_by", ANA)


# What blocks and is blocked itself: Atlas waits for Boreas, and Boreas for money.


@pytest.fixture
def chain(call: Caller) -> list[str]:
    return block(call, (ATLAS, BOREAS), (BOREAS, literal("money")))


@pytest.mark.parametrize("subject", [BOREAS, {"name": "Boreas"}, {"name": "boreas"}])
def test_a_name_that_blocks_and_is_blocked_closes_nothing_and_both_are_listed(call, clock, chain, subject):
    clock.pass_by(days=1)
    answer = call.record(subject, "resolved_by", ANA)
    clock.pass_by(days=1)

    assert "closed_blockers" not in answer
    assert {each["fact_id"] for each in answer["open_blockers"]} == set(chain)
    assert opened(call) == [("Atlas", "Boreas"), ("Boreas", "money")]


@pytest.mark.parametrize("words", ["Boreas", "boreas", "Boraes", "project:Boreas"])
def test_a_name_that_blocks_and_is_blocked_is_asked_for(call, path, chain, words):
    before = dump(path)
    refused = call("resolve_blocker", blocker=words)

    assert refused["error"] == "AMBIGUOUS"
    assert {each["id"] for each in refused["candidates"]} == set(chain)
    assert dump(path) == before


def test_a_near_name_that_blocks_and_is_blocked_is_asked_for(call, path, chain):
    before = dump(path)
    refused = call("record_fact", **fact({"name": "Boraes"}, "resolved_by", ANA))

    assert (refused["error"], {each["id"] for each in refused["candidates"]}) == ("AMBIGUOUS", set(chain))
    assert dump(path) == before


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("by", [None, ANA])
@pytest.mark.parametrize("tool", ["resolve_blocker", "record_fact"])
def test_the_one_of_both_that_is_named_by_its_id_is_closed(call, clock, chain, number, by, tool):
    clock.pass_by(days=1)
    if tool == "resolve_blocker":
        call("resolve_blocker", blocker=chain[number], **({"by": by} if by else {}))
    else:
        call.record({"id": chain[number]}, "resolved_by", ANA)
    clock.pass_by(days=1)

    assert opened(call) == [[("Atlas", "Boreas"), ("Boreas", "money")][1 - number]]


@pytest.mark.parametrize("moment", [{}, {"valid_from": "2026-05-14"}])
@pytest.mark.parametrize("words", ["money", "the money came"])
def test_what_frees_a_blocker_of_its_own_blocker_does_not_resolve_it(call, clock, chain, words, moment):
    clock.pass_by(days=1)
    answer = call.record(BOREAS, "resolved_by", literal(words), **moment)
    clock.pass_by(days=1)

    assert [each["fact_id"] for each in answer["closed_blockers"]] == chain[1:]
    assert opened(call) == [("Atlas", "Boreas")]


def test_what_blocks_and_is_not_blocked_any_more_is_resolved(call, clock, chain):
    clock.pass_by(days=1)
    call("resolve_blocker", blocker="money")
    clock.pass_by(days=1)
    call.record(BOREAS, "resolved_by", ANA)

    assert opened(call) == []


# What a phrase denies, or says more of


@pytest.mark.parametrize(
    "words", ["not the licence", "no licence yet", "waiting for the licence of Boreas", "a copy of the licence"]
)
def test_words_that_deny_or_extend_close_nothing_and_the_open_one_is_listed(call, path, words):
    (licence,) = block(call, (ATLAS, literal(LICENCE)))
    before = dump(path)
    refused = [
        call("resolve_blocker", blocker=words),
        call("resolve_blocker", blocker=words, by=ANA),
        call("record_fact", **fact({"name": words}, "resolved_by", ANA)),
    ]

    assert [each["error"] for each in refused] == ["AMBIGUOUS"] * 3
    assert [[one["id"] for one in each["candidates"]] for each in refused] == [[licence]] * 3
    assert dump(path) == before


@pytest.mark.parametrize("words", ["not the licence", "no licence yet", "the licence should arrive soon"])
def test_a_resolution_that_denies_closes_nothing_even_of_the_only_blocker(call, clock, words):
    (licence,) = block(call, (ATLAS, literal(LICENCE)))
    clock.pass_by(days=1)
    answer = call.record(ATLAS, "resolved_by", literal(words))
    clock.pass_by(days=1)

    assert [each["fact_id"] for each in answer["open_blockers"]] == [licence]
    assert opened(call) == [("Atlas", LICENCE)]


@pytest.mark.parametrize("words", ["the licence of Atlas", "Atlas: licence", "Atlas' licence has arrived"])
def test_the_name_of_what_is_blocked_tells_which_of_two_is_meant(call, words):
    block(call, (ATLAS, literal(LICENCE)), (BOREAS, literal(LICENCE)))
    call("resolve_blocker", blocker=words)

    assert opened(call) == [("Boreas", LICENCE)]


def test_an_ambiguous_resolution_closes_nothing_later_when_one_is_left(call, clock):
    """
    The blocker that is left was not the only one when it was said.
    """
    _, storm = block(call, (ATLAS, concept("Fog")), (ATLAS, concept("Storm")))
    clock.pass_by(hours=1)
    call.record(ATLAS, "resolved_by", ANA)
    clock.pass_by(hours=1)
    call("end_fact", fact_id=storm)
    clock.pass_by(hours=1)

    assert opened(call) == [("Atlas", "Fog")]


def test_a_wrong_id_is_refused(call, path):
    other = call.record(ANA, "tagged", literal("x"))["fact_id"]
    before = dump(path)
    refused = [
        call("record_fact", **fact({"id": fact_id}, "resolved_by", ANA)) for fact_id in ("fact_1", other, "fact_")
    ]

    assert [each["error"] for each in refused] == ["FACT_NOT_FOUND"] * 3
    assert dump(path) == before


# When it was closed


def test_a_closed_blocker_held_until_it_was_resolved(call, clock):
    block(call, (ATLAS, literal(LICENCE)))
    clock.pass_by(days=7)
    call.record(concept("licence"), "resolved_by", ANA, valid_from="2026-05-20")
    clock.pass_by(days=7)

    assert opened(call, as_of="2026-05-19") == [("Atlas", LICENCE)]
    assert opened(call, as_of="2026-05-20") == []
    assert opened(call, known_at="2026-05-21") == [("Atlas", LICENCE)]
    assert [each["predicate"] for each in call("recall_entity", name_or_alias="Atlas")["facts"]] == []


def test_a_blocker_closes_on_a_day_to_come(call, clock):
    block(call, (ATLAS, literal(LICENCE)))
    call.record(concept("licence"), "resolved_by", ANA, valid_from="2026-05-20")

    assert opened(call) == [("Atlas", LICENCE)]
    clock.pass_by(days=7)
    assert opened(call) == []


def test_a_blocker_was_not_there_before_it_was_recorded(call, clock):
    clock.pass_by(days=10)
    block(call, (ATLAS, literal(LICENCE)))
    call.record(BOREAS, "blocked_by", literal("no budget"), valid_from="2026-05-01")

    assert opened(call, as_of="2026-05-20") == [("Boreas", "no budget")]
    assert call("recall_entity", name_or_alias="Atlas", as_of="2026-05-20")["facts"] == []
    assert len(call("recall_entity", name_or_alias="Atlas", as_of="2026-05-25")["facts"]) == 1


def test_a_blocker_that_is_said_again_after_it_was_closed_is_a_new_one(call, clock):
    (first,) = block(call, (ATLAS, literal(LICENCE)))
    clock.pass_by(days=1)
    call.record(ATLAS, "resolved_by", ANA)
    clock.pass_by(days=1)
    (second,) = block(call, (ATLAS, literal(LICENCE)))

    assert first != second
    assert opened(call) == [("Atlas", LICENCE)]
    assert texts(call.record(ATLAS, "resolved_by", ANA)["closed_blockers"]) == [f"Atlas blocked by {LICENCE}"]
    assert opened(call) == []


@pytest.mark.parametrize("tool", ["retract_fact", "delete_entity_edge"])
def test_a_resolution_that_is_not_true_after_all_leaves_the_blocker_open(call, clock, tool):
    block(call, (ATLAS, literal(LICENCE)), (BOREAS, literal("no budget")))
    clock.pass_by(days=1)
    answers = call(
        "record_facts",
        facts=[fact(concept("licence"), "resolved_by", ANA), fact(BOREAS, "resolved_by", literal("a grant"))],
    )
    clock.pass_by(days=1)
    wrong = answers["results"][0]["fact_id"]
    call(tool, **({"fact_id": wrong} if tool == "retract_fact" else {"uuid": wrong}))

    assert opened(call) == [("Atlas", LICENCE)]


def test_many_resolutions_of_one_call_each_close_their_own(call, clock):
    block(call, *((ATLAS, literal(f"waiting for licence {letter}")) for letter in "ABCD"))
    answers = call(
        "record_facts",
        facts=[fact(ATLAS, "resolved_by", literal(f"licence {letter} came")) for letter in "ACD"],
    )

    assert [len(each["closed_blockers"]) for each in answers["results"]] == [1, 1, 1]
    assert opened(call) == [("Atlas", "waiting for licence B")]


def test_blockers_and_resolutions_that_are_imported_count_as_they_were_said(open_graph, call, clock, tmp_path, path):
    """
    Lines of an earlier version end nothing; they are read in the order of time.
    """
    block(call, (ATLAS, literal(LICENCE)), (BOREAS, literal("waiting for licence A")))
    clock.pass_by(days=1)
    call.record(ATLAS, "resolved_by", ANA)
    call.record(BOREAS, "resolved_by", literal("licence B came"))
    with call.graph.database.write("test") as tx:
        tx.conn.execute("DELETE FROM earlier_validity")
        tx.conn.execute("UPDATE fact SET valid_to = '~', known_from = ''")

    assert opened(call) == [("Boreas", "waiting for licence A")]


# resolve_blocker

WORDS = ["licence", LICENCE, "the license arrived", "Atlas", "atlas", "Atals", "project:Atlas", "ID"]


@pytest.mark.parametrize("words", WORDS)
def test_a_blocker_is_closed_by_its_words_its_id_or_what_is_blocked(call, clock, words):
    licence, _ = block(call, (ATLAS, literal(LICENCE)), (BOREAS, literal("no budget")))
    clock.pass_by(days=1)
    answer = call("resolve_blocker", blocker=licence if words == "ID" else words)

    assert [each["fact_id"] for each in answer["closed_blockers"]] == [licence]
    assert answer["fact_id"] is None
    assert opened(call) == [("Boreas", "no budget")]


@pytest.mark.parametrize("by", [ANA, {"name": "Ana"}, literal("a call"), {"name": "somebody"}])
def test_who_settled_it_is_kept(call, clock, by):
    call.record(ANA, "tagged", literal("x"))
    block(call, (ATLAS, literal(LICENCE)))
    clock.pass_by(days=1)
    call("resolve_blocker", blocker="licence", by=by, source="mail", resolved_at="2026-05-16")
    (resolution,) = [
        each for each in call("recall_entity", name_or_alias="Atlas")["facts"] if each["predicate"] == "resolved_by"
    ]

    assert resolution["object"].get("name", resolution["object"].get("literal")) == (by.get("name") or by["literal"])
    assert (resolution["source"], resolution["valid_from"][:10]) == ("mail", "2026-05-16")
    assert opened(call) == []


def test_what_is_blocked_tells_two_apart(call):
    block(call, (ATLAS, literal(LICENCE)), (BOREAS, literal(LICENCE)))
    asked = call("resolve_blocker", blocker="licence")
    call("resolve_blocker", blocker="licence", blocked=BOREAS)

    assert (asked["error"], len(asked["candidates"])) == ("AMBIGUOUS", 2)
    assert opened(call) == [("Atlas", LICENCE)]


def test_a_part_of_a_project_is_blocked_with_it(call):
    call.record(concept("Hull"), "belongs_to", ATLAS)
    block(call, (concept("Hull"), literal("rust")), (BOREAS, literal("more rust")))
    call("resolve_blocker", blocker="rust", blocked=ATLAS)

    assert opened(call) == [("Boreas", "more rust")]


REFUSED = [
    ({}, "NAME_OR_ALIAS_REQUIRED"),
    ({"blocker": ""}, "NAME_OR_ALIAS_REQUIRED"),
    ({"blocker": "  "}, "NAME_OR_ALIAS_REQUIRED"),
    ({"blocker": 3}, "NAME_OR_ALIAS_REQUIRED"),
    ({"blocker": "fact_1"}, "FACT_NOT_FOUND"),
    ({"blocker": "permit"}, "FACT_NOT_FOUND"),
    ({"blocker": "licence B"}, "FACT_NOT_FOUND"),
    ({"blocker": "driving licence A"}, "AMBIGUOUS"),
    ({"blocker": "licence", "blocked": project("Nope")}, "ENTITY_NOT_FOUND"),
    ({"blocker": "licence", "blocked": BOREAS}, "FACT_NOT_FOUND"),
    ({"blocker": "licence", "resolved_at": "soon"}, "VALIDITY_INVALID"),
    ({"blocker": "licence", "source": ""}, "INVALID_ARGUMENTS"),
    ({"blocker": "licence", "by": {}}, "OBJECT_REQUIRED"),
    ({"blocker": "licence", "by": {"type": "frob", "name": "x"}}, "ENTITY_TYPE_UNKNOWN"),
]


@pytest.mark.parametrize(("wrong", "code"), REFUSED, ids=range(len(REFUSED)))
def test_a_wrong_closing_is_refused_and_changes_nothing(call, path, wrong, code):
    block(call, (ATLAS, literal("waiting for licence A")))
    call.record(BOREAS, "tagged", literal("x"))
    before = dump(path)
    refused = call("resolve_blocker", **wrong)

    assert refused["error"] == code
    assert refused["hint"]
    assert dump(path) == before


def test_a_blocker_that_is_closed_is_not_closed_again(call, clock):
    (licence,) = block(call, (ATLAS, literal(LICENCE)))
    clock.pass_by(days=1)
    call("resolve_blocker", blocker=licence)

    assert call("resolve_blocker", blocker=licence)["error"] == "FACT_NOT_FOUND"


def test_another_group_is_not_touched(open_graph):
    theirs, ours = Caller(open_graph(group="theirs")), Caller(open_graph(group="ours"))
    (licence,) = block(theirs, (ATLAS, literal(LICENCE)))

    assert ours("resolve_blocker", blocker=licence)["error"] == "FACT_NOT_FOUND"
    assert "open_blockers" not in ours.record(concept("licence"), "resolved_by", ANA)
    assert opened(theirs) == [("Atlas", LICENCE)]


def test_a_closed_blocker_is_one_row_with_an_end(call, clock, path):
    """
    Nothing is guessed when it is read: the fact itself has ended.
    """
    block(call, (ATLAS, literal(LICENCE)))
    clock.pass_by(days=1)
    call.record(ATLAS, "resolved_by", ANA)

    assert rows(path, "SELECT valid_to FROM fact WHERE literal IS NOT NULL") == [("2026-05-16T10:00:00.000Z",)]


@pytest.mark.parametrize("blocking", [literal("legal review"), concept("Legal review")])
@pytest.mark.parametrize("by_id", [True, False])
def test_a_blocker_that_two_predicates_say_is_one(call, blocking, by_id):
    ids = [call.record(ATLAS, predicate, blocking)["fact_id"] for predicate in ("blocked_by", "waits_for")]
    listed = opened(call), len(call("recall_for", message="What blocks Atlas?")["open"])
    call("resolve_blocker", blocker=ids[1] if by_id else "legal review")

    assert listed == ([("Atlas", blocking.get("literal") or blocking["name"])], 1)
    assert opened(call) == []
