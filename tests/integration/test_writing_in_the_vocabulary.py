"""Writing with the vocabulary: other wordings, inverses, symmetric predicates, ends, literals, and what is refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import store
from keepgraph.cli.root import kg
from keepgraph.engine.vocabulary import definitions, sets
from laws import examples
from words import Caller, dump, fact, literal, person, project, rows

ANA, BO, ATLAS = person("Ana"), person("Bo"), project("Atlas")
ACME = {"type": "organisation", "name": "Acme"}
WORKSHOP: dict[str, Any] = {
    "name": "workshop",
    "version": "1",
    "types": {
        "engineer": {"parents": ["person"]},
        "manager": {"parents": ["person"]},
        "vehicle": {"abstract": True, "style": "title"},
        "van": {"parents": ["vehicle"]},
        "ship": {"parents": ["vehicle"]},
    },
    "predicates": {
        "mentors": {
            "sources": ["person"],
            "targets": ["person"],
            "inverse": {"name": "mentored_by", "alternative": ["is coached by"]},
            "sentence": "{subject} teaches {object}",
        },
        "drives": {"sources": ["person"], "targets": ["van"]},
        "weighs": {"literal": "number"},
        "reads": {},
    },
}


@pytest.fixture
def workshop(graph: keepgraph.Graph) -> Caller:
    """A graph with words of its own."""
    add_set(graph, WORKSHOP)
    return Caller(graph)


@pytest.fixture
def core(open_graph: Any) -> Caller:
    """A graph of which only the core is left, as those that were made before."""
    graph = open_graph()
    with graph.database.write("test") as tx:
        sets.remove(store.journal.begin_call(tx), "personal")
    return Caller(graph)


def add_set(graph: keepgraph.Graph, document: dict[str, Any]) -> None:
    with graph.database.write("test") as tx:
        sets.add(store.journal.begin_call(tx), definitions.from_document(document))


def retire(graph: keepgraph.Graph, kind: str, name: str, *, replaced_by: str | None = None) -> None:
    table = {"entity_type": "entity_type", "predicate": "predicate"}[kind]
    with graph.database.write("test") as tx:
        tx = store.journal.begin_call(tx)
        row = {term: row for row, term in tx.conn.execute(f"SELECT id, name FROM {table}")}
        values = {
            "retired_at": "2026-05-01T00:00:00.000Z",
            "replaced_by": row[replaced_by] if replaced_by else None,
        }
        store.vocabulary.update_term(tx, kind, row[name], values)


def ends(answer: dict[str, Any]) -> tuple[str, str, str]:
    return answer["subject"]["name"], answer["predicate"], answer["object"].get("name", answer["object"].get("literal"))


# Other wordings


@pytest.mark.parametrize("wording", ["works for", "Works At", "worksAt", "WORKS_AT", "is employed by", "arbeitet bei"])
def test_another_wording_is_taken_and_reported(call, wording):
    answer = call.record(ANA, wording, ACME)

    assert ends(answer) == ("Ana", "works_at", "Acme")
    assert answer["mapped_predicate"] == {"given": wording, "predicate": "works_at"}


@pytest.mark.parametrize("wording", ["company", "Organization", "Organisation", "employer"])
def test_another_wording_of_a_type_is_taken_and_reported(call, wording):
    answer = call.record(ANA, "works_at", {"type": wording, "name": "Acme"})

    assert answer["object"]["type"] == "organisation"
    assert answer["mapped_types"] == [{"given": wording, "type": "organisation"}]


@pytest.mark.parametrize("wording", ["book", "paper"])
def test_a_type_and_its_subtype_of_one_label_are_the_subtype(call, wording):
    answer = call.record(ANA, "author_of", {"type": wording, "name": "On Heat Islands"})

    assert answer["object"]["type"] == "document"


def test_a_word_given_by_its_name_reports_nothing(call):
    answer = call.record(ANA, "works_at", ACME)

    assert answer.keys().isdisjoint({"mapped_predicate", "mapped_types", "warning"})


def test_each_of_many_facts_reports_its_own_wording(call):
    answer = call("record_facts", facts=[fact(ANA, "works for", ACME), fact(ANA, "works_at", ACME)])

    assert [result.get("mapped_predicate", {}).get("given") for result in answer["results"]] == ["works for", None]
    assert answer["deduplicated"] == 1


def test_of_two_meanings_of_a_wording_the_ends_decide(call):
    meeting = {"type": "meeting", "name": "Kick-off"}
    when = call.record(meeting, "took place in", literal("2026-11"))
    where = call.record(meeting, "took place in", {"type": "place", "name": "Lisbon"})

    assert (when["predicate"], where["predicate"]) == ("happened_on", "located_in")


# Inverses and symmetric predicates


def test_an_inverse_is_stored_under_its_predicate_with_the_ends_exchanged(call, path):
    answer = call.record(ACME, "employs", ANA, aliases=["Acme GmbH"])

    assert ends(answer) == ("Ana", "works_at", "Acme")
    assert answer["mapped_predicate"] == {"given": "employs", "predicate": "works_at", "reversed": True}
    assert call("recall_entity", name_or_alias="Acme GmbH")["entity"]["name"] == "Acme"
    assert rows(path, "SELECT text FROM fact") == [("Ana works at Acme",)]


NAMES = st.sampled_from(["Ana", "Bo", "Çelik", "ana", "Dr. Éva Kis"])
DAYS = st.sampled_from([None, "2024-01-01", "2025-06-30", "2026-03-01"])


@examples(10, sweep=200)
@given(st.lists(st.tuples(NAMES, NAMES, DAYS), max_size=6))
def test_recording_by_the_inverse_is_recording_by_the_predicate(new_file, facts):
    """
    The same facts come about, whichever of the two each of them is given in.
    """
    exports = []
    for use_inverse in (False, True):
        with keepgraph.open(new_file()) as graph:
            call = Caller(graph)
            for employee, employer, day in facts:
                subject, target = person(employee), {"type": "organisation", "name": employer}
                given_ends = (target, "employs", subject) if use_inverse else (subject, "works_at", target)
                call.record(*given_ends, **({"valid_from": day} if day else {}))
            exports.append(
                rows(
                    graph.database.path,
                    "SELECT text, valid_from FROM fact ORDER BY id",
                )
            )

    assert exports[0] == exports[1]


@examples(10, sweep=200)
@given(st.lists(st.tuples(NAMES, NAMES, DAYS, st.booleans()), max_size=8))
def test_a_symmetric_fact_is_the_same_from_either_end(new_file, facts):
    with keepgraph.open(new_file()) as graph:
        call = Caller(graph)
        for one, other, day, _ in facts:
            call.record(person(one), "knows", person(other), **({"valid_from": day} if day else {}))
        count = call("get_status")["facts"]
        for one, other, day, is_exchanged in facts:
            subject, target = (other, one) if is_exchanged else (one, other)
            again = call.record(person(subject), "knows", person(target), **({"valid_from": day} if day else {}))

            assert again["deduplicated"]
        assert call("get_status")["facts"] == count


def test_merging_folds_symmetric_facts_of_either_direction(call):
    call.record(ANA, "knows", BO)
    call.record(BO, "knows", person("Anna"))
    merged = call("merge_entities", keep=ANA, absorb=person("Anna"))

    assert (merged["folded"], call("get_status")["facts"]) == (1, 1)


# Ends


def test_a_name_without_a_type_gets_the_one_that_the_predicate_connects(call):
    answer = call.record({"name": "Ana"}, "works_at", {"name": "Acme"})

    assert [(entity["type"], entity["name"]) for entity in answer["auto_created_entities"]] == [
        ("person", "Ana"),
        ("organisation", "Acme"),
    ]


def test_a_name_without_a_type_is_the_entity_of_that_name_that_fits(call):
    team = call.record({"type": "team", "name": "Platform"}, "tagged", literal("x"))["subject"]
    call.record(project("Platform"), "tagged", literal("x"))

    assert call.record(ANA, "member_of", {"name": "platform"})["object"] == team


def test_a_name_without_a_type_is_ambiguous_between_two_that_fit(call):
    call.record(person("Kim"), "tagged", literal("x"))
    call.record({"type": "organisation", "name": "Kim"}, "tagged", literal("x"))
    refused = call("record_fact", **fact({"name": "Kim"}, "works_on", ATLAS))

    assert refused["error"] == "AMBIGUOUS"
    assert len(refused["candidates"]) == 2


def test_a_name_without_a_type_is_a_literal_where_the_predicate_takes_one(call):
    assert call.record(ANA, "born_on", {"name": "1990-04-01"})["object"] == {"literal": "1990-04-01"}


def test_a_subtype_fits_where_its_parent_does(workshop):
    answer = workshop.record({"type": "engineer", "name": "Eve"}, "works_at", {"type": "team", "name": "Platform"})

    assert (answer["subject"]["type"], answer["object"]["type"]) == ("engineer", "team")


def test_the_ends_of_the_core_are_advice_only(call):
    assert "warning" not in call.record({"type": "meeting", "name": "Kick-off"}, "decided_in", {"name": "Go"})


# Subtypes


def test_a_parent_type_finds_the_only_entity_of_its_subtypes(workshop):
    eve = workshop.record({"type": "engineer", "name": "Eve"}, "tagged", literal("x"), aliases=["Evie"])["subject"]

    assert workshop.record(person("eve"), "tagged", literal("y"))["subject"] == eve
    assert workshop.record(person("Evie"), "tagged", literal("z"))["subject"] == eve
    assert workshop.record({"id": eve["id"], "type": "person"}, "tagged", literal("z"))["subject"] == eve


def test_a_parent_type_is_ambiguous_between_two_subtypes(workshop):
    workshop.record({"type": "engineer", "name": "Eve"}, "tagged", literal("x"))
    workshop.record({"type": "manager", "name": "Eve"}, "tagged", literal("x"))

    assert workshop("record_fact", **fact(person("Eve"), "tagged", literal("y")))["error"] == "AMBIGUOUS"


def test_a_subtype_for_somebody_known_is_reported_as_a_possible_duplicate(workshop):
    known = workshop.record(person("Eve"), "tagged", literal("x"))["subject"]
    answer = workshop.record({"type": "engineer", "name": "Eve"}, "tagged", literal("x"))

    assert [double["id"] for double in answer["possible_duplicates"]] == [known["id"]]


def test_an_abstract_type_is_no_type_of_a_new_entity(workshop, path):
    before = dump(path)
    refused = workshop("record_fact", **fact({"type": "vehicle", "name": "Bus 3"}, "weighs", literal("9000")))

    assert (refused["error"], refused["candidates"]) == ("ENTITY_TYPE_UNKNOWN", ["van", "ship"])
    assert dump(path) == before


def test_an_abstract_type_finds_an_entity_of_a_subtype(workshop):
    bus = workshop.record({"type": "van", "name": "Bus 3"}, "weighs", literal("9000"))["subject"]

    assert workshop.record({"type": "vehicle", "name": "bus 3"}, "tagged", literal("old"))["subject"] == bus


# Literals


@pytest.mark.parametrize(
    ("predicate", "text", "stored"),
    [
        ("weighs", "-12.5e3", "-12.5e3"),
        ("weighs", " 7 ", "7"),
        ("due_on", "2026-11-30", "2026-11-30"),
        ("due_on", "2026-11", "2026-11"),
        ("due_on", "2026", "2026"),
        ("due_on", "--11-30", "--11-30"),
        ("due_on", "2026-11-30T14:00", "2026-11-30T14:00:00+01:00"),
        ("due_on", "2026-07-01 14:00:30", "2026-07-01T14:00:30+02:00"),
        ("due_on", "2026-11-30T14:00Z", "2026-11-30T14:00:00+00:00"),
        ("url", "https://example.com/a?b=ç#d", "https://example.com/a?b=ç#d"),
        ("url", "http://[::1]:8080/", "http://[::1]:8080/"),
        ("phone", "+41 44 555 01 02", "+41 44 555 01 02"),
        ("status", "on hold,\nagain", "on hold,\nagain"),
        ("reads", "any text", "any text"),
    ],
)
def test_a_literal_of_the_right_kind_is_stored(workshop, predicate, text, stored):
    subject = ANA if predicate in ("phone", "reads") else {"type": "task", "name": "Offer"}

    assert workshop.record(subject, predicate, literal(text))["object"] == {"literal": stored}


@pytest.mark.parametrize(
    ("predicate", "said", "stored"),
    [
        ("due_on", "Nov 30th, 2026", "2026-11-30"),
        ("due_on", "30.11.2026", "2026-11-30"),
        ("due_on", "November 2026", "2026-11"),
        ("due_on", "tomorrow", "2026-05-16"),
        ("due_on", "next Wednesday", "2026-05-20"),
        ("due_on", "15 January", "2027-01-15"),
        ("due_on", "Friday", "2026-05-15"),
        ("due_on", "Thursday", "2026-05-21"),
        ("due_on", "Monday 3pm", "2026-05-18T15:00:00+02:00"),
        ("due_on", "this week", "2026-05-17"),
        ("deadline", "March", "2027-03"),
        ("happened_on", "15 January", "2026-01-15"),
        ("happened_on", "Thursday", "2026-05-14"),
        ("took place on", "March", "2026-03"),
    ],
)
def test_a_date_is_recorded_as_people_say_it(workshop, predicate, said, stored):
    answer = workshop.record({"type": "task", "name": "Offer"}, predicate, literal(said))

    assert answer["object"] == {"literal": stored}


@pytest.mark.parametrize(
    ("said", "stored"), [("15 January", "--01-15"), ("29 Feb", "--02-29"), ("May 1990", "1990-05")]
)
def test_a_birthday_without_a_year_is_of_any_year(workshop, said, stored):
    assert workshop.record(ANA, "birthday", literal(said))["object"] == {"literal": stored}


def test_a_date_that_may_be_two_is_refused_with_both(workshop):
    refused = workshop("record_fact", **fact({"type": "task", "name": "Offer"}, "due_on", literal("4/5/2026")))

    assert "2026-05-04 or 2026-04-05" in refused["message"]


def test_a_fact_ends_by_its_date_as_people_say_it(workshop):
    workshop.record({"type": "task", "name": "Offer"}, "due_on", literal("tomorrow"))
    ended = workshop(
        "end_fact", subject={"type": "task", "name": "Offer"}, predicate="due_on", object=literal("16 May 2026")
    )

    assert ended["effect"] == "ended"


WRONG_LITERALS = [
    ("weighs", "12,500 kg", "12500"),
    ("weighs", "nan", None),
    ("weighs", "1_000", None),
    ("weighs", "٣", None),
    ("due_on", "someday", None),
    ("due_on", "4/5/2026", None),
    ("due_on", "2026-02-30", None),
    ("due_on", "2026-13", None),
    ("due_on", "0000", None),
    ("due_on", "--02-31", None),
    ("due_on", "2026-11-30T25:00", None),
    ("due_on", "9999-12-31T23:59-10:00", None),
    ("url", "example.com/offer", "https://example.com/offer"),
    ("url", "ftp://example.com", None),
    ("url", "https://", None),
    ("url", "https://exa mple.com", None),
    ("url", "http://[", None),
    ("url", "javascript:alert(1)", None),
    ("phone", "044\n555", "044 555"),
]


@pytest.mark.parametrize(("predicate", "text", "suggested"), WRONG_LITERALS)
def test_a_literal_of_another_kind_is_refused_with_one_that_works(workshop, path, predicate, text, suggested):
    before = dump(path)
    subject = ANA if predicate == "phone" else {"type": "task", "name": "Offer"}
    refused = workshop("record_fact", **fact(subject, predicate, literal(text)))

    assert refused["error"] == "LITERAL_INVALID"
    assert suggested in (None, refused["example"]["object"]["literal"])
    assert dump(path) == before
    assert "error" not in workshop("record_fact", **refused["example"])


# Refusals, and the next try


REFUSALS = [
    (ANA, "works_at", ATLAS, "ENDS_INVALID", "works_at connects person → organisation"),
    (ACME, "works_at", ANA, "ENDS_INVALID", "The ends are swapped"),
    (ANA, "employs", ACME, "ENDS_INVALID", "The ends are swapped"),
    (ANA, "works_at", literal("Acme"), "ENDS_INVALID", "organisation:Acme"),
    (ACME, "employs", literal("Ana"), "ENDS_INVALID", "person:Ana"),
    (ANA, "email", {"type": "concept", "name": "ana@acme.example"}, "ENDS_INVALID", '{"literal": "ana@acme.example"}'),
    (ANA, "url", {"type": "https", "name": "//acme.example"}, "ENDS_INVALID", "https://acme.example"),
    (ATLAS, "born_on", literal("1990-04-01"), "ENDS_INVALID", "person"),
    (ATLAS, "born_on", {"type": "concept", "name": "1990"}, "ENDS_INVALID", "1990"),
    ({"type": "concept", "name": "Rain"}, "married_to", {"type": "concept", "name": "Sun"}, "ENDS_INVALID", "person"),
    ({"name": "Rain"}, "leads", ATLAS, "ENTITY_TYPE_UNKNOWN", "organisation"),
    (ANA, "leads", {"name": "Rain"}, "ENTITY_TYPE_UNKNOWN", "organisation, project, event, task"),
    ({"name": "Rain"}, "about", {"name": "Sun"}, "ENTITY_TYPE_UNKNOWN", "person"),
    (ANA, "works_at", {"type": "guild", "name": "Weavers"}, "ENTITY_TYPE_UNKNOWN", '"parents": ["organisation"]'),
    ({"type": "frob", "name": "x"}, "tagged", literal("x"), "ENTITY_TYPE_UNKNOWN", "extend_vocabulary"),
    (ANA, "tutors", BO, "PREDICATE_UNKNOWN", '{"sources": ["person"], "targets": ["person"]}'),
    (ANA, "works_att", ACME, "PREDICATE_UNKNOWN", "works_at"),
    (ANA, "shoe_size", literal("42"), "PREDICATE_UNKNOWN", '"literal": "text"'),
    (ANA, "hired_on", literal("2026-11-01"), "PREDICATE_UNKNOWN", '"literal": "date"'),
    ({"type": "company", "name": "Acme"}, "seized", {"type": "van", "name": "Bus 3"}, "PREDICATE_UNKNOWN", "van"),
    ({"type": "vehicle", "name": "Bus 3"}, "tagged", literal("x"), "ENTITY_TYPE_UNKNOWN", "van, ship"),
]


@pytest.mark.parametrize(("subject", "predicate", "target", "code", "text"), REFUSALS)
def test_a_refusal_says_what_would_fit_and_its_next_try_works(workshop, path, subject, predicate, target, code, text):
    before = dump(path)
    given_fact = fact(subject, predicate, target)
    refused = workshop("record_fact", **given_fact)

    assert refused["error"] == code
    assert text in f"{refused['message']} {refused['hint']}"
    assert len(refused["hint"]) < 700
    assert dump(path) == before
    assert "error" not in workshop("record_fact", **refused["example"])
    if addition := added_by(refused):
        assert "error" not in workshop("extend_vocabulary", **addition)
        assert "error" not in workshop("record_fact", **given_fact)


def added_by(refused: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments of extend_vocabulary that a refusal names."""
    match = re.search(r"extend_vocabulary (\{.*\}), or", refused["hint"])
    return json.loads(match[1]) if match else None


