"""A question finds entities, facts and texts: by names, words, meaning and along facts; each hit says why."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import errors, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.retrieval import fusion, question_analysis, retrievers
from keepgraph.engine.retrieval.fusion import Hit, Placement
from keepgraph.engine.retrieval.question_analysis import QuestionVectors, SearchContext
from keepgraph.engine.retrieval.search_request import EPISODES, SearchRequest
from keepgraph.ml import cross_encoders, embedder
from keepgraph.model import Settings
from keepgraph.store.search_filters import Filters
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import catalogue
from laws import examples
from words import Caller, Clock, concept, literal, person, project, rows

needs_vectors = pytest.mark.skipif(embedder.unavailable_reason() is not None, reason="the model is not installed")
MODES = ["combined", "nodes", "edges", "communities", "episodes"]
RERANKERS = ["rrf", "mmr", "node_distance", "episode_mentions"]


@pytest.fixture(scope="module")
def apollo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, its people, and three texts; all of it read, and with its vectors."""
    file = tmp_path_factory.mktemp("apollo") / "graph.db"
    with keepgraph.open(file, clock=Clock()) as graph:
        call = Caller(graph)
        for subject, predicate, target in (
            (person("Ada Lovelace"), "reports_to", person("Charles Babbage")),
            (person("Priya Raman"), "reports_to", person("Ada Lovelace")),
            (person("Priya Raman"), "belongs_to", project("Apollo")),
            (project("Apollo"), "depends_on", concept("PostgreSQL")),
            (project("Apollo"), "blocked_by", concept("Licence review")),
            (project("Apollo"), "tagged", literal("urgent")),
            (project("Zephyr"), "depends_on", concept("Kafka")),
        ):
            call.record(subject, predicate, target)
        remember(call, "Kickoff", "Apollo began today. Priya Raman moves the reports to PostgreSQL.")
        remember(call, "Retro", "The licence review takes long; Apollo waits for the lawyers.")
        remember(call, "Lunch", "The soup was cold again and nobody complained.")
        call("search", query="everything")
    return file


@pytest.fixture
def apollo(apollo_file: Path, path: Path, open_graph: Callable[..., keepgraph.Graph]) -> Caller:
    """Calls tools on a copy of it."""
    shutil.copy(apollo_file, path)
    return Caller(open_graph())


def remember(call: Caller, name: str, text: str, **more: Any) -> dict[str, Any]:
    return call("add_memory", name=name, episode_body=text, **more)


def names(found: list[dict[str, Any]]) -> list[str]:
    return [each["name"] for each in found]


def sentences(found: list[dict[str, Any]]) -> list[str]:
    return [each["fact"] for each in found]


def uuid_of(call: Caller, name: str) -> str:
    return next(each["uuid"] for each in call("search_nodes", query=name)["nodes"] if each["name"] == name)


def ranked_by_words(call: Caller, text: str, *, limit: int) -> dict[str, float]:
    """The texts that the words of a question lead to, best first, with their scores."""
    with call.graph.database.read("test") as tx:
        question = question_analysis.analyse(tx, text, groups=("default",))
        filters = Filters(groups=("default",), at=timestamps.from_datetime(tx.now))
        request = SearchRequest(text, frozenset([EPISODES]), filters, limit=limit)
        ranking = retrievers.chunks_by_words(SearchContext(tx, request, question, QuestionVectors()))
        chunks = store.episodes.chunks_by_rows(tx, [chunk for chunk, _ in ranking])
    return {chunks[chunk].text: score for chunk, score in ranking}


