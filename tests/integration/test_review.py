"""Proposals wait for a decision; a decision is a call that undo takes back; what was rejected does not come back."""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import keepgraph
from keepgraph import store
from keepgraph.cli.root import kg
from keepgraph.engine.review import grounds, proposals, sources
from keepgraph.engine.review.proposals import Proposal
from keepgraph.model import Settings
from keepgraph.store.review_proposals import ReviewProposal
from laws import IS_SWEEP
from words import Caller, Clock, decision, dump, person, rows

NOTE = "Priya Raman reports to Ada Lovelace."
NAMES = ("Ada Stone", "Ben Okoro", "Cleo Marsh", "Dan Frost")
KNOWLEDGE = ("entity", "alias", "former_id", "fact", "earlier_validity", "provenance", "review_decision")


def entity(call, name, entity_type="person"):
    answer = call("add_entity", entity={"type": entity_type, "name": name})
    return answer["entity"]["id"]


def recorded(call, subject, target, predicate="reports_to"):
    return call("record_fact", subject=person(subject), predicate=predicate, object=person(target))["fact_id"]


def offer(graph, *offered, limit=100, **more):
    with graph.database.write("test") as tx:
        return proposals.offer(tx, offered, limit=limit, **more)


def doubtful(fact_id, **more):
    given = {"score": 0.6, "rests_on": (fact_id,), **more}
    return Proposal(
        "doubtful", fact_id, "Is this fact right?", tool="retract_fact", arguments={"fact_id": fact_id}, **given
    )


def gap(key, **more):
    given = {"score": 0.5, "rests_on": (), "arguments": {"entity": {"type": "person", "name": key}}, **more}
    return Proposal("gap", key, f"Is {key} somebody?", tool="add_entity", **given)


def review(call, **arguments):
    answer = call("review_proposals", **{"limit": 100, **arguments})
    assert "error" not in answer, answer
    return answer


def decide(call, proposal_id, verdict, **more):
    [made] = call("review_proposals", decide=[{"id": proposal_id, "decision": verdict, **more}])["decisions"]
    return made


def listed(call, **arguments):
    return {each["id"]: each for each in review(call, **arguments)["proposals"]}


def find(call, kind, part=""):
    return next(each for each in review(call, kinds=[kind])["proposals"] if part in each["statement"])


def statements(call, *kinds):
    return sorted(each["statement"] for each in review(call, **({"kinds": list(kinds)} if kinds else {}))["proposals"])


def knowledge_of(path):
    return {table: held for table, held in dump(path).items() if table in KNOWLEDGE}


# Offering


def test_offering_changes_nothing_that_is_known_and_is_no_call(call, graph, path):
    fact = recorded(call, "Ada", "Bob")
    before = {table: held for table, held in dump(path).items() if table not in ("review_proposal", "call")}
    offer(graph, doubtful(fact), gap("Cleo"))

    assert before == {table: held for table, held in dump(path).items() if table not in ("review_proposal", "call")}
    assert call("undo")["tool"] == "record_fact"


def test_the_surest_are_offered_first_and_no_more_than_there_is_room_for(graph, call):
    many = [gap(f"Person {number:03}", score=number / 1000) for number in range(300)]
    first = offer(graph, *many, limit=20)
    again = offer(graph, *many, limit=300)

    assert (len(first.new), first.over_limit) == (20, 280)
    assert (len(again.new), again.open, again.over_limit) == (80, 20, 200)
    assert "Person 299" in review(call, limit=1)["proposals"][0]["statement"]


def test_the_same_proposal_is_kept_once_and_brought_up_to_date(graph, call):
    offer(graph, gap("Cleo"))
    again = offer(graph, gap("Cleo", score=0.9))

    assert (again.new, again.open) == ((), 1)
    assert [each["score"] for each in listed(call).values()] == [0.9]


# Deciding


def test_accepting_makes_the_call_and_undo_of_it_reopens_the_proposal(call, graph, path):
    fact = recorded(call, "Ada", "Bob")
    [proposal] = offer(graph, doubtful(fact)).new
    before = knowledge_of(path)
    made = decide(call, proposal, "accept")

    assert made["done"]
    assert call("list_calls", limit=1)["calls"][0]["tool"] == "retract_fact"
    assert listed(call) == {}
    assert rows(path, "SELECT count(*) FROM fact WHERE retracted_at IS NOT NULL") == [(1,)]
    assert call("undo", call=made["call"])["tool"] == "retract_fact"
    assert {proposal} == listed(call).keys()
    assert before == knowledge_of(path)