def test_the_command_that_a_refusal_names_adds_the_word(tmp_path):
    file = str(tmp_path / "graph.db")

    def run(*words: str) -> str:
        return CliRunner().invoke(kg, ["--db", file, *words]).output

    refused = run("record", "person:Ana", "tutors", "person:Bo")
    command = re.search(r"`kg (?:--db \S+ )?(vocabulary add [^`]*)`", refused)
    assert command
    run(*command[1].split())

    assert run("record", "person:Ana", "tutors", "person:Bo").startswith("Recorded: Ana tutors Bo")


def test_a_graph_without_the_set_is_told_which_set_has_the_word(core):
    refused = core("record_fact", **fact(ANA, "works_on", ATLAS))

    assert refused["error"] == "PREDICATE_UNKNOWN"
    assert "kg vocabulary set add personal" in refused["hint"]
    assert "kg vocabulary set add research" in core("record_fact", **fact(ANA, "cites", ATLAS))["hint"]


def test_with_few_words_a_refusal_names_them_all(core):
    refused = core("record_fact", **fact(ANA, "frobs", ATLAS))

    for word in "mentioned_in decided_in reports_to depends_on resolved_by blocked_by tagged belongs_to".split():
        assert word in refused["hint"]


def test_a_refusal_stays_short_among_five_hundred_words(graph):
    add_set(
        graph,
        {
            "name": "large",
            "version": "1",
            "types": {f"kind_{number}": {} for number in range(250)},
            "predicates": {f"relation_{number}": {"sources": [f"kind_{number}"]} for number in range(250)},
        },
    )
    call = Caller(graph)
    for refused in (
        call("record_fact", **fact(ANA, "relatoin_7", ATLAS)),
        call("record_fact", **fact({"type": "knid_7", "name": "x"}, "tagged", literal("x"))),
        call("record_fact", **fact({"name": "x"}, "tagged", literal("x"))),
    ):
        assert len(json.dumps(refused)) < 1500, refused