def refused(call: Caller, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = call(tool, **arguments)
    assert "error" in answer, answer
    return answer


# What is found


def test_a_question_finds_the_entity_it_names_the_fact_it_asks_for_and_the_text_that_tells(apollo):
    found = apollo("search", query="What is Apollo blocked by?")

    assert names(found["nodes"])[0] == "Apollo"
    assert sentences(found["edges"])[0] == "Apollo blocked by Licence review"
    assert {"Kickoff", "Retro"} >= set(names(found["episodes"])[:2])


def test_the_message_counts_each_kind(apollo):
    found = apollo("search", query="Apollo", limit=2)

    counts = [len(found[kind]) for kind in ("nodes", "edges", "communities", "episodes")]
    assert found["message"] == "Found {} nodes, {} edges, {} communities, {} episodes".format(*counts)


def test_a_text_that_was_just_remembered_is_found_by_its_words(call):
    remember(call, "Note", "The espresso machine leaks since Tuesday.")

    found = call("search", query="espresso leaking", search_mode="episodes")["episodes"]

    assert names(found) == ["Note"]
    assert found[0]["chunk"] == "The espresso machine leaks since Tuesday."


def test_a_text_is_found_by_its_meaning_where_no_word_is_shared(apollo):
    found = apollo("search", query="a chilly dish for the midday meal", search_mode="episodes", limit=1)

    assert names(found["episodes"]) == ["Lunch"]
    assert "words" not in found["episodes"][0]["why"]


def test_each_hit_says_why_it_is_there(apollo):
    found = apollo("search", query="Apollo and PostgreSQL")

    for kind in ("nodes", "edges", "episodes"):
        for each in found[kind]:
            assert each["why"]
            assert all({"rank", "score"} == place.keys() for place in each["why"].values())
    assert found["nodes"][0]["why"]["names"]["rank"] == 1


def test_a_name_that_only_texts_know_is_found_and_marked_proposed(call):
    remember(call, "Stack", "We are using Django with PostgreSQL.")

    found = call("search_nodes", query="Django")["nodes"]

    assert names(found)[0] == "Django"
    assert found[0]["proposed"]
    assert found[0]["uuid"].startswith("prop_")


@needs_vectors
def test_a_name_that_a_text_only_mentions_is_found_by_its_meaning_after_entities(call):
    remember(call, "Stack", "We moved the orders to PostgreSQL last week, and the indexes are fine.")
    remember(call, "Lunch", "Lunch with Priya at the canteen was nice, and the soup was from Lidl.")
    call.record(concept("MySQL"), "tagged", literal("x"))
    for _ in range(2):
        nodes = call("search_nodes", query="database architecture")["nodes"]

        assert [(node["name"], node.get("proposed", False)) for node in nodes] == [
            ("MySQL", False),
            ("PostgreSQL", True),
        ]
        assert "meaning" in nodes[1]["why"]


def test_a_mistyped_name_is_found(apollo):
    assert "Charles Babbage" in names(apollo("search_nodes", query="Charls Babbage")["nodes"][:1])


def test_a_first_name_finds_its_person_in_small_letters_too(apollo):
    found = apollo("search", query="who does priya report to", search_mode="nodes")["nodes"]

    assert names(found)[0] == "Priya Raman"
    assert "names" in found[0]["why"]


def test_what_a_speaker_is_asked_about_is_looked_for_in_what_that_speaker_says(call):
    for text in (
        "Tom: I went hiking in the Alps last weekend.",
        "Nora: I went hiking in the Alps too, in June.",
    ):
        remember(call, text[:4], text, source="message")

    ofnora = call("search", query="When did Nora go hiking in the Alps?", search_mode="episodes")["episodes"]
    oftom = call("search", query="When did Tom go hiking in the Alps?", search_mode="episodes")["episodes"]

    assert ofnora[0]["chunk"].startswith("Nora")
    assert oftom[0]["chunk"].startswith("Tom")


def test_a_text_that_mentions_what_the_question_names_comes_first_by_whatever_name(call):
    call.record(project("Apollo"), "tagged", literal("space"), aliases=["Moonshot"])
    for name in ("Zephyr", "Moonshot", "Borealis"):
        remember(call, name, f"The budget of {name} was cut in spring.")

    found = call("search", query="Was the budget of Apollo cut in spring?", search_mode="episodes")["episodes"]

    assert names(found)[0] == "Moonshot"
    assert [each["name"] for each in found if "names" in each["why"]] == ["Moonshot"]


def test_to_speak_is_not_to_be_mentioned(call):
    for name in ("Nora", "Zephyr"):
        call.record(person(name), "tagged", literal("here"))
    # Of a long turn, later chunks have the speaker, and not the name that the turn begins with.
    long_turn = "Nora: " + "It was a long day and nobody was glad of it. " * 60 + "The cello of Zephyr is out of tune."
    remember(call, "1", long_turn, source="message")
    found = call("search", query="Is the cello out of tune?", search_mode="nodes")["nodes"]

    assert [each["name"] for each in found if "texts" in each["why"]] == ["Zephyr"]


def test_the_name_of_a_speaker_is_looked_for_only_where_the_other_words_find_too_little(call):
    for said in ("Nora: I play the cello.", "Tom: I hear the cello.", "Tom: It rains.", "Nora: Good morning."):
        remember(call, said, said, source="message")
    enough, too_little = (ranked_by_words(call, "Does Nora play the cello?", limit=limit) for limit in (2, 10))

    assert next(iter(enough)) == "Nora: I play the cello."
    assert "Nora: Good morning." not in enough
    assert "Nora: Good morning." in too_little


def test_the_turn_after_is_given_more_of_a_score_than_the_turn_before(call):
    for said in ("Tom: Good morning.", "Nora: Which instrument is that?", "Tom: It is mine."):
        remember(call, said, said, source="message")
    ranking = ranked_by_words(call, "instrument", limit=10)
    best = ranking["Nora: Which instrument is that?"]

    assert list(ranking) == ["Nora: Which instrument is that?", "Tom: It is mine.", "Tom: Good morning."]
    assert [score / best for score in ranking.values()] == pytest.approx([1, 0.5, 0.25])


def test_facts_between_two_that_are_named_come_before_the_facts_of_one(apollo):
    found = apollo("search", query="Priya Raman and Apollo", search_mode="edges")["edges"]
    places = {each["fact"]: each["why"]["names"] for each in found if "names" in each["why"]}

    assert places["Priya Raman belongs to Apollo"] == {"rank": 1, "score": 2.0}
    assert {place["score"] for fact, place in places.items() if fact != "Priya Raman belongs to Apollo"} == {1.0}


@pytest.mark.parametrize(
    ("why", "is_clear"),
    [
        ({"words": 5.0}, True),
        ({"meaning": 0.2}, False),
        ({"meaning": 0.2, "meaning_with_turn_before": 0.34}, False),
        ({"meaning": 0.2, "meaning_with_turn_before": 0.35}, True),
        ({"meaning": 0.2, "words": 0.1}, True),
    ],
)
def test_a_text_found_by_a_far_vector_alone_lends_nothing_to_what_it_mentions(why, is_clear):
    hit = Hit(1, 1.0, {source: Placement(1, score) for source, score in why.items()})

    assert retrievers.is_clearly_relevant(hit) is is_clear


@needs_vectors
def test_an_answer_is_the_same_where_the_vectors_are_computed_first(apollo, monkeypatch):
    question = {"query": "What does Priya move to a database, and why is Apollo late?"}
    beside = apollo("search", **question)
    monkeypatch.setattr(embedder, "is_loaded", lambda model: False)
    before = apollo("search", **question)

    assert beside["embedding"] == "on"
    assert beside | {"execution_ms": 0} == before | {"execution_ms": 0}


@needs_vectors
def test_what_goes_wrong_while_a_question_is_embedded_ends_the_search(apollo, monkeypatch):
    def fail(texts: list[str], *, model: str) -> None:
        raise errors.Cancelled("enough")

    monkeypatch.setattr(embedder, "is_loaded", lambda model: True)
    monkeypatch.setattr(embedder, "embed", fail)

    assert apollo("search", query="Why is Apollo late?")["error"] == "CANCELLED"


@needs_vectors
def test_only_turns_are_compared_with_the_question_without_its_persons(apollo, monkeypatch):
    turn = remember(apollo, "Chat", "Mara: I had a salad.", source="message")["uuid"]
    apollo("search", query="everything")
    rows = {True: [], False: []}
    with apollo.graph.database.read("test") as tx:
        for row, episode in tx.conn.execute(
            "SELECT chunk.id, public_id FROM chunk JOIN episode ON episode.id = episode"
        ):
            rows[episode == turn].append(row)
    compared: dict[str, list[bytes]] = {}

    def nearest(name: str) -> Callable[..., list[tuple[int, float]]]:
        def compare(tx: Any, vector: tuple[bytes, bytes], **more: Any) -> list[tuple[int, float]]:
            compared.setdefault(name, []).append(vector[0])
            is_of_chunks = name == "nearest_chunks" and not more["with_turn_before"]
            return [(row, 0.9) for row in (*rows[True], *rows[False])] if is_of_chunks else []

        return compare

    for name in ("nearest_names", "nearest_facts", "nearest_chunks"):
        monkeypatch.setattr(store.vector_search, name, nearest(name))
    apollo("search", query="What does Priya Raman eat?")
    texts = ["What does Priya Raman eat?", "What does eat?"]
    whole, without_persons = (packed[0] for packed in vector_backfill.pack(embedder.embed(texts)))

    assert compared["nearest_names"] == compared["nearest_facts"] == [whole]
    assert compared["nearest_chunks"][:3] == [without_persons, whole, without_persons]


@needs_vectors
def test_a_document_that_comes_to_conversations_is_found_by_the_whole_question(call, open_graph):
    remember(call, "Chat", "Mara: I had a salad.", source="message")
    remember(call, "Chat", "Otto: And I slept.", source="message")
    without = [call("search", query="What does Mara eat?", search_mode="episodes") for _ in range(4)]
    remember(Caller(open_graph()), "Recipe", "What a chef called Mara puts on the table at noon.")
    found = call("search", query="What does Mara eat?", search_mode="episodes")["episodes"]

    assert all({"Chat"} == {episode["name"] for episode in answer["episodes"]} for answer in without)
    assert {"Chat", "Recipe"} == {episode["name"] for episode in found}
    assert "meaning" in next(episode["why"] for episode in found if episode["name"] == "Recipe")


@needs_vectors
def test_documents_that_are_like_the_best_are_found_and_turns_are_not(apollo):
    remember(apollo, "Chat", "Mara: The soup was cold.", source="message")
    remember(apollo, "Kitchen", "Nobody complained about the cold kitchen.")
    found = apollo("search", query="a chilly dish for the midday meal", search_mode="episodes", near=True)["episodes"]
    by_feedback = {each["name"] for each in found if "meaning_of_best" in each["why"]}

    assert {"Lunch", "Kitchen"} <= by_feedback
    assert "Chat" not in by_feedback


def test_a_turn_is_found_by_the_turn_before_it(call):
    for name, text in (
        ("1", "Tom: Which instrument did you take up this year?"),
        ("2", "Nora: The cello! My teacher is wonderful."),
        ("3", "Tom: That is lovely."),
    ):
        remember(call, name, text, source="message")

    found = call("search", query="Which instrument did Nora take up?", search_mode="episodes")["episodes"]

    assert names(found)[0] == "2"


def test_an_episode_comes_once_with_its_best_chunk(call):
    paragraphs = [
        f"# Part {n}\n\n" + f"Filler about {word}. " * 60 for n, word in enumerate(["boats", "trains", "ferns"])
    ]
    remember(call, "Long", "\n\n".join(paragraphs))

    found = call("search", query="ferns", search_mode="episodes")["episodes"]

    assert len(found) == 1
    assert "ferns" in found[0]["chunk"]


# Filters


def test_types_are_understood_as_words_and_as_labels(apollo):
    as_word = apollo("search", query="Apollo", search_mode="nodes", entity_types=["concept"])
    as_label = apollo("search", query="Apollo", search_mode="nodes", entity_types=["Concept"])

    assert {each["type"] for each in as_word["nodes"]} == {"concept"}
    assert names(as_word["nodes"]) == names(as_label["nodes"])


def test_predicates_are_understood_as_words_and_as_relationship_types(apollo):
    as_word = apollo("search", query="Apollo", search_mode="edges", edge_types=["blocked_by"])
    as_type = apollo("search", query="Apollo", search_mode="edges", edge_types=["BLOCKED_BY"])

    assert sentences(as_word["edges"]) == ["Apollo blocked by Licence review"]
    assert sentences(as_type["edges"]) == ["Apollo blocked by Licence review"]


def test_an_unknown_type_is_an_error_with_what_was_perhaps_meant(apollo):
    answer = refused(apollo, "search", query="Apollo", entity_types=["Persn"])

    assert answer["error"] == "ENTITY_TYPE_UNKNOWN"
    assert answer["candidates"] == ["person"]


def test_an_unknown_predicate_is_an_error_that_names_the_nearest_and_where_all_are(apollo):
    answer = refused(apollo, "search", query="Apollo", edge_types=["DEPENDED_FROM"])

    assert answer["error"] == "PREDICATE_UNKNOWN"
    assert "depends_on" in answer["hint"]
    assert "get_ontology_structure" in answer["hint"]


def test_only_what_holds_is_found_unless_a_moment_is_given(call):
    call(
        "record_fact",
        subject=person("Ada"),
        predicate="belongs_to",
        object=project("Engine"),
        valid_from="2020-01-01",
        valid_to="2021-12-31",
    )

    now = call("search", query="Ada Engine", search_mode="edges")["edges"]
    then = call("search", query="Ada Engine", search_mode="edges", valid_at="2021-06-15T00:00:00Z")["edges"]
    before = call("search", query="Ada Engine", search_mode="edges", valid_at="2019-06-15")["edges"]

    assert now == []
    assert sentences(then) == ["Ada belongs to Engine"]
    assert before == []


def test_a_fact_without_a_beginning_holds_at_any_moment(apollo):
    found = apollo("search", query="Apollo blocked", search_mode="edges", valid_at="1999-01-01")["edges"]

    assert "Apollo blocked by Licence review" in sentences(found)


def test_a_moment_that_is_none_is_an_error(apollo):
    answer = refused(apollo, "search", query="Apollo", valid_at="soon")

    assert answer["error"] == "MOMENT_INVALID"
    assert "valid_at" in answer["message"]


def test_a_retracted_fact_is_not_found(apollo):
    fact = apollo("search", query="Apollo blocked", edge_types=["blocked_by"])["edges"][0]["uuid"]
    apollo("retract_fact", fact_id=fact)

    assert apollo("search", query="Apollo blocked", edge_types=["blocked_by"])["edges"] == []


def test_groups_are_kept_apart_unless_both_are_asked(call):
    remember(call, "Here", "The orchard has forty pear trees.")
    remember(call, "There", "The orchard of the other farm has plums.", group_id="farm")

    ours = call("search", query="orchard", search_mode="episodes")["episodes"]
    theirs = call("search", query="orchard", search_mode="episodes", group_ids=["farm"])["episodes"]
    both = call("search", query="orchard", search_mode="episodes", group_ids=["default", "farm"])["episodes"]

    assert names(ours) == ["Here"]
    assert names(theirs) == ["There"]
    assert sorted(names(both)) == ["Here", "There"]


def test_a_proposed_name_has_a_type_to_filter_by(call):
    remember(call, "Stack", "We are using Django with PostgreSQL.")
    as_concept = call("search_nodes", query="Django", entity_types=["concept"])["nodes"]
    as_person = call("search_nodes", query="Django", entity_types=["person"])["nodes"]

    assert "Django" in names(as_concept)
    assert as_person == []


def test_a_search_does_not_begin_at_a_proposed_name_of_another_group(call):
    remember(call, "Stack", "We are using Django with PostgreSQL.", group_id="farm")
    django = call("search_nodes", query="Django", group_ids=["farm"])["nodes"][0]
    beginning = {"query": "", "center_node_uuid": django["uuid"], "search_mode": "nodes"}

    assert django["name"] == "Django"
    assert "error" in call("search", **beginning)
    assert "Django" in names(call("search", **beginning, group_ids=["farm"])["nodes"])


def test_a_group_that_is_not_there_has_nothing(apollo):
    assert apollo("search", query="Apollo", group_ids=["nowhere"])["message"].startswith("Found 0 nodes, 0 edges")


@pytest.mark.parametrize("mode", ["nodes", "edges", "communities", "episodes"])
def test_a_mode_finds_only_its_kind(apollo, mode):
    found = apollo("search", query="Apollo", search_mode=mode)

    others = {"nodes", "edges", "communities", "episodes"} - {mode}
    assert not any(found[kind] for kind in others)


# Limits


def test_a_limit_is_honest_about_what_it_leaves_out(apollo):
    few = apollo("search", query="Apollo", limit=1)
    many = apollo("search", query="Apollo", limit=50)

    assert len(few["nodes"]) == len(few["edges"]) == len(few["episodes"]) == 1
    assert few["truncated"]["nodes"]
    assert few["truncated"]["edges"]
    assert not many["truncated"]["nodes"]
    assert not many["truncated"]["edges"]


@pytest.mark.parametrize("reranker", ["rrf", "mmr"])
def test_a_list_is_truncated_only_if_there_is_more(apollo, reranker):
    asked = {"query": "What is Apollo blocked by?", "reranker": reranker}
    every = apollo("search", **asked, limit=50)
    for kind in ("nodes", "edges", "episodes"):
        count = len(every[kind])

        assert count > 1
        assert not apollo("search", **asked, limit=count)["truncated"][kind]
        assert apollo("search", **asked, limit=count - 1)["truncated"][kind]


@pytest.mark.parametrize("max_tokens", [200, 400, 1000])
def test_the_whole_answer_keeps_to_its_budget(apollo, max_tokens):
    found = apollo("search", query="Apollo and its people", max_tokens=max_tokens)

    assert len(json.dumps(found, ensure_ascii=False)) <= max_tokens * 4
    assert found["truncated"]["nodes"] or found["truncated"]["edges"]


# Rerankers


@pytest.mark.parametrize("reranker", RERANKERS)
def test_every_reranker_works_in_every_mode(apollo, reranker):
    for mode in MODES:
        found = apollo("search", query="What is Apollo blocked by?", search_mode=mode, reranker=reranker)

        for kind in {"nodes", "edges", "episodes"} if mode == "combined" else {mode} - {"communities"}:
            assert found[kind]
            assert reranker == "rrf" or all(reranker in each["why"] for each in found[kind])


def test_distances_are_those_of_the_graph(apollo):
    found = apollo(
        "search",
        query="system failures",
        center_node_uuid=uuid_of(apollo, "Apollo"),
        reranker="node_distance",
        search_mode="nodes",
    )["nodes"]

    steps = {each["name"]: each["why"]["node_distance"]["score"] for each in found}
    assert names(found)[0] == "Apollo"
    assert (steps["Apollo"], steps["PostgreSQL"], steps["Priya Raman"]) == (0, 1, 1)
    assert (steps["Ada Lovelace"], steps["Charles Babbage"]) == (2, 3)
    assert list(steps.values()) == sorted(steps.values(), key=lambda step: 99 if step is None else step)


def test_the_distance_of_a_fact_is_that_of_its_nearer_end(apollo):
    found = apollo(
        "search",
        query="Who reports to whom, and what does Apollo depend on?",
        center_node_uuid=uuid_of(apollo, "Apollo"),
        reranker="node_distance",
        search_mode="edges",
    )["edges"]

    steps = {each["fact"]: each["why"]["node_distance"]["score"] for each in found}
    assert steps["Apollo depends on PostgreSQL"] == 0
    assert steps["Priya Raman reports to Ada Lovelace"] == 1
    assert steps["Ada Lovelace reports to Charles Babbage"] == 2


def test_a_search_from_a_node_reaches_texts_that_mention_what_is_one_step_away(apollo):
    found = apollo("search", query="", center_node_uuid=uuid_of(apollo, "Ada Lovelace"), search_mode="episodes")

    assert names(found["episodes"]) == ["Kickoff"]


def test_filters_do_not_narrow_the_way_along_which_distances_are_measured(apollo):
    found = apollo(
        "search",
        query="Ada Lovelace and Charles Babbage",
        center_node_uuid=uuid_of(apollo, "Apollo"),
        reranker="node_distance",
        search_mode="nodes",
        entity_types=["person"],
        edge_types=["depends_on"],
    )["nodes"]

    steps = {each["name"]: each["why"]["node_distance"]["score"] for each in found}
    assert (steps["Ada Lovelace"], steps["Charles Babbage"]) == (2, 3)


def test_what_cannot_be_reached_has_no_distance_and_is_not_put_behind_what_is_not_relevant(apollo):
    found = apollo(
        "search",
        query="Zephyr Kafka",
        center_node_uuid=uuid_of(apollo, "Charles Babbage"),
        reranker="node_distance",
        search_mode="nodes",
    )["nodes"]

    by_name = {each["name"]: each for each in found}
    assert names(found).index("Zephyr") < names(found).index("PostgreSQL")
    assert by_name["Zephyr"]["why"]["node_distance"]["score"] is None


def test_without_a_centre_distances_are_from_what_the_question_names(apollo):
    found = apollo("search", query="What is near Priya Raman?", reranker="node_distance", search_mode="nodes")["nodes"]

    assert names(found)[0] == "Priya Raman"


def test_without_a_centre_and_a_name_distances_are_an_error_that_says_what_to_give(apollo):
    answer = refused(apollo, "search", query="system failures", reranker="node_distance")

    assert answer["error"] == "INVALID_ARGUMENTS"
    assert "center_node_uuid" in answer["hint"]


def test_what_texts_mention_most_comes_first(apollo):
    for n in range(3):
        remember(apollo, f"Note {n}", f"Kafka again, the {n}th time.")

    found = apollo("search", query="Kafka Apollo PostgreSQL", reranker="episode_mentions", search_mode="nodes")["nodes"]

    counts = [each["why"]["episode_mentions"]["score"] for each in found]
    assert names(found)[0] == "Kafka"
    assert counts[:3] == [3, 2, 1]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("query", ["xylophone lessons", "tyre pressure of a tractor", "wo kaufe ich Gummistiefel?"])
def test_where_nothing_answers_the_search_says_so_and_lists_what_is_near_only_on_request(apollo, query):
    answer = apollo("search", query=query)
    near = apollo("search", query=query, near=True)

    assert answer["abstained"]
    assert near["abstained"]
    assert not any(answer[kind] for kind in MODES[1:])
    assert "nothing here answers this" in answer["message"]
    assert any(near[kind] for kind in MODES[1:]) == ("near=true" in answer["message"])


@pytest.mark.parametrize(
    "more",
    [
        {"query": "What is Apollo blocked by?"},
        {"query": "legal approval"},
        {"query": "cold soup"},
        {"query": "xylophone lessons", "entity_types": ["person"]},
        {"query": "xylophone lessons", "center_node_uuid": "Apollo"},
        {"query": "what is it that they do"},
    ],
)
def test_a_search_that_may_be_answered_does_not_abstain(apollo, more):
    answer = apollo("search", **more)

    assert "abstained" not in answer


def test_without_vectors_only_words_say_whether_anything_answers(open_graph):
    call = Caller(open_graph(settings=Settings(steps=("fuzzy",))))
    remember(call, "Lunch", "The soup was cold again and nobody complained.")
    abstained = [call("search", query=query).get("abstained", False) for query in ("cold soup", "xylophone lessons")]

    assert abstained == [False, True]


@pytest.mark.parametrize(
    ("arguments", "kinds", "reranker"),
    [
        ({"intent": "importance"}, {"nodes"}, "episode_mentions"),
        ({"intent": "neighborhood"}, {"edges"}, "node_distance"),
        ({"intent": "diverse"}, {"nodes", "edges", "episodes"}, "mmr"),
        ({"intent": "path"}, {"edges"}, None),
        ({"intent": "precise"}, {"nodes"}, None),
        ({"intent": "importance", "reranker": "mmr"}, {"nodes"}, "mmr"),
        ({"intent": "importance", "search_mode": "episodes"}, {"episodes"}, "episode_mentions"),
    ],
)
def test_an_intent_chooses_mode_and_reranker_and_what_is_given_wins(apollo, arguments, kinds, reranker):
    answer = apollo("search", query="What is Apollo blocked by?", **arguments)
    rerankers = {source for kind in kinds for hit in answer[kind] for source in hit["why"]} & {*RERANKERS}

    assert kinds == {kind for kind in MODES[1:] if answer[kind]}
    assert rerankers == ({reranker} if reranker else set())


@pytest.mark.parametrize(("arguments", "most"), [({}, 5), ({"limit": 2}, 2), ({"limit": 10}, 10)])
def test_an_intent_chooses_the_limit_and_what_is_given_wins(apollo, arguments, most):
    for n in range(12):
        apollo.record(person(f"Engineer {n}"), "belongs_to", project("Apollo"))

    assert len(apollo("search", query="engineer of Apollo", intent="precise", **arguments)["nodes"]) == most


def test_an_intent_without_anything_to_measure_from_orders_by_relevance(apollo):
    assert "error" not in apollo("search", query="system failures", intent="neighborhood")


def test_diversity_does_not_repeat_itself(call):
    for n in range(4):
        remember(call, f"Pump {n}", f"The bleed air pump failed on flight number {n}.")
    remember(call, "Valve", "A valve of the bleed air system stuck in the cold.")

    found = call("search", query="bleed air pump failed", reranker="mmr", search_mode="episodes", limit=2)["episodes"]

    assert "Valve" in names(found)


def test_without_a_cross_encoder_the_error_says_how_to_get_one(apollo):
    answer = refused(apollo, "search", query="Apollo", reranker="cross_encoder")

    assert answer["error"] == "MODEL_UNAVAILABLE"
    assert "cross_encoder =" in answer["hint"]


@pytest.mark.parametrize("mode", ["combined", "nodes", "edges", "episodes"])
def test_a_cross_encoder_puts_what_it_reads_in_its_order(open_graph, tmp_path, monkeypatch, mode):
    (tmp_path / "config.json").write_text("{}")
    graph = open_graph(settings=Settings(cross_encoder=str(tmp_path)))
    call = Caller(graph)
    for name in ("Apollo", "Apollo Eleven", "Apollo the Thirteenth"):
        call("record_fact", subject=project(name), predicate="tagged", object=literal("space"))
        remember(call, name, f"{name} is a project about space.")
    monkeypatch.setattr(cross_encoders, "unavailable_reason", lambda folder: None)
    monkeypatch.setattr(
        cross_encoders, "score", lambda question, texts, *, folder: [float(len(text)) for text in texts]
    )

    found = call("search", query="Apollo", search_mode=mode, reranker="cross_encoder")

    for kind in ("nodes", "edges", "episodes") if mode == "combined" else (mode,):
        scores = [each["why"]["cross_encoder"]["score"] for each in found[kind]]
        assert len(scores) == 3
        assert scores == sorted(scores, reverse=True)


# Communities


@pytest.fixture
def settled(apollo: Caller) -> Caller:
    """Two communities: one of those around Apollo, one of the rest."""
    with apollo.graph.database.write("test") as tx:
        for row, (name, members) in enumerate({"Moon shot": ["Apollo", "PostgreSQL"], "Streams": ["Kafka"]}.items(), 1):
            tx.conn.execute(
                "INSERT INTO community (id, public_id, group_id, name, summary, created_at) "
                "VALUES (?, ?, 'default', ?, ?, ?)",
                (row, f"com_{row:026}", name, f"About {', '.join(members)}.", "2026-05-15T10:00:00.000Z"),
            )
            for member in members:
                tx.conn.execute("INSERT INTO community_member SELECT ?, id FROM entity WHERE name = ?", (row, member))
    return apollo


def test_a_community_is_found_by_its_words_and_by_its_members(settled):
    by_words = settled("search", query="moon shots", search_mode="communities")["communities"]
    by_members = settled("search", query="Zephyr", search_mode="communities")["communities"]

    assert names(by_words)[0] == "Moon shot"
    assert by_words[0]["member_count"] == 2
    assert names(by_members)[0] == "Streams"
    assert "members" in by_members[0]["why"]


@pytest.mark.parametrize("reranker", RERANKERS)
def test_every_reranker_leaves_communities_in_the_answer(settled, reranker):
    found = settled("search", query="Apollo", reranker=reranker)

    assert names(found["communities"])[0] == "Moon shot"


# Where a search begins


def test_a_search_may_begin_at_entities_without_a_question(apollo):
    found = apollo("search", query="", bfs_origin_node_uuids=[uuid_of(apollo, "Zephyr")])

    assert set(names(found["nodes"])) == {"Zephyr", "Kafka"}
    assert sentences(found["edges"]) == ["Zephyr depends on Kafka"]


def test_a_search_from_an_entity_finds_the_texts_that_speak_of_it(apollo):
    found = apollo("search", query="", center_node_uuid=uuid_of(apollo, "Licence review"), search_mode="episodes")

    assert names(found["episodes"])[0] == "Retro"


def test_a_proposed_name_may_be_where_a_search_begins(call):
    remember(call, "Stack", "We are using Django with PostgreSQL.")

    found = call("search", query="", center_node_uuid=uuid_of(call, "Django"), search_mode="nodes")

    assert {"Django", "PostgreSQL"} <= set(names(found["nodes"]))


def test_a_search_from_an_id_of_nothing_is_an_error(apollo):
    assert refused(apollo, "search", query="x", center_node_uuid="ent_nothing")["error"] == "ENTITY_NOT_FOUND"


# Questions of all sorts


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_an_empty_question_is_an_error(apollo, query):
    assert refused(apollo, "search", query=query)["error"] == "QUERY_REQUIRED"
    assert refused(apollo, "search_nodes", query=query)["error"] == "QUERY_REQUIRED"


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(
    "query",
    [
        'AND OR NOT "x* NEAR( c++ a:b ^',
        '"',
        "text : x",
        "a-b c++ NOT",
        "*",
        "rowid:1 OR 1=1 --",
        "+++",
        "?!",
        "the of and",
        "🙂",
        "\u202e\u0301",
        "İstanbul'da ne oldu?",
        "東京タワーはどこにありますか",
        "ใครรายงานต่อใคร",
        "Кто руководит проектом Apollo?",
        "من هو المدير؟",
        "a" * 5000,
        "wörd " * 10_000,
    ],
)
def test_any_question_gets_an_answer(apollo, query):
    answers = [apollo("search", query=query, search_mode=mode) for mode in MODES]

    assert all(answer["message"].startswith("Found ") for answer in answers)


@examples(25, sweep=400)
@given(query=st.text(min_size=1, max_size=80), reranker=st.sampled_from(["rrf", "mmr", "episode_mentions"]))
def test_any_text_gets_an_answer_or_a_code(apollo, query, reranker):
    answer = apollo("search", query=query, reranker=reranker)

    assert answer.get("error") in (None, *errors.leaves().keys() - {"INTERNAL_ERROR"})
    assert "error" in answer or answer["message"].startswith("Found ")


def test_a_question_of_ten_thousand_words_finds_what_it_says_most(apollo):
    query = "lawyers licence review " * 3000 + " ".join(f"filler{n}" for n in range(3000))

    assert names(apollo("search", query=query, search_mode="episodes")["episodes"])[0] == "Retro"


def test_a_word_inside_a_run_of_signs_without_spaces_is_found(call):
    remember(call, "旅", "昨日は東京タワーに登りました。")
    remember(call, "食", "今日はラーメンを食べました。")

    found = call("search", query="東京タワーはどこですか", search_mode="episodes")["episodes"]

    assert names(found)[0] == "旅"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "x", "search_mode": "everything"}),
        ("search", {"query": "x", "reranker": "best"}),
        ("search", {"query": "x", "limit": 0}),
        ("search", {"query": "x", "limit": 100_000}),
        ("search", {"query": "x", "max_tokens": 1}),
        ("search", {"query": 7}),
        ("search", {"query": "x", "group_ids": 7}),
        ("search", {"query": "x", "entity_types": [""]}),
        ("search_nodes", {}),
        ("search_nodes", {"query": "x", "max_nodes": 0}),
        ("search_memory_facts", {"query": "x", "max_facts": -1}),
        ("search_memory_facts", {"query": "x", "max_facts": 1001}),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call, tool, arguments):
    assert refused(call, tool, **arguments)["error"] == "INVALID_ARGUMENTS"


