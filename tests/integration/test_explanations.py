"""Explanations: a chain from whatever is recorded to a text, a source or a call; and what would fall with a text."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from click.testing import CliRunner

import keepgraph
from keepgraph import store
from keepgraph.cli.root import kg
from keepgraph.engine.exchange import export
from keepgraph.engine.maintenance import history, undo
from keepgraph.tools.contract import brief_answers
from words import Caller, concept, dump, fact, literal, person, rows

ENDS = {"text", "named_source", "call", "conversation"}


@pytest.fixture
def call(call: Caller) -> Caller:
    """Ana's job from a contract, and a note that says it too, and denies that of Ben."""
    call.record(person("Ana"), "works_at", organisation("Acme"), source="the contract")
    call("remember", text="Standup. Ana works at Acme since May. Ben does not work at Acme.", source="standup")
    call.record(person("Ben"), "works_at", organisation("Acme"))
    return call


def organisation(name: str) -> dict[str, str]:
    return {"type": "organisation", "name": name}


def why(call: Caller, what: str, **more: Any) -> dict[str, Any]:
    """Explain what can be explained."""
    answer = call("explain", what=what, **more)
    assert "error" not in answer, answer
    return answer


def extract(call: Caller, name: str, text: str, *relations: tuple[str, str, str]) -> dict[str, Any]:
    """Hand in a text with the relations that a client read in it."""
    names = {end for one, _, other in relations for end in (one, other)}
    return call(
        "ingest_prechunked",
        source=name,
        chunks=[
            {
                "text": text,
                "entities": [{"name": each, "type": "person"} for each in sorted(names)],
                "relations": [{"from": one, "to": other, "type": word} for one, word, other in relations],
            }
        ],
    )


def test_a_fact_is_traced_to_its_source_and_its_call(call):
    answer = why(call, "Ana works_at Acme")
    (origin,) = answer["origins"]

    assert (answer["kind"], answer["state"], answer["name"]) == ("fact", "holds", "Ana works at Acme")
    assert (origin["source"], origin["tool"], origin["call"], origin["ends_in"]) == (
        "the contract",
        "record_fact",
        1,
        "named_source",
    )
    assert answer["confirmed_by"]["sentence"] == "Ana works at Acme since May."


def test_what_was_read_in_a_text_is_traced_to_the_sentence_and_its_speaker(call):
    extract(call, "minutes.md", "We met on Monday. Cleo reports to Dan. Then we left.", ("Cleo", "REPORTS_TO", "Dan"))
    dialogue = "Eve: I report to Dan now.\nDan: Good."
    added = call("add_memory", name="chat", episode_body=dialogue, source="message")
    call("record_facts", facts=[fact(person("Eve"), "reports_to", person("Dan"), source=f"chat ({added['uuid']})")])

    said = why(call, "Cleo reports to Dan")["origins"][0]["text"]
    spoken = why(call, "Eve reports to Dan")["origins"][0]

    assert (said["quote"], said["names"], said["name"]) == ("Cleo reports to Dan.", "both", "minutes.md")
    assert spoken["ends_in"] == "text"
    assert "I report to Dan now." in spoken["text"]["quote"]


def test_what_denies_a_fact_speaks_against_it(call):
    answer = why(call, "Ben works at Acme")

    assert [(each["kind"], each["sentence"]) for each in answer["objections"]] == [
        ("text_denies", "A sentence denies it: “Ben does not work at Acme.”")
    ]
    assert answer["objections"][0]["doc_id"].startswith("ep_")


def test_what_conflicts_by_the_vocabulary_speaks_against_it_with_the_call_that_settles_it(call):
    call.record(person("Ana"), "born_in", {"type": "place", "name": "London"})
    call.record(person("Ana"), "born_in", {"type": "place", "name": "Paris"})
    (objection,) = why(call, "Ana born_in London")["objections"]

    assert (objection["kind"], objection["settled_by"]["tool"]) == ("functional", "record_fact")


def test_a_fact_names_what_it_superseded_and_the_old_one_what_ended_it(call, clock):
    old = why(call, "Ana works at Acme")["id"]
    clock.pass_by(days=30)
    call.record(person("Ana"), "works_at", organisation("Beta"), supersedes=[old])
    new, ended = why(call, "Ana works at Beta"), why(call, old)

    assert [(each["id"], each["effect"]) for each in new["dependents"]] == [(old, "ended by it")]
    assert ended["state"] == "ended"
    assert [(event["what"], event["call"]) for event in ended["changes"]] == [("ended", 4)]
    assert "Ana works at Beta" in ended["changes"][0]["text"]