def test_a_call_that_fails_leaves_the_proposal_open_with_the_reason(call, graph, path):
    [proposal] = offer(graph, gap("Cleo", arguments={"entity": {"type": "unicorn", "name": "Cleo"}})).new
    before = dump(path)
    made = decide(call, proposal, "accept")

    assert (made["done"], made["call"], made["error"]) == (False, None, "ENTITY_TYPE_UNKNOWN")
    assert before == dump(path)
    assert {proposal} == listed(call).keys()


def test_an_edit_accepts_with_other_arguments(call, graph):
    [proposal] = offer(graph, gap("Cleo")).new
    made = decide(call, proposal, "edit", arguments={"entity": {"type": "person", "name": "Cleo Marsh"}})

    assert made["done"]
    assert call("recall_entity", name_or_alias="Cleo Marsh")["entity"]["name"] == "Cleo Marsh"


def test_a_proposal_says_which_arguments_only_a_person_can_give(call, graph):
    ada = entity(call, "Ada")
    given = {"subject": {"id": ada}, "predicate": "reports_to"}
    question = Proposal("gap", ada, "To whom does Ada report?", 0.5, (ada,), "record_fact", given)
    [proposal] = offer(graph, question).new

    assert listed(call)[proposal]["needs"] == ["object"]
    assert decide(call, proposal, "accept")["error"] == "OBJECT_REQUIRED"
    assert decide(call, proposal, "edit", arguments={"object": person("Bob")})["done"]


def test_a_proposal_says_in_words_what_accepting_does(call, graph):
    ada, ben = entity(call, "Ada Stone"), entity(call, "Ben Okoro")
    fact = recorded(call, "Ada Stone", "Ben Okoro")
    ends = {"subject": {"id": ada}, "predicate": "reports_to"}
    calls = {
        "merge Ada Stone into Ben Okoro": ("merge_entities", {"keep": {"id": ben}, "absorb": {"id": ada}}),
        "note “Add” as another name of Ada Stone": ("add_alias", {"entity": {"id": ada}, "alias": "Add"}),
        "add the person Cleo Marsh": ("add_entity", {"entity": person("Cleo Marsh")}),
        "change Ada Stone: type becomes concept": ("update_entity", {"entity": {"id": ada}, "type": "concept"}),
        "retract “Ada Stone reports to Ben Okoro”": ("retract_fact", {"fact_id": fact}),
        "end “Ada Stone reports to Ben Okoro” today": ("end_fact", {"fact_id": fact}),
        "forget Ben Okoro": ("forget", {"what": ben, "kind": "entity"}),
        "record “Ada Stone reports_to Dan Frost”": ("record_fact", {**ends, "object": person("Dan Frost")}),
        "replace “Ada Stone reports to Ben Okoro” with “Ada Stone reports_to “nobody””": (
            "record_fact",
            {**ends, "object": {"literal": "nobody"}, "supersedes": [fact]},
        ),
        "read “chases” as reports_to": (
            "extend_vocabulary",
            {"map_wordings": [{"wordings": ["chases"], "predicate": "reports_to"}]},
        ),
    }
    with graph.database.read("test") as tx:
        effects_by_call = {
            effect: grounds.describe_effect(tx, ReviewProposal(0, "", "gap", "", "", 0.5, (), (), tool, arguments, ""))
            for effect, (tool, arguments) in calls.items()
        }

    assert {effect: effect for effect in calls} == effects_by_call


def test_a_name_in_a_text_is_merged_with_what_is_known(call):
    ada = entity(call, "Ada Byron")
    call("remember", text=NOTE)
    made = decide(call, find(call, "new_fact")["id"], "reject")
    merged = decide(call, next(iter(listed(call, kinds=["new_entity"]))), "merge", into={"id": ada})

    assert made["done"]
    assert merged["done"]
    assert rows(call.graph.database.path, "SELECT count(*) FROM alias") == [(1,)]


def test_what_is_decided_cannot_be_decided_again(call, graph):
    [proposal] = offer(graph, gap("Cleo")).new
    decide(call, proposal, "reject")

    assert decide(call, proposal, "accept")["error"] == "PROPOSAL_CLOSED"