# Sources that are off


def test_an_answer_says_when_meaning_is_off(open_graph):
    call = Caller(open_graph(settings=Settings(steps=("fuzzy",))))
    remember(call, "Note", "The espresso machine leaks.")

    found = call("search", query="espresso")

    assert found["embedding"] == "off: by the settings"
    assert names(found["episodes"]) == ["Note"]


def test_an_answer_says_how_many_wait_for_their_vectors(open_graph, monkeypatch):
    from keepgraph.engine import vector_backfill

    monkeypatch.setattr(vector_backfill, "backfill_some", lambda database, kinds, **_: None)
    call = Caller(open_graph())
    remember(call, "Note", "The espresso machine leaks.")

    assert "1 text still waits for its vector" in call("search", query="espresso")["embedding"]


def test_where_the_background_reads_texts_a_search_does_not_wait_for_many_of_them(open_graph, monkeypatch):
    """
    It says how many are unread. A few are read at once, and a command reads a bounded number first.
    """
    monkeypatch.setattr(catalogue, "_MAX_UNREAD", 2)
    waiting = []
    monkeypatch.setattr(catalogue, "backfill_some", lambda database, need, **_: waiting.append(need))
    graph = open_graph()
    call = Caller(graph)
    with graph.database.write("test") as tx:
        tx.conn.execute("DELETE FROM name_unread")
    for number in range(3):
        call("add_memory", name=f"Text {number}", episode_body="The soup was cold again.")
    with graph.database.write("test") as tx:
        store.mentions.add_all_chunks(tx)
    call("search", query="cold soup")
    as_command = list(waiting)
    waiting.clear()
    graph.has_background = True
    at_once = call("search", query="cold soup")

    assert catalogue.Need.MENTIONS in as_command
    assert catalogue.Need.MENTIONS not in waiting
    assert (len(at_once["episodes"]), at_once["unread"]) == (3, 3)


