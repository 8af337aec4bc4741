"""Communities: found, kept, named, undone, over a real graph."""

from __future__ import annotations

import random
from itertools import combinations, pairwise
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import errors
from keepgraph.cli.root import kg
from laws import examples
from words import Caller, Clock, connected, counted, dump, literal, person, project, rows

CIRCLES = ("Ada", "Bob", "Cid")
COMMUNITY_TABLES = ("community", "community_member", "community_text_content")


def connect(call: Caller, *names: str) -> None:
    """A circle of friends in which everybody knows everybody."""
    for one, other in combinations(names, 2):
        call.record(person(one), "knows", person(other))


def members_of(call: Caller, community: dict[str, Any]) -> set[str]:
    return set(call("get_community", community=community["uuid"], limit=1_000)["community"]["members"])


def build(call: Caller, **more: Any) -> dict[str, Any]:
    return call("build_communities", group_ids=["default"], **more)


@pytest.fixture
def circles(call: Caller) -> Caller:
    for name in CIRCLES:
        connect(call, *(f"{name} {number}" for number in range(1, 5)))
    for one, other in pairwise(CIRCLES):
        call.record(person(f"{one} 1"), "knows", person(f"{other} 4"))
    return call


def test_who_belongs_together_is_found_with_the_largest_first(circles):
    connect(circles, *(f"Dan {number}" for number in range(1, 6)))
    answer = build(circles)

    assert answer["message"] == "Built 4 communities across 1 graph"
    assert answer["method"] == "leiden"
    assert [community["member_count"] for community in answer["communities"]] == [5, 4, 4, 4]
    assert members_of(circles, answer["communities"][0]) == {f"Dan {number}" for number in range(1, 6)}


def test_who_knows_somebody_elsewhere_belongs_where_most_of_the_facts_are(call):
    """
    The rare predicate between two teams weighs more than each other fact, and makes no pair of its own.
    """
    for team, people in {"Atlas": ("Ana", "Bob", "Cid"), "Boreas": ("Dora", "Eve", "Fay")}.items():
        for name in people:
            call.record(person(name), "works_on", project(team))
            call.record(person(name), "works_at", {"type": "organisation", "name": f"{team} Inc."})
    call.record(person("Ana"), "knows", person("Dora"))
    answer = build(call)

    assert sorted(sorted(members_of(call, community)) for community in answer["communities"]) == [
        ["Ana", "Atlas", "Atlas Inc.", "Bob", "Cid"],
        ["Boreas", "Boreas Inc.", "Dora", "Eve", "Fay"],
    ]


def test_two_facts_between_one_pair_end_and_are_no_community(call):
    call.record(person("Ada"), "knows", person("Bob"))
    call.record(person("Bob"), "works_with", person("Ada"))

    assert build(call)["community_count"] == 0


def test_texts_that_mention_entities_together_connect_them(call):
    for name in ("Ada Lovelace", "Grace Hopper", "Alan Turing"):
        call.record(person(name), "tagged", literal("pioneer"))
    call("add_memory", name="Note", episode_body="Ada Lovelace, Grace Hopper and Alan Turing met.")

    assert [community["member_count"] for community in build(call)["communities"]] == [3]


def test_only_what_holds_now_counts(call):
    for one, other in combinations(("Ada", "Bob", "Cid"), 2):
        call.record(person(one), "knows", person(other), valid_from="2020-01-01", valid_to="2021-01-01")

    assert build(call)["community_count"] == 0


def test_an_id_and_its_history_stay_when_members_come_and_go(circles):
    first = build(circles)["communities"]
    circles.record(person("Ada 5"), "knows", person("Ada 1"))
    circles.record(person("Ada 5"), "knows", person("Ada 2"))
    again = build(circles)

    assert {community["uuid"] for community in first} == {community["uuid"] for community in again["communities"]}
    assert (again["groups"][0]["kept"], again["groups"][0]["new"]) == (3, 0)
    history = circles("get_community", community=again["communities"][0]["uuid"], limit=1)["history"]
    assert [state["member_count"] for state in history] == [4]