def test_a_fact_accepted_from_a_text_says_that_it_comes_from_it(call, path):
    call("remember", text=NOTE)
    made = decide(call, find(call, "new_fact")["id"], "accept")

    assert made["done"]
    assert rows(path, "SELECT count(*) FROM provenance JOIN episode ON episode.id = provenance.episode") == [(1,)]


def test_what_a_caller_reads_in_an_answer_can_be_decided_by_its_id(call):
    proposed = call("add_memory", name="standup", episode_body=NOTE)["proposed_facts"][0]

    assert decide(call, proposed["id"], "accept")["done"]


# Rejections stay


def test_a_rejected_proposal_comes_back_only_with_new_evidence(call, graph):
    first, second = recorded(call, "Ada", "Bob"), recorded(call, "Cleo", "Dan")
    contradiction = doubtful(first, rests_on=(first, second))
    [proposal] = offer(graph, contradiction).new
    decide(call, proposal, "reject")
    third = recorded(call, "Eve", "Bob")

    assert offer(graph, contradiction).decided == 1
    assert offer(graph, doubtful(first, rests_on=(second,))).decided == 1
    assert (proposal,) == offer(graph, doubtful(first, rests_on=(first, third))).new


def test_the_same_fact_recorded_again_is_no_new_evidence(call, graph):
    ada, fact = entity(call, "Ada"), recorded(call, "Ada", "Bob")
    [proposal] = offer(graph, gap("Cleo", rests_on=(fact, ada))).new
    decide(call, proposal, "reject")
    call("forget", what=fact)
    again = recorded(call, "Ada", "Bob")

    assert fact != again
    assert offer(graph, gap("Cleo", rests_on=(again, ada))).decided == 1


@pytest.mark.parametrize("rule", ["A rule, 93 % of 41 cases", "a rule,  7.5 % of 1,000 cases"])
def test_figures_in_a_rule_are_no_new_evidence(call, graph, rule):
    [proposal] = offer(graph, gap("Cleo", rests_on=("A rule, 12 % of 8 cases",))).new
    decide(call, proposal, "reject")

    assert offer(graph, gap("Cleo", rests_on=(rule,))).decided == 1


def test_a_name_rejected_in_a_text_comes_back_with_another_text_only(call):
    call("add_memory", name="standup", episode_body="We met Priya Raman.")
    decide(call, find(call, "new_entity")["id"], "reject")
    after = statements(call)
    call("delete_episode", uuid=call("get_episodes")["episodes"][0]["uuid"])
    call("add_memory", name="another name", episode_body="We met Priya Raman.")
    again = statements(call)
    shown = call("get_episode_context", episode_uuids=[call("get_episodes")["episodes"][0]["uuid"]])
    call("add_memory", name="retro", episode_body="Then Priya Raman left for Paris.")

    assert [] == after == again
    assert [node for node in shown["nodes"] if node["name"] == "Priya Raman"] == []
    assert "Is “Priya Raman” a person? 2 texts name it." in statements(call)


def test_a_name_rejected_in_a_file_stays_so_when_the_file_is_edited(open_graph, tmp_path):
    call = Caller(open_graph(settings=Settings(document_roots=(str(tmp_path),))))
    file = tmp_path / "notes.md"
    file.write_text("# Notes\n\nWe met Priya Raman.\n")
    call("ingest_markdown", file_path=str(file))
    decide(call, find(call, "new_entity", "Priya")["id"], "reject")
    file.write_text("# Notes\n\nIt rained all day.\n\nWe met Priya Raman.\n\nThen it was dry.\n")
    edited = call("ingest_markdown", file_path=str(file))

    assert "error" not in edited
    assert [each for each in statements(call) if "Priya" in each] == []


def test_a_rejected_pair_is_no_duplicate_any_more(call):
    entity(call, "Ada Lovelace")
    entity(call, "Ada Lovelacee")
    made = decide(call, find(call, "same_as")["id"], "reject")

    assert call("list_duplicates")["pairs"] == []
    call("undo", call=made["call"])
    assert len(call("list_duplicates")["pairs"]) == 1


def test_wordings_are_accepted_and_rejected_with_the_rest(call, path):
    for wording in ("adores", "quarrels with"):
        call("submit_session_extraction", entities=[], relations=[{"from": "Ada", "type": wording, "to": "Bob"}])
    accepted = decide(call, find(call, "new_word", "adores")["id"], "accept")
    rejected = decide(call, find(call, "new_word", "quarrels")["id"], "reject")
    call("submit_session_extraction", entities=[], relations=[{"from": "Cleo", "type": "quarrels with", "to": "Bob"}])

    assert (accepted["done"], rejected["done"]) == (True, True)
    assert rows(path, "SELECT text FROM fact") == [("Ada adores Bob",)]
    assert statements(call, "new_word") == []
    for made in (rejected, accepted):
        assert "message" in call("undo", call=made["call"])
    assert len(statements(call, "new_word")) == 2