@needs_vectors
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("When is the dripping tap repaired?", "The plumber comes on Thursday to look at the dripping tap."),
        ("Where do the singers practise?", "The choir rehearses the requiem in the gym."),
    ],
)
def test_behind_what_answers_no_texts_follow_that_are_only_near(call, asked, expected):
    for text in (
        "The plumber comes on Thursday to look at the dripping tap.",
        "The choir rehearses the requiem in the gym.",
        "Invoice 4711 was paid twice by mistake.",
        "The old laptop goes to the school in Nakuru.",
        "The rent rises by four percent in April.",
        "Batteries failed at minus twenty degrees.",
    ):
        call("remember", text=text)
    found = call("search", query=asked)
    with_near = call("search", query=asked, near=True)

    assert [text["chunk"] for text in found["episodes"]] == [expected]
    assert len(with_near["episodes"]) > 1


def test_a_hit_in_a_note_begins_after_its_front_matter(call):
    remember(call, "Roof", "---\ntags: [roof, water]\ndate: 2026-04-02\n---\nThe cistern is full.\n")

    assert call("search", query="cistern")["episodes"][0]["chunk"] == "The cistern is full."


def test_conversations_and_documents_are_ranked_as_wholes_on_request(call, monkeypatch):
    """
    By all their parts: two turns about it are more than one that says a little more. Each has its best part as a hit.
    """
    with_vectors_off(monkeypatch)
    for day, turns in (
        ("2026-03-02", ["The harbour crane is painted.", "We paint the crane of the harbour red."]),
        ("2026-03-09", ["Harbour crane, harbour crane!"]),
        ("2026-03-16", ["Lunch is at noon."]),
    ):
        for number, turn in enumerate(turns):
            remember(call, f"{day} {number}", turn, source="message", reference_time=day)
    each = call("search", query="harbour crane", search_mode="episodes")["episodes"]
    whole = call("search", query="harbour crane", search_mode="episodes", rank_texts="whole")["episodes"]

    assert [text["name"][:10] for text in each].count("2026-03-02") == 2
    assert [text["name"][:10] for text in whole][:2] == ["2026-03-02", "2026-03-09"]
    assert whole[0]["why"]["whole"]["rank"] == 1