def test_ids_stay_through_a_change_of_a_tenth(call):
    """
    Of 20 communities of 8, a tenth of all facts are retracted and as many others recorded.
    """
    generator = random.Random(5)
    people = [[f"P{circle} {number}" for number in range(8)] for circle in range(20)]
    facts = [pair for circle in people for pair in combinations(circle, 2) if generator.random() < 0.8]
    ids = [call.record(person(one), "knows", person(other))["fact_id"] for one, other in facts]
    before = {community["uuid"] for community in build(call)["communities"]}
    for id in generator.sample(ids, len(ids) // 10):
        call("retract_fact", fact_id=id)
    everybody = [name for circle in people for name in circle]
    for _ in range(len(ids) // 10):
        one, other = generator.sample(everybody, 2)
        call.record(person(one), "works_with", person(other))
    after = {community["uuid"] for community in build(call)["communities"]}

    assert len(before) == 20
    assert len(before & after) >= 18


def test_a_build_that_changes_nothing_writes_nothing(circles, path):
    build(circles)
    before = {table: dump(path)[table] for table in ("journal", "community", "community_member")}
    answer = build(circles)

    assert answer["call"] is None
    assert before == {table: dump(path)[table] for table in before}


def test_another_group_is_left_alone(path):
    for group in ("one", "two"):
        with keepgraph.open(path, clock=Clock(), group=group) as graph:
            connect(Caller(graph), "Ada", "Bob", "Cid")
    with keepgraph.open(path, clock=Clock(), group="one") as graph:
        call = Caller(graph)
        both = call("build_communities", group_ids=["one", "two"])
        before = rows(path, "SELECT * FROM community WHERE group_id = 'two'")
        connect(call, "Ada", "Bob", "Cid", "Dan")
        call("build_communities", group_ids=["one"])

    assert both["message"] == "Built 2 communities across 2 graphs"
    assert [report["group_id"] for report in both["groups"]] == ["one", "two"]
    assert before == rows(path, "SELECT * FROM community WHERE group_id = 'two'")


# Names


def test_a_name_is_the_most_central_member_with_the_words_of_its_community(circles):
    for number in range(1, 5):
        circles.record(person(f"Ada {number}"), "tagged", literal("weaving looms"))
    circles.record(person("Ada 9"), "knows", person("Ada 1"))
    names = {community["name"] for community in build(circles)["communities"]}

    assert "Ada 1: looms, weaving" in names


def test_what_would_profit_from_a_name_is_listed_with_facts(circles):
    answer = build(circles)
    first = answer["to_name"][0]

    assert len(answer["to_name"]) == 3
    assert "Ada 1 knows Ada 2" in first["facts"]
    assert len(first["facts"]) <= 12


def test_given_names_stay_through_builds_and_say_who_gave_them(circles):
    ada, bob, cid = (community["uuid"] for community in build(circles)["communities"])
    build(circles, names={ada: {"name": "Weavers", "summary": "Who weaves."}})
    circles("name_community", community=bob, name="Builders")
    connect(circles, "Ada 1", "Ada 2", "Ada 3", "Ada 5")
    answer = build(circles)
    names = {community["uuid"]: (community["name"], community["named_by"]) for community in answer["communities"]}

    assert names[ada] == ("Weavers", "caller")
    assert names[bob] == ("Builders", "person")
    assert names[cid][1] == "algorithm"
    assert [each["uuid"] for each in answer["to_name"]] == [cid]
    found = circles("search", query="weaves", search_mode="communities")["communities"]
    assert [(each["name"], each["summary"], each["named_by"]) for each in found] == [
        ("Weavers", "Who weaves.", "caller")
    ]


def test_an_empty_name_takes_the_given_one_back(circles):
    first = build(circles)["communities"][0]
    build(circles, names={first["uuid"]: {"name": "Weavers"}})
    again = build(circles, names={first["uuid"]: {"name": ""}})["communities"]

    assert {(each["name"], each["named_by"]) for each in again} >= {(first["name"], "algorithm")}


def test_a_community_of_an_earlier_version_counts_as_named_by_the_algorithm(circles, path):
    """
    Its row does not say who gave the name; the next build writes that, and undo takes it out again.
    """
    build(circles)
    with connected(path) as conn:
        conn.execute("UPDATE community SET named_by = NULL")
    before = dump(path)["community"]
    listed = circles("list_communities", limit=9)["communities"]
    built = build(circles)

    assert {community["named_by"] for community in listed} == {"algorithm"}
    assert rows(path, "SELECT DISTINCT named_by FROM community") == [("algorithm",)]
    circles("undo", call=built["call"])
    assert before == dump(path)["community"]


def test_the_log_says_what_a_build_and_a_name_were_about(circles):
    first = build(circles)["communities"][0]
    circles("name_community", community=first["uuid"], name="Weavers")
    named, built, *_ = (call["about"] for call in circles("list_calls", limit=2)["calls"])

    assert named == f"the community {first['name']}, now Weavers"
    assert built == f"the community {first['name']}, and 2 more communities"


def test_the_overview_names_the_largest_communities_in_a_few_words(circles):
    before = circles("get_overview")
    connect(circles, *(f"{'Dan ' * 30}{number}" for number in range(1, 6)))
    connect(circles, *(f"Eve {number}" for number in range(1, 5)))
    build(circles)
    after = circles("get_overview")
    shown = CliRunner().invoke(kg, ["--db", str(circles.graph.path), "overview"]).output

    assert (before["communities"], before["totals"]["communities"]) == ([], 0)
    assert [community["members"] for community in after["communities"]] == [5, 4, 4]
    assert after["communities"][0]["name"].startswith("Dan Dan")
    assert max(len(community["name"]) for community in after["communities"]) <= 70
    assert (after["totals"]["communities"], after["truncated"]) == (5, True)
    assert "Communities\n" in shown
    assert "… and 2 more" in shown


# Undo


def test_undo_of_a_build_gives_the_communities_of_before(circles, path):
    first = build(circles)["communities"][0]["uuid"]
    circles("name_community", community=first, name="Weavers")
    connect(circles, *(f"Bob {number}" for number in range(1, 7)))
    before = {table: dump(path)[table] for table in COMMUNITY_TABLES if table in dump(path)}
    built = build(circles)
    undone = circles("undo", call=built["call"])

    assert before == {table: dump(path)[table] for table in before}
    circles("undo", call=undone["call"])
    assert before != {table: dump(path)[table] for table in before}
    assert circles("get_community", community="Weavers", limit=1)["community"]["named_by"] == "person"


def test_undo_of_a_cleared_graph_brings_its_communities_back(circles, path):
    build(circles)
    before = {table: dump(path)[table] for table in ("community", "community_member")}
    cleared = circles("clear_graph", confirm=True)
    assert rows(path, "SELECT * FROM community") == []
    circles("undo", call=cleared["call"])

    assert before == {table: dump(path)[table] for table in before}


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("knows"), st.integers(0, 8), st.integers(0, 8)),
        st.tuples(st.just("build"), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("name"), st.integers(0, 3), st.integers(0, 2)),
    ),
    min_size=4,
    max_size=14,
)


