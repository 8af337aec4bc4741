"""recall_for: what matters for a message, and nothing else; scopes of facts and aliases, and what is always told."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from benchmarks import messages
from keepgraph.cli.root import kg
from laws import examples
from words import Caller, concept, literal, person, project

APOLLO, BOREALIS = project("Apollo"), project("Borealis")


@pytest.fixture
def team(call: Caller) -> Caller:
    """Two projects, in which “the board” is one thing and another, and Ana does one thing and another."""
    for each in (APOLLO, BOREALIS):
        call.record(each, "tagged", literal("active"))
    for each in (concept("Steering Committee"), concept("Kanban wall")):
        call.record(each, "tagged", literal("known"))
    call("add_alias", entity=concept("Steering Committee"), alias="the board", project="Apollo")
    call("add_alias", entity=concept("Kanban wall"), alias="the board", project="Borealis")
    call("record_fact", subject=person("Ana Ruiz"), predicate="tagged", object=literal("lead"), project="Apollo")
    call("record_fact", subject=person("Ana Ruiz"), predicate="tagged", object=literal("guest"), project="Borealis")
    call.record(person("Ana Ruiz"), "tagged", literal("vegan"))
    return call


def names(answer: dict[str, Any]) -> list[str]:
    return [each["name"] for each in answer["named"]]


def texts(answer: dict[str, Any], part: str = "facts") -> list[str]:
    return [each["text"] for each in answer[part]]


def test_messages_are_answered_with_what_they_name_and_nothing_else(open_graph, tmp_path):
    counts: dict[str, Counter[str]] = {"seen": Counter(), "unseen": Counter()}
    for number, given_set in enumerate(messages.sets()):
        with open_graph(tmp_path / f"{number}.db") as graph:
            messages.build(graph, given_set)
            messages.measure(graph, given_set, counts)
    both = counts["seen"] + counts["unseen"]

    assert both["right"] / both["messages"] >= 0.94
    assert both["named rightly"] / both["named"] >= 0.97
    assert both["named rightly"] / both["to be named"] >= 0.95


@pytest.mark.parametrize(
    ("scope", "expected"), [(["Apollo"], "Steering Committee"), (["Borealis"], "Kanban wall"), ([], None)]
)
def test_an_alias_means_what_it_means_in_its_project(team, scope, expected):
    answer = team("recall_for", message="What did the board say?", scope=scope)
    recalled = team("recall_entity", name_or_alias="the board", **({"project": scope[0]} if scope else {}))

    assert names(answer) == ([expected] if expected else [])
    assert [each["words"] for each in answer["unclear"]] == ([] if expected else ["the board"])
    assert (recalled["entity"] or {"name": None})["name"] == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("We saw two zephyrions near the lake.", []),
        ("Wir haben die Zephyrions und das neue Haus.", ["Zephyrion"]),
        ("Is the Zephyrion's deadline in May?", ["Zephyrion"]),
    ],
)
def test_a_name_takes_an_ending_in_the_languages_that_inflect_names(call, message, expected):
    call.record(project("Zephyrion"), "tagged", literal("known"))

    assert names(call("recall_for", message=message)) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("wie kündige ich mein Konto", []),
        ("wo ist hier die kirche", []),
        ("wann ist die kirshe für uns fertig", ["Kirsche"]),
    ],
)
def test_an_ordinary_word_of_the_language_is_no_typo_of_a_name(call, message, expected):
    call.record(person("Mei"), "tagged", literal("known"))
    call.record(concept("Kirsche"), "tagged", literal("known"))

    assert names(call("recall_for", message=message)) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("There was a heron in our pond this morning.", []),
        ("when is heron due", ["Heron"]),
        ("paper heron craft for kids, with scissors", []),
        ("mark the ticket of Heron as done", ["Heron"]),
        ("Zeig mir, wo Heron auf der Liste steht", ["Heron"]),
        ("danny devito movies", []),
        ("danny broke the build again", ["Danny Hagen"]),
        ("does heron depend on danny", ["Heron", "Danny Hagen"]),
    ],
)
def test_an_ordinary_word_or_a_namesake_names_nothing(call, message, expected):
    call.record(project("Heron"), "tagged", literal("known"))
    call.record(person("Danny Hagen"), "tagged", literal("known"))
    call.record(person("Mark Feldhaus"), "tagged", literal("known"))
    call("add_alias", entity=person("Mark Feldhaus"), alias="Mark")

    assert names(call("recall_for", message=message)) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("summarise the kitchen project", "Kitchen"),
        ("kitchen project", "Kitchen"),
        ("open tasks for budget", "Budget"),
        ("Kitchen: new tiles arrived", "Kitchen"),
        ("add to budget that the crane broke and the divers come on monday", "Budget"),
        ("Rose, are you coming?", "Rose Miller"),
        ("ask mum about the garden", "Mum"),
    ],
)
def test_a_plain_request_finds_what_has_an_ordinary_name(call, message, expected):
    for entity in (project("Kitchen"), project("Budget"), person("Rose Miller"), person("Mum")):
        call("add_entity", entity=entity)

    assert names(call("recall_for", message=message)) == [expected]


@pytest.mark.parametrize("message", ["Kiel", "kiel", "Kiel is blocked"])
def test_a_name_of_a_project_and_a_person_is_unclear_wherever_it_stands(call, message):
    for entity in (project("Kiel"), person("Kiel")):
        call("add_entity", entity=entity)
    answer = call("recall_for", message=message)

    assert (names(answer), [len(unclear["candidates"]) for unclear in answer["unclear"]]) == ([], [2])


def test_what_is_recorded_tells_whether_an_ordinary_word_is_a_name(call):
    call.record(project("Pepper"), "tagged", literal("known"))
    before = names(call("recall_for", message="pepper grinder or mill for coarse grains"))
    call.record(project("Pepper"), "tagged", literal("sells a grinder and coarse grains"))

    assert (before, names(call("recall_for", message="pepper grinder or mill for coarse grains"))) == ([], ["Pepper"])


def test_facts_of_other_projects_take_no_room_from_those_of_the_one_asked_about(team):
    for start in range(0, 120, 40):
        guests = [
            {
                "subject": person("Ana Ruiz"),
                "predicate": "tagged",
                "object": literal(f"guest {n}"),
                "project": "Borealis",
            }
            for n in range(start, start + 40)
        ]
        assert team("record_facts", facts=guests)["refused"] == 0
    brief = team("recall_entity", name_or_alias="Ana Ruiz", project="Apollo", detail="brief")
    told = team("recall_for", message="What about Ana Ruiz?", scope=["Apollo"])

    assert (brief["total_facts"], len(brief["facts"])) == (2, 2)
    assert sorted(text.rsplit(" ", 1)[-1] for text in texts(told)) == ["lead", "vegan"]


def test_an_address_in_another_spelling_holds_in_its_project_alone(team):
    team("add_alias", entity=person("Ana Ruiz"), alias="mailto:Ana@Example.org", project="Apollo")

    assert names(team("recall_for", message="Write to ana@example.org", scope=["Apollo"])) == ["Ana Ruiz"]
    assert names(team("recall_for", message="Write to ana@example.org", scope=["Borealis"])) == []


def test_the_project_in_the_message_tells_equals_apart(team):
    assert names(team("recall_for", message="Ask the board of Apollo.")) == ["Steering Committee", "Apollo"]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (["Apollo"], {"lead", "vegan"}),
        (["Borealis"], {"guest", "vegan"}),
        (["Apollo", "Borealis"], {"lead", "guest", "vegan"}),
        ([], {"lead", "guest", "vegan"}),
    ],
)
def test_in_a_scope_its_facts_are_told_and_those_without_one(team, scope, expected):
    told = texts(team("recall_for", message="What does Ana Ruiz do?", scope=scope))

    assert {line.removeprefix("Ana Ruiz tagged ") for line in told} == expected


def test_a_fact_may_hold_in_several_projects_and_then_everywhere(team):
    ana = {"subject": person("Ana Ruiz"), "predicate": "tagged", "object": literal("lead")}
    before = team("recall_for", message="Ana Ruiz", scope=["Borealis"])
    team("record_fact", **ana, project="Borealis")
    shared = team("recall_for", message="Ana Ruiz", scope=["Borealis"])["facts"]
    team("record_fact", **ana)
    everywhere = team("recall_for", message="Ana Ruiz")["facts"]

    assert "Ana Ruiz tagged lead" not in texts(before)
    assert {each["text"]: each.get("scope") for each in shared}["Ana Ruiz tagged lead"] == ["Apollo", "Borealis"]
    assert [each.get("scope") for each in everywhere if each["text"] == "Ana Ruiz tagged lead"] == [None]


def test_the_answer_says_that_a_known_fact_holds_in_more_or_is_pinned(team):
    fact = {"subject": person("Ida"), "predicate": "tagged", "object": literal("lead")}
    given = ({"project": "Apollo"}, {"project": "Apollo"}, {}, {"always": True}, {"always": True})
    effects = [team("record_fact", **fact, **more)["effect"] for more in given]

    assert effects == ["recorded", "nothing_changed", "repeated", "repeated", "nothing_changed"]


def test_a_scope_survives_the_merge_of_its_project(team):
    team.record(project("Apollo 2"), "tagged", literal("new"))
    team("change", entity=project("Apollo 2"), merge=APOLLO)
    answer = team("recall_for", message="What did the board and Ana Ruiz say?", scope=["Apollo 2"])

    assert names(answer) == ["Steering Committee", "Ana Ruiz"]
    assert "Ana Ruiz tagged lead" in texts(answer)


def test_what_holds_in_a_project_alone_goes_with_it_and_comes_back(team):
    before = team("recall_for", message="the board, Ana Ruiz", scope=["Apollo"])
    team("forget", what="Apollo")
    without = team("recall_for", message="the board, Ana Ruiz")
    team("undo")

    assert names(without) == ["Kanban wall", "Ana Ruiz"]
    assert set(texts(without)) == {"Ana Ruiz tagged guest", "Ana Ruiz tagged vegan", "Kanban wall tagged known"}
    assert team("recall_for", message="the board, Ana Ruiz", scope=["Apollo"]) == before


def test_a_merge_lets_a_fact_hold_wherever_either_did(team):
    team("record_fact", subject=person("Anna Ruiz"), predicate="tagged", object=literal("lead"), project="Borealis")
    team("change", entity=person("Ana Ruiz"), merge=person("Anna Ruiz"))

    assert "Ana Ruiz tagged lead" in texts(team("recall_for", message="Ana Ruiz", scope=["Apollo"]))
    assert "Ana Ruiz tagged lead" in texts(team("recall_for", message="Ana Ruiz", scope=["Borealis"]))


def test_what_was_replaced_or_has_ended_is_not_told_unless_it_is_asked_as_of_then(call):
    old = call.record(concept("Falcon"), "depends_on", concept("Oracle"))
    call("record_fact", subject=concept("Falcon"), predicate="depends_on", object=concept("SQLite"),
         supersedes=[old["fact_id"]])  # fmt: skip
    call("record_fact", subject=concept("Falcon"), predicate="tagged", object=literal("beta"),
         valid_from="2020-01-01", valid_to="2021-01-01")  # fmt: skip

    assert texts(call("recall_for", message="is falcon ready?")) == ["Falcon depends on SQLite"]
    assert "Falcon tagged beta" in texts(call("recall_for", message="is falcon ready?", as_of="2020-06-01"))


def test_what_is_once_comes_before_a_long_list_of_one_kind(call):
    call.record(concept("Falcon"), "depends_on", concept("SQLite"))
    for number in range(30):
        call.record(person(f"Person Number{number}"), "belongs_to", concept("Falcon"))

    assert "Falcon depends on SQLite" in texts(call("recall_for", message="is falcon ready?", budget=250))


def test_standing_facts_and_texts_are_told_where_they_hold(team):
    team("record_fact", subject=APOLLO, predicate="tagged", object=literal("frozen"), project="Apollo", always=True)
    note = team("remember", text="Never deploy on a Friday. Apollo is on air then.", project="Apollo", always=True)
    everywhere = team("remember", text="Write in plain English.", always=True)
    elsewhere = team("recall_for", message="hello", scope=["Borealis"])
    here = team("recall_for", message="hello", scope=["Apollo"])
    team("pin", what=everywhere["doc_id"], pinned=False)
    unpinned = team("recall_for", message="hello", scope=["Borealis"])

    assert texts(elsewhere, "standing") == ["Write in plain English."]
    assert [each.get("fact_id", each.get("doc_id")) for each in here["standing"]][1:] == [
        note["doc_id"],
        everywhere["doc_id"],
    ]
    assert texts(here, "standing")[0] == "Apollo tagged frozen"
    assert unpinned["standing"] == []


def test_what_is_open_about_the_things_named_is_told_until_it_is_closed(call):
    call.record(APOLLO, "blocked_by", concept("licence review"))
    call.record({"type": "question", "name": "Who pays for the licences?"}, "belongs_to", APOLLO)
    call.record({"type": "task", "name": "Renew the contract"}, "belongs_to", APOLLO)
    call.record({"type": "task", "name": "Renew the contract"}, "due_on", literal("2020-01-01"))
    before = call("recall_for", message="how is apollo?")
    call.record({"type": "question", "name": "Who pays for the licences?"}, "answered_by", literal("the client"))
    call.record(concept("licence review"), "resolved_by", person("Ana Ruiz"))
    after = call("recall_for", message="how is apollo?")
    other = call("recall_for", message="how is Ana Ruiz?")

    assert {each["kind"] for each in before["open"]} == {"blocker", "due", "question"}
    assert [each["kind"] for each in after["open"]] == ["due"]
    assert other["open"] == []


def test_the_answer_keeps_to_the_budget_and_says_what_it_costs(call):
    for number in range(60):
        call.record(concept("Falcon"), "depends_on", concept(f"Library number {number} with a long name"))
    short, long = (call("recall_for", message="is falcon ready?", budget=budget) for budget in (200, 2000))

    assert short["tokens"] <= 200 < long["tokens"] <= 2000
    assert len(short["facts"]) + short["left_out"] == 60
    assert len(short["facts"]) < len(long["facts"])


def test_texts_come_only_on_request(team):
    team("remember", text="It rained. Ana Ruiz was late. Then it stopped.")
    told = team("recall_for", message="Ana Ruiz?", texts=True)

    assert [each["quote"] for each in told["texts"]] == ["Ana Ruiz was late."]
    assert "texts" not in team("recall_for", message="Ana Ruiz?")


def test_no_message_is_answered_by_meaning(team):
    team.record(person("Ana Ruiz"), "tagged", literal("drives a car to work"))
    answer = team("recall_for", message="Which vehicle do people take to the office?")

    assert [answer[part] for part in ("named", "unclear", "facts", "standing", "open")] == [[]] * 5


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("recall_for", {"message": ""}, "MESSAGE_INVALID"),
        ("recall_for", {"message": " \n"}, "MESSAGE_INVALID"),
        ("recall_for", {"message": "x" * 8001}, "MESSAGE_INVALID"),
        ("recall_for", {"message": "hello", "scope": ["Apolo"]}, "SCOPE_UNKNOWN"),
        ("recall_for", {"message": "hello", "scope": [" "]}, "SCOPE_UNKNOWN"),
        ("recall_for", {"message": "hello", "budget": 1}, "INVALID_ARGUMENTS"),
        ("recall_entity", {"name_or_alias": "Ana", "project": "Apolo"}, "SCOPE_UNKNOWN"),
        ("add_alias", {"entity": person("Ana Ruiz"), "alias": "A", "project": "Apolo"}, "SCOPE_UNKNOWN"),
        ("add_alias", {"entity": person("Ana Ruiz"), "alias": "A", "group": "nowhere"}, "SCOPE_UNKNOWN"),
        ("remember", {"text": "x", "group": "nowhere"}, "SCOPE_UNKNOWN"),
        ("pin", {"what": "fact_01kbxk3v9z6m2c8d4e5f6g7h8j"}, "FACT_NOT_FOUND"),
        ("pin", {"what": "a text that nobody wrote"}, "EPISODE_NOT_FOUND"),
    ],
)
def test_bad_input_is_answered_by_a_code(team, tool, arguments, code):
    assert team(tool, **arguments)["error"] == code


def test_an_unknown_project_is_refused_with_the_nearest_and_nothing_is_recorded(team):
    given_fact = {"subject": person("Zoe"), "predicate": "tagged", "object": literal("new")}
    answer = team("record_fact", **given_fact, project="Apolo")

    assert (answer["error"], answer["candidates"]) == ("SCOPE_UNKNOWN", ["Apollo"])
    assert team("recall_entity", name_or_alias="Zoe")["entity"] is None


def test_a_fact_may_bring_the_project_that_it_holds_in(call):
    call("record_fact", subject=project("Zephyr"), predicate="tagged", object=literal("new"), project="Zephyr")

    assert texts(call("recall_for", message="Zephyr?", scope=["Zephyr"])) == ["Zephyr tagged new"]


def test_a_group_is_a_scope_too(team):
    team("add_memory", name="note", episode_body="Hello.", group_id="lab")
    recorded = {"subject": person("Lin Wu"), "predicate": "tagged", "object": literal("in the lab")}
    team("record_fact", **recorded, group="lab")

    assert names(team("recall_for", message="Where is Lin Wu?")) == []
    assert texts(team("recall_for", message="Where is Lin Wu?", scope=["lab"])) == ["Lin Wu tagged in the lab"]
    assert "vegan" in " ".join(texts(team("recall_for", message="And Ana Ruiz?", scope=["lab"])))


def test_what_is_open_in_a_group_is_told_to_who_asks_about_the_group(call):
    blocked = {"subject": project("Atlas"), "predicate": "blocked_by", "object": concept("export permit")}
    call("add_memory", name="note", episode_body="Hello.", group_id="north")
    call("record_fact", **blocked, group="north")

    assert len(call("recall_for", message="Atlas", scope=["north"])["open"]) == 1
    assert call("recall_for", message="Atlas")["open"] == []


def test_an_export_carries_scopes_and_pins(team, open_graph, tmp_path):
    team("remember", text="Write in plain English.", always=True)
    team("record_fact", subject=APOLLO, predicate="tagged", object=literal("frozen"), project="Apollo", always=True)
    file, there = str(tmp_path / "graph.jsonl"), tmp_path / "other.db"
    done = [
        CliRunner().invoke(kg, ["--db", str(path), command, file])
        for path, command in ((team.graph.path, "export"), (there, "import"), (there, "import"))
    ]
    told = open_graph(there).call("recall_for", message="the board, Ana Ruiz", scope=["Apollo"])

    assert [each.exit_code for each in done] == [0, 0, 0], [each.output for each in done]
    assert told == team("recall_for", message="the board, Ana Ruiz", scope=["Apollo"])


def test_undo_takes_scopes_and_pins_back(team):
    ana = {"subject": person("Ana Ruiz"), "predicate": "tagged", "object": literal("lead")}
    before = team("recall_for", message="Ana Ruiz")
    team("record_fact", **ana, project="Borealis", always=True)
    team("undo")

    assert team("recall_for", message="Ana Ruiz") == before


@examples(15, sweep=300)
@given(message=st.text(min_size=1, max_size=300))
def test_whatever_is_written_is_answered_and_costs_what_it_says(new_file, message):
    with keepgraph.open(new_file()) as graph:
        graph.call("record_fact", subject=person("Ana Ruiz"), predicate="tagged", object=literal("vegan"))
        answer = graph.call("recall_for", message=f"Ana? {message}")

    assert answer["tokens"] <= 600
    assert bool(answer["facts"]) == bool(answer["named"])


@pytest.mark.parametrize(
    "written",
    ["billing_service", "billing-service", "BillingService", "billing service", "`billing_service`", "BILLING SERVICE"],
)
def test_a_name_is_found_however_its_words_are_joined(call, written):
    call.record(concept("billing-service"), "tagged", literal("new"))

    assert names(call("recall_for", message=f"Is {written} up?")) == ["billing-service"]


def test_the_commands_show_it(team):
    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(kg, ["--db", str(team.graph.path), *words])
        return done.exit_code, done.output

    code, shown = run("about", "What did the board say?", "--scope", "Apollo")
    missed, _ = run("about", "How is the weather?")
    _, pinned = run("pin", team("recall_for", message="Ana Ruiz")["facts"][0]["fact_id"])
    _, always = run("about", "How is the weather?")

    assert code == 0
    assert "Steering Committee" in shown
    assert missed == 3
    assert pinned.startswith("Pinned: ")
    assert "Always" in always