def with_vectors_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_backfill, "unavailable_reason", lambda tx: "the model is not installed")


@needs_vectors
@pytest.mark.parametrize("has_background", [False, True], ids=["command", "server"])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("Which drink does the office run out of?", "The coffee machine in the kitchen has no beans left."),
        ("Who takes care of the cat?", "Tomasz feeds the kitten while we are away."),
        ("kitten", "Tomasz feeds the kitten while we are away."),
    ],
)
def test_what_was_just_told_is_found_in_other_words_too(open_graph, has_background, asked, expected):
    graph = open_graph()
    call = Caller(graph)
    graph.has_background = has_background
    for text in (
        "The coffee machine in the kitchen has no beans left.",
        "Tomasz feeds the kitten while we are away.",
        "The lease of the garage ends in March.",
    ):
        call("remember", text=text)
    answer = call("search", query=asked)

    assert answer["embedding"] == "on"
    assert answer["episodes"][0]["chunk"] == expected


@needs_vectors
def test_a_fact_that_was_just_recorded_is_found_in_other_words_too(open_graph):
    graph = open_graph()
    call = Caller(graph)
    graph.has_background = True
    call.record(person("Ines Duarte"), "works_at", {"name": "Nordwind Shipyard", "type": "organisation"})
    call.record(person("Oskar Lind"), "prefers", literal("tea without sugar"))

    assert "Nordwind" in call("search", query="Where is Ines employed?")["edges"][0]["fact"]
    assert "tea" in call("search", query="favourite drink of Oskar")["edges"][0]["fact"]


