"""Recording one fact: what it creates, what it finds again, and what it refuses."""

from __future__ import annotations

import pytest

from keepgraph import store
from keepgraph.engine.vocabulary import sets
from words import NOON, Caller, concept, decision, dump, fact, literal, person, project, rows, source

ADA, ATLAS, GO = person("Ada"), project("Atlas"), decision("Go")


@pytest.fixture
def core_call(graph):
    """Calls tools of a graph that has the core of the vocabulary alone."""
    with graph.database.write("test") as tx:
        sets.remove(store.journal.begin_call(tx), "personal")
    return Caller(graph)


def test_new_names_are_created_and_told(call):
    answer = call.record(ADA, "decided_in", GO)

    assert [(each["type"], each["name"]) for each in answer["auto_created_entities"]] == [
        ("person", "Ada"),
        ("decision", "Go"),
    ]
    assert answer["fact_id"].startswith("fact_")
    assert answer["subject"]["id"].startswith("ent_")
    assert answer["deduplicated"] is False


def test_a_subject_that_is_its_own_object_is_created_once(call):
    answer = call.record(ADA, "reports_to", person("ADA"))

    assert [each["name"] for each in answer["auto_created_entities"]] == ["Ada"]
    assert answer["subject"] == answer["object"]


def test_recording_a_fact_twice_keeps_one(call, clock):
    first = call.record(ADA, "decided_in", GO, source="a note")
    clock.pass_by(days=3)
    again = call.record(ADA, "decided_in", GO, source="another note", confidence=0.4)

    assert (again["fact_id"], again["recorded_at"]) == (first["fact_id"], first["recorded_at"])
    assert (again["deduplicated"], again["auto_created_entities"]) == (True, [])
    assert call("get_status")["facts"] == 1


def test_every_assertion_is_kept_the_first_one_too(call, clock, path):
    call.record(ADA, "decided_in", GO, source="a note")
    clock.pass_by(days=1)
    call.record(ADA, "decided_in", GO, confidence=0.4)

    assert rows(path, "SELECT source, confidence, recorded_at, tool FROM provenance ORDER BY id") == [
        ("a note", 1.0, "2026-05-15T10:00:00.000Z", "record_fact"),
        (None, 0.4, "2026-05-16T10:00:00.000Z", "record_fact"),
    ]


def test_the_session_is_kept_with_what_is_recorded_in_it(open_graph, path):
    Caller(open_graph(session="chat 7")).record(ADA, "decided_in", GO)

    assert rows(path, "SELECT session FROM provenance") == [("chat 7",)]


def test_the_first_source_that_is_known_is_shown(call):
    call.record(ADA, "decided_in", GO)
    call.record(ADA, "decided_in", GO, source="the minutes")
    call.record(ADA, "decided_in", GO, source="hearsay", confidence=0.1)
    shown = call("recall_entity", name_or_alias="Ada")["facts"][0]

    assert (shown["source"], shown["confidence"]) == ("the minutes", 1.0)


@pytest.mark.parametrize("again", ["ada", " ADA ", "A\u200bda", "Ａｄａ"])
def test_a_name_written_otherwise_is_the_same_entity(call, again):
    first = call.record(ADA, "decided_in", GO)
    second = call.record(person(again), "decided_in", GO)

    assert (first["fact_id"], first["subject"]) == (second["fact_id"], second["subject"])


def test_c_and_its_relatives_are_three(call):
    ids = {call.record(concept(name), "tagged", literal("language"))["subject"]["id"] for name in ("C", "C++", "C#")}

    assert len(ids) == 3


def test_a_name_in_two_types_is_two_entities(call):
    one, two = (call.record(each, "tagged", literal("x"))["subject"]["id"] for each in (project("Go"), concept("Go")))

    assert one != two


def test_writing_never_guesses_and_says_what_it_suspects(call):
    roberto = call.record(person("Roberto"), "tagged", literal("x"))["subject"]
    answer = call.record(person("Robrto"), "tagged", literal("x"))
    (double,) = answer["possible_duplicates"]

    assert [each["name"] for each in answer["auto_created_entities"]] == ["Robrto"]
    assert (double["new"]["name"], double["id"], double["method"]) == ("Robrto", roberto["id"], "fuzzy")
    assert 0.8 <= double["score"] < 1