def test_a_retracted_fact_says_by_which_call(call):
    fact_id = why(call, "Ben works at Acme")["id"]
    call("retract_fact", fact_id=fact_id)
    answer = why(call, fact_id)

    assert answer["state"] == "retracted"
    assert [(event["what"], event["tool"]) for event in answer["changes"]] == [("retracted", "retract_fact")]


def test_a_fact_that_review_accepted_names_the_proposal_and_no_other_does_so_after_an_import(
    call, open_graph, clock, tmp_path
):
    call("record_fact", subject=person("Ana"), predicate="knows", object=person("Bob"))
    clock.pass_by(days=1)
    call("remember", text="Cleo Marsh reports to Ana.")
    call("search", query="Cleo")
    proposal = next(
        each for each in call("review_proposals", kinds=["new_fact"])["proposals"] if "Cleo" in each["statement"]
    )
    call("review_proposals", decide=[{"id": proposal["id"], "decision": "accept"}])
    (origin,) = why(call, "Cleo Marsh reports to Ana")["origins"]

    lines = list(export.stream_lines(call.graph.database))
    (tmp_path / "other").mkdir()
    copy = Caller(open_graph(tmp_path / "other" / "copy.db"))
    copy("record_fact", subject=person("Somebody"), predicate="knows", object=person("Else"))
    file = tmp_path / "export.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    copy.graph.close()
    assert CliRunner().invoke(kg, ["--db", str(copy.graph.path), "import", str(file)]).exit_code == 0
    copy = Caller(open_graph(tmp_path / "other" / "copy.db"))
    (accepted,) = why(copy, "Cleo Marsh reports to Ana")["origins"]
    other = why(copy, "Ana knows Bob")

    assert [made["decision"] for made in origin["decisions"]] == ["accepted"]
    assert [made["decision"] for made in accepted["decisions"]] == ["accepted"]
    assert "decisions" not in other["origins"][0]
    assert "by record_fact (brought here from “export.jsonl” by call 2)" in other["message"]
    assert (origin["ends_in"], origin["text"]["quote"]) == ("text", "Cleo Marsh reports to Ana.")


def test_an_entity_says_where_its_aliases_are_from_and_counts_its_facts_by_source(call):
    call("add_alias", entity={"name": "Acme"}, alias="Acme Ltd")
    answer = why(call, "Acme Ltd")

    assert [(origin["what"], origin["tool"]) for origin in answer["origins"]] == [
        ("created as organisation", "record_fact"),
        ("alias: Acme Ltd", "add_alias"),
    ]
    assert answer["sources"] == [
        {"source": "no source, by record_fact", "facts": 1},
        {"source": "the contract", "facts": 1},
    ]
    assert (answer["totals"]["facts"], answer["totals"]["texts"]) == (2, 1)


def test_a_retracted_fact_does_not_fall_with_its_text(call):
    text = extract(call, "a.md", "Ana reports to Bob.", ("Ana", "REPORTS_TO", "Bob"))["uuid"]
    before = why(call, text)["totals"]["facts_that_fall"]
    for (fact_id,) in rows(call.graph.path, "SELECT public_id FROM fact"):
        call("retract_fact", fact_id=fact_id)
    answer = why(call, text)

    assert before > 0
    assert answer["totals"]["facts_that_fall"] == 0
    assert "fact" not in {each["kind"] for each in answer["dependents"]}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("number", range(3))
def test_what_a_text_says_would_fall_is_what_falls(call, number):
    """
    Of what several texts and calls say in turn, some has no other support.
    """
    chance = random.Random(number)
    people = [f"Person {letter}" for letter in "ABCDEFG"]
    texts = []
    for each in range(5):
        stated = [tuple(chance.sample(people, 2)) for _ in range(4)]
        text = " ".join(f"{one} reports to {other}." for one, other in stated)
        added = extract(call, f"{each}.md", text, *((one, "REPORTS_TO", other) for one, other in stated))
        texts.append(added["uuid"])
    for _ in range(3):
        one, other = chance.sample(people, 2)
        call("record_fact", subject=person(one), predicate="reports_to", object=person(other))
    call("search", query="Person A")

    for text in texts:
        answer = why(call, text)
        forgotten = call("forget", what=text, dry_run=True)
        fallen = [each["id"] for each in answer["dependents"] if each["effect"] == "would be deleted with it"]
        totals = {name: forgotten["totals"].get(name, 0) for name in ("facts", "entities")}

        assert {each["id"] for each in forgotten.get("facts", []) + forgotten.get("entities", [])} <= set(fallen)
        assert totals == {name: answer["totals"][f"{name}_that_fall"] for name in totals}