@needs_vectors
@pytest.mark.parametrize(("has_background", "left"), [(False, 4), (True, 8)], ids=["command", "server"])
def test_a_call_makes_a_bounded_number_of_vectors_the_newest_first(open_graph, monkeypatch, has_background, left):
    """
    Beside a background task it makes those of the newest alone, so that an import does not make each search slow.
    """
    monkeypatch.setattr(vector_backfill, "_WORK_OF_A_READ", 1_000)
    monkeypatch.setattr(vector_backfill, "_NEWEST_NUMBERS", 4)  # the vectors of two texts
    graph = open_graph()
    call = Caller(graph)
    for n in range(10):
        remember(call, f"Lunch {n}", f"The soup was cold {n} times. {'The spoon was long. ' * 5}")
    graph.has_background = has_background
    first = call("search", query="cold soup", limit=20)

    assert f"{left} texts still wait" in first["embedding"]
    assert newest_with_vector(graph) == [f"Lunch {n}" for n in range(9, left - 1, -1)]


def newest_with_vector(graph: keepgraph.Graph) -> list[str]:
    return [
        name
        for (name,) in rows(
            graph.path,
            """
            SELECT DISTINCT episode.name FROM chunk_vector
            JOIN chunk ON chunk.id = reading / 2 JOIN episode ON episode.id = chunk.episode
            ORDER BY reading DESC
            """,
        )
    ]