# Retired words


def test_a_retired_predicate_is_taken_for_what_replaces_it(call, graph):
    retire(graph, "predicate", "works_with", replaced_by="knows")
    answer = call.record(ANA, "works_with", BO)

    assert answer["mapped_predicate"] == {"given": "works_with", "predicate": "knows"}


def test_a_retired_predicate_without_a_replacement_is_refused(call, graph):
    retire(graph, "predicate", "works_with")
    refused = call("record_fact", **fact(ANA, "works_with", BO))

    assert refused["error"] == "PREDICATE_UNKNOWN"
    assert "retired" in refused["message"]
    assert "knows" in refused["hint"]


def test_a_retired_type_is_taken_for_what_replaces_it_or_refused(call, graph):
    retire(graph, "entity_type", "goal", replaced_by="task")
    retire(graph, "entity_type", "topic")
    answer = call.record({"type": "goal", "name": "Fewer errors"}, "tagged", literal("x"))

    assert (answer["subject"]["type"], answer["mapped_types"]) == ("task", [{"given": "goal", "type": "task"}])
    assert "retired" in call("record_fact", **fact({"type": "topic", "name": "x"}, "tagged", literal("x")))["message"]


# Sentences


def test_a_fact_reads_as_its_predicate_says(workshop, path):
    workshop.record(ANA, "mentors", person("{object}"))

    assert rows(path, "SELECT text FROM fact") == [("Ana teaches {object}",)]
    assert "error" not in workshop("search", query="who teaches")


