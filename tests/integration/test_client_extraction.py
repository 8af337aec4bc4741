"""Extraction by the client: entities and relations are recorded, wait, or are rejected with a reason; none is lost."""

from __future__ import annotations

import pytest

from words import concept, person, project

HYDRA = {
    "source": "docs/architecture.md",
    "chunks": [
        {
            "text": "Keepgraph depends on LanceDB.",
            "idx": 0,
            "entities": [{"name": "Keepgraph", "type": "project"}, {"name": "LanceDB", "type": "tool"}],
            "relations": [{"from": "Keepgraph", "to": "LanceDB", "type": "DEPENDS_ON", "confidence": 0.9}],
        },
        {"text": "It was decided by Ada.", "idx": 1, "entities": [{"name": "Ada", "type": "person"}], "relations": []},
    ],
}


def document(*chunks, **more):
    return {"source": "a.md", "chunks": [{"text": "Some text.", **chunk} for chunk in chunks], **more}


def tool(name):
    return {"type": "tool", "name": name}


def names_of(found):
    return [each["name"] for each in found]


def known_in(context):
    return [each["name"] for each in context["nodes"] if not each.get("proposed")]


def reasons(answer):
    return {each["where"]: each["why"] for each in answer["rejected"]}


def test_a_document_comes_in_with_its_entities_and_relations(call):
    taken = call("ingest_prechunked", **HYDRA)

    assert (taken["chunks_added"], taken["entities_added"], taken["relations_accepted"]) == (2, 3, 1)
    assert taken["facts"][0]["fact"] == "Keepgraph depends on LanceDB"
    assert call("recall_entity", name_or_alias="LanceDB")["facts"][0]["source"] == "docs/architecture.md"


def test_its_text_is_that_of_its_chunks_with_an_empty_line_between(call):
    taken = call("ingest_prechunked", **HYDRA)

    assert call("get_full_document", doc_id=taken["uuid"])["text"] == (
        "Keepgraph depends on LanceDB.\n\nIt was decided by Ada."
    )


def test_chunks_stand_in_the_order_of_their_idx(call):
    taken = call(
        "ingest_prechunked", **document({"text": "B", "idx": 9}, {"text": "A", "idx": -4}, {"text": "C", "idx": 70})
    )

    assert call("get_full_document", doc_id=taken["uuid"])["text"] == "A\n\nB\n\nC"


def test_a_blank_chunk_is_told_and_what_was_read_in_it_counts(call):
    blank = {"text": "  ", "entities": [{"name": "Ada", "type": "person"}]}
    taken = call("ingest_prechunked", **document({}, blank))
    context = call("get_episode_context", episode_uuids=[taken["uuid"]])

    assert (taken["chunks_added"], taken["blank_chunks"]) == (1, 1)
    assert known_in(context) == ["Ada"]


def test_what_the_caller_read_in_a_chunk_is_mentioned_there(call):
    taken = call("ingest_prechunked", **document({"entities": [{"name": "Ada", "type": "person"}]}))
    context = call("get_episode_context", episode_uuids=[taken["uuid"]])

    assert known_in(context) == ["Ada"]


def test_facts_know_the_text_that_they_came_out_of(call):
    taken = call("ingest_prechunked", **HYDRA, session_id="s-1")
    context = call("get_episode_context", episode_uuids=[taken["uuid"]])

    assert [each["episodes"] for each in context["edges"]] == [[taken["uuid"]]]


def test_the_same_again_changes_nothing(call):
    first = call("ingest_prechunked", **HYDRA)
    again = call("ingest_prechunked", **HYDRA)
    edge = call("get_entity_edge", uuid=first["facts"][0]["id"])

    assert (again["uuid"], again["replaced"]) == (first["uuid"], True)
    assert (again["chunks_added"], again["chunks_kept"], again["entities_added"]) == (0, 2, 0)
    assert len(edge["sources"]) == 1


def test_a_shortened_document_leaves_no_tail(call):
    first = call("ingest_prechunked", **HYDRA)
    again = call("ingest_prechunked", **{**HYDRA, "chunks": HYDRA["chunks"][1:]})

    assert [each["fact"] for each in again["facts_withdrawn"]] == ["Keepgraph depends on LanceDB"]
    assert sorted(names_of(again["entities_forgotten"])) == ["Keepgraph", "LanceDB"]
    assert call("get_full_document", doc_id=first["uuid"])["text"] == "It was decided by Ada."


