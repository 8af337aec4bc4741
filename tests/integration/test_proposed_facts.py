"""Proposed facts: relations wait in their own words until somebody accepts or dismisses their wording."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph import errors, store
from keepgraph.engine import knowledge, texts
from laws import examples
from words import Caller, dump, person


def relation(subject, wording, object, **more):
    return {"from": subject, "type": wording, "to": object, **more}


def submit(call, *relations, entities=(), **more):
    answer = call("submit_session_extraction", entities=list(entities), relations=list(relations), **more)
    assert "error" not in answer, answer
    return answer


def ingest(call, text, *relations, entities=(), source="a.md", **more):
    chunk = {"text": text, "entities": list(entities), "relations": list(relations)}
    answer = call("ingest_prechunked", source=source, chunks=[chunk], **more)
    assert "error" not in answer, answer
    return answer


def sentences(answer):
    return [each["fact"] for each in answer["facts"]]


def groups(graph):
    with graph.database.read("test") as tx:
        return knowledge.proposed_facts.group(tx)


def extend(call, **arguments):
    answer = call("extend_vocabulary", **arguments)
    assert "error" not in answer, answer
    return answer


def type_of(call, name):
    return call("recall_entity", name_or_alias=name)["entity"]["type"]


# What becomes a fact at once


@pytest.mark.parametrize(
    "wording",
    [
        "works at",
        "WORKS_AT",
        "worksAt",
        "works for",
        "is working for",
        "has been working for",
        "is currently employed by",
        "is an employee of",
        "arbeitet bei",
    ],
)
def test_a_wording_of_a_known_predicate_is_taken_in_any_inflection(call, wording):
    taken = submit(call, relation("Ana Silva", wording, "Acme Inc"))

    assert sentences(taken) == ["Ana Silva works at Acme Inc"]


@pytest.mark.parametrize(
    "wording",
    ["is", "has", "was", "had", "have", "are", "in", "of", "from", "was the", "has been", "will be", "is an", "did"],
)
def test_a_wording_that_says_nothing_is_never_mapped(call, graph, wording):
    taken = submit(call, relation("Ana Silva", wording, "Acme Inc"))

    assert (taken["relations_accepted"], taken["relations_waiting"]) == (0, 1)
    assert [group.says_nothing for group in groups(graph)] == [True]
    refused = call("extend_vocabulary", map_wordings=[{"wordings": [wording], "predicate": "works_at"}])
    assert refused["error"] in ("VOCABULARY_INVALID", "VOCABULARY_CONFLICT")


@pytest.mark.parametrize("wording", ["no longer works at", "never worked for", "does not work for", "may work for"])
def test_a_wording_that_denies_or_doubts_is_not_mapped(call, wording):
    taken = submit(call, relation("Ana Silva", wording, "Acme Inc"))

    assert taken["relations_accepted"] == 0


def test_an_inverse_and_a_passive_are_stored_the_other_way_round(call):
    extend(call, predicates={"outranks": {"sources": ["person"], "targets": ["person"]}})
    taken = submit(
        call, relation("Acme Inc", "employs", "Ana Silva"), relation("Bob Stone", "is outranked by", "Ana Silva")
    )

    assert sentences(taken) == ["Ana Silva works at Acme Inc", "Ana Silva outranks Bob Stone"]


def test_names_without_a_type_get_the_type_that_most_of_their_relations_want(call):
    submit(
        call,
        relation("Nimbus", "employs", "Ana Silva"),
        relation("Nimbus", "is located in", "Lisbon"),
        relation("Ana Silva", "lives in", "Lisbon"),
        entities=[{"name": "Nimbus"}, {"name": "Ana Silva"}, {"name": "Lisbon", "type": "unheard of"}],
    )

    assert [type_of(call, name) for name in ("Nimbus", "Ana Silva", "Lisbon")] == ["organisation", "person", "place"]


def test_an_entity_that_exists_is_meant_before_a_new_one_is_made(call):
    call.record(person("Ana Silva"), "works_at", {"type": "organisation", "name": "Acme"})
    taken = submit(call, relation("Ana Silva", "lives in", "Lisbon"))

    assert [each["name"] for each in taken["entities"]] == ["Lisbon"]


def test_an_assumed_type_changes_when_a_later_relation_wants_another(call):
    submit(call, entities=[{"name": "Ana Silva"}])
    assert type_of(call, "Ana Silva") == "concept"

    taken = submit(call, relation("Ana Silva", "works at", "Acme"))
    assert (sentences(taken), type_of(call, "Ana Silva")) == (["Ana Silva works at Acme"], "person")

    submit(call, entities=[{"name": "Acme", "type": "team"}])
    assert type_of(call, "Acme") == "team"


def test_a_type_that_was_given_does_not_change_and_the_relation_waits(call):
    taken = submit(call, relation("Ana", "works at", "Acme"), entities=[{"name": "Ana", "type": "topic"}])

    assert [(each["wording"], each["reason"]) for each in taken["waiting"]] == [("works at", "ends")]
    assert type_of(call, "Ana") == "topic"


@pytest.mark.parametrize(
    ("wording", "object", "literal"),
    [
        ("born on", "January 16, 1977", "1977-01-16"),
        ("was born in", "1977", "1977"),
        ("took place in", "December 1985", "1985-12"),
        ("due by", "2026-11-22", "2026-11-22"),
        ("email is", "ana@example.com", "ana@example.com"),
        ("works as", "a consultant", "a consultant"),
    ],
)
def test_dates_and_short_values_become_literals(call, wording, object, literal):
    submit(call, relation("Ana Silva", wording, object))

    assert [each["object"] for each in call("recall_entity", name_or_alias="Ana Silva")["facts"]] == [
        {"literal": literal}
    ]


@pytest.mark.parametrize(
    ("wording", "object"),
    [
        ("works at", "1998"),
        ("lives in", "15 houses"),
        ("born on", "Lisbon"),
        ("works at", "a small company"),
        ("knows", "him"),
    ],
)
def test_what_cannot_be_at_the_end_of_a_predicate_waits(call, wording, object):
    taken = submit(call, relation("Ana Silva", wording, object))

    assert (taken["relations_accepted"], [each["reason"] for each in taken["waiting"]]) == (0, ["ends"])


def test_names_in_small_letters_are_names_where_nothing_has_capitals(call):
    taken = submit(call, relation("ana", "works at", "acme"))

    assert taken["relations_accepted"] == 1


# What waits


def test_what_waits_keeps_its_words_its_source_and_its_sentence(call, graph):
    text = "It rained. Ana Silva admires the Tagus in winter. Nobody else was there."
    ingest(call, text, relation("Ana Silva", "admires", "Tagus", confidence=0.7), session_id="s-1")
    with graph.database.read("test") as tx:
        (proposed,) = store.proposals.waiting(tx)

    assert (proposed.subject, proposed.wording, proposed.object) == ("Ana Silva", "admires", "Tagus")
    assert (proposed.source, proposed.session, proposed.confidence) == ("a.md", "s-1", 0.7)
    assert proposed.evidence == "Ana Silva admires the Tagus in winter."
    assert proposed.reason == "wording"


def test_what_waits_is_in_no_answer_about_what_is_known(call):
    def known():
        counted = call("run_cypher", query="MATCH (a) OPTIONAL MATCH (a)-[r]->() RETURN count(a) AS a, count(r) AS r")
        return (
            counted["rows"],
            call("get_schema"),
            {**call("weekly_rollup"), "to_review": None},
            call("search_nodes", query="Zebedee")["nodes"],
        )

    before = known()
    submit(call, relation("Zebedee", "admires", "Yolanda"))

    assert known() == before
    assert call("recall_entity", name_or_alias="Zebedee")["entity"] is None


def test_the_same_relation_of_the_same_text_waits_once(call):
    first = submit(call, relation("Ana", "admires", "Bob"))
    again = submit(call, relation("Ana", "Admires", "Bob"))

    assert [(each["relations_waiting"], each["relations_waiting_before"]) for each in (first, again)] == [
        (1, 0),
        (1, 1),
    ]
    assert again["waiting"][0]["count"] == 1


def test_a_wording_never_enters_the_vocabulary_by_itself(call, path):
    def vocabulary():
        tables = dump(path)
        return [tables[name] for name in ("entity_type", "predicate", "predicate_end", "vocabulary_label")]

    before = vocabulary()
    for _ in range(3):
        submit(call, relation("Ana", "admires", "Bob"), entities=[{"name": "Ana", "type": "gadget"}])

    assert vocabulary() == before


def test_what_a_document_no_longer_states_no_longer_waits(call, graph):
    ingest(call, "Ana admires Bob and fears Carl.", relation("Ana", "admires", "Bob"), relation("Ana", "fears", "Carl"))
    ingest(call, "Ana fears Carl.", relation("Ana", "fears", "Carl"))

    assert [group.wordings for group in groups(graph)] == [(("fears", 1),)]


def test_what_an_episode_proposes_is_deleted_with_it(call, graph):
    taken = ingest(call, "Ana admires Bob.", relation("Ana", "admires", "Bob"))
    call("delete_episode", uuid=taken["uuid"])

    assert groups(graph) == []


def test_undo_takes_back_facts_entities_and_what_waits(call, path):
    call.record(person("Ana"), "tagged", {"literal": "x"})
    before = _content(path)
    ingest(
        call,
        "Bob works at Acme and admires Ana.",
        relation("Bob", "works at", "Acme"),
        relation("Bob", "admires", "Ana"),
        entities=[{"name": "Bob"}, {"name": "Nobody"}],
    )
    call("undo")

    assert _content(path) == before


def test_undo_takes_back_the_change_of_an_assumed_type(call, path):
    submit(call, entities=[{"name": "Ana"}, {"name": "Acme"}])
    before = _content(path)
    submit(call, relation("Ana", "works at", "Acme"), entities=[{"name": "Acme", "type": "team"}])
    changed = _content(path)
    call("undo")

    assert changed["assumed_type"] != before["assumed_type"]
    assert _content(path) == before


def test_an_entity_whose_type_was_assumed_is_forgotten_with_its_text(call):
    ingest(call, "Ana works at Acme.", relation("Ana", "works at", "Acme"), entities=[{"name": "Ana"}])
    again = ingest(call, "It rained.")

    assert sorted(each["name"] for each in again["entities_forgotten"]) == ["Acme", "Ana"]


def test_clearing_the_graph_clears_what_waits(call, path):
    submit(call, relation("Ana", "admires", "Bob"), relation("Ana", "fears", "Bob"), entities=[{"name": "Ana"}])
    extend(call, dismiss_wordings=["fears"])
    call("clear_graph", everything=True, confirm=True)
    tables = dump(path)

    assert [tables[name] for name in ("proposed_fact", "dismissed_wording", "assumed_type", "entity")] == [[]] * 4


def _content(path):
    kept = (
        "entity",
        "fact",
        "provenance",
        "episode",
        "chunk",
        "proposed_fact",
        "dismissed_wording",
        "assumed_type",
        "predicate",
        "entity_type",
        "vocabulary_label",
    )
    tables = dump(path)
    return {name: tables[name] for name in kept}


# Accepting and dismissing


def test_accepting_a_wording_records_all_that_waits_in_it_with_its_provenance(call, graph):
    taken = ingest(call, "Ana admires Bob.", relation("Ana", "admires", "Bob"), source="a.md", session_id="s-1")
    submit(call, relation("Carl", "is admired by", "Ana"), relation("Ana", "admiring", "Dora"), session_id="s-2")
    extended = extend(
        call,
        predicates={"looks_up_to": {"sources": ["person"], "targets": ["person"]}},
        map_wordings=[{"wordings": ["admires"], "predicate": "looks_up_to"}],
    )
    facts = call("recall_entity", name_or_alias="Ana")["facts"]

    assert extended["mapped"][0]["admitted"] == 3
    assert {(each["object"]["name"], each["source"]) for each in facts} == {
        ("Bob", "a.md"),
        ("Carl", "session s-2"),
        ("Dora", "session s-2"),
    }
    context = call("get_episode_context", episode_uuids=[taken["uuid"]])
    assert [each["name"] for each in context["edges"]] == ["looks_up_to"]
    assert type_of(call, "Dora") == "person"


def test_after_a_wording_is_accepted_relations_in_it_are_facts_at_once(call):
    submit(call, relation("Ana", "admires", "Bob"))
    extend(call, map_wordings=[{"wordings": ["admires"], "predicate": "likes"}])
    taken = submit(call, relation("Ana", "is admiring", "Carl"))

    assert sentences(taken) == ["Ana likes Carl"]


def test_what_does_not_fit_after_it_was_accepted_stays_with_the_reason(call, graph):
    submit(
        call,
        relation("Ana", "is on the payroll of", "Acme"),
        relation("Bob", "is on the payroll of", "Lisbon"),
        entities=[{"name": "Lisbon", "type": "place"}],
    )
    extended = extend(call, map_wordings=[{"wordings": ["is on the payroll of"], "predicate": "works_at"}])

    assert (extended["mapped"][0]["admitted"], extended["mapped"][0]["waiting"]) == (1, 1)
    assert [(group.nearest, dict(group.reasons)) for group in groups(graph)] == [("works_at", {"ends": 1})]


def test_dismissed_wordings_are_deleted_and_do_not_come_back_until_accepted(call, graph):
    submit(call, relation("Ana", "admires", "Bob"))
    extended = extend(call, dismiss_wordings=["Admires"])
    taken = submit(call, relation("Ana", "admires", "Carl"))

    assert (extended["dismissed"], taken["relations_waiting"], taken["relations_rejected"]) == (1, 0, 1)
    assert taken["rejected"][0]["why"] == "relations in 'admires' were dismissed"
    extend(call, map_wordings=[{"wordings": ["admires"], "predicate": "likes"}])
    assert sentences(submit(call, relation("Ana", "admires", "Carl"))) == ["Ana likes Carl"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"map_wordings": [{"wordings": ["admires"], "predicate": "likes"}]},
        {"dismiss_wordings": ["admires", "fears"]},
        {"predicates": {"fears": {"sources": ["person"]}}},
    ],
)
def test_undo_takes_each_decision_back(call, path, arguments):
    submit(call, relation("Ana", "admires", "Bob"), relation("Ana", "fears", "Carl"), entities=[{"name": "Ana"}])
    before = _content(path)
    extend(call, **arguments)
    changed = _content(path)
    call("undo")

    assert changed != before
    assert _content(path) == before


@pytest.mark.parametrize("wordings", [[""], ["  "], ["x" * 201]])
def test_a_wording_that_cannot_be_one_is_refused(graph, wordings):
    with graph.database.write("test") as tx, pytest.raises(errors.VocabularyInvalid):
        knowledge.proposed_facts.admit(tx, wordings=wordings, predicate="likes")
    with graph.database.write("test") as tx, pytest.raises(errors.VocabularyInvalid):
        knowledge.proposed_facts.dismiss(tx, wordings)


def test_a_wording_without_a_letter_says_nothing_and_is_never_mapped(graph):
    with graph.database.write("test") as tx, pytest.raises(errors.VocabularyInvalid):
        knowledge.proposed_facts.admit(tx, wordings=["?!"], predicate="likes")


def test_an_unknown_predicate_is_refused(graph):
    with graph.database.write("test") as tx, pytest.raises(errors.PredicateUnknown):
        knowledge.proposed_facts.admit(tx, wordings=["admires"], predicate="no_such_word")


# Groups


def test_wordings_that_mean_alike_are_one_group_with_their_counts_and_types(call, graph):
    people = [{"name": name, "type": "person"} for name in ("Ana", "Bob", "Carl")]
    submit(
        call,
        relation("Ana", "admires", "Bob"),
        relation("Bob", "admires", "Carl"),
        relation("Carl", "has always admired", "Ana"),
        relation("Ana", "admired", "Carl"),
        relation("Bob", "detonated over", "Ana"),
        relation("Bob", "is", "Carl"),
        entities=people,
    )
    first, *_, last = groups(graph)

    assert first.wordings[:2] == (("admires", 2), ("admired", 1))
    assert first.text.endswith("person → person")
    assert (last.says_nothing, last.wordings) == (True, (("is", 1),))


def test_groups_are_the_same_every_time_and_lose_nothing(call, graph):
    verbs = "admires fears feeds paints chases follows helps greets praises blames trusts doubts".split()
    taken = submit(call, *(relation(f"P{n}", verb, f"Q{n % 5}") for n, verb in enumerate(verbs * 3)))
    first, again = groups(graph), groups(graph)

    assert first == again
    assert sum(group.count for group in first) == taken["relations_waiting"]


def test_groups_are_formed_by_the_words_alone_where_there_is_no_model(open_graph, monkeypatch):
    from keepgraph.ml import embedder

    monkeypatch.setattr(embedder, "unavailable_reason", lambda model=None: "not here")
    graph = open_graph()
    wordings = ("feeds on", "fed on", "shines over", "was fed to", "was shone upon")
    submit(Caller(graph), *(relation("A", wording, "B") for wording in wordings))

    assert [[wording for wording, _ in group.wordings] for group in groups(graph)] == [
        ["fed on", "feeds on", "was fed to"],
        ["shines over", "was shone upon"],
    ]


# Duplicates, verification and the length of the answer


def test_new_names_that_resemble_others_are_told(call):
    call.record(person("Priya Shah"), "tagged", {"literal": "x"})
    typed = submit(call, entities=[{"name": "Pryia Shah", "type": "person"}])
    untyped = submit(call, entities=[{"name": "Shah, Priya"}])
    among_themselves = submit(
        call, entities=[{"name": "Gudrun Halvorsen", "type": "person"}, {"name": "Gudrun Halvorson", "type": "person"}]
    )

    assert [(each["new"]["name"], each["name"]) for each in typed["possible_duplicates"]] == [
        ("Pryia Shah", "Priya Shah")
    ]
    assert ("Shah, Priya", "Priya Shah") in [
        (each["new"]["name"], each["name"]) for each in untyped["possible_duplicates"]
    ]
    assert [(each["new"]["name"], each["name"]) for each in among_themselves["possible_duplicates"]] == [
        ("Gudrun Halvorson", "Gudrun Halvorsen")
    ]


@pytest.mark.parametrize(
    ("text", "verified", "in_text"),
    [("Ana  Silva works\nat ACME.", True, 1), ("She works at Acme.", False, 0)],
)
def test_verified_says_whether_the_ends_stand_in_the_text(call, text, verified, in_text):
    taken = ingest(call, text, relation("Ana Silva", "works at", "Acme"))

    assert (taken["verified"], taken["verification"]["relations"], taken["verification"]["in_text"]) == (
        verified,
        1,
        in_text,
    )


def test_without_a_text_or_an_accepted_relation_nothing_is_verified(call):
    assert not submit(call, relation("Ana", "works at", "Acme"))["verified"]
    assert not ingest(call, "Ana admires Bob.", relation("Ana", "admires", "Bob"))["verified"]


def test_the_answer_stays_short_whatever_is_handed_in(call):
    entities = [{"name": f"{'Some rather long name ' * 8}{n}", "type": f"kind {n}"} for n in range(150)]
    relations = [
        relation(f"{'Subject ' * 20}{n}", ("works at ", "admires very much and for a long time")[n % 2], "Object " * 20)
        for n in range(80)
    ]
    taken = ingest(call, "A text.", *relations, *([{}] * 20), entities=entities)

    assert len(json.dumps(taken, ensure_ascii=False)) <= 8000
    assert taken["truncated"]


WORDINGS = ["works at", "admires", "is", "employs", "born on", "knows", "", None, 7, "reports to", "?!"]
NAMES = ["Ana", "Bob", "Acme", "Lisbon", "1977", "54 people", "", None, "the team", "x" * 300]


@examples(20, sweep=500)
@given(
    given_relations=st.lists(
        st.one_of(
            st.fixed_dictionaries(
                {"from": st.sampled_from(NAMES), "type": st.sampled_from(WORDINGS), "to": st.sampled_from(NAMES)},
                optional={"confidence": st.sampled_from([0, 1, 0.5, 2, "high", None])},
            ),
            st.sampled_from(["nonsense", 7, None, []]),
        ),
        max_size=12,
    ),
    given_entities=st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from(NAMES)}, optional={"type": st.sampled_from(["person", "organisation", "x", None])}
        ),
        max_size=4,
    ),
)
def test_every_relation_is_recorded_repeated_waiting_or_refused_with_a_reason(graph, given_relations, given_entities):
    with graph.database.write("submit_session_extraction") as tx:
        tx = store.journal.begin_call(tx)
        result = tx.dry_run(lambda: texts.client_extraction.record(tx, given_entities, given_relations, source="test"))

    counted = result.recorded + result.repeated + len(result.waiting) + len(result.rejected_relations)
    assert len(given_relations) == counted
    assert all(rejection.reason for rejection in result.rejected_relations)