def test_a_call_says_what_it_did_and_what_has_happened_since(call):
    before, entity = why(call, "call 3"), why(call, "Ben works at Acme")["id"]
    call("retract_fact", fact_id=entity)
    after = why(call, "3")
    call("undo", call=4)
    call("undo", call=3)

    assert [(each["text"], each["effect"]) for each in before["dependents"]] == [
        ("Ben works at Acme", "recorded"),
        ("Ben (person)", "created"),
    ]
    assert (before["undo"]["possible"], after["undo"]["possible"]) == (True, False)
    assert [(event["call"], event["tool"]) for event in after["changes"]] == [(4, "retract_fact")]
    assert why(call, "call 3")["state"] == "undone"


def test_whether_a_call_can_be_taken_back_is_what_undo_finds(call):
    fill(call, chance=random.Random(7), facts=40)
    said, tried = {}, {}
    with call.graph.database.write("test") as tx:
        for each in store.journal.list_calls(tx, limit=1000):
            if each.undone_by is None:
                said[each.id] = undo.find_obstacle(tx, each) is None
                tried[each.id] = can_undo(tx, each.id)

    assert said == tried
    assert set(tried.values()) == {True, False}


def can_undo(tx: Any, number: int) -> bool:
    try:
        tx.dry_run(lambda: undo.undo(tx, call=number))
    except keepgraph.KeepgraphError:
        return False
    return True


def fill(call: Caller, *, chance: random.Random, facts: int) -> None:
    """Record facts in every way there is, and change some."""
    people = [f"Nora {letter}{number}" for letter in "ABCD" for number in range(5)]
    recorded: list[str] = []
    for number in range(facts):
        one, other = chance.sample(people, 2)
        match chance.randrange(9):
            case 0:
                answer = call("record_fact", **fact(person(one), "reports_to", person(other), source=f"mail {number}"))
                recorded += [answer[name] for name in ("fact_id",) if name in answer]
            case 1:
                call("record_facts", facts=[fact(person(one), "tagged", literal(f"tag {number}"))] * 2)
            case 2:
                call("create_relation", from_entity=one, relation_type="reports_to", to_entity=other)
            case 3:
                extract(call, f"{number}.md", f"{one} reports to {other}.", (one, "REPORTS_TO", other))
            case 4:
                call("remember", text=f"{one} is blocked by the permit {number}.")
                call.record(person(one), "blocked_by", concept(f"permit {number}"))
            case 5:
                call("merge_entities", keep={"name": one}, absorb={"name": other})
            case 6:
                call("undo")
            case 7 if recorded:
                call("retract_fact", fact_id=chance.choice(recorded))
            case 8 if recorded:
                call("end_fact", fact_id=chance.choice(recorded), valid_to="2027-01-01")


def chains(call: Caller) -> dict[str, set[str]]:
    """Where the chains of every fact end, retracted ones too; nothing where a fact has no chain."""
    ids = [row[0] for row in rows(call.graph.path, "SELECT public_id FROM fact ORDER BY id")]
    answers = [why(call, each, kind="fact") for each in ids]
    assert all(origin["call"] for answer in answers for origin in answer["origins"])
    return {answer["id"]: {origin["ends_in"] for origin in answer["origins"]} for answer in answers}


def test_every_fact_has_a_chain_however_it_was_recorded(call, open_graph, tmp_path):
    fill(call, chance=random.Random(1), facts=110)
    ends = chains(call)
    lines = list(export.stream_lines(call.graph.database))
    other = tmp_path / "other" / "graph.db"
    other.parent.mkdir()
    file = tmp_path / "export.jsonl"
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    assert CliRunner().invoke(kg, ["--db", str(other), "import", str(file)]).exit_code == 0
    imported = chains(Caller(open_graph(other)))

    assert len(ends) > 40
    assert all(found and found <= ENDS for found in ends.values())
    assert imported.keys() == ends.keys()
    assert all(found and found <= ENDS for found in imported.values())


def test_where_the_log_was_trimmed_the_chain_says_so(call, clock):
    clock.pass_by(days=400)
    call.record(person("Zoe"), "works_at", organisation("Acme"))
    history.trim(call.graph.database, days=30, now=clock())
    named, unnamed = why(call, "Ana works at Acme")["origins"][0], why(call, "Ben works at Acme")["origins"][0]
    old_call = call("explain", what="call 1")

    assert (named["ends_in"], named["call"], named["tool"]) == ("named_source", None, "record_fact")
    assert (unnamed["ends_in"], unnamed["call"]) == ("tool", None)
    assert unnamed["note"] == "The call is no longer in the log; it begins with call 4 of 2027-06-19."
    assert (old_call["error"], "no longer in the log" in old_call["message"]) == ("CHANGE_NOT_FOUND", True)