def test_the_name_in_another_type_is_suspected_too(call):
    call.record(project("Atlas"), "tagged", literal("x"))
    answer = call.record(concept("atlas"), "tagged", literal("x"))

    assert [(each["type"], each["score"]) for each in answer["possible_duplicates"]] == [("project", 1.0)]


@pytest.mark.parametrize("name", ["PauIa Peace", "Раulа Реасе"])
def test_a_name_that_looks_like_a_known_one_is_suspected(call, name):
    paula = call.record(person("Paula Peace"), "tagged", literal("x"))["subject"]
    (double,) = call.record(person(name), "tagged", literal("x"))["possible_duplicates"]

    assert (double["id"], double["score"]) == (paula["id"], 0.99)


def test_two_new_names_of_one_call_are_not_suspected_of_each_other(call):
    assert call.record(person("Roberto"), "reports_to", person("Robrto"))["possible_duplicates"] == []


def test_a_known_name_is_not_suspected_again(call):
    call.record(person("Roberto"), "tagged", literal("x"))
    call.record(person("Robrto"), "tagged", literal("x"))

    assert call.record(person("Robrto"), "tagged", literal("y"))["possible_duplicates"] == []


# Literals


def test_a_literal_comes_back_as_it_was(call):
    answer = call.record(ATLAS, "tagged", literal("  on Hold — 50 % "))

    assert answer["object"] == {"literal": "on Hold — 50 %"}


def test_literals_are_told_apart_by_their_letters(call):
    ids = {call.record(ATLAS, "tagged", literal(text))["fact_id"] for text in ("Done", "done", "done!", "done")}

    assert len(ids) == 3


def test_a_literal_is_not_an_entity_of_that_name(call):
    one = call.record(ATLAS, "tagged", literal("Go"))
    two = call.record(ATLAS, "tagged", concept("Go"))

    assert one["fact_id"] != two["fact_id"]


# By id


def test_an_entity_is_named_by_its_id(call):
    ada = call.record(ADA, "decided_in", GO)["subject"]
    answer = call.record({"id": ada["id"]}, "belongs_to", ATLAS)

    assert answer["subject"] == ada


def test_an_id_wins_over_a_name(call):
    ada = call.record(ADA, "decided_in", GO)["subject"]

    assert call.record({"id": ada["id"], "name": "Grace"}, "belongs_to", ATLAS)["subject"] == ada


@pytest.mark.parametrize(
    ("part", "code"),
    [("subject", "SUBJECT_REQUIRED"), ("object", "OBJECT_REQUIRED")],
)
@pytest.mark.parametrize("wrong", [{"id": "ent_nobody"}, {"id": ""}, {"id": "fact_1"}])
def test_an_id_of_nobody_is_refused(call, part, code, wrong):
    assert call("record_fact", **{**fact(ADA, "depends_on", ATLAS), part: wrong})["error"] == code


def test_an_id_of_another_type_is_refused(call):
    ada = call.record(ADA, "decided_in", GO)["subject"]
    refused = call("record_fact", subject={"id": ada["id"], "type": "project"}, predicate="tagged", object=literal("x"))

    assert refused["error"] == "SUBJECT_REQUIRED"
    assert "person" in refused["message"]


def test_an_id_of_another_group_is_refused(open_graph):
    ada = Caller(open_graph(group="theirs")).record(ADA, "decided_in", GO)["subject"]
    refused = Caller(open_graph(group="ours"))(
        "record_fact", subject={"id": ada["id"]}, predicate="tagged", object=literal("x")
    )

    assert refused["error"] == "SUBJECT_REQUIRED"


# Aliases


def test_an_alias_finds_its_entity_on_writing(call):
    ada = call.record(ADA, "decided_in", GO, aliases=["Countess"])["subject"]

    assert call.record(person("COUNTESS"), "belongs_to", ATLAS)["subject"] == ada


def test_an_alias_of_one_type_is_free_in_another(call):
    call.record(ADA, "decided_in", GO, aliases=["Countess"])

    assert call.record(project("Countess"), "tagged", literal("x"))["subject"]["name"] == "Countess"


def test_an_alias_given_twice_is_kept_once(call):
    call.record(ADA, "decided_in", GO, aliases=["Countess", "COUNTESS", "Ada"])
    call.record(ADA, "belongs_to", ATLAS, aliases=["countess"])

    assert call("recall_entity", name_or_alias="Ada")["entity"]["aliases"] == ["Countess"]