# Imports


def imported(tmp_path: Any, text: str, *, name: str = "facts.jsonl") -> tuple[dict[str, Any], Caller]:
    file, graph_file = tmp_path / name, tmp_path / "imported.db"
    file.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(kg, ["--db", str(graph_file), "--json", "import", str(file)])
    return json.loads(result.output), Caller(keepgraph.open(graph_file))


def test_an_import_warns_of_ends_that_do_not_fit_and_records_them(tmp_path):
    lines = [
        fact(ANA, "works_at", ATLAS),
        fact(BO, "works_at", ATLAS),
        fact(ACME, "employs", ANA),
        fact(ATLAS, "due_on", literal("soon")),
    ]
    report, _ = imported(tmp_path, "\n".join(map(json.dumps, lines)))

    assert (report["added"], report["refused"]) == (4, [])
    assert [(warning["line"], warning["predicate"]) for warning in report["warnings"]] == [
        (1, "works_at"),
        (2, "works_at"),
        (4, "due_on"),
    ]


def test_the_warnings_of_an_import_are_counted_with_the_first_of_each_predicate(tmp_path):
    file = tmp_path / "facts.jsonl"
    file.write_text("\n".join(json.dumps(fact(person(name), "works_at", ATLAS)) for name in "ABC"), encoding="utf-8")
    output = CliRunner().invoke(kg, ["--db", str(tmp_path / "graph.db"), "import", str(file)]).output

    assert "line 1: works_at connects person → organisation, not person → project, and 2 more like it" in output
    assert "3 facts do not fit the predicate, and were imported anyway." in output