# What changes between offer and decision


def test_a_merge_closes_the_question_and_its_undo_opens_it_again(call):
    ids = [entity(call, name) for name in ("Ada Lovelace", "Ada Lovelacee")]
    proposal = find(call, "same_as")["id"]
    merged = call("merge_entities", keep={"id": ids[0]}, absorb={"id": ids[1]})
    closed = review(call)

    assert (0, 1, proposal) == (closed["total"], closed["closed_total"], closed["closed"][0]["id"])
    assert decide(call, proposal, "accept")["error"] == "PROPOSAL_CLOSED"
    call("undo", call=merged["call"])
    assert {proposal} == listed(call).keys()


@pytest.mark.parametrize(
    "change",
    [
        lambda call, fact: call("retract_fact", fact_id=fact),
        lambda call, fact: call("forget", what=fact),
        lambda call, fact: call("forget", what="Ada", kind="entity"),
    ],
)
def test_a_proposal_about_what_is_gone_closes_by_itself(call, graph, change):
    fact = recorded(call, "Ada", "Bob")
    [proposal] = offer(graph, doubtful(fact)).new
    assert "error" not in change(call, fact)

    assert decide(call, proposal, "accept")["error"] == "PROPOSAL_CLOSED"
    assert (review(call)["total"], review(call)["closed_total"]) == (0, 1)


def test_a_renamed_entity_is_still_the_one_that_is_meant(call, path):
    entity(call, "Ada Lovelace")
    call("remember", text=NOTE)
    proposal = find(call, "new_fact")["id"]
    call("update_entity", entity=person("Ada Lovelace"), name="Ada Byron", keep_old_name=False)

    assert decide(call, proposal, "accept")["done"]
    assert rows(path, "SELECT text FROM fact") == [("Priya Raman reports to Ada Byron",)]


def test_a_name_that_became_known_is_not_asked_about(call):
    call("remember", text="We met Priya Raman.")
    proposal = find(call, "new_entity")["id"]
    entity(call, "Priya Raman")

    assert statements(call) == []
    assert "already known" in decide(call, proposal, "accept")["message"]


def test_a_flag_that_was_set_meanwhile_is_not_asked_about(call, graph):
    flag = {"word": "works_at", "kind": "predicate", "values": {"flags": ["functional"]}}
    [proposal] = offer(graph, Proposal("functional", "works_at", "One at a time?", 0.8, (), "change_word", flag)).new
    assert "error" not in call("change_word", **flag)

    assert "already has these flags" in decide(call, proposal, "accept")["message"]


def test_a_contradiction_is_settled_by_recording_the_newer_fact_again(call, graph, path):
    older, newer = recorded(call, "Ada", "Bob"), recorded(call, "Ada", "Cleo")
    settling = {"subject": person("Ada"), "predicate": "reports_to", "object": person("Cleo"), "supersedes": [older]}
    [proposal] = offer(graph, Proposal("contradiction", "x", "Both?", 0.8, (newer, older), "record_fact", settling)).new

    assert decide(call, proposal, "accept")["done"]
    assert rows(path, "SELECT public_id FROM fact WHERE valid_to <> '~'") == [(older,)]


def test_what_two_decide_at_once_is_decided_once(call, graph, open_graph):
    [proposal] = offer(graph, gap("Cleo")).new
    others = [Caller(open_graph()) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda other: decide(other, proposal, "accept"), others))

    assert sorted(each.get("error") or "" for each in made) == ["", *["PROPOSAL_CLOSED"] * 3]