@needs_vectors
def test_while_something_waits_no_search_says_that_nothing_answers(open_graph, monkeypatch):
    call = Caller(open_graph())
    remember(call, "Note", "The espresso machine leaks.")
    sure = call("search", query="Which orchid flowers in winter?")
    monkeypatch.setattr(vector_backfill, "backfill_some", lambda database, kinds, **_: None)
    remember(call, "Garden", "The violet needs no water before February.")
    unsure = call("search", query="Which orchid flowers in winter?")

    assert (sure["abstained"], "abstained" in unsure) == (True, False)
    assert "1 text still waits for its vector" in unsure["embedding"]


@needs_vectors
def test_a_text_whose_vector_waits_is_ranked_by_its_words(open_graph, monkeypatch):
    """
    It is not behind texts with none of the words, which have their vectors.
    """
    call = Caller(open_graph())
    for text in ("The tenants of the flat want a new boiler.", "The heating in the attic is broken.", "Rent is due."):
        call("remember", text=text)
    call("search", query="boiler")
    monkeypatch.setattr(vector_backfill, "backfill_some", lambda database, kinds, **_: None)
    call("remember", text="Boiler inspection: bring the ladder.")
    found = call("search", query="When is the inspection of the boiler and the heating?")

    assert found["episodes"][0]["chunk"] == "Boiler inspection: bring the ladder."


def test_a_graph_opened_for_reading_only_is_searched_as_it_is(open_graph, path):
    remember(Caller(open_graph()), "Note", "The espresso machine leaks.")
    reader = Caller(open_graph(path, read_only=True))

    assert names(reader("search", query="espresso")["episodes"]) == ["Note"]


# search_nodes and search_memory_facts


def test_search_nodes_finds_by_what_is_said_of_an_entity(apollo):
    assert "PostgreSQL" in names(apollo("search_nodes", query="postgres database")["nodes"])


def test_search_nodes_says_when_nothing_is_relevant(call):
    found = call("search_nodes", query="Django")

    assert found["message"] == "No relevant nodes found"
    assert found["nodes"] == []


def test_search_nodes_may_be_asked_from_an_entity(apollo):
    found = apollo("search_nodes", query="people", center_node_uuid=uuid_of(apollo, "Ada Lovelace"))["nodes"]

    assert names(found)[0] == "Ada Lovelace"
    assert set(names(found)[1:3]) == {"Charles Babbage", "Priya Raman"}


def test_search_memory_facts_finds_the_fact_with_the_names_at_both_ends(apollo):
    found = apollo("search_memory_facts", query="What does Zephyr depend on?", max_facts=1)

    assert (found["facts"][0]["source_name"], found["facts"][0]["target_name"]) == ("Zephyr", "Kafka")
    assert found["message"] == "Found 1 fact"


def test_search_memory_facts_says_when_nothing_is_relevant(call):
    assert call("search_memory_facts", query="anything")["message"] == "No relevant facts found"


# What is too frequent to be weighed


def test_words_find_what_passes_behind_any_number_of_better_hits(graph, call):
    """
    The best hits are looked at first. Where these are retracted, the others are looked at, too.
    """
    for number in range(12):
        recorded = call.record(concept(f"Kafka {number}"), "tagged", literal("Kafka"))
        call("retract_fact", fact_id=recorded["fact_id"])
    for number in range(3):
        call.record(concept(f"A longer name than those before {number}"), "tagged", literal("written about Kafka"))
    with graph.database.read("search") as tx:
        filters = Filters(groups=("default",), at=timestamps.from_datetime(tx.now))
        found = store.full_text.search(
            tx,
            store.full_text.FACTS,
            ['"kafka"'],
            filters=filters,
            conditions=store.search_filters.fact_conditions(filters),
            limit=2,
        )

    assert [row for row, _ in found] == [15, 14]