def test_the_name_of_another_is_no_alias(call):
    call.record(person("Grace"), "tagged", literal("x"))
    before = call("get_status")
    refused = call("record_fact", **fact(ADA, "decided_in", GO, aliases=["grace"]))

    assert refused["error"] == "ALIAS_TAKEN"
    assert [each["name"] for each in refused["candidates"]] == ["Grace"]
    assert call("get_status") == before


def test_an_alias_of_several_is_ambiguous_on_writing(call):
    call.record(person("Ada"), "tagged", literal("x"), aliases=["Boss"])
    call.record(person("Grace"), "tagged", literal("x"), aliases=["boss"])
    refused = call("record_fact", **fact(person("Boss"), "belongs_to", ATLAS))

    assert refused["error"] == "AMBIGUOUS"
    assert [each["name"] for each in refused["candidates"]] == ["Ada", "Grace"]


# Validity


def test_a_validity_includes_both_of_its_days(call):
    answer = call.record(ADA, "belongs_to", ATLAS, valid_from="2026-01-01", valid_to="2026-05-15")

    assert answer["valid_from"] == "2026-01-01T00:00:00.000+01:00"
    assert answer["valid_to"] == "2026-05-16T00:00:00.000+02:00"


def test_two_intervals_of_one_triple_stay_apart(call):
    one = call.record(ADA, "belongs_to", ATLAS, valid_from="2020-01-01", valid_to="2020-12-31")
    two = call.record(ADA, "belongs_to", ATLAS, valid_from="2026-01-01")
    again = call.record(ADA, "belongs_to", ATLAS, valid_from="2020-01-01", valid_to="2020-12-31")

    assert one["fact_id"] != two["fact_id"]
    assert (again["fact_id"], again["deduplicated"]) == (one["fact_id"], True)


def test_without_a_validity_the_one_that_holds_is_meant(call):
    held = call.record(ADA, "belongs_to", ATLAS, valid_from="2026-01-01")
    again = call.record(ADA, "belongs_to", ATLAS)

    assert (again["fact_id"], again["valid_from"]) == (held["fact_id"], held["valid_from"])


def test_what_has_ended_can_be_recorded_anew(call):
    past = call.record(ADA, "belongs_to", ATLAS, valid_to="2020-12-31")
    now = call.record(ADA, "belongs_to", ATLAS)

    assert (past["fact_id"] != now["fact_id"], now["deduplicated"]) == (True, False)


@pytest.mark.parametrize(
    ("valid_from", "valid_to"),
    [
        ("2026-05-02", "2026-05-01"),
        ("2026-05-01T10:00Z", "2026-05-01T10:00Z"),
        ("2026-05-01T12:00+02:00", "2026-05-01T10:00Z"),
        ("soon", None),
        ("2026-02-30", None),
        ("2026-13-01", None),
        ("20260501", None),
        ("2026-W18-5", None),
        ("01.05.2026", None),
        ("2026-05-01T25:00", None),
        ("2026-05-01T10:00+25:00", None),
        ("0001-01-01T00:00+10:00", None),
        ("9999-12-31T23:59-10:00", None),
        (None, "٢٠٢٦-٠٥-٠١"),
        ("2026-05-01\n", None),
        ("   ", None),
    ],
)
def test_a_validity_that_cannot_be_is_refused(call, path, valid_from, valid_to):
    before = dump(path)
    given = {"valid_from": valid_from, "valid_to": valid_to}
    refused = call("record_fact", **fact(ADA, "belongs_to", ATLAS), **{k: v for k, v in given.items() if v})

    assert refused["error"] == "VALIDITY_INVALID"
    assert dump(path) == before


@pytest.mark.parametrize(
    ("valid_from", "valid_to"),
    [
        ("0001-01-02", "0001-01-03"),
        ("9999-12-30", "9999-12-30"),
        ("9999-12-31T23:00Z", None),
        (None, "9999-12-31T23:59:59Z"),
        (None, "9999-12-31"),
    ],
)
@pytest.mark.parametrize("zone", ["Europe/Zurich", "Pacific/Auckland", "America/Los_Angeles"])
def test_a_validity_at_the_ends_of_time_is_recorded_or_refused(open_graph, valid_from, valid_to, zone):
    from zoneinfo import ZoneInfo

    call = Caller(open_graph(zone=ZoneInfo(zone)))
    given = {"valid_from": valid_from, "valid_to": valid_to}
    answer = call("record_fact", **fact(ADA, "belongs_to", ATLAS), **{k: v for k, v in given.items() if v})

    assert answer.get("error", "VALIDITY_INVALID") == "VALIDITY_INVALID"
    assert "error" not in call("recall_entity", name_or_alias="Ada")