def test_what_others_say_as_well_is_not_withdrawn(call):
    call("ingest_prechunked", **HYDRA)
    call("record_fact", subject=project("Keepgraph"), predicate="depends_on", object=tool("LanceDB"))
    again = call("ingest_prechunked", **{**HYDRA, "chunks": HYDRA["chunks"][1:]})

    assert (again["facts_withdrawn"], again["entities_forgotten"]) == ([], [])


def test_undo_brings_the_earlier_version_back(call):
    first = call("ingest_prechunked", **HYDRA)
    before = call("get_episode_context", episode_uuids=[first["uuid"]])
    call("ingest_prechunked", **{**HYDRA, "chunks": HYDRA["chunks"][1:]})
    call("undo")

    assert call("get_episode_context", episode_uuids=[first["uuid"]]) == before


def test_a_doc_id_of_the_callers_own_is_the_same_document_from_another_place(call):
    first = call("ingest_prechunked", **document({"text": "One"}), doc_id="ab12")
    moved = call("ingest_prechunked", **{**document({"text": "Two"}), "source": "b.md"}, doc_id="ab12")
    by_id = call("ingest_prechunked", **document({"text": "Three"}), doc_id=first["uuid"])

    assert (moved["uuid"], moved["doc_id"], by_id["uuid"]) == (first["uuid"], "ab12", first["uuid"])
    assert call("get_full_document", doc_id="ab12")["text"] == "Three"


def test_an_unknown_id_is_no_document(call):
    assert call("ingest_prechunked", **document({}), doc_id="ep_" + "0" * 26)["error"] == "EPISODE_NOT_FOUND"


# Types and predicates


def test_a_type_that_is_not_in_the_vocabulary_loses_no_document(call):
    types = ("gadget", "org", "code", "Person", "people", "doc", None, 7)
    entities = [{"name": f"E{n}", "type": kind} for n, kind in enumerate(types)]
    taken = call("ingest_prechunked", **document({"entities": entities}))

    assert taken["entities_added"] == len(types)
    assert taken["mapped_types"] == {
        "gadget": "concept",
        "org": "concept",
        "code": "concept",
        "Person": "person",
        "people": "person",
        "doc": "document",
        "": "concept",
    }


def test_a_name_that_is_known_is_not_made_again_for_a_type_that_nobody_meant(call):
    call("record_fact", subject=project("LanceDB"), predicate="tagged", object={"literal": "x"})
    entities = [{"name": "LanceDB", "type": "gadget"}]
    taken = call("ingest_prechunked", **document({"entities": entities}))

    assert taken["mapped_types"] == {"gadget": "project"}
    assert call("recall_entity", name_or_alias="LanceDB")["entity"]["type"] == "project"


def test_a_relation_in_unknown_words_waits_and_one_without_words_is_refused(call):
    relations = [{"from": "Ada", "to": "Bob", "type": kind} for kind in ("ADMIRES", "REPORTS TO", "depends", None)]
    people = [{"name": "Ada", "type": "person"}, {"name": "Bob", "type": "person"}]
    taken = call("submit_session_extraction", entities=people, relations=relations)

    assert (taken["relations_accepted"], taken["relations_waiting"], taken["relations_rejected"]) == (1, 2, 1)
    assert [(each["wording"], each["reason"]) for each in taken["waiting"]] == [
        ("ADMIRES", "wording"),
        ("depends", "wording"),
    ]
    assert reasons(taken) == {"relations[3]": "it has no type"}