@pytest.mark.parametrize(
    "query", ["cistern cleaning zebra", "cistern cleaning", "cleaning the cistern on the Apollo roof"]
)
def test_the_newest_texts_and_facts_are_found_by_any_word_however_frequent(call, monkeypatch, query):
    """
    Also where a word is left out because it is in very many, or where others fill the ranking.
    """
    monkeypatch.setattr(store.full_text, "MAX_ROWS_OF_A_WORD", 5)
    monkeypatch.setattr(fusion, "NEWEST", 3)
    monkeypatch.setattr(fusion, "CANDIDATES", 5)
    with_vectors_off(monkeypatch)
    for number in range(12):
        remember(call, f"Log {number}", f"Cistern report {number}, cleaning of pump {number}.")
        call.record(project(f"Cistern {number}"), "tagged", literal(f"cleaning {number}"))
    remember(call, "Zoo", "A zebra drinks.")
    remember(call, "Roof", "Cleaning is done.")
    call.record(project("Roof"), "tagged", literal("cleaning"))
    found = call("search", query=query, limit=50)

    assert "Roof" in names(found["episodes"])
    assert "Roof tagged cleaning" in sentences(found["edges"])


def test_a_word_that_is_in_very_many_rows_is_left_out_where_others_are_rarer(apollo, monkeypatch):
    from keepgraph import store

    monkeypatch.setattr(store.full_text, "MAX_ROWS_OF_A_WORD", 2)

    found = apollo("search", query="Apollo depends Kafka", search_mode="edges")["edges"]
    frequent_alone = apollo("search", query="apollo", search_mode="edges")["edges"]

    assert sentences(found)[0] == "Zephyr depends on Kafka"
    assert frequent_alone


# Texts by time


@pytest.fixture
def diary(call: Caller) -> dict[str, str]:
    """Notes of four days, told in another order than that of their days; their names by day."""
    notes = {
        "2026-05-14": "Sanded the deck of the boat with Ivo.",
        "2026-05-02": "The boat needs a new deck, says the yard.",
        "2026-05-10": "Met Marta about the garden wall.",
        "2026-04-20": "Bought the boat.",
    }
    return {
        day: call("remember", text=text, reference_time=day, **({"project": "Boat"} if "boat" in text else {}))["name"]
        for day, text in notes.items()
    }


@pytest.mark.parametrize(
    ("arguments", "days"),
    [
        ({"since": "2026-05-10"}, ["2026-05-14", "2026-05-10"]),
        ({"until": "2026-05-02"}, ["2026-05-02", "2026-04-20"]),
        ({"since": "2026-05-02", "until": "2026-05-10"}, ["2026-05-10", "2026-05-02"]),
        ({"since": "2026-05-02T09:00:00+02:00", "until": "2026-05-03"}, []),
        ({"reranker": "newest"}, ["2026-05-14", "2026-05-10", "2026-05-02", "2026-04-20"]),
        ({"reranker": "newest", "limit": 1}, ["2026-05-14"]),
        ({"reranker": "newest", "project": "Boat"}, ["2026-05-14", "2026-05-02", "2026-04-20"]),
        ({"since": "2026-05-01", "project": "Boat"}, ["2026-05-14", "2026-05-02"]),
    ],
)
def test_texts_of_some_days_are_listed_newest_first_without_a_question(call, diary, arguments, days):
    answer = call("search", **arguments)

    assert [episode["name"] for episode in answer["episodes"]] == [diary[day] for day in days]
    assert (answer["nodes"], answer["edges"]) == ([], [])
    assert answer["truncated"]["episodes"] == ("limit" in arguments)


def test_a_question_is_answered_from_the_texts_of_some_days_alone(call, diary):
    def found(**arguments: Any) -> list[str]:
        return [episode["name"] for episode in call("search", query="the deck of the boat", **arguments)["episodes"]]

    assert set(found()) >= {diary["2026-05-14"], diary["2026-05-02"]}
    assert found(until="2026-05-05")[0] == diary["2026-05-02"]
    assert set(found(until="2026-05-05")) <= {diary["2026-05-02"], diary["2026-04-20"]}
    assert found(reranker="newest")[0] == diary["2026-05-14"]
    assert found(since="2026-05-15") == []


def test_facts_are_ordered_newest_first_where_that_is_asked_for(call, clock):
    for place in ("Split", "Zadar", "Pula"):
        call.record(person("Ivo"), "works_on", project(f"Quay of {place}"), valid_from="2026-05-01")
        clock.pass_by(days=1)
    call.record(person("Ivo"), "works_on", project("Quay of Rijeka"), valid_from="2026-05-20")
    clock.pass_by(days=30)
    edges = call("search", query="what does Ivo work on", search_mode="edges", reranker="newest")["edges"]

    assert "Rijeka" in edges[0]["fact"]


@pytest.mark.parametrize(
    "arguments", [{"since": "soon"}, {"until": "2026-13-01"}, {"since": "2026-05-10", "until": "2026-05-01"}]
)
def test_a_time_that_is_none_is_refused(call, diary, arguments):
    assert call("search", **arguments)["error"] == "MOMENT_INVALID"
    assert call("search", query="boat", **arguments)["error"] == "MOMENT_INVALID"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Der Vertrag mit dem Vermieter ist seit Mai nicht mehr gültig.", "Verträge"),
        ("Un cheval est passé par ici avec une charrette.", "où sont les chevaux ?"),
        ("Il contratto della ditta non è di quelli che durano.", "contratti"),
        ("Книга о грибах лежит на полке, но не у нас.", "книги"),
    ],
)
def test_a_word_finds_its_other_form_in_another_language(call, text, question):
    call("remember", text="The licence for the harbour is on its way.")
    remember(call, "Note", text)

    found = call("search", query=question, search_mode="episodes")["episodes"]

    assert text == found[0]["chunk"]
    assert "words" in found[0]["why"]


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("与房东的租赁合同", "合同在哪"),
        ("大家との賃貸契約", "契約"),
        ("집주인과의 임대계약", "계약은"),
        ("契約", "契約は"),
    ],
)
def test_a_word_within_a_name_without_spaces_is_found(call, name, question):
    call("record_fact", subject=person("Ana Ruiz"), predicate="tagged", object=concept(name))
    call("record_fact", subject=person("Ana Ruiz"), predicate="tagged", object=concept("东京塔"))

    found = call("search", query=question)

    assert name == found["nodes"][0]["name"]
    assert name in found["edges"][0]["fact"]


def test_a_question_in_english_looks_for_no_forms(call, monkeypatch):
    """
    Else "former" would find "form", whose stem is the same in German.
    """
    call("remember", text="Das Formular ist nicht da, und wir sind auch nicht mehr in der Form.")
    monkeypatch.setattr(store.full_text, "terms", lambda *_: pytest.fail("looked for forms"))

    call("search", query="who was the former chair?")


def test_a_graph_in_english_looks_for_no_forms(call, monkeypatch):
    call("remember", text="The licence for Los Angeles is on its way.")
    monkeypatch.setattr(store.full_text, "terms", lambda *_: pytest.fail("looked for forms"))

    call("search", query="licences")