# What is refused


REFUSED = [
    ({"predicate": "frobs"}, "PREDICATE_UNKNOWN"),
    ({"predicate": "DECIDED_IN_2"}, "PREDICATE_UNKNOWN"),
    ({"predicate": "decided_in" * 11}, "PREDICATE_UNKNOWN"),
    ({"predicate": ""}, "PREDICATE_UNKNOWN"),
    ({"predicate": None}, "PREDICATE_UNKNOWN"),
    ({"subject": {"type": "frob", "name": "x"}}, "ENTITY_TYPE_UNKNOWN"),
    ({"object": {"type": "personage", "name": "x"}}, "ENTITY_TYPE_UNKNOWN"),
    ({"subject": {"name": "x"}}, "ENTITY_TYPE_UNKNOWN"),
    ({"subject": {"type": "", "name": "x"}}, "ENTITY_TYPE_UNKNOWN"),
    ({"subject": {"type": None, "name": "x"}}, "ENTITY_TYPE_UNKNOWN"),
    ({"subject": {"type": 3, "name": "x"}}, "ENTITY_TYPE_UNKNOWN"),
    ({"subject": "Ada"}, "SUBJECT_REQUIRED"),
    ({"subject": None}, "SUBJECT_REQUIRED"),
    ({"subject": {}}, "SUBJECT_REQUIRED"),
    ({"subject": {"type": "person"}}, "SUBJECT_REQUIRED"),
    ({"subject": {"type": "person", "name": ""}}, "SUBJECT_REQUIRED"),
    ({"subject": {"type": "person", "name": "   "}}, "SUBJECT_REQUIRED"),
    ({"subject": {"type": "person", "name": "\u200b"}}, "SUBJECT_REQUIRED"),
    ({"subject": {"type": "person", "name": 123}}, "SUBJECT_REQUIRED"),
    ({"subject": {"type": "person", "name": "x" * 201}}, "SUBJECT_REQUIRED"),
    ({"subject": {"literal": "x"}}, "SUBJECT_REQUIRED"),
    ({"subject": {"type": "person", "name": "x", "born": 1}}, "SUBJECT_REQUIRED"),
    ({"object": "Atlas"}, "OBJECT_REQUIRED"),
    ({"object": None}, "OBJECT_REQUIRED"),
    ({"object": {"type": "project"}}, "OBJECT_REQUIRED"),
    ({"object": {"literal": ""}}, "OBJECT_REQUIRED"),
    ({"object": {"literal": "  "}}, "OBJECT_REQUIRED"),
    ({"object": {"literal": 5}}, "OBJECT_REQUIRED"),
    ({"object": {"literal": "x" * 1001}}, "OBJECT_REQUIRED"),
    ({"object": {"type": "project", "name": " \t "}}, "OBJECT_REQUIRED"),
    ({"confidence": 1.5}, "CONFIDENCE_OUT_OF_RANGE"),
    ({"confidence": -0.1}, "CONFIDENCE_OUT_OF_RANGE"),
    ({"confidence": "high"}, "CONFIDENCE_OUT_OF_RANGE"),
    ({"confidence": True}, "CONFIDENCE_OUT_OF_RANGE"),
    ({"confidence": float("nan")}, "CONFIDENCE_OUT_OF_RANGE"),
    ({"confidence": float("inf")}, "CONFIDENCE_OUT_OF_RANGE"),
    ({"source": "x" * 2001}, "INVALID_ARGUMENTS"),
    ({"source": 5}, "INVALID_ARGUMENTS"),
    ({"aliases": ["x" * 201]}, "ALIAS_INVALID"),
    ({"aliases": ["  "]}, "ALIAS_INVALID"),
    ({"aliases": 7}, "ALIAS_INVALID"),
    ({"aliases": ["a"] * 21}, "ALIAS_INVALID"),
    ({"valid_from": 2026}, "VALIDITY_INVALID"),
]