def test_each_group_has_proposals_of_its_own_and_undo_finds_the_decision(call, path):
    call("add_memory", name="standup", episode_body=NOTE, group_id="work")
    here, there = statements(call, "new_fact"), review(call, kinds=["new_fact"], group_id="work")["proposals"]
    decided = [{"id": there[0]["id"], "decision": "accept"}]
    elsewhere = decide(call, there[0]["id"], "accept")
    [made] = review(call, limit=0, decide=decided, group_id="work")["decisions"]
    groups = rows(path, "SELECT group_id FROM entity JOIN fact ON fact.subject = entity.id")
    undone = call("undo", call=made["call"])

    assert (here, elsewhere["error"]) == ([], "PROPOSAL_NOT_FOUND")
    assert (made["done"], groups) == (True, [("work",)])
    assert undone["tool"] == "record_fact"
    assert len(review(call, kinds=["new_fact"], group_id="work")["proposals"]) == 1
    assert call("review_proposals", group_id="nowhere")["error"] == "INVALID_ARGUMENTS"


# Quiet kinds


def test_a_kind_of_which_too_little_is_accepted_goes_quiet_until_it_is_woken(call, graph):
    for number in range(20):
        [proposal] = offer(graph, gap(f"Person {number}")).new
        assert decide(call, proposal, "accept" if number < 5 else "reject")["done"]
    silent = offer(graph, gap("Cleo"))
    quiet = review(call)["quiet"]
    woken = review(call, wake=["gap"])

    assert (silent.new, silent.quiet) == ((), 1)
    assert quiet == [{"kind": "gap", "decided": 20, "accepted": 5}]
    assert (woken["woken"], woken.get("quiet")) == (["gap"], None)
    assert len(offer(graph, gap("Cleo")).new) == 1
    call("undo", call=woken["woken_call"])
    assert "quiet" in review(call)


def test_nothing_is_to_be_taken_back_where_no_kind_was_quiet(call):
    woken = review(call, wake=["gap"])

    assert (woken["woken"], woken["woken_call"]) == ([], None)


def test_six_of_twenty_are_enough_to_stay(call, graph):
    for number in range(20):
        [proposal] = offer(graph, gap(f"Person {number}")).new
        decide(call, proposal, "accept" if number % 3 == 0 else "reject")

    assert len(offer(graph, gap("Cleo")).new) == 1


def test_nothing_that_was_rejected_returns_after_ten_gardens(call, path):
    for name in ("Ada Lovelace", "Ada Lovelacee", "Ben Okoro"):
        entity(call, name)
    call("record_fact", subject=person("Ben Okoro"), predicate="decided_in", object=decision("Use SQLite"))
    call("add_entity", entity=decision("Use Postgres"))
    call("remember", text="Priya Raman reports to Ada Lovelace. Mars depends on Jupiter.")
    call("run_night_gardener")
    before, open_before = knowledge_of(path), listed(call)
    made = [decide(call, each, "reject") for each in open_before]
    for _ in range(10):
        call("run_night_gardener")
    after = listed(call)
    for each in reversed(made):
        call("undo", call=each["call"])

    assert len(open_before) > 5
    assert all(each["done"] for each in made)
    assert after == {}
    assert (knowledge_of(path), listed(call).keys()) == (before, open_before.keys())


# Exports, purges, bad input


def test_decisions_travel_with_an_export(call, graph, path, tmp_path):
    offer(graph, gap("Cleo"), gap("Dan"))
    for proposal, verdict in zip(listed(call), ("accept", "reject"), strict=True):
        decide(call, proposal, verdict)
    lines = CliRunner().invoke(kg, ["--db", str(path), "export"]).output
    copy = tmp_path / "copy.db"
    report = CliRunner().invoke(kg, ["--db", str(copy), "--json", "import", "-"], input=lines)
    with keepgraph.open(copy) as other:
        report_of_offer = offer(other, gap("Cleo"), gap("Dan"))

    assert lines.splitlines()[0] == '{"keepgraph": "graph", "format": 1}'
    assert report.exit_code == 0, report.output
    assert report_of_offer.decided == 2
    assert lines == CliRunner().invoke(kg, ["--db", str(copy), "export"]).output


