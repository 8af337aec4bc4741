"""An entity is renamed, retyped and completed: by one call, which undo takes back, and with all that its name is in."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from keepgraph import store
from keepgraph.engine.maintenance import integrity
from keepgraph.engine.texts import mention_index
from keepgraph.store.derived_tables import NAME_VECTORS
from words import Caller, concept, connected, decision, dump, literal, person, project, rows

ANA, BEN, ATLAS = person("Ana"), person("Ben"), project("Atlas")


@pytest.fixture
def call(call: Caller) -> Caller:
    call.record(ANA, "decided_in", decision("Use SQLite"), aliases=["A. R."])
    call.record(BEN, "reports_to", ANA)
    call.record(ANA, "tagged", literal("lead"))
    return call


def update(call: Caller, entity: dict[str, str], **changes: Any) -> dict[str, Any]:
    """Change what must be possible to change."""
    answer = call("update_entity", entity=entity, **changes)
    assert "error" not in answer, answer
    return answer


def texts(call: Caller) -> list[str]:
    return [row[0] for row in rows(call.graph.path, "SELECT text FROM fact ORDER BY id")]


def wrong(call: Caller) -> list[integrity.Check]:
    """What an integrity check says is wrong."""
    return [check for check in integrity.check_all(call.graph.database)[0] if check.state == integrity.State.WRONG]


def content(call: Caller) -> dict[str, Any]:
    """All that was recorded, and the texts made from it."""
    tables = ("entity", "alias", "fact", "provenance", "former_id", "chunk", "assumed_type")
    return {table: dump(call.graph.path)[table] for table in tables}


# A name


def test_a_renamed_entity_is_found_by_both_names_and_its_facts_say_the_new_one(call):
    answer = update(call, ANA, name="Ana Ruiz")

    assert (answer["entity"]["name"], answer["before"]["name"]) == ("Ana Ruiz", "Ana")
    assert answer["entity"]["aliases"] == ["A. R.", "Ana"]
    assert answer["changed"] == ["name", "aliases"]
    assert texts(call) == ["Ana Ruiz decided in Use SQLite", "Ben reports to Ana Ruiz", "Ana Ruiz tagged lead"]
    assert [call.recalled(name) for name in ("Ana", "Ana Ruiz", "A. R.")] == ["Ana Ruiz"] * 3
    assert [hit["fact"] for hit in call("search_memory_facts", query="Ruiz reports")["facts"]][:1] == [
        "Ben reports to Ana Ruiz"
    ]
    assert wrong(call) == []


def test_recording_under_the_former_name_goes_on_with_the_renamed_entity(call):
    update(call, ANA, name="Ana Ruiz")
    answer = call.record(ANA, "tagged", literal("late"))

    assert (answer["subject"]["name"], answer["auto_created_entities"]) == ("Ana Ruiz", [])


@pytest.mark.parametrize("name", ["ANA", "ana", "  Ana  "])
def test_another_spelling_of_the_same_name_makes_no_alias(call, name):
    answer = update(call, ANA, name=name)

    assert answer["entity"]["name"] == name.strip()
    assert answer["entity"]["aliases"] == ["A. R."]
    assert texts(call)[2] == f"{name.strip()} tagged lead"
    assert wrong(call) == []


def test_an_accent_makes_another_name(call):
    answer = update(call, ANA, name="Aná")

    assert answer["entity"]["aliases"] == ["A. R.", "Ana"]


def test_an_alias_that_becomes_the_name_is_no_alias_any_more(call):
    answer = update(call, ANA, name="A. R.")

    assert (answer["aliases_added"], answer["aliases_removed"]) == (["Ana"], ["A. R."])
    assert update(call, ANA, name="Ana")["entity"]["aliases"] == ["A. R."]


def test_a_wrong_name_does_not_stay(call):
    answer = update(call, ANA, name="Anna", keep_old_name=False)

    assert answer["entity"]["aliases"] == ["A. R."]
    assert call("recall_entity", name_or_alias="person:Ana")["resolution"]["method"] not in ("exact", "alias")


@pytest.mark.parametrize("name", ["Ben", "BEN", "Benny"])
def test_the_name_of_another_of_the_type_is_refused_with_the_merge_that_settles_it(call, name):
    update(call, BEN, add_aliases=["Benny"])
    before = content(call)
    answer = call("update_entity", entity=ANA, name=name)

    assert answer["error"] == "NAME_TAKEN"
    assert [candidate["name"] for candidate in answer["candidates"]] == ["Ben"]
    assert "`kg merge person:Ben person:Ana`" in answer["hint"]
    assert content(call) == before


def test_a_name_of_another_type_is_free_and_reported(call):
    call.record(concept("Ada"), "tagged", literal("language"))
    answer = update(call, ANA, name="Ada")

    assert [(each["type"], each["name"]) for each in answer["possible_duplicates"]] == [("concept", "Ada")]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "NAME_OR_ALIAS_REQUIRED"),
        (" \u200b ", "NAME_OR_ALIAS_REQUIRED"),
        ("x" * 201, "NAME_OR_ALIAS_TOO_LONG"),
        ("\ufdfa" * 60, "NAME_OR_ALIAS_TOO_LONG"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(call, name, code):
    before = content(call)

    assert call("update_entity", entity=ANA, name=name)["error"] == code
    assert content(call) == before


def test_texts_that_have_the_new_name_mention_the_entity(call):
    call("add_memory", name="Note", episode_body="Ruizita called, and Ana answered.")
    update(call, ANA, name="Ruizita", keep_old_name=False)
    mention_index.backfill(call.graph.database)
    mentioned = rows(call.graph.path, "SELECT entity.name FROM mention JOIN entity ON entity.id = mention.entity")

    assert mentioned == [("Ruizita",)]


def test_a_text_that_was_annotated_with_a_name_that_is_gone_is_still_about_the_entity(call):
    call("remember", text="The licence came.", about=["Ana"])
    update(call, ANA, name="Anna", keep_old_name=False, type="concept")
    mention_index.backfill(call.graph.database)
    mentioned = rows(call.graph.path, "SELECT entity.name FROM mention JOIN entity ON entity.id = mention.entity")

    assert mentioned == [("Anna",)]


# A type


def test_a_retyped_entity_keeps_its_id_and_its_facts(call):
    first = call("recall_entity", name_or_alias="Ana")["entity"]["id"]
    answer = update(call, ANA, type="project")

    assert (answer["entity"]["id"], answer["entity"]["type"]) == (first, "project")
    assert answer["changed"] == ["type"]
    assert len(call("recall_entity", name_or_alias="project:Ana")["facts"]) == 3
    assert wrong(call) == []


def test_facts_that_do_not_fit_the_new_type_stay_and_are_listed(call):
    call.record(ANA, "works_at", {"type": "organisation", "name": "Acme"})
    answer = update(call, ANA, type="place")

    assert [misfit["text"] for misfit in answer["misfits"]] == ["Ana works at Acme"]
    assert answer["misfits_total"] == 1
    assert update(call, {"type": "place", "name": "Ana"}, type="person")["misfits"] == []


def test_a_type_may_be_given_in_another_wording(call):
    assert update(call, ANA, type="Projects")["entity"]["type"] == "project"


def test_a_type_that_has_the_name_already_is_refused(call):
    call.record(concept("Ana"), "tagged", literal("x"))
    answer = call("update_entity", entity=ANA, type="concept")

    assert answer["error"] == "NAME_TAKEN"
    assert "`kg merge concept:Ana person:Ana --across-types`" in answer["hint"]


def test_aliases_that_are_names_of_others_of_the_new_type_are_dropped_and_listed(call):
    call.record(concept("a. r."), "tagged", literal("x"))
    answer = update(call, ANA, type="concept")

    assert answer["aliases_removed"] == ["A. R."]


def test_a_new_name_and_type_at_once_leave_out_an_old_name_that_another_has(call):
    call.record(project("Ana"), "tagged", literal("x"))
    answer = update(call, ANA, name="Ana plan", type="project")

    assert (answer["entity"]["type"], answer["entity"]["name"]) == ("project", "Ana plan")
    assert answer["entity"]["aliases"] == ["A. R."]


def test_a_retired_type_is_not_given_and_what_has_it_is_still_found_by_it(call):
    call("extend_vocabulary", types={"gadget": {"style": "term"}, "gizmo": {"style": "term"}})
    call.record({"type": "gadget", "name": "Lamp"}, "tagged", literal("x"))
    call("retire_word", kind="entity_type", word="gadget")
    answer = call("update_entity", entity=ANA, type="gadget")

    assert answer["error"] == "ENTITY_TYPE_UNKNOWN"
    assert update(call, {"type": "gadget", "name": "Lamp"}, name="Desk lamp")["entity"]["type"] == "gadget"
    assert update(call, {"type": "gadget", "name": "Desk lamp"}, type="gizmo")["entity"]["type"] == "gizmo"


@pytest.mark.parametrize("given", ["nonsense", "", "x" * 101])
def test_an_unknown_type_is_refused(call, given):
    assert call("update_entity", entity=ANA, type=given)["error"] == "ENTITY_TYPE_UNKNOWN"


# Summary, properties, aliases


def test_properties_are_set_one_by_one_and_null_removes_one(call):
    update(call, ANA, properties={"role": "CTO", "n": 1, "seen": ["a", {"b": None}]})
    answer = update(call, ANA, properties={"n": None, "mail": "a@b.c"})

    assert answer["entity"]["properties"] == {"role": "CTO", "mail": "a@b.c", "seen": ["a", {"b": None}]}
    assert call("recall_entity", name_or_alias="Ana")["entity"]["properties"]["role"] == "CTO"
    assert call("run_cypher", query="MATCH (n:Person {role: 'CTO'}) RETURN n.name AS name")["result"] == "Ana"


def test_a_property_beside_a_fact_that_says_otherwise_is_told_with_the_call_that_settles_it(call):
    task = {"type": "task", "name": "Send the contract"}
    first = call.record(task, "due_on", literal("2026-05-20"))
    (conflict,) = update(call, task, properties={"due": "2026-05-29", "priority": "high"})["conflicts"]
    call(conflict["settled_by"]["tool"], **conflict["settled_by"]["arguments"])

    assert [each["fact_id"] for each in conflict["facts"]] == [first["fact_id"]]
    assert "Due 2026-05-29: “Send the contract”" in call("weekly_rollup")["next_actions"]
    assert "Overdue" not in str(call("weekly_rollup"))
    assert "conflicts" not in update(call, task, properties={"deadline": "2026-05-29"})


def test_a_property_that_is_a_relation_is_told_with_the_call_that_records_it(call):
    answer = update(call, ANA, properties={"works_at": "Acme", "founded": "1990"})
    acme, _ = answer["conflicts"]
    call("record_fact", **acme["settled_by"]["arguments"])

    assert "Ana works at Acme" in texts(call)
    assert "conflicts" not in update(call, decision("Use SQLite"), properties={"founded": "1990"})


@pytest.mark.parametrize("properties", [{"role": "CTO"}, {"due": None}, {"due": 5}, {"no word": "2026-05-29"}])
def test_a_property_that_no_fact_is_about_is_told_without_conflicts(call, properties):
    assert "conflicts" not in update(call, ANA, properties=properties)


def test_a_property_of_another_type_is_another_value(call):
    update(call, ANA, properties={"n": 1})

    assert update(call, ANA, properties={"n": True})["changed"] == ["properties"]
    assert update(call, ANA, properties={"n": True})["changed"] == []


def test_the_summary_is_found_by_its_words(call):
    update(call, ANA, summary=" Keeps the zeppelins. ")
    answer = call("search_nodes", query="zeppelins")

    assert [node["name"] for node in answer["nodes"]] == ["Ana"]
    assert call("recall_entity", name_or_alias="Ana")["entity"]["summary"] == "Keeps the zeppelins."
    assert "summary" not in update(call, ANA, summary="")["entity"]


@pytest.mark.parametrize("key", ["id", "name", "type", "summary", "aliases", "created_at", "group_id", " a", "a\n"])
def test_what_is_no_property_is_refused(call, key):
    before = content(call)
    answer = call("update_entity", entity=ANA, properties={"role": "CTO", key: "x"})

    assert answer["error"] == "INVALID_ARGUMENTS"
    assert content(call) == before


def test_too_many_properties_are_refused(call):
    answer = call("update_entity", entity=ANA, properties={"text": "x" * 100_001})

    assert answer["error"] == "INVALID_ARGUMENTS"


def test_aliases_are_added_and_removed(call):
    answer = update(call, ANA, add_aliases=["Anita", "Ana"], remove_aliases=["a. r."])

    assert (answer["aliases_added"], answer["aliases_removed"]) == (["Anita"], ["A. R."])
    assert call.recalled("Anita") == "Ana"


@pytest.mark.parametrize("alias", ["Nobody", "Ana"])
def test_an_alias_that_there_is_not_is_not_removed(call, alias):
    answer = call("update_entity", entity=ANA, remove_aliases=[alias])

    assert (answer["error"], answer["hint"]) == ("ALIAS_INVALID", "Its aliases: A. R..")


def test_the_old_name_may_be_removed_in_the_call_that_renames(call):
    assert update(call, ANA, name="Anna", remove_aliases=["Ana"])["entity"]["aliases"] == ["A. R."]


def test_an_alias_that_is_the_name_of_another_is_refused_with_the_merge(call):
    answer = call("update_entity", entity=ANA, add_aliases=["Ben"])

    assert answer["error"] == "ALIAS_TAKEN"
    assert "`kg merge person:Ben person:Ana`" in answer["hint"]


def test_a_call_that_changes_nothing_says_so(call):
    update(call, ANA, summary="x", properties={"role": "CTO"})
    before = content(call)
    answer = update(call, ANA, name="Ana", type="person", summary="x", properties={"role": "CTO", "gone": None})

    assert answer["changed"] == []
    assert content(call) == before


def test_a_call_without_a_change_is_refused(call):
    assert call("update_entity", entity=ANA)["error"] == "INVALID_ARGUMENTS"
    assert call("update_entity", entity=ANA, keep_old_name=False)["error"] == "INVALID_ARGUMENTS"


def test_an_entity_that_there_is_not_is_named_with_those_like_it(call):
    answer = call("update_entity", entity=person("Anna"), name="X")

    assert (answer["error"], [each["name"] for each in answer["candidates"]]) == ("ENTITY_NOT_FOUND", ["Ana"])


# Undo


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Ana Ruiz"},
        {"name": "ana"},
        {"name": "A. R.", "keep_old_name": False},
        {"type": "project"},
        {"name": "Plan", "type": "project", "summary": "s", "properties": {"a": 1}, "remove_aliases": ["A. R."]},
    ],
)
def test_undo_brings_back_what_was(call, changes):
    call("remember", text="Ana called.", about=["Ana"])
    before = content(call)
    number = update(call, ANA, **changes)["call"]
    after = content(call)
    again = call("undo", call=number)["call"]

    assert content(call) == before
    assert wrong(call) == []
    call("undo", call=again)
    assert content(call) == after
    assert wrong(call) == []


def test_a_rename_is_taken_back_after_facts_were_recorded_and_changed(call):
    """
    The texts of facts follow the names: those recorded since the rename, and those that something else changed since.
    """
    number = update(call, ANA, name="Ana Ruiz")["call"]
    since = call.record(person("Ana Ruiz"), "tagged", literal("late"))
    call("retract_fact", fact_id=call("recall_entity", name_or_alias="Ben")["facts"][0]["id"])
    update(call, BEN, name="Benedict")
    call("undo", call=number)

    assert since["fact_id"]
    assert texts(call) == [
        "Ana decided in Use SQLite",
        "Benedict reports to Ana",
        "Ana tagged lead",
        "Ana tagged late",
    ]
    assert wrong(call) == []


def test_a_fact_that_comes_back_has_the_names_of_now(call):
    gone = call("recall_entity", name_or_alias="Ben")["facts"][0]["id"]
    number = call("delete_entity_edge", uuid=gone)["call"]
    update(call, ANA, name="Ana Ruiz")
    call("undo", call=number)

    assert "Ben reports to Ana Ruiz" in texts(call)
    assert wrong(call) == []


def test_what_came_back_after_a_rename_can_go_again(call):
    """
    The undo that brought a fact back also gave it the names of now; undoing it is no conflict with that.
    """
    gone = call("recall_entity", name_or_alias="Ben")["facts"][0]["id"]
    number = call("delete_entity_edge", uuid=gone)["call"]
    update(call, ANA, name="Ana Ruiz")
    again = call("undo", call=number)["call"]
    answer = call("undo", call=again)

    assert "error" not in answer
    assert texts(call) == ["Ana Ruiz decided in Use SQLite", "Ana Ruiz tagged lead"]
    assert wrong(call) == []


def test_renames_are_taken_back_in_any_order_where_nothing_stands_in_the_way(call):
    first = update(call, ANA, name="Ana Ruiz")["call"]
    update(call, BEN, name="Benedict")
    call("undo", call=first)

    assert texts(call)[1] == "Benedict reports to Ana"


def test_a_name_that_was_given_away_since_does_not_come_back(call):
    number = update(call, ANA, name="Anna", keep_old_name=False)["call"]
    call.record(ANA, "tagged", literal("new"))

    assert call("undo", call=number)["error"] == "LATER_CHANGES"


def test_the_vectors_of_aliases_follow_the_type(call):
    """
    They are kept with the type of their entity, so that they are made again when that changes, and when it is undone.
    """
    with connected(call.graph.path) as conn:
        conn.execute(f"DELETE FROM {NAME_VECTORS.queue.table}")
    update(call, ANA, type="project")
    aliases = rows(call.graph.path, "SELECT 2 * id + 1 FROM alias")
    with call.graph.database.read("test") as tx:
        waiting = store.vectors.count_missing(tx, NAME_VECTORS)

    assert waiting == 1 + len(aliases)
    assert set(aliases) <= set(rows(call.graph.path, f"SELECT * FROM {NAME_VECTORS.queue.table}"))
    with connected(call.graph.path) as conn:
        conn.execute(f"DELETE FROM {NAME_VECTORS.queue.table}")
    call("undo")
    assert set(aliases) <= set(rows(call.graph.path, f"SELECT * FROM {NAME_VECTORS.queue.table}"))


# History


def test_the_history_says_what_was_changed(call, clock):
    for changes in ({"name": "Ana Ruiz"}, {"type": "project"}, {"summary": "x", "properties": {"a": 1}}):
        clock.pass_by(seconds=1)
        update(call, {"name": "Ana"}, **changes)
    events = call("get_history", about="Ana Ruiz")["events"]

    assert [(event["what"], event["text"]) for event in events][:4] == [
        ("changed", "summary, properties"),
        ("type changed", "person, now project"),
        ("alias added", "Ana"),
        ("renamed", "Ana, now Ana Ruiz"),
    ]
    assert len(events) == len({event["change"] for event in events})


def test_generated_values_are_answered(call):
    """
    Each part of a call, alone and with others: an answer or an error with a code, and the graph stays sound.
    """
    parts: dict[str, Any] = {
        "name": "Zoë & Co. #1",
        "type": "concept",
        "summary": "“quoted”\nlines",
        "properties": {"ключ": {"deep": [[1], None]}},
        "add_aliases": ["Ζωή", "Z"],
        "remove_aliases": ["Z"],
    }
    for size in (1, 2, 3):
        for names in itertools.combinations(parts, size):
            answer = call("update_entity", entity=ANA, **{name: parts[name] for name in names})
            if "error" not in answer:
                assert call("undo", call=answer["call"]).get("error") in (None, "CHANGE_NOT_FOUND")

    assert wrong(call) == []