@pytest.mark.parametrize(("wrong", "code"), REFUSED, ids=range(len(REFUSED)))
def test_a_refusal_names_what_is_wrong_and_leaves_nothing_behind(call, path, wrong, code):
    before = dump(path)
    refused = call("record_fact", **{**fact(person("Someone new"), "belongs_to", project("Something new")), **wrong})

    assert refused["error"] == code
    assert refused["message"]
    assert refused["hint"]
    assert dump(path) == before


@pytest.mark.parametrize("gone", ["subject", "predicate", "object"])
def test_what_is_missing_is_named(call, gone):
    given = fact(ADA, "decided_in", GO)
    del given[gone]

    assert call("record_fact", **given)["message"].startswith(gone)


def test_an_unknown_predicate_is_answered_with_the_allowed_ones(core_call):
    call = core_call
    refused = call("record_fact", **fact(ADA, "decidedin", GO))

    assert refused["candidates"][0] == "decided_in"
    for word in "mentioned_in decided_in reports_to depends_on resolved_by blocked_by tagged belongs_to".split():
        assert word in refused["hint"]


def test_an_unknown_type_is_answered_with_the_allowed_ones(core_call):
    call = core_call
    refused = call("record_fact", **fact({"type": "vessel", "name": "x"}, "tagged", GO))

    assert "'vessel'" in refused["message"]
    for word in "person project decision concept source".split():
        assert word in refused["hint"]


def test_a_bad_object_leaves_no_subject_behind(call):
    call("record_fact", **fact(person("Nobody yet"), "decided_in", {"type": "frob", "name": "x"}))

    assert call.recalled("Nobody yet") is None


# What clients really send


def test_objects_written_as_json_text_are_read(call):
    answer = call(
        "record_fact",
        subject='{"type": "person", "name": "Ada"}',
        predicate="decided_in",
        object=' {"type": "decision", "name": "Go"}',
        aliases='["Countess"]',
    )

    assert (answer["subject"]["name"], answer["object"]["name"]) == ("Ada", "Go")
    assert call.recalled("Countess") == "Ada"


def test_null_means_left_out(call):
    nothing = dict.fromkeys(("source", "confidence", "valid_from", "valid_to", "aliases"))

    assert "error" not in call("record_fact", **fact(ADA, "decided_in", GO), **nothing)


def test_null_within_an_object_means_left_out(call):
    answer = call("record_fact", **fact({**ADA, "id": None}, "decided_in", {**GO, "id": None, "literal": None}))

    assert "error" not in answer


def test_text_that_looks_like_json_stays_text(call):
    call.record(source('{"a": 1}'), "tagged", literal("[1]"), source='{"uri": "x"}')
    told = call("recall_entity", name_or_alias='{"a": 1}')

    assert (told["entity"]["name"], told["facts"][0]["source"]) == ('{"a": 1}', '{"uri": "x"}')


@pytest.mark.parametrize("length", [1, 200])
def test_names_of_any_allowed_length_are_kept(call, length):
    name = "\U0001d538" * length

    assert call.record(concept(name), "tagged", literal("x" * 1000))["subject"]["name"] == name


def test_a_name_that_grows_when_it_is_composed_is_recorded_or_refused(call):
    """
    One character may become eighteen in its normal form; the column holds 200.
    """
    answer = call("record_fact", **fact(concept("\ufdfa" * 200), "tagged", literal("x")))

    assert answer.get("error", "SUBJECT_REQUIRED") == "SUBJECT_REQUIRED"


def test_times_are_shown_with_their_offset(call):
    assert call.record(ADA, "decided_in", GO)["recorded_at"] == "2026-05-15T12:00:00.000+02:00"
    assert NOON.isoformat() == "2026-05-15T10:00:00+00:00"


def test_ids_sort_in_the_order_of_recording(path):
    import keepgraph

    with keepgraph.open(path) as graph:
        made = [Caller(graph).record(ADA, "depends_on", concept(f"Part {n}"))["fact_id"] for n in range(50)]

    assert sorted(made) == made


def test_a_graph_opened_for_reading_refuses_to_write(open_graph):
    Caller(open_graph()).record(ADA, "decided_in", GO)
    reader = Caller(open_graph(read_only=True))

    assert reader("record_fact", **fact(ADA, "belongs_to", ATLAS))["error"] == "GRAPH_READ_ONLY"
    assert reader.recalled("Ada") == "Ada"
    assert reader.recalled("Atlas") is None