def test_the_ends_of_a_relation_are_names_and_what_cannot_be_read_is_refused(call):
    call("record_fact", subject=person("Ada Lovelace"), predicate="tagged", object={"literal": "x"}, aliases=["Ada"])
    call("record_fact", subject=project("Mercury"), predicate="tagged", object={"literal": "x"})
    call("record_fact", subject=concept("Mercury"), predicate="tagged", object={"literal": "x"})
    relations = [
        {"from": "Atlas", "to": "Ada", "type": "blocked_by"},
        {"from": "Atlas", "to": "Somebody New", "type": "blocked_by"},
        {"from": "Atlas", "to": "Mercury", "type": "blocked_by"},
        {"from": "Atlas", "to": "Atlas", "type": "blocked_by"},
        {"from": "Atlas", "type": "blocked_by"},
        {"from": "Atlas", "to": "Ada", "type": "blocked_by", "confidence": "high"},
        "nonsense",
        {"from": "Atlas", "to": "Ada", "type": "?!"},
        {"from": "x" * 201, "to": "Ada", "type": "blocked_by"},
        {"from": "Atlas", "to": "x" * 1001, "type": "blocked_by"},
        {"from": "Atlas", "to": "Ada", "type": "x" * 201},
    ]
    taken = call("submit_session_extraction", entities=[{"name": "Atlas", "type": "project"}], relations=relations)

    assert [each["fact"] for each in taken["facts"]] == [
        "Atlas blocked by Ada Lovelace",
        "Atlas blocked by Somebody New",
    ]
    assert [(each["wording"][:10], each["reason"]) for each in taken["waiting"]] == [
        ("blocked_by", "name"),
        ("?!", "wording"),
        ("x" * 10, "wording"),
    ]
    assert reasons(taken) == {
        "relations[3]": "both of its ends are the same entity",
        "relations[4]": "it lacks 'to', the name of an entity",
        "relations[6]": "it is not an object",
        "relations[8]": "'from' has more than 200 characters",
        "relations[9]": "'to' has more than 1,000 characters",
    }


def test_an_entity_without_a_name_is_refused(call):
    given = [{"name": ""}, {"type": "person"}, "Ada", {"name": "x" * 201, "type": "person"}]
    taken = call("submit_session_extraction", entities=given, relations=[])

    assert taken["entities_added"] == 0
    assert list(reasons(taken)) == [f"entities[{n}]" for n in range(4)]


# Limits


@pytest.mark.slow
def test_what_is_beyond_the_limits_is_counted(call):
    entities = [{"name": f"E{n}", "type": "concept"} for n in range(1002)]
    relations = [{"from": f"E{n}", "to": f"E{n + 1}", "type": "depends_on"} for n in range(503)]
    chunks = [{"text": f"Chunk {n}."} for n in range(201)]
    text = " ".join(f"E{n} depends on E{n + 1}." for n in range(503))
    taken = call(
        "ingest_prechunked",
        source="long.md",
        chunks=[{"text": text, "entities": entities, "relations": relations}, *chunks],
    )

    assert (taken["truncated_chunks"], taken["truncated_entities"], taken["truncated_relations"]) == (2, 2, 3)
    assert (taken["chunks_added"], taken["entities_added"], taken["relations_accepted"]) == (200, 1000, 500)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"source": "a.md", "chunks": []}, "INVALID_ARGUMENTS"),
        ({"source": "a.md", "chunks": "x"}, "INVALID_ARGUMENTS"),
        ({"source": "a.md", "chunks": [{"idx": 1}]}, "INVALID_ARGUMENTS"),
        ({"source": "a.md", "chunks": [{"text": " "}]}, "EPISODE_INVALID"),
        ({"source": " ", "chunks": [{"text": "x"}]}, "EPISODE_INVALID"),
        ({"chunks": [{"text": "x"}]}, "EPISODE_INVALID"),
    ],
)
def test_what_is_no_document_is_refused_with_a_code(call, arguments, code):
    assert call("ingest_prechunked", **arguments)["error"] == code
    assert call("get_episodes")["total"] == 0