def test_a_purge_leaves_no_proposal_and_no_decision_that_names_what_was_purged(call, graph, path, home):
    call("remember", text="Zebulon Quark reports to Ada Lovelace.")
    offer(graph, gap("Cleo"))
    decide(call, find(call, "new_entity", "Zebulon")["id"], "reject")
    decide(call, next(iter(listed(call, kinds=["gap"]))), "reject")
    text = call("get_episodes")["episodes"][0]["uuid"]
    call("delete_episode", uuid=text)
    graph.close()
    purged = CliRunner().invoke(kg, ["--db", str(path), "purge", "--yes"])

    assert purged.exit_code == 0, purged.output
    assert [held for held in dump(path).items() if "Zebulon" in str(held) or "zebulon" in str(held)] == []
    assert rows(path, "SELECT lower(key) FROM review_decision") == [("cleo",)]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"kinds": ["nonsense"]}, "INVALID_ARGUMENTS"),
        ({"kinds": []}, "INVALID_ARGUMENTS"),
        ({"limit": -1}, "INVALID_ARGUMENTS"),
        ({"limit": "many"}, "INVALID_ARGUMENTS"),
        ({"wake": ["all"]}, "INVALID_ARGUMENTS"),
        ({"decide": "all"}, "INVALID_ARGUMENTS"),
        ({"decide": [{"id": "prop_1"}]}, "INVALID_ARGUMENTS"),
        ({"decide": [{"id": "prop_1", "decision": "perhaps"}]}, "INVALID_ARGUMENTS"),
        ({"decide": [{"id": "prop_1", "decision": "accept", "more": 1}]}, "INVALID_ARGUMENTS"),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(call, arguments, code):
    assert code == call("review_proposals", **arguments)["error"]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"id": "prop_nonsense", "decision": "accept"}, "PROPOSAL_NOT_FOUND"),
        ({"id": "ent_1", "decision": "reject"}, "PROPOSAL_NOT_FOUND"),
        ({"decision": "edit"}, "INVALID_ARGUMENTS"),
        ({"decision": "accept", "arguments": {}}, "INVALID_ARGUMENTS"),
        ({"decision": "reject", "into": {"name": "Ada"}}, "INVALID_ARGUMENTS"),
        ({"decision": "merge"}, "INVALID_ARGUMENTS"),
        ({"decision": "edit", "arguments": {"nonsense": 1}}, "INVALID_ARGUMENTS"),
        ({"decision": "edit", "arguments": {"entity": []}}, "SUBJECT_REQUIRED"),
    ],
)
def test_a_bad_decision_is_refused_and_the_others_are_made(call, graph, entry, code):
    [first] = offer(graph, gap("Cleo")).new
    [second] = offer(graph, gap("Dan")).new
    made = call("review_proposals", decide=[{"id": first, **entry}, {"id": second, "decision": "accept"}])["decisions"]

    assert [(False, code), (True, None)] == [(each["done"], each.get("error")) for each in made]


@pytest.mark.parametrize("tool", ["search", "ingest_directory"])
def test_a_proposal_cannot_read_or_start_a_job(call, graph, tool):
    [proposal] = offer(graph, Proposal("gap", "x", "Search?", 0.5, (), tool, {"query": "x"})).new

    assert decide(call, proposal, "accept")["error"] == "INVALID_ARGUMENTS"


def test_a_graph_that_is_only_read_is_not_reviewed(open_graph, call, path):
    entity(call, "Ada")

    assert Caller(open_graph(path, read_only=True))("review_proposals")["error"] == "GRAPH_READ_ONLY"


# `kg review`


def run(path, *options, **more):
    return CliRunner().invoke(kg, ["--db", str(path), *options], **more)


@pytest.fixture
def waiting(call, graph, path):
    offer(graph, *(gap(name, score=0.9 - number / 10) for number, name in enumerate(NAMES)))
    return path


def test_keys_decide_one_by_one(waiting, call):
    done = run(waiting, "review", input="y\nn\nu\ns\n?\ne entity=person:Cleo\nq\n")

    assert done.exit_code == 0, done.output
    assert "2 decided, 2 open." in done.output
    assert "gap" in done.output
    assert {"Ada Stone", "Cleo"} == {row[0] for row in rows(waiting, "SELECT name FROM entity")}


@pytest.mark.parametrize("keys", ["", "\n\n", "x\n", "q\n", "e\n", "e {\n", "m\n", "e name\n", "\x00\n", "u\n"])
def test_keys_that_decide_nothing_change_nothing(waiting, keys):
    before = rows(waiting, "SELECT * FROM review_decision"), rows(waiting, "SELECT * FROM entity")
    done = run(waiting, "review", input=keys)

    assert done.exit_code == 0, done.output
    assert before == (rows(waiting, "SELECT * FROM review_decision"), rows(waiting, "SELECT * FROM entity"))


def test_a_line_that_cannot_be_read_is_asked_about_again_after_the_others(waiting, call):
    done = run(waiting, "review", input='e {"entity": \ny\nn\nn\ny\n')

    assert "This is not JSON" in done.output
    assert done.output.count(NAMES[0]) > done.output.count(NAMES[1])
    assert "4 decided, 0 open." in done.output


