"""Brief answers: they fit into 1,500 tokens, keep to the contract, and say what they leave out."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from zoneinfo import ZoneInfo

import anyio
import pytest
from mcp import Client

import keepgraph
from keepgraph.engine import vector_backfill
from keepgraph.mcp import server
from keepgraph.tools.contract import brief_answers, schemas, validation
from words import Caller, Clock, concept, decision, fact, literal, person, project

TOKENS = 1_500
ZURICH = ZoneInfo("Europe/Zurich")
LONG = "They talked at length about the plan for the next quarter, the licence, and who would own the rollout of it. "

QUESTIONS = [
    ("recall_entity", {"name_or_alias": "Atlas"}),
    ("recall_entity", {"name_or_alias": "Person 1"}),
    ("explore_node", {"name": "Atlas"}),
    ("explore_node", {"name": "Atlas", "depth": 4, "limit": 200}),
    ("search", {"query": "who decided about the storage of Atlas?"}),
    ("search", {"query": "licence rollout", "limit": 100}),
    ("search", {"project": "Atlas"}),
    ("search_nodes", {"query": "storage format", "max_nodes": 100}),
    ("search_memory_facts", {"query": "who decided about the storage?", "max_facts": 100}),
    ("recall_decisions", {"project": "Atlas"}),
    ("weekly_rollup", {}),
    ("weekly_rollup", {"project": "Atlas"}),
    ("get_schema", {}),
]


@pytest.fixture(scope="module")
def filled_file(tmp_path_factory) -> Path:
    """A graph with a project that has a hundred facts on either side, and many texts; its vectors are made."""
    file = tmp_path_factory.mktemp("filled") / "graph.db"
    with keepgraph.open(file, zone=ZURICH, clock=Clock()) as graph:
        _fill(Caller(graph))
    return file


@pytest.fixture
def filled(filled_file, path, open_graph) -> Caller:
    shutil.copy(filled_file, path)
    return Caller(open_graph())


def _fill(call: Caller) -> None:
    atlas = project("Atlas")
    facts = []
    for number in range(60):
        made = decision(f"Adopt the storage format of the number {number}")
        facts += [
            fact(made, "belongs_to", atlas, source="https://example.org/minutes/of/the/meeting"),
            fact(person(f"Person {number % 12}"), "decided_in", made, source="minutes"),
            fact(atlas, "depends_on", concept(f"Component {number}"), source="the wiki", confidence=0.9),
        ]
    facts += [fact(atlas, "blocked_by", literal(f"waiting for licence {number}")) for number in range(30)]
    facts += [fact(atlas, "tagged", literal(LONG * 4 + str(number))) for number in range(5)]
    answer = call("record_facts", facts=facts)
    assert answer["refused"] == 0
    for number in range(16):
        text = f"Note {number}. Atlas and Person {number % 12} met. {LONG * 12}"
        call("remember", text=text, reference_time=f"2026-04-{1 + number % 28:02}")
    vector_backfill.backfill(call.graph.database)


def ask(graph, *calls):
    """The answers of a server to calls."""

    async def asked():
        async with Client(server.build(graph)) as client:
            return [(await client.call_tool(tool, arguments)).structured_content for tool, arguments in calls]

    return anyio.run(asked)


def test_a_model_is_answered_within_1500_tokens(filled):
    answers = ask(filled.graph, *QUESTIONS)
    for (tool, arguments), answer in zip(QUESTIONS, answers, strict=True):
        assert brief_answers.count_tokens(answer) <= TOKENS, (tool, arguments)
        validation.check_output(*_toolset(tool), answer)


def test_of_many_facts_a_model_reads_first_what_is_to_be_seen_to(open_graph):
    """
    Of two hundred, one is refused, and one contradicts its predicate: these are told in full.
    """
    facts = [fact(person(f"Human {number}"), "knows", person(f"Human {number + 1}")) for number in range(200)]
    facts[77] = fact(person("Left out"), "frobs", concept("Nothing"))
    facts[120] = fact(person("Human 1"), "knows", person("Human 1"))
    key = {"facts": facts, "idempotency_key": "once"}
    first, again, full = ask(
        open_graph(), ("record_facts", key), ("record_facts", key), ("record_facts", {**key, "detail": "full"})
    )

    assert max(map(brief_answers.count_tokens, (first, again))) <= TOKENS
    assert (first["recorded"], first["refused"], first["truncated"], again["replayed"]) == (199, 1, True, True)
    assert [(each["index"], each.get("hint"), "conflicts" in each) for each in first["results"]] == [
        (77, full["results"][77]["hint"], False),
        (120, None, True),
    ]
    assert first["more_results"][0] == f"0 {full['results'][0]['fact_id']} recorded"
    assert len(full["results"]) == 200


def test_many_refusals_are_lines(open_graph):
    facts = [fact(person(f"Human {number}"), "frobs", concept("Nothing")) for number in range(40)]
    (answer,) = ask(open_graph(), ("record_facts", {"facts": facts}))

    assert brief_answers.count_tokens(answer) <= TOKENS
    assert len(answer["results"]) > 1
    assert re.match(r"\d+ PREDICATE_UNKNOWN 'frobs' is not", answer["more_results"][0])


def test_a_few_facts_are_answered_in_full(open_graph):
    facts = [fact(person(f"Human {number}"), "knows", person("Ada")) for number in range(4)]
    (answer,) = ask(open_graph(), ("record_facts", {"facts": facts}))

    assert [each["subject"]["name"] for each in answer["results"]] == [f"Human {number}" for number in range(4)]
    assert "truncated" not in answer


@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS, ids=lambda value: str(value)[:60])
def test_what_the_contract_requires_stays_in_a_brief_answer(filled, tool, arguments):
    full, brief = (filled(tool, **arguments, detail=detail) for detail in ("full", "brief"))
    schema = schemas.load(*_toolset(tool), "output")
    left_out = full.keys() - brief.keys()

    assert set(schema["required"]) <= brief.keys()
    for name in left_out:
        says_nothing = (None, "", [], {}, schema["properties"][name].get("default"))
        assert full[name] in says_nothing or not any(full[name].values()), name
    validation.check_output(*_toolset(tool), brief)


@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS, ids=lambda value: str(value)[:60])
def test_a_brief_answer_says_nothing_twice_and_no_nothing(filled, tool, arguments):
    """
    Null stands only where it is the answer: no project was asked for, no entity found.
    """
    brief = filled(tool, **arguments, detail="brief")
    found = list(_objects(brief))
    waste = {"labels", "group_id", "created_at", "expired_at", "why"}

    if _toolset(tool)[0] != "connections":  # there the contract has all of it
        assert {name for each in found for name, value in each.items() if value is None} <= {"project", "entity"}
    if tool in ("explore_node", "search"):
        assert not [each for each in found[1:] if waste & each.keys() or {"id", "uuid"} <= each.keys()]


@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS[:-1], ids=lambda value: str(value)[:60])
def test_each_line_begins_with_an_id_that_other_tools_take(filled, tool, arguments):
    brief = filled(tool, **arguments, detail="brief")
    lists = [entries for name, entries in brief.items() if name.startswith("more_") or name == "episodes"]
    lines = [line for entries in lists for line in entries if isinstance(line, str)]

    for line in lines:
        assert re.match(r"(ent|fact|ep|prop|com)_[0-9a-z]{26} \S", line), line
        assert re.match(r"(ent|prop|com)_|\S+ (since |until )?\d{4}-\d\d-\d\d", line), line
    for line in lines[:1]:
        assert filled("explain", what=line.split()[0])["message"]


def test_full_is_the_answer_to_other_callers_and_to_a_model_that_asks_for_it(filled):
    by_python = filled("recall_entity", name_or_alias="Atlas")
    [by_model] = ask(filled.graph, ("recall_entity", {"name_or_alias": "Atlas", "detail": "full"}))
    [brief] = ask(filled.graph, ("recall_entity", {"name_or_alias": "Atlas"}))

    assert len(by_python["facts"]) == 155
    assert by_model == by_python
    assert len(brief["facts"]) < 20


def test_what_is_small_is_answered_in_full(call):
    call.record(person("Ana"), "reports_to", person("Ben"))
    full, brief = (call("recall_entity", name_or_alias="Ana", detail=detail) for detail in ("full", "brief"))

    assert [each["id"] for each in full["facts"]] == [each["id"] for each in brief["facts"]]
    assert full["related_entities"] == brief["related_entities"]
    assert (brief["truncated_facts"], brief["total_facts"]) == (False, 1)


def test_facts_that_do_not_fit_follow_as_lines(filled):
    brief = filled("recall_entity", name_or_alias="Atlas", detail="brief")
    full = filled("recall_entity", name_or_alias="Atlas")
    shown = len(brief["facts"])

    assert (brief["truncated_facts"], brief["total_facts"]) == (True, 155)
    nothing = dict.fromkeys(("source", "valid_from", "valid_to"))
    assert [{**nothing, **each} for each in brief["facts"]] == full["facts"][:shown]
    assert brief["more_facts"]
    for line, one in zip(brief["more_facts"], full["facts"][shown:], strict=False):
        target = one["object"].get("name") or one["object"]["literal"]
        assert line.startswith(f"{one['id']} 2026-05-15 ")
        assert target[:60] in line


def test_nodes_that_do_not_fit_follow_as_lines_with_their_path(filled):
    brief = filled("explore_node", name="Atlas", detail="brief")

    assert (brief["complete"], brief["truncated"]) == (False, True)
    assert all(re.match(r"ent_\w+ 2026-05-15 <-\[belongs_to\]- Adopt", line) for line in brief["more_nodes"])
    assert 10 <= len(brief["nodes"]) + len(brief["more_nodes"]) <= 20
    assert brief["totals"]["by_distance"][0]["nodes"] == 120


def test_a_hit_among_texts_is_a_line_that_carries_it(call):
    call("remember", text="Ana: I keep the spare key of the shed under the blue pot.", reference_time="2026-04-02")
    [message] = call(
        "add_memory",
        episodes=[{"name": "turn 7", "content": "Ben: The shed is locked, I lost its key.", "source": "message"}],
    )["episodes"]
    [note] = call("get_episodes", max_episodes=10)["episodes"][1:]
    brief = call("search", query="where is the key of the shed?", detail="brief")

    assert sorted(brief["episodes"]) == sorted(
        [
            f"{note['uuid']} 2026-04-02 Ana: I keep the spare key of the shed under the blue pot.",
            f"{message['uuid']} 2026-05-15 Ben: The shed is locked, I lost its key.",
        ]
    )


def test_of_a_long_text_the_sentences_are_quoted_that_have_the_words(call):
    parts = [f"Paragraph {number} is about the weather and nothing else at all." for number in range(15)]
    parts[7] = "The insurance of the boat ends in October."
    parts[11] = "Renew the insurance with Helvetia."
    call("remember", text=" ".join(parts), reference_time="2026-04-02")
    [line] = call("search", query="when does the insurance end?", detail="brief")["episodes"]

    assert " … The insurance of the boat ends in October. … Renew" in line
    assert "Renew the insurance with Helvetia." in line
    assert len(line) < 520


def test_a_text_is_shown_without_its_front_matter(call):
    text = "---\ntitle: Boat\ntags: [harbour]\n---\n\nThe boat lies at pier nine."
    call("add_memory", name="Boat", episode_body=text, source="text")
    full, brief = (call("search", query="where is the boat?", detail=detail) for detail in ("full", "brief"))

    assert full["episodes"][0]["chunk"] == "The boat lies at pier nine."
    assert brief["episodes"][0].endswith("Boat: The boat lies at pier nine.")


def test_the_texts_that_mention_something_are_lines_too(call):
    call.record(person("Ana"), "reports_to", person("Ben"), valid_from="2026-02-01")
    call("remember", text="Ana met the board.", reference_time="2026-05-07")
    call("remember", text="The harbour is frozen. Ana stays at home.", reference_time="2026-05-08")
    recalled, explored = (
        call("recall_entity", name_or_alias="Ana", detail="brief")["texts"]["newest"],
        call("explore_node", name="Ana", detail="brief")["episodes"],
    )

    assert recalled == explored
    assert [line[30:] for line in recalled] == [
        "2026-05-08 The harbour is frozen. Ana stays at home.",
        "2026-05-07 Ana met the board.",
    ]


def test_the_beginning_of_a_day_is_shown_as_the_day(call):
    call.record(person("Ana"), "reports_to", person("Ben"), valid_from="2026-02-01")
    call.record(person("Ana"), "works_on", project("Atlas"), valid_from="2026-02-01T09:30:00Z")
    facts = call("recall_entity", name_or_alias="Ana", detail="brief")["facts"]

    assert sorted(each["valid_from"] for each in facts) == ["2026-02-01", "2026-02-01T10:30:00.000+01:00"]


def test_what_edges_and_texts_say_already_comes_last_among_the_nodes(filled):
    brief = filled("search", query="Which components does Atlas depend on?", detail="brief", max_tokens=700)
    nodes = [node["name"] for node in brief["nodes"]] + brief.get("more_nodes", [])

    assert brief["episodes"]
    assert nodes[:1] == ["Atlas"]
    shown = " ".join([edge["fact"] for edge in brief["edges"]] + brief["more_edges"])
    assert not [edge for edge in shown.split("Component ")[1:] if edge.split()[0] in "".join(nodes[1:2])]


def test_reasons_and_all_fields_of_a_hit_are_there_on_request(filled):
    full = filled("search", query="licence rollout plan", detail="full")
    fields = schemas.load("discovery", "search", "output")["$defs"]
    optional = {
        *("content", "content_truncated", "chunk_truncated", "mentioned_with"),
        *("reads", "proposed", "named_by", "beginning"),
    }
    for kind, name in (("nodes", "found_node"), ("edges", "found_edge"), ("episodes", "found_episode")):
        assert full[kind]
        for hit in full[kind]:
            assert fields[name]["properties"].keys() - optional <= hit.keys()


def test_a_search_without_a_limit_shows_as_many_texts_as_there_is_room_for(call):
    for number in range(60):
        call(
            "remember", text=f"The kiln reached {900 + number} degrees.", reference_time=f"2026-04-{1 + number % 28:02}"
        )
    many, few, ten = (
        call("search", query="How hot is the kiln?", search_mode="episodes", detail="brief", **more)["episodes"]
        for more in ({}, {"max_tokens": 500}, {"limit": 10})
    )

    assert len(many) > 25
    assert 8 <= len(few) < len(many)
    assert ten == many[:10]


def test_a_search_may_have_as_many_tokens_as_it_says(filled):
    sizes = [
        brief_answers.count_tokens(filled("search", query="licence", detail="brief", max_tokens=tokens))
        for tokens in (300, 3_000)
    ]

    assert sizes[0] <= 300
    assert 1_500 < sizes[1] <= 3_000


def test_null_that_is_the_answer_stays(graph):
    entity, decisions, node = ask(
        graph,
        ("recall_entity", {"name_or_alias": "Nobody"}),
        ("recall_decisions", {"project": "Nothing"}),
        ("explore_node", {"name": "Nobody"}),
    )

    assert (entity["entity"], decisions["project"], node["center_node"]) == (None, None, None)


def test_the_schema_of_a_large_vocabulary_has_the_most_used_words(call, graph):
    types = {f"kind_{number}": {"parents": ["person"]} for number in range(60)}
    predicates = {f"relates_in_way_{number}": {"sources": ["person"]} for number in range(60)}
    call("extend_vocabulary", types=types, predicates=predicates)
    facts = [
        fact(person("Priya"), f"relates_in_way_{number}", {"type": f"kind_{number}", "name": f"Bo {other}"})
        for number in range(60)
        for other in range(1 + (number == 42) * 5)
    ]
    assert call("record_facts", facts=facts)["refused"] == 0
    [brief] = ask(graph, ("get_schema", {}))

    assert brief_answers.count_tokens(brief) <= TOKENS
    assert next(iter(brief["relationship_types"])) == "RELATES_IN_WAY_42"
    assert brief["more_types"]
    assert brief["left_out"]["types"] > 0


def test_an_unknown_detail_is_refused(call):
    assert call("recall_entity", name_or_alias="x", detail="short")["error"] == "INVALID_ARGUMENTS"


# Texts in recall


def test_recall_counts_texts_and_quotes_the_newest(call):
    call.record(person("Ana"), "reports_to", person("Ben"))
    for day in range(1, 8):
        call("remember", text=f"Ana met the board on day {day}. {LONG}", reference_time=f"2026-05-0{day}")
    texts = call("recall_entity", name_or_alias="Ana")["texts"]

    assert texts["total"] == 7
    assert [quote["quote"] for quote in texts["newest"]] == [
        f"Ana met the board on day {day}." for day in (7, 6, 5, 4, 3)
    ]
    assert texts["newest"][0]["valid_at"].startswith("2026-05-07")
    assert call("recall_entity", name_or_alias="Ben")["texts"] == {"total": 0, "newest": []}


def test_recall_quotes_a_sentence_to_its_end(call):
    call("remember", text="Ada Lovelace reports to Gen. Arthur Wellesley. He is strict.")
    [quote] = call("recall_entity", name_or_alias="Ada Lovelace")["texts"]["newest"]

    assert quote["quote"] == "Ada Lovelace reports to Gen. Arthur Wellesley."


def test_recall_quotes_at_most_200_characters(call):
    call.record(person("Ana"), "reports_to", person("Ben"))
    call("remember", text=f"Ana said that {'very ' * 200}much is to be done.")
    [quote] = call("recall_entity", name_or_alias="Ana")["texts"]["newest"]

    assert len(quote["quote"]) <= 200
    assert quote["quote"].endswith("…")


def test_a_text_counts_from_its_time_on(call):
    call.record(person("Ana"), "reports_to", person("Ben"), valid_from="2020-01-01")
    call("remember", text="Ana met the board.", reference_time="2026-05-07")

    assert call("recall_entity", name_or_alias="Ana", as_of="2026-05-01")["texts"]["total"] == 0
    assert call("recall_entity", name_or_alias="Ana", as_of="2026-05-08")["texts"]["total"] == 1


def test_a_name_in_an_earlier_text_is_counted_at_once(call):
    call("remember", text="Ana met the board.")
    call.record(person("Ana"), "reports_to", person("Ben"))

    assert call("recall_entity", name_or_alias="Ana")["texts"]["total"] == 1


# Tokens


def test_tokens_are_counted_as_tokenizers_of_language_models_do(filled):
    """
    Where such a tokenizer is installed, on answers of every kind.
    """
    tokenizers = pytest.importorskip("bpe_openai")
    encodings = [tokenizers.get_encoding(name) for name in ("cl100k_base", "o200k_base")]
    for tool, arguments in QUESTIONS:
        for detail in ("brief", "full"):
            answer = filled(tool, **arguments, detail=detail)
            text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
            counted = brief_answers.count_tokens(answer)
            for encoding in encodings:
                assert 0.96 <= counted / len(encoding.encode(text)) <= 1.2


def test_counting_tokens_grows_with_the_text():
    chance = random.Random(7)
    letters = "abcXYZ äöüß 0123456789 _-,:{}\"' 漢字かな кириллица \U0001f600\n"
    for _ in range(200):
        text = "".join(chance.choice(letters) for _ in range(chance.randrange(1, 80)))

        assert 0 < brief_answers.count_tokens(text) <= brief_answers.count_tokens(f"{text} and more")


def _objects(value):
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _objects(inner)


def _toolset(tool: str) -> tuple[str, str]:
    toolsets = {
        "discovery": ("search",),
        "analysis": ("get_schema",),
        "connections": ("explore_node", "search_nodes", "search_memory_facts"),
    }
    return (next((toolset for toolset, tools in toolsets.items() if tool in tools), "memory"), tool)