@pytest.mark.parametrize(
    ("text", "subject", "target"),
    [
        ("Marta likes tea.", "Marta", "Globex Ltd"),
        ("Marta met Ines at Globex Ltd.", "Marta", "Globex Ltd"),
        ("Marta likes tea and Ines works at Globex Ltd.", "Marta", "Globex Ltd"),
        ("Marta likes tea. Ines works at Globex Ltd.", "Marta", "Globex Ltd"),
        ("Marta does not work at Globex Ltd.", "Marta", "Globex Ltd"),
        ("Does Marta work at Globex Ltd?", "Marta", "Globex Ltd"),
        ("Marta Klein works at Globex Ltd.", "Marta Souza", "Globex Ltd"),
    ],
)
def test_what_its_text_does_not_say_is_no_fact_and_waits(call, text, subject, target):
    relation = {"from": subject, "to": target, "type": "works at", "confidence": 0.9}
    taken = call("ingest_prechunked", **document({"text": text, "relations": [relation]}))

    assert (taken["relations_accepted"], taken["relations_waiting"], taken["verified"]) == (0, 1, False)
    assert taken["verification"]["outside_text"][0]["fact"] == f"{subject} works at {target}"
    assert call("recall_entity", name_or_alias=subject)["facts"] == []


@pytest.mark.parametrize(
    ("text", "subject", "target"),
    [
        ("Marta works at Globex.", "Marta Klein", "Globex Ltd"),
        ("Globex Ltd employs Marta.", "Marta", "Globex Ltd"),
        ("Marta and Ines work at Globex Ltd.", "Marta", "Globex Ltd"),
        ("Marta is an engineer. She works at Globex Ltd.", "Marta", "Globex Ltd"),
        ("Marta, an employee of Globex Ltd, called.", "Marta", "Globex Ltd"),
        ("Marta arbeitet bei Globex Ltd.", "Marta", "Globex Ltd"),
        ("I work at Globex Ltd.", "me", "Globex Ltd"),
    ],
)
def test_what_its_text_says_in_other_words_is_a_fact(call, text, subject, target):
    call("set_owner", person={"name": "Ana Ruiz"})
    relation = {"from": subject, "to": target, "type": "works at"}
    taken = call("ingest_prechunked", **document({"text": text, "relations": [relation]}))

    assert (taken["relations_accepted"], taken["relations_waiting"], taken["verified"]) == (1, 0, True)


def test_a_conversation_hands_in_no_text(call):
    people = [{"name": "Ada", "type": "person"}, {"name": "Bob", "type": "person"}]
    relation = {"from": "Ada", "to": "Bob", "relation_type": "reports_to", "confidence": 0.5}
    taken = call("submit_session_extraction", entities=people, relations=[relation], session_id="s-1", project="work")
    edge = call("get_entity_edge", uuid=taken["facts"][0]["id"])

    assert (taken["session_id"], taken["project"], taken["entities_added"]) == ("s-1", "work", 2)
    assert call("get_episodes", group_ids=["work"])["total"] == 0
    assert edge["sources"][0]["session"] == "s-1"


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    "wording", ["will work at", "is going to work at", "worked at", "has worked at", "was employed by", "formerly owns",
                "owned", "was married to", "lived in", "was led by", "will attend", "engaged to", "buried in"],
)  # fmt: skip
def test_a_relation_of_another_time_is_no_fact_of_now_and_waits(call, wording):
    answer = call("submit_session_extraction", entities=[], relations=[{"from": "Ana", "type": wording, "to": "Acme"}])

    assert (answer["relations_accepted"], answer["relations_waiting"]) == (0, 1)


@pytest.mark.parametrize("wording", ["founded", "was founding", "has founded", "is the founder of"])
def test_the_past_of_an_event_is_a_fact(call, wording):
    answer = call(
        "submit_session_extraction", entities=[], relations=[{"from": "Ana Silva", "type": wording, "to": "Acme"}]
    )

    assert answer["relations_accepted"] == 1


@pytest.mark.parametrize("predicate", ["engaged to", "was married to", "grew up in", "worked at", "wants", "buried in"])
def test_record_fact_does_not_take_a_past_or_another_meaning_for_a_predicate(call, predicate):
    answer = call("record_fact", subject=person("Ana"), predicate=predicate, object=person("Dora"))

    assert answer["error"] == "PREDICATE_UNKNOWN"


def test_who_reports_to_somebody_has_not_said_them(call):
    people = [{"name": "Ana", "type": "person"}, {"name": "Dora", "type": "person"}]
    relations = [{"from": "Ana", "type": "reports", "to": "Dora"}]
    answer = call("submit_session_extraction", entities=people, relations=relations)

    assert (answer["relations_accepted"], answer["relations_waiting"]) == (0, 1)