def test_the_full_text_of_a_fact_is_kept(call, path):
    call.record(ADA, "decided_in", decision("Adopt SQLite"))

    assert rows(path, "SELECT text FROM fact_text WHERE fact_text MATCH 'adopting'") == [
        ("Ada decided in Adopt SQLite",)
    ]


def test_a_longer_name_of_somebody_known_may_be_a_double(call):
    call.record(person("Sarah"), "tagged", literal("x"))
    told = call("record_fact", **fact(person("Sarah Connor"), "tagged", literal("x")))

    assert [(double["new"]["name"], double["name"]) for double in told["possible_duplicates"]] == [
        ("Sarah Connor", "Sarah")
    ]


@pytest.mark.parametrize(
    ("wording", "near"),
    [("wroks onn", "works_on"), ("resolveth", "resolved_by"), ("flurbs", None), ("glorp", None), ("swam", None)],
)
def test_a_word_is_named_as_near_only_where_it_is(call, wording, near):
    refused = call("search", query="Ana", edge_types=[wording])

    assert refused["error"] == "PREDICATE_UNKNOWN"
    assert (
        refused["hint"].startswith(f"Nearest is {near}" if near else "None is near;")
        or f"Nearest are {near}" in refused["hint"]
    )


@pytest.mark.parametrize("word", ["also_known_as", "nickname", "alias", "aka"])
def test_a_text_that_is_another_name_becomes_an_alias(call, word):
    answer = call("record_fact", subject=person("Ilse Brandt"), predicate=word, object=literal("Illy"))
    recalled = call("recall_entity", name_or_alias="Illy")

    assert answer["note"] == "“Illy” is another name of Ilse Brandt, and finds it."
    assert answer["aliases"] == ["Illy"]
    assert (recalled["entity"]["name"], recalled["resolution"]["method"]) == ("Ilse Brandt", "alias")


@pytest.mark.parametrize("withdrawal", ["undo", "retract_fact", "delete_entity_edge"])
def test_a_name_that_is_withdrawn_is_no_alias(call, withdrawal):
    call("record_fact", subject=person("Ilse Brandt"), predicate="works_at", object={"name": "Fjord"})
    answer = call("record_fact", subject=person("Ilse Brandt"), predicate="alias", object=literal("Zuzu"))
    names = {"undo": "call", "retract_fact": "fact_id", "delete_entity_edge": "uuid"}
    withdrawn = call(withdrawal, **{names[withdrawal]: answer["call" if withdrawal == "undo" else "fact_id"]})

    assert "error" not in withdrawn
    assert call("recall_entity", name_or_alias="Ilse Brandt")["entity"]["aliases"] == []


def test_a_name_that_another_has_is_refused_as_an_alias(call):
    call("record_fact", subject=person("Illy"), predicate="works_at", object={"name": "Fjord"})
    answer = call("record_fact", subject=person("Ilse Brandt"), predicate="nickname", object=literal("Illy"))

    assert answer["error"] == "ALIAS_TAKEN"
    assert call("recall_entity", name_or_alias="Ilse Brandt")["entity"] is None


def test_a_name_that_another_has_is_imported_as_a_text(call):
    call("record_fact", subject=person("Illy"), predicate="works_at", object={"name": "Fjord"})
    given = fact(person("Ilse Brandt"), "nickname", literal("Illy"))
    (result,) = call("record_facts", facts=[given], misfits="warn")["results"]

    assert "“Illy”" in result["warning"] or "'Illy'" in result["warning"]
    assert "note" not in result


def test_an_own_word_can_be_marked_as_a_name(call):
    words = {"stage_name": {"literal": "text", "alias": True, "description": "A name on stage."}}
    call("extend_vocabulary", predicates=words)
    call("record_fact", subject=person("Ilse Brandt"), predicate="stage_name", object=literal("La Brandt"))

    assert call("recall_entity", name_or_alias="Ilse Brandt")["entity"]["aliases"] == ["La Brandt"]


def test_a_relation_to_another_name_makes_an_alias(call):
    person_ = call("record_fact", subject=person("Ilse Brandt"), predicate="works_at", object={"name": "Fjord"})
    answer = call(
        "create_relation", from_entity=person_["subject"]["id"], relation_type="also_known_as", to_entity="Illy"
    )

    assert answer["aliases"] == ["Illy"]
    assert call("recall_entity", name_or_alias="Illy")["resolution"]["method"] == "alias"