def test_two_entities_are_not_made_one_where_a_third_is_named(call, path):
    for name in ("Ada Stone", "Ada  Stonne", "Ben Okoro"):
        call.record(person(name), "knows", person("Cleo"))
    assert find(call, "same_as")
    done = run(path, "review", "--kind", "same_as", input="m Ben Okoro\nm Nobody\nm Ada Stone\n")

    assert "“Ben Okoro” is neither of the two." in done.output
    assert "1 decided, 0 open." in done.output
    assert rows(path, "SELECT count(*) FROM entity WHERE name LIKE 'Ada%'") == [(1,)]


def test_scripts_decide_by_id_and_read_json(waiting):
    listed_ = json.loads(run(waiting, "--json", "review").stdout)
    first, second, *_ = (each["id"] for each in listed_["proposals"])
    done = run(waiting, "--json", "review", "--accept", first, "--reject", second)
    again = run(waiting, "review", "--accept", first)

    assert [each["done"] for each in json.loads(done.stdout)["decisions"]] == [True, True]
    assert (done.exit_code, again.exit_code) == (0, 1)
    assert "PROPOSAL_CLOSED" in again.output
    assert len(json.loads(run(waiting, "--json", "review", "--kind", "gap").stdout)["proposals"]) == 2
    assert "2 proposals are open" in run(waiting, "review", "--list").output
    assert run(waiting, "review", "--kind", "nonsense").exit_code == 2


def test_next_and_overview_say_that_something_waits(waiting):
    assert "4 other proposals" in run(waiting, "next").output
    assert "4 other proposals" in run(waiting, "overview").output


# In any order


class Reviews(RuleBasedStateMachine):
    """Offers, decisions, changes and undo in any order: no rejected one returns, and undo of all brings all back."""

    new_file = None

    @initialize()
    def begin(self):
        self.path = type(self).new_file()
        clock = Clock()
        self.graph = keepgraph.open(self.path, clock=clock, new_id=store.ids.ulids())
        self.call = Caller(self.graph)
        self.ids = [entity(self.call, name) for name in NAMES]
        self.facts = [recorded(self.call, *pair) for pair in itertools.pairwise(NAMES)]
        self.before = knowledge_of(self.path)
        self.calls, self.rejected = [], {}

    def offered(self):
        with self.graph.database.read("test") as tx:
            named = store.entities.page(tx, 0, limit=10)
        pairs = [sources.of_pair(one, other, score=0.9) for one, other in itertools.pairwise(named)]
        return [*pairs, *map(doubtful, self.facts), *(gap(f"{name} Junior") for name in NAMES)]

    @rule(number=st.integers(1, 9))
    def offer(self, number):
        new = set(offer(self.graph, *self.offered()[:number]).new)

        assert not new & set(self.rejected)

    @rule(place=st.integers(0, 9), decision=st.sampled_from(["accept", "reject", "reject"]))
    def decide(self, place, decision):
        waiting = list(listed(self.call))
        if not waiting:
            return
        made = decide(self.call, waiting[place % len(waiting)], decision)
        assert made["done"], made
        self.calls.append(made["call"])
        if decision == "reject":
            self.rejected[made["id"]] = made["call"]

    @rule(place=st.integers(0, 2))
    def merge(self, place):
        keep, absorb = ({"id": each} for each in self.ids[place : place + 2])
        answer = self.call("merge_entities", keep=keep, absorb=absorb)
        self.calls += [answer["call"]] if "error" not in answer else []

    @rule()
    def undo(self):
        if self.calls:
            last = self.calls.pop()
            assert "error" not in self.call("undo", call=last)
            self.rejected = {each: number for each, number in self.rejected.items() if number != last}

    @invariant()
    def no_rejected_one_is_open(self):
        if hasattr(self, "call"):
            assert not listed(self.call).keys() & self.rejected.keys()

    def teardown(self):
        if hasattr(self, "call"):
            while self.calls:
                self.undo()
            assert self.before == knowledge_of(self.path)
            self.graph.close()


@pytest.mark.law
def test_in_any_order_no_rejected_one_returns_and_undo_brings_all_back(new_file):
    Reviews.new_file = staticmethod(new_file)
    few = settings(max_examples=200 if IS_SWEEP else 8, stateful_step_count=12)
    run_state_machine_as_test(Reviews, settings=few)