def test_a_brief_explanation_of_a_hub_fits_and_says_what_it_leaves_out(call):
    facts = [
        fact(person(f"Person {number}"), "works_at", organisation("Acme"), source=f"a long source {number} " * 8)
        for number in range(80)
    ]
    call("record_facts", facts=facts)
    for number in range(15):
        call("remember", text=f"Acme met Person {number} for a long talk about the plan of the next year. " * 4)
        call("add_alias", entity={"name": "Acme"}, alias=f"Acme Number {number}")
    full, brief = why(call, "Acme"), why(call, "Acme", detail="brief")

    assert brief_answers.count_tokens(brief) <= 1_500
    assert (brief["truncated"], brief["totals"]) == (True, full["totals"])
    assert full.keys() <= brief.keys()


def test_near_names_are_understood_and_said(call):
    call.record(person("Priya Raman"), "works_at", organisation("Acme"))
    answer = why(call, "Pirya Raman")

    assert (answer["name"], answer["resolution"]["method"]) == ("Priya Raman", "fuzzy")


def test_a_name_means_the_entity_and_a_sentence_the_fact_also_where_a_note_is_called_so(call):
    call("remember", text="Ana works at Acme")
    call("remember", text="Ana")

    assert why(call, "Ana")["kind"] == "entity"
    assert why(call, "Ana works at Acme")["kind"] == "fact"
    assert why(call, "Ana works at Acme", kind="text")["kind"] == "text"


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"what": "Zorro"}, "ENTITY_NOT_FOUND"),
        ({"what": " "}, "ENTITY_NOT_FOUND"),
        ({"what": ""}, "INVALID_ARGUMENTS"),
        ({"what": "\0"}, "INVALID_ARGUMENTS"),
        ({"what": "fact_" + "0" * 26}, "FACT_NOT_FOUND"),
        ({"what": "ep_" + "0" * 26}, "EPISODE_NOT_FOUND"),
        ({"what": "ent_" + "0" * 26}, "ENTITY_NOT_FOUND"),
        ({"what": "call 99"}, "CHANGE_NOT_FOUND"),
        ({"what": "99"}, "CHANGE_NOT_FOUND"),
        ({"what": "9" * 19}, "ENTITY_NOT_FOUND"),
        ({"what": "Ana", "kind": "fact"}, "FACT_NOT_FOUND"),
        ({"what": "Ana", "kind": "rumour"}, "INVALID_ARGUMENTS"),
        ({"what": "Ana", "kind": "call"}, "CHANGE_NOT_FOUND"),
        ({"what": 12}, "INVALID_ARGUMENTS"),
    ],
)
def test_what_cannot_be_explained_is_refused_with_a_reason(call, arguments, code):
    call.record(person("Ana"), "tagged", literal("lead"))
    answer = call("explain", **arguments)

    assert answer.get("error") == code, answer
    assert "forgotten" not in answer["message"]


def test_explaining_changes_nothing(call):
    call("search", query="Ana")
    before = dump(call.graph.path)
    for what in ("Ana works at Acme", "Ana", "standup", "call 1", "last note"):
        call("explain", what=what)

    assert dump(call.graph.path) == before


def test_the_command_prints_a_page_without_control_characters(graph, path):
    call = Caller(graph)
    call.record(person("Ana"), "works_at", organisation("Acme"), source="the \x1b[31mcontract")
    call("remember", text="Ana works at Acme.\x1b]0;evil\x07 Yes.")
    outputs = [
        CliRunner().invoke(kg, ["--db", str(path), "why", *words]).output
        for words in (["Ana", "works_at", "Acme"], ["Ana"], ["call", "1"], ["the last note"])
    ]

    assert not any("\x1b" in output or "\x07" in output for output in outputs)
    assert "asserted by record_fact (call 1); source: the" in outputs[0]
    assert "recorded  Ana works at Acme" in outputs[2]
    assert "If it were deleted, nothing would be deleted with it." in outputs[3]


def test_a_group_is_looked_into_by_its_id(call):
    """
    A group is looked into by its id.
    """
    call("remember", text="Gil works at Delta.", project="other-group")

    assert why(call, "last note", project="default")["kind"] == "text"