def test_an_exported_line_may_use_labels_inverses_and_either_direction(tmp_path, call, graph):
    call.record(ANA, "knows", BO)
    call.record(ANA, "works_at", ACME)
    graph_lines = [json.loads(line) for line in export(graph, tmp_path)]
    entities = {line["name"]: line["id"] for line in graph_lines if line.get("kind") == "entity"}
    facts = [line for line in graph_lines if line.get("kind") == "fact"]
    again = [
        {
            **facts[0],
            "id": "fact_00000000000000000000000091",
            "subject": facts[0]["object"],
            "object": facts[0]["subject"],
        },
        {
            **facts[1],
            "id": "fact_00000000000000000000000092",
            "predicate": "employs",
            "subject": entities["Acme"],
            "object": entities["Ana"],
        },
    ]
    others = [line for line in graph_lines if line.get("kind") != "fact"]
    report, merged = imported(tmp_path, "\n".join(map(json.dumps, [*others, *facts, *again])))

    assert report["refused"] == []
    assert merged("get_status")["facts"] == 2


def export(graph: keepgraph.Graph, tmp_path: Any) -> list[str]:
    file = tmp_path / "export.jsonl"
    CliRunner().invoke(kg, ["--db", str(graph.database.path), "export", str(file)])
    return file.read_text(encoding="utf-8").splitlines()


def test_a_table_of_another_program_is_mapped_and_warned_of(tmp_path):
    table = "subject,predicate,object\nperson:Ana,works for,organisation:Acme\nperson:Ana,employed by,project:Atlas\n"
    report, _ = imported(tmp_path, table, name="facts.csv")

    assert report["refused"] == []
    assert [warning["predicate"] for warning in report["warnings"]] == ["works_at"]


# On the command line


def test_the_command_line_says_what_was_taken_for_what(tmp_path):
    def run(*words: str) -> str:
        return CliRunner().invoke(kg, ["--db", str(tmp_path / "graph.db"), *words]).output

    assert run("record", "Ana", "works for", "Acme").splitlines() == [
        "Recorded: Ana works_at Acme",
        "  “works for” recorded as works_at",
        "  new person: Ana",
        "  new organisation: Acme",
    ]
    assert run("record", "company:Acme", "employs", "Ana").splitlines()[1:] == [
        "  “employs” recorded as works_at, with its ends swapped",
        "  “company” recorded as organisation",
        "  “Ana” is the person Ana",
    ]
    assert run("record", "Ana", "url", "https://ana.example").startswith("Recorded: Ana url “https://ana.example”")
