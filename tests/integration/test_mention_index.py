"""The mention index: it is the same whether the text or the name comes first, and however often others write."""

from __future__ import annotations

import pytest

import keepgraph
from keepgraph import store
from keepgraph.engine.texts import mention_index
from words import Caller, concept, person, project


def known_in(context):
    return [node["name"] for node in context["nodes"] if not node.get("proposed")]


def proposed_in(context):
    return [node["name"] for node in context["nodes"] if node.get("proposed")]


def tagged(thing):
    return {"subject": thing, "predicate": "tagged", "object": {"literal": "x"}}


def let_all_wait(graph):
    with graph.database.write("test") as tx:
        store.mentions.add_all_chunks(tx)


TEXTS = [
    ("Priya reports to Ada. Atlas is blocked by PostgreSQL.", [person("Priya Raman"), person("Ada"), project("Atlas")]),
    ("C++ and C# are not .NET", [concept("C++"), concept("C#"), concept("C"), concept(".NET")]),
    ("我们在北京市使用PostgreSQL数据库。东京", [concept("北京"), concept("东京"), concept("数据库")]),
    ("ผมอยู่ที่กรุงเทพมหานครวันนี้", [concept("กรุงเทพมหานคร")]),
    ("프리야는 서울에서 Jose\u0301를 만났다", [person("프리야"), concept("서울"), person("José")]),
    ("O’Brien and Anna-Maria, in Q3 2025", [person("O'Brien"), person("Anna-Maria"), concept("Q3 2025")]),
    ("“+++” is a sign of Jürgen’s", [concept("+++"), person("Jürgen")]),
    ("It's up to Will and Mark; stress it", [person("Will"), person("Mark"), concept("stress")]),
    ("Ilse Brandt of Falcon Systems called. Ilse and Falcon wait.", [person("Ilse"), project("Falcon")]),
]


@pytest.mark.parametrize(("text", "things"), TEXTS)
def test_it_makes_no_difference_whether_the_text_or_the_name_comes_first(tmp_path, open_graph, text, things):
    before, after = (Caller(open_graph(tmp_path / name)) for name in ("before.db", "after.db"))
    before("record_facts", facts=[tagged(thing) for thing in things])
    contexts = [
        call("get_episode_context", episode_uuids=[call("add_memory", name="Note", episode_body=text)["uuid"]])
        for call in (before,)
    ]
    added = after("add_memory", name="Note", episode_body=text)
    after("record_facts", facts=[tagged(thing) for thing in things])
    contexts.append(after("get_episode_context", episode_uuids=[added["uuid"]]))

    assert known_in(contexts[0])
    assert known_in(contexts[0]) == known_in(contexts[1])
    assert sorted(proposed_in(contexts[0])) == sorted(proposed_in(contexts[1]))


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("Ilse Brandt called about the invoice.", ["Ilse Brandt"]),
        ("Met Ilse Brandt-Okafor in Cedar Falcon.", ["Ilse Brandt-Okafor", "Cedar Falcon"]),
        ("Falcon Systems sent an offer.", ["Falcon Systems"]),
    ],
)
def test_a_longer_name_is_proposed_and_never_taken_for_the_known_name_in_it(call, text, proposed):
    """
    A known first name or title inside a longer run of capitalised words is part of another name.
    """
    call("record_fact", **tagged(person("Ilse Kovač")), aliases=["Ilse"])
    call("record_fact", **tagged(project("Falcon")))
    added = call("add_memory", name="Note", episode_body=text)
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert known_in(context) == []
    assert proposed == proposed_in(context)


@pytest.mark.parametrize(
    "text", ["Ilse Kovac called.", "Ilse Maria Kovač called.", "Ilse K. called.", "Dr. Ilse called."]
)
def test_a_name_in_other_words_is_still_the_known_one(call, text):
    call("record_fact", **tagged(person("Ilse Kovač")), aliases=["Ilse"])
    added = call("add_memory", name="Note", episode_body=text)
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert known_in(context) == ["Ilse Kovač"]


def test_a_name_that_goes_is_a_proposal_again(call):
    added = call("add_memory", name="Note", episode_body="Using Django with PostgreSQL")
    call("record_fact", **tagged(concept("Django")))
    between = call("get_episode_context", episode_uuids=[added["uuid"]])
    call("undo")
    after = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert known_in(between) == ["Django"]
    assert sorted(proposed_in(after)) == ["Django", "PostgreSQL"]


def test_reading_goes_on_where_it_stopped(graph, call):
    call("add_memory", episodes=[{"name": f"Note {n}", "content": f"Note {n} on Django"} for n in range(100)])
    let_all_wait(graph)
    left = mention_index.backfill(graph.database, max_chunks=1)

    assert 0 < left < 100
    assert mention_index.backfill(graph.database) == 0
    assert mention_index.count_due(graph.database) == 0


def test_a_question_waits_for_a_bounded_time_and_says_what_is_unread(graph, call, monkeypatch):
    added = call("add_memory", name="Note", episode_body="Using Django")
    call("record_fact", **tagged(concept("Django")))
    monkeypatch.setattr(mention_index, "backfill", lambda database, **_: None)
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert context["unread"] == 1


def test_what_was_read_while_somebody_wrote_is_read_again(graph, call, open_graph, monkeypatch):
    added = call("add_memory", name="Note", episode_body="Using Django with PostgreSQL")
    let_all_wait(graph)
    other = Caller(open_graph())
    compute = mention_index._Batch.compute
    facts = [tagged(concept("Django")), tagged(concept("PostgreSQL"))]

    def disturbed(tx, *, seconds, episodes=None):
        batch = compute(tx, seconds=seconds, episodes=episodes)
        if facts:
            other("record_fact", **facts.pop())
        return batch

    monkeypatch.setattr(mention_index._Batch, "compute", disturbed)
    mention_index.backfill(graph.database)
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert sorted(known_in(context)) == ["Django", "PostgreSQL"]


def test_a_read_only_graph_answers_with_what_has_been_read(call, path, open_graph):
    added = call("add_memory", name="Note", episode_body="Using Django")
    call("record_fact", **tagged(concept("Django")))
    context = Caller(keepgraph.open(path, read_only=True))("get_episode_context", episode_uuids=[added["uuid"]])

    assert (known_in(context), context["unread"]) == ([], 1)


def test_of_a_long_text_the_beginning_is_read_at_once_and_the_rest_before_the_next_question(call, monkeypatch):
    monkeypatch.setattr(mention_index, "_MAX_CHARACTERS_IN_CALL", 2_000)
    text = "".join(f"Note {n}: we met Priya{n} again, and talked about many other things.\n\n" for n in range(100))
    call("record_facts", facts=[tagged(person(f"Priya{n}")) for n in range(100)])
    added = call("add_memory", name="Long", episode_body=text)
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert 0 < added["unread"] < added["chunks"]
    assert len(known_in(context)) == 100