@examples(5, sweep=150)
@given(STEPS)
def test_undoing_everything_backwards_leaves_no_community(tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("undo") / "graph.db"
    with keepgraph.open(path, clock=Clock(), new_id=counted()) as graph:
        call = Caller(graph)
        connect(call, "P0", "P1", "P2")
        states = []
        for kind, one, other in steps:
            state = rows(path, "SELECT * FROM community"), rows(path, "SELECT * FROM community_member")
            communities = call("list_communities", limit=9)["communities"]
            if kind == "knows" and one != other:
                answer = call("record_fact", subject=person(f"P{one}"), predicate="knows", object=person(f"P{other}"))
            elif kind == "build":
                answer = build(call, seed=one)
            elif kind == "name" and one < len(communities):
                answer = call("name_community", community=communities[one]["uuid"], name=["", "A", "B"][other])
            else:
                continue
            assert "error" not in answer, answer
            states.append((answer["call"], state))
        for number, state in reversed(states):
            if number is not None:
                answer = call("undo", call=number)
                assert "error" not in answer or answer["error"] == "CHANGE_NOT_FOUND", answer

            assert state == (rows(path, "SELECT * FROM community"), rows(path, "SELECT * FROM community_member"))


# Ends


def test_a_cancelled_build_leaves_the_old_communities(circles, path):
    build(circles)
    connect(circles, *(f"Dan {number}" for number in range(1, 5)))
    before = {table: dump(path)[table] for table in ("community", "community_member", "journal")}
    steps: list[str] = []
    for last in range(1, 5):
        steps.clear()

        def cancel(last: int = last) -> errors.Cancelled | None:
            return errors.Cancelled("enough") if len(steps) >= last else None

        with pytest.raises(errors.Cancelled):
            circles.graph.call_until(
                cancel,
                "build_communities",
                {"group_ids": ["default"]},
                progress=lambda done, total, what: steps.append(what),
            )
        if last < 4:
            assert before == {table: dump(path)[table] for table in before}


def test_a_dry_run_changes_nothing(circles, path):
    before = dump(path)
    answer = build(circles, dry_run=True)

    assert (answer["community_count"], answer["call"], answer["to_name"]) == (3, None, [])
    assert before == dump(path)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"group_ids": []},
        {"group_ids": ["default"], "seed": -1},
        {"group_ids": ["default"], "seed": "x"},
        {"group_ids": ["nothing here"]},
        {"group_ids": ["default"], "names": {"com_unknown": {}}},
        {"group_ids": ["default"], "names": ["A"]},
        {"group_ids": ["default"], "dry_run": 1},
        {"group_ids": ["default"], "resolution": 2},
    ],
)
def test_bad_arguments_change_nothing(circles, path, arguments):
    before = dump(path)

    assert circles("build_communities", **arguments)["error"] == "INVALID_ARGUMENTS"
    assert before == dump(path)


def test_a_name_for_no_community_is_refused_before_anything_is_built(circles, path):
    before = dump(path)

    assert build(circles, names={"com_unknown": {"name": "A"}})["error"] == "COMMUNITY_NOT_FOUND"
    assert before == dump(path)


def test_a_graph_without_facts_has_no_communities(call):
    assert build(call)["message"] == "Built 0 communities across 1 graph"


def test_the_commands_list_build_show_and_name(circles):
    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(kg, ["--db", str(circles.graph.path), "communities", *words])
        return done.exit_code, done.output

    assert "There are no communities" in run()[1]
    assert run("build")[1].startswith("Built 3 communities across 1 graph (0 kept, 3 new, 0 gone; leiden).\n")
    first = circles("list_communities", limit=1)["communities"][0]
    assert "Weavers  4 members, named by a person" in run("name", first["uuid"], "Weavers")[1]
    assert "\nWeavers  4 members" in f"\n{run()[1]}"
    assert "  Ada 1 knows Ada 2" in run("weavers")[1]
    assert run("name", "nothing", "x")[0] == run("show", "nothing")[0] == 3
