"""Two entities become one, and whatever a call changed is taken back: row for row, or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from keepgraph import store
from keepgraph.engine import knowledge, texts
from keepgraph.engine.exchange import export
from keepgraph.engine.maintenance import integrity
from keepgraph.engine.texts import mention_index, storage
from keepgraph.language import utf8
from keepgraph.language.chunking import TextChunk
from keepgraph.model import Ref
from words import Caller, Clock, concept, connected, decision, dump, fact, literal, person, project, rows

ADA, ADAH, GRACE = person("Ada"), person("Adah"), person("Grace")
ATLAS, GO = project("Atlas"), decision("Go")

FULL_TEXT = [index.table for index in store.derived_tables.INDEXES if not index.view]
KEPT = ("entity", "alias", "former_id", "fact", "earlier_validity", "provenance", "name_initials", "episode", "chunk")
"""The tables that have to be the same afterwards. What only helps finding by meaning may lag."""


# What a graph is made of


def indexed(conn: Any, index: str) -> list[tuple[Any, ...]]:
    """Every word of a full-text index, with the row and the place where it stands."""
    conn.execute(f"CREATE VIRTUAL TABLE temp.in_{index} USING fts5vocab('main', '{index}', 'instance')")
    return sorted(map(tuple, conn.execute(f"SELECT term, doc, offset FROM temp.in_{index}")))


def state(call: Caller) -> dict[str, Any]:
    """All that undo has to bring back: the rows, the contents of the indexes, and what an export writes."""
    path = call.graph.path
    with connected(path) as conn:
        indexes = {index: indexed(conn, index) for index in FULL_TEXT}
    kept = dump(path, KEPT)
    _, *lines = [json.dumps(line, ensure_ascii=False) for line in export.stream_lines(call.graph.database)]
    return {**kept, **indexes, "export": lines}


def check_sound(call: Caller) -> None:
    """The file is whole, its indexes say what its rows say, and everything in it can be read."""
    with tempfile.TemporaryDirectory() as folder, connected(call.graph.path) as conn:
        copy = sqlite.connect(str(Path(folder) / "copy.db"), isolation_level=None)
        conn.backup(copy)
        assert copy.execute("PRAGMA integrity_check").fetchall()[0][0] == "ok"
        assert copy.execute("PRAGMA foreign_key_check").fetchall() == []
        for index in FULL_TEXT:
            copy.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        named = {2 * row for (row,) in copy.execute("SELECT id FROM entity")}
        named |= {2 * row + 1 for (row,) in copy.execute("SELECT id FROM alias")}
        assert {row for _, row, _ in indexed(copy, "name_trigram")} == named
        assert {row for (row,) in copy.execute("SELECT surface FROM name_initials")} <= named
        assert {row for (row,) in copy.execute("SELECT surface FROM name_posting")} == named
        told = [row[0] for row in copy.execute("SELECT public_id FROM entity")]
        copy.close()
    checks, _ = integrity.check_all(call.graph.database)
    assert [check for check in checks if check.state == integrity.State.WRONG] == []
    for identity in told:
        answer = call("recall_entity", name_or_alias=identity)
        assert answer["entity"]["id"] == identity
    list(export.stream_lines(call.graph.database))


def remembered(call: Caller, words: str, *, about: Sequence[dict[str, str]] = ()) -> str:
    """The id of a text that is kept, and not read yet."""
    with call.graph.database.write("remember") as tx:
        stored = storage.upsert(
            store.journal.begin_call(tx),
            existing=None,
            kind=storage.TEXT,
            name="A note",
            source=None,
            digest=utf8.digest(words),
            occurred_at=None,
            chunks=lambda: [(TextChunk(words), about)],
        )
    return stored.episode.id


def calls(call: Caller) -> list[int]:
    """The calls that changed something, newest first."""
    return [each["call"] for each in call("list_calls", limit=10_000)["calls"]]


def changes(path: Path, number: int) -> list[tuple[int, str, str]]:
    """What one call did: the number of the change, the operation and the table."""
    return rows(path, "SELECT id, op, tbl FROM journal WHERE call = ? ORDER BY id", number)


# Stories: a graph as it may have come about

PEOPLE = [person("Ada"), person("Ada Q"), person("Bob"), concept("Ada"), concept("Grand Plan"), project("Bob")]
TEXTS = ["Ada Q met Bob.", "The Grand Plan waits.\n\nAda knows."]
things = st.sampled_from(PEOPLE)
days = st.sampled_from(["2026-01-01", "2026-05-15", "2026-05-17", "2026-08-01"])
validities = st.one_of(
    st.just({}),
    st.just({}),
    st.fixed_dictionaries({}, optional={"valid_from": days, "valid_to": days}),
)
which = st.integers(0, 30)

recordings = st.builds(
    lambda subject, predicate, object, validity, **more: {
        **fact(subject, predicate, object),
        **validity,
        **{name: value for name, value in more.items() if value},
    },
    things,
    st.sampled_from(["depends_on", "reports_to", "blocked_by", "resolved_by"]),
    things | st.sampled_from([literal("on"), literal("off")]),
    validities,
    source=st.sampled_from([None, None, "mail", "“minutes”\n\x01"]),
    confidence=st.sampled_from([None, 0.1 + 0.2, 1 / 3]),
    aliases=st.lists(st.sampled_from(["Countess", "The Plan", "bob"]), max_size=1),
)

names = st.sampled_from(["Ada", "ADA", "Ada Q", "Adah", "Countess", "bob", "Bob", "Áda", "Grand Plan"])
updates = st.fixed_dictionaries(
    {},
    optional={
        "name": names,
        "type": st.sampled_from(["person", "project", "concept", "decision"]),
        "summary": st.sampled_from(["", "Leads the plan."]),
        "properties": st.dictionaries(st.sampled_from(["role", "n"]), st.sampled_from([None, "CTO", 1, True, [1, {}]])),
        "add_aliases": st.lists(names, max_size=2),
        "remove_aliases": st.lists(names, max_size=1),
        "keep_old_name": st.booleans(),
    },
)

steps = st.one_of(
    st.tuples(st.just("update"), which, updates),
    st.tuples(st.just("update"), which, st.fixed_dictionaries({"name": names})),
    st.tuples(st.just("record"), recordings),
    st.tuples(st.just("record many"), st.lists(recordings, min_size=2, max_size=4)),
    st.tuples(st.just("say again"), which),
    st.tuples(st.just("say of another"), which, which),
    st.tuples(st.just("supersede"), which, recordings),
    st.tuples(st.just("retract"), which),
    st.tuples(st.just("end"), which, st.none() | days),
    st.tuples(st.just("close"), which),
    st.tuples(st.just("delete"), which),
    st.tuples(st.just("alias"), which, st.sampled_from(["Countess", "A. Q.", "BOB", "Ada Q"])),
    st.tuples(st.just("merge"), which, which),
    st.tuples(st.just("remember"), st.sampled_from(TEXTS), st.lists(things, max_size=2)),
    st.tuples(st.just("forget"), which),
    st.tuples(st.just("forget entity"), which),
    st.tuples(st.just("forget fact"), which),
    st.tuples(st.just("forget call"), which),
    st.tuples(st.just("wait"), st.integers(0, 3)),
)
stories = st.tuples(st.lists(recordings, min_size=3, max_size=6), st.lists(steps, min_size=2, max_size=12)).map(
    lambda told: [("record many", told[0]), *told[1]]
)


_TOLD = """
    SELECT s.public_id, predicate.name, o.public_id, literal, nullif(valid_from, ''), nullif(valid_to, '~')
    FROM fact JOIN predicate ON predicate.id = predicate JOIN entity AS s ON s.id = subject
    LEFT JOIN entity AS o ON o.id = object
    WHERE fact.public_id = ?
"""


class Teller:
    """Lets a story happen in a graph."""

    def __init__(self, path: Path) -> None:
        self.clock = Clock()
        self.path = path
        self.call = Caller(keepgraph.open(path, clock=self.clock, zone=ZoneInfo("Europe/Zurich")))

    def tell(self, step: tuple[Any, ...]) -> dict[str, Any]:
        """What one step answers. A number picks a fact or an entity that is there; none may be."""
        kind, *given = step
        if kind == "record":
            return self.call("record_fact", **given[0])
        if kind == "record many":
            return self.call("record_facts", facts=given[0])
        if kind == "wait":
            self.clock.pass_by(days=given[0], seconds=1)
            return {}
        if kind == "clear":
            return self.call("clear_graph", confirm=True)
        if kind == "remember":
            about = [{"how": "given", **each} for each in given[1]]
            text = remembered(self.call, given[0], about=about)
            return {"uuid": text, "call": calls(self.call)[0]}
        if kind == "forget":
            picked = self._picked("SELECT public_id FROM episode ORDER BY id", given[0])
            return self.call("delete_episode", uuid=picked)
        if kind == "forget entity":
            return self.call("forget", what=self.entity(given[0]))
        if kind == "forget fact":
            return self.call("forget", what=self.fact(given[0]))
        if kind == "forget call":
            made = calls(self.call) or [1]
            return self.call("forget", what=f"call {made[given[0] % len(made)]}")
        if kind == "alias":
            return self.call("add_alias", entity={"id": self.entity(given[0])}, alias=given[1])
        if kind == "update":
            return self.call("update_entity", entity={"id": self.entity(given[0])}, **given[1])
        if kind == "merge":
            keep, absorb = self.two(*given)
            return self.call("merge_entities", keep={"id": keep}, absorb={"id": absorb}, across_types=True)
        if kind == "undo":
            return self.call("undo")
        if kind == "undo call":
            made = calls(self.call) or [1]
            return self.call("undo", call=made[given[0] % len(made)])
        if kind == "undo change":
            ((last,),) = rows(self.path, "SELECT coalesce(max(id), 1) FROM journal")
            return self.call("undo", change=last - given[0] % last)
        picked = self.fact(given[0])
        if kind == "supersede":
            return self.call("record_fact", **given[1], supersedes=[picked])
        if kind == "retract":
            return self.call("retract_fact", fact_id=picked)
        if kind == "delete":
            return self.call("delete_entity_edge", uuid=picked)
        if kind == "end":
            return self.call("end_fact", fact_id=picked, **({"valid_to": given[1]} if given[1] else {}))
        if kind == "close":
            return self.call("resolve_blocker", blocker=picked, by=literal("a call"))
        told = rows(self.path, _TOLD, picked)
        if not told:
            return {}
        subject, predicate, object, text, start, end = told[0]
        return self.call(
            "record_fact",
            subject={"id": subject if kind == "say again" else self.entity(given[1])},
            predicate=predicate,
            object={"id": object} if object else literal(text),
            source=kind,
            **{name: value for name, value in (("valid_from", start), ("valid_to", end)) if value},
        )

    def fact(self, number: int) -> str:
        return self._picked("SELECT public_id FROM fact ORDER BY id", number)

    def entity(self, number: int) -> str:
        return self._picked("SELECT public_id FROM entity ORDER BY id", number)

    def two(self, one: int, other: int) -> tuple[str, str]:
        """Two entities, not the same one unless there is no other."""
        first = self.entity(one)
        others = rows(self.path, "SELECT public_id FROM entity WHERE public_id <> ? ORDER BY id", first)
        return first, others[other % len(others)][0] if others else first

    def _picked(self, query: str, number: int) -> str:
        found = rows(self.path, query)
        return found[number % len(found)][0] if found else "nobody"


@contextmanager
def teller(blank: Path) -> Iterator[Teller]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "graph.db"
        shutil.copy(blank, copy)
        told = Teller(copy)
        try:
            yield told
        finally:
            told.call.graph.close()


def undone(call: Caller, /, **which: int) -> dict[str, Any]:
    """Take back what must be possible to take back."""
    answer = call("undo", **which)
    assert "error" not in answer, answer
    return answer


def check_merge_and_back(blank: Path, story: list[tuple[Any, ...]], one: int, other: int) -> None:
    with teller(blank) as world:
        for step in story:
            world.tell(step)
        keep, absorb = world.two(one, other)
        assume(keep != absorb)
        world.clock.pass_by(days=1)
        call, both = world.call, {"keep": {"id": keep}, "absorb": {"id": absorb}, "across_types": True}
        before = state(call)
        plan = call("merge_entities", **both, dry_run=True)
        assert state(call) == before
        done = call("merge_entities", **both)
        after = state(call)
        assert {**done, "dry_run": True, "call": None} == plan
        check_sound(call)

        taken_back = undone(call, call=done["call"])
        assert state(call) == before
        check_sound(call)

        undone(call, call=taken_back["call"])
        assert state(call) == after
        check_sound(call)


def check_every_step_and_back(blank: Path, story: list[tuple[Any, ...]]) -> None:
    with teller(blank) as world:
        call = world.call
        for step in [*story, ("clear",), *story[:3]]:
            before = state(call)
            done = world.tell(step)
            after = state(call)
            if "call" not in done:
                assert before == after
                continue
            if before == after:
                assert done["call"] is None
                continue
            again = undone(call, call=done["call"])
            assert state(call) == before
            undone(call, call=again["call"])
            assert state(call) == after
        check_sound(call)


undoings = st.one_of(
    st.tuples(st.just("undo")),
    st.tuples(st.just("undo call"), which),
    st.tuples(st.just("undo call"), which),
    st.tuples(st.just("undo change"), st.integers(0, 60)),
    st.tuples(st.just("undo change"), st.integers(0, 12)),
    st.tuples(st.just("clear")),
)
muddles = st.tuples(stories, st.lists(steps | undoings | undoings, min_size=6, max_size=16)).map(
    lambda told: told[0] + told[1]
)


def check_muddle(blank: Path, muddle: list[tuple[Any, ...]]) -> None:
    with teller(blank) as world:
        call = world.call
        for step in muddle:
            before = dump(world.path)
            answer = world.tell(step)
            if "undo" in step[0]:
                if "error" in answer:
                    assert answer["error"] in ("LATER_CHANGES", "CHANGE_NOT_FOUND")
                    assert dump(world.path) == before
                check_sound(call)
        for number in calls(call):
            undone(call, call=number)
        assert {name: held for name, held in state(call).items() if held} == {}
        check_sound(call)


@settings(max_examples=5)
@given(stories, which, which)
def test_a_merge_is_what_the_dry_run_said_and_taking_it_back_leaves_no_trace(blank, story, one, other):
    check_merge_and_back(blank, story, one, other)


@settings(max_examples=3)
@given(stories)
def test_any_call_taken_back_leaves_no_trace_and_can_be_had_again(blank, story):
    check_every_step_and_back(blank, story)


@pytest.mark.slow
@settings(max_examples=4)
@given(muddles)
def test_taking_back_at_random_breaks_nothing_and_all_can_be_taken_back(blank, muddle):
    check_muddle(blank, muddle)


@pytest.mark.slow
@settings(max_examples=250)
@given(stories, which, which)
def test_many_merges_leave_no_trace(blank, story, one, other):
    check_merge_and_back(blank, story, one, other)


@pytest.mark.slow
@settings(max_examples=120)
@given(stories)
def test_many_calls_leave_no_trace(blank, story):
    check_every_step_and_back(blank, story)


@pytest.mark.slow
@settings(max_examples=150)
@given(muddles)
def test_many_undoings_break_nothing(blank, muddle):
    check_muddle(blank, muddle)


# What a merge does


def merged(call: Caller, keep: dict[str, Any], absorb: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Merge what must be possible to merge."""
    answer = call("merge_entities", keep=keep, absorb=absorb, **more)
    assert "error" not in answer, answer
    return answer


def told_of(call: Caller, name: str, **when: str) -> list[tuple[Any, ...]]:
    """The facts about an entity as they are recalled, oldest first: subject, predicate, object."""
    return [
        (each["subject"]["name"], each["predicate"], each["object"].get("literal") or each["object"]["name"])
        for each in reversed(call("recall_entity", name_or_alias=name, **when)["facts"])
    ]


def test_facts_follow_in_both_directions_and_are_told_anew(call, path):
    call.record(ADAH, "decided_in", GO)
    call.record(GRACE, "reports_to", ADAH)
    call.record(ADA, "tagged", literal("lead"))
    done = merged(call, ADA, ADAH)

    assert told_of(call, "Ada") == [
        ("Ada", "decided_in", "Go"),
        ("Grace", "reports_to", "Ada"),
        ("Ada", "tagged", "lead"),
    ]
    assert [(each["effect"], each["was"], each["becomes"]) for each in done["facts"]] == [
        ("moved", "Adah decided in Go", "Ada decided in Go"),
        ("moved", "Grace reports to Adah", "Grace reports to Ada"),
    ]
    assert [text for (text,) in rows(path, "SELECT text FROM fact WHERE text LIKE '%Adah%'")] == []


def test_the_absorbed_name_is_found_by_alias_and_says_so(call):
    call.record(ADA, "tagged", literal("x"), aliases=["Countess"])
    call.record(ADAH, "tagged", literal("y"), aliases=["Enchantress", "COUNTESS"])
    done = merged(call, ADA, ADAH)
    answer = call("recall_entity", name_or_alias="adah")

    assert (answer["entity"]["name"], answer["resolution"]["method"]) == ("Ada", "alias")
    assert answer["entity"]["aliases"] == ["Countess", "Enchantress", "Adah"]
    assert (done["aliases_added"], done["aliases_dropped"]) == (["Enchantress", "Adah"], ["COUNTESS"])


def test_recording_under_the_absorbed_name_goes_on_with_the_one_that_was_kept(call):
    kept = call.record(ADA, "tagged", literal("x"))["subject"]
    call.record(ADAH, "tagged", literal("y"))
    merged(call, ADA, ADAH)

    assert call.record(ADAH, "decided_in", GO)["subject"] == kept


@pytest.mark.parametrize("first", [ADA, ADAH])
def test_a_fact_that_both_had_keeps_the_older_id_and_every_source(call, clock, path, first):
    facts = []
    for who, said in ((first, "mail"), (ADAH if first == ADA else ADA, "minutes"), (first, "talk")):
        facts.append(call.record(who, "tagged", literal("lead"), source=said)["fact_id"])
        clock.pass_by(hours=1)
    done = merged(call, ADA, ADAH)
    (left,) = call("recall_entity", name_or_alias="Ada")["facts"]

    assert (left["id"], left["source"], left["recorded_at"]) == (facts[0], "mail", "2026-05-15T12:00:00.000+02:00")
    assert (done["folded"], done["facts"][0]["id"], done["facts"][0]["into"]) == (1, facts[1], facts[0])
    assert [said for (said,) in rows(path, "SELECT source FROM provenance ORDER BY id")] == ["mail", "minutes", "talk"]
    (told,) = [line for line in export.stream_lines(call.graph.database) if line.get("kind") == "fact"]
    assert [said["source"] for said in told["provenance"]] == ["mail", "minutes", "talk"]


def test_what_held_at_another_time_is_not_folded(call):
    call.record(ADA, "tagged", literal("lead"), valid_from="2026-01-01", valid_to="2026-02-01")
    call.record(ADAH, "tagged", literal("lead"))
    done = merged(call, ADA, ADAH)

    assert (done["moved"], done["folded"]) == (1, 0)
    assert call("get_status")["facts"] == 2


def test_a_fact_between_the_two_is_retracted_and_reported(call, clock):
    call.record(ADA, "reports_to", ADAH)
    call.record(ADAH, "depends_on", ADA)
    call.record(ADA, "tagged", literal("x"))
    clock.pass_by(hours=1)
    done = merged(call, ADA, ADAH)
    clock.pass_by(hours=1)

    assert [(each["effect"], each["becomes"]) for each in done["facts"]] == [
        ("retracted", "Ada reports to Ada"),
        ("retracted", "Ada depends on Ada"),
    ]
    assert done["retracted"] == 2
    assert told_of(call, "Ada") == [("Ada", "tagged", "x")]
    assert len(told_of(call, "Ada", known_at="2026-05-15T12:30")) == 3


@pytest.mark.parametrize(("loops", "folded"), [([ADA], 0), ([ADAH], 0), ([ADA, ADAH], 1)])
def test_what_an_entity_said_of_itself_stays(call, loops, folded):
    call.record(ADA, "tagged", literal("x"))
    call.record(ADAH, "tagged", literal("y"))
    for who in loops:
        call.record(who, "depends_on", who)
    done = merged(call, ADA, ADAH)

    assert (done["retracted"], done["folded"]) == (0, folded)
    assert told_of(call, "Ada").count(("Ada", "depends_on", "Ada")) == 1


def test_a_retracted_fact_comes_along_and_stays_retracted(call, path):
    gone = call.record(ADAH, "tagged", literal("x"))["fact_id"]
    call.record(ADA, "tagged", literal("x"))
    call("retract_fact", fact_id=gone)
    done = merged(call, ADA, ADAH)

    assert [(each["id"], each["effect"]) for each in done["facts"]] == [(gone, "moved")]
    assert told_of(call, "Ada") == [("Ada", "tagged", "x")]
    assert rows(path, "SELECT count(*) FROM fact WHERE retracted_at IS NOT NULL") == [(1,)]


def test_what_was_known_before_a_fold_is_told_once(call, clock):
    both = [call.record(who, "tagged", literal("on"))["fact_id"] for who in (ADA, ADAH)]
    clock.pass_by(days=1)
    call.record(ADA, "tagged", literal("off"), supersedes=both)
    clock.pass_by(days=1)
    merged(call, ADA, ADAH)

    assert told_of(call, "Ada", known_at="2026-05-15") == [("Ada", "tagged", "on")]


def test_writers_who_remember_the_old_id_are_led_to_the_one_that_was_kept(call):
    kept = call.record(ADA, "tagged", literal("x"))["subject"]
    old = {"id": call.record(ADAH, "tagged", literal("y"))["subject"]["id"]}
    merged(call, ADA, ADAH)

    assert call.record(old, "decided_in", GO)["subject"] == kept
    assert call.record(GRACE, "reports_to", {"id": old["id"].upper()})["object"] == kept
    assert call("add_alias", entity=old, alias="Countess")["entity"]["id"] == kept["id"]
    assert merged(call, GRACE, old)["absorbed"] == kept


@pytest.mark.parametrize(
    ("tool", "parameter"),
    [("recall_entity", "name_or_alias"), ("get_history", "about"), ("recall_decisions", "project")],
)
def test_readers_who_remember_the_old_id_are_led_to_the_one_that_was_kept(call, tool, parameter):
    kept = call.record(ATLAS, "tagged", literal("x"))["subject"]
    old = call.record(project("Atlantis"), "tagged", literal("y"))["subject"]["id"]
    merged(call, ATLAS, {"id": old})
    answer = call(tool, **{parameter: old})

    assert [answer.get(found) and answer[found]["id"] for found in ("entity", "project")].count(kept["id"]) == 1


def test_entities_of_two_types_can_be_one(call, path):
    kept = call.record(concept("Mercury"), "tagged", literal("planet"))["subject"]
    call.record(ADA, "decided_in", project("Mercury"))
    call.record(project("Mercury"), "blocked_by", literal("rain"))
    before = dump(path)
    assert call("merge_entities", keep=concept("Mercury"), absorb=project("Mercury"))["error"] == "TYPES_DIFFER"
    assert dump(path) == before
    done = merged(call, concept("Mercury"), project("Mercury"), across_types=True)

    assert (done["absorbed"]["type"], done["entity"]) == ("project", kept)
    assert (done["moved"], done["aliases_added"], done["aliases_dropped"]) == (2, [], ["Mercury"])
    assert {each[1] for each in told_of(call, "Mercury")} == {"tagged", "decided_in", "blocked_by"}


def test_the_name_of_a_third_is_not_taken_for_an_alias(call):
    call.record(concept("Mercury"), "tagged", literal("planet"))
    call.record(concept("Quicksilver"), "tagged", literal("metal"))
    call.record(project("Mercury"), "tagged", literal("mission"))
    done = merged(call, concept("Quicksilver"), project("Mercury"), across_types=True)

    assert (done["aliases_added"], done["aliases_dropped"]) == ([], ["Mercury"])
    assert call("recall_entity", name_or_alias="Quicksilver")["entity"]["aliases"] == []


def test_an_alias_that_is_the_name_of_a_third_is_not_taken_along(call):
    call.record(concept("Mercury"), "tagged", literal("planet"))
    call.record(concept("Quicksilver"), "tagged", literal("metal"))
    call.record(project("Mission"), "tagged", literal("x"), aliases=["Mercury"])
    done = merged(call, concept("Quicksilver"), project("Mission"), across_types=True)

    assert call("add_alias", entity=concept("Quicksilver"), alias="Mercury")["error"] == "ALIAS_TAKEN"
    assert (done["aliases_added"], done["aliases_dropped"]) == (["Mission"], ["Mercury"])


def test_who_was_merged_twice_is_found_by_every_name_and_id(call):
    ids = [call.record(who, "tagged", literal("x"))["subject"]["id"] for who in (ADA, ADAH, GRACE)]
    merged(call, ADAH, ADA)
    merged(call, GRACE, ADAH)

    assert [call.recalled(name) for name in ("Ada", "Adah", "Grace")] == ["Grace"] * 3
    assert {call.record({"id": each}, "tagged", literal("y"))["subject"]["id"] for each in ids} == {ids[2]}


def test_merges_in_a_row_are_taken_back_the_newest_first(call):
    for who in (ADA, ADAH, GRACE):
        call.record(who, "tagged", literal("x"))
    states = [state(call)]
    first = merged(call, ADAH, ADA)["call"]
    states.append(state(call))
    second = merged(call, GRACE, ADAH)["call"]
    refused = call("undo", call=first)

    assert (refused["error"], refused["candidates"]) == (
        "LATER_CHANGES",
        [{"call": second, "tool": "merge_entities"}],
    )
    undone(call, call=second)
    assert state(call) == states[1]
    undone(call, call=first)
    assert state(call) == states[0]


def speaking_of(call: Caller, text: str) -> list[str]:
    """The names of the entities of which a text speaks."""
    with call.graph.database.write("reading") as tx:
        mention_index.catch_up(tx, seconds=60)
    mentioned = rows(
        call.graph.path,
        """
        SELECT DISTINCT entity.name FROM mention
        JOIN entity ON entity.id = mention.entity
        JOIN chunk ON chunk.id = mention.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE episode.public_id = ? ORDER BY 1
        """,
        text,
    )
    return [name for (name,) in mentioned]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("about", "words"),
    [
        ([], "Adah leads."),
        ([{"how": "given", **ADAH}], "She leads."),
        ([{"how": "given", "id": "ADAH"}], "She leads."),
        ([{"how": "link", "name": "Adah"}], "She leads."),
        ([{"how": "tag", "name": "Adah"}], "She leads."),
    ],
)
@pytest.mark.parametrize("read_before", [True, False])
def test_texts_that_speak_of_the_absorbed_speak_of_the_kept(call, about, words, read_before):
    for who in (ADA, ADAH):
        call.record(who, "tagged", literal("x"))
    adah = call("recall_entity", name_or_alias="Adah")["entity"]["id"]
    text = remembered(call, words, about=[{**each, "id": adah} if "id" in each else each for each in about])
    if read_before:
        assert speaking_of(call, text) == ["Adah"]
    before = state(call)
    merged(call, ADA, ADAH)

    assert speaking_of(call, text) == ["Ada"]
    undone(call)
    assert speaking_of(call, text) == ["Adah"]
    assert state(call) == before


@pytest.mark.parametrize("read_before", [True, False])
def test_texts_about_one_of_another_type_are_about_the_kept(call, read_before):
    call.record(ATLAS, "tagged", literal("x"))
    call.record(concept("Map"), "tagged", literal("x"))
    text = remembered(call, "It is large.", about=[{"how": "given", **ATLAS}, {"how": "given", **GRACE}])
    if read_before:
        assert speaking_of(call, text) == ["Atlas"]
    before = state(call)
    merged(call, concept("Map"), ATLAS, across_types=True)

    assert speaking_of(call, text) == ["Map"]
    undone(call)
    assert speaking_of(call, text) == ["Atlas"]
    assert state(call) == before


@pytest.mark.parametrize("again", [ADA, {"name": "ada"}, {"name": "Countess"}, "its id", "its old id"])
def test_an_entity_is_not_merged_with_itself(call, path, again):
    ids = {
        "its id": call.record(ADA, "tagged", literal("x"), aliases=["Countess"])["subject"]["id"],
        "its old id": call.record(ADAH, "tagged", literal("x"))["subject"]["id"],
    }
    merged(call, ADA, ADAH)
    before = dump(path)
    refused = call("merge_entities", keep=ADA, absorb={"id": ids[again]} if isinstance(again, str) else again)

    assert refused["error"] == "ENTITY_NOT_FOUND"
    assert dump(path) == before


def test_who_is_not_sure_to_be_meant_is_not_merged_and_the_near_are_named(call, path):
    ids = {call.record(each, "tagged", literal("x"))["subject"]["id"] for each in (project("Go"), concept("Go"))}
    ada = call.record(ADA, "tagged", literal("x"))["subject"]
    before = dump(path)
    several = call("merge_entities", keep=ADA, absorb={"name": "go"})
    none = call("merge_entities", keep={"type": "person", "name": "Adaa"}, absorb=project("Go"))

    assert (several["error"], {each["id"] for each in several["candidates"]}) == ("AMBIGUOUS", ids)
    assert (none["error"], [each["id"] for each in none["candidates"]]) == ("ENTITY_NOT_FOUND", [ada["id"]])
    assert dump(path) == before


def test_an_entity_of_another_group_is_not_there_to_be_merged(open_graph, path):
    theirs = Caller(open_graph(group="theirs")).record(ADA, "tagged", literal("x"))["subject"]
    ours = Caller(open_graph(group="ours"))
    ours.record(ADA, "tagged", literal("x"))
    before = dump(path)

    assert ours("merge_entities", keep=ADA, absorb={"id": theirs["id"]})["error"] == "ENTITY_NOT_FOUND"
    assert dump(path) == before


def test_a_dry_run_says_what_the_merge_then_does_and_changes_nothing(call, path):
    call.record(ADA, "tagged", literal("x"), aliases=["Countess"])
    call.record(ADAH, "tagged", literal("x"), aliases=["Enchantress"])
    call.record(ADAH, "reports_to", ADA)
    call.record(ADAH, "decided_in", GO)
    before, made = state(call), calls(call)
    plan = merged(call, ADA, ADAH, dry_run=True)

    assert (state(call), calls(call)) == (before, made)
    assert merged(call, ADA, ADAH) == {**plan, "dry_run": False, "call": plan["call"] or calls(call)[0]}
    assert (plan["dry_run"], plan["call"]) == (True, None)
    assert (plan["moved"], plan["folded"], plan["retracted"]) == (1, 1, 1)


def test_a_merge_of_very_much_counts_all_and_shows_the_first(call):
    call.record(ADA, "tagged", literal("x"))
    call("record_facts", facts=[fact(ADAH, "tagged", literal(str(number))) for number in range(230)])
    before = state(call)
    done = merged(call, ADA, ADAH)

    assert (len(done["facts"]), done["moved"], done["truncated"]) == (200, 230, True)
    undone(call)
    assert state(call) == before


# What undo takes back


def test_without_a_number_the_last_call_that_stands_is_taken_back(call):
    states = [state(call)]
    for name in ("x", "y", "z"):
        call.record(ADA, "tagged", literal(name))
        states.append(state(call))

    for number, left in ((3, states[2]), (2, states[1]), (1, states[0])):
        assert undone(call)["undone_call"] == number
        assert state(call) == left
    assert call("undo")["error"] == "CHANGE_NOT_FOUND"


def test_a_call_in_the_middle_is_taken_back_alone(call):
    made = [call.record(ADA, "tagged", literal(name))["call"] for name in ("x", "y", "z")]
    answer = undone(call, call=made[1])

    assert told_of(call, "Ada") == [("Ada", "tagged", "x"), ("Ada", "tagged", "z")]
    assert (answer["undone_call"], answer["tool"], answer["changes"]) == (made[1], "record_fact", 2)
    assert answer["at"] == "2026-05-15T12:00:00.000+02:00"
    assert undone(call)["undone_call"] == made[2]
    assert undone(call)["undone_call"] == made[0]


def test_what_was_taken_back_is_not_taken_back_again(call, path):
    made = call.record(ADA, "tagged", literal("x"))["call"]
    by = undone(call)["call"]
    before = dump(path)
    refused = call("undo", call=made)

    assert refused["error"] == "CHANGE_NOT_FOUND"
    assert str(by) in refused["hint"]
    assert dump(path) == before


def test_what_was_taken_back_had_again_and_taken_back_does_not_stand(call):
    last = call.record(ADA, "tagged", literal("x"))["call"]
    for _ in range(3):
        last = undone(call, call=last)["call"]

    assert {each["call"]: each["undone_by"] is not None for each in call("list_calls", limit=9)["calls"]} == {
        4: False,
        3: True,
        2: False,
        1: True,
    }
    assert call("undo")["error"] == "CHANGE_NOT_FOUND"


def test_what_comes_back_finds_its_place_beside_what_came_since(call):
    """
    The row numbers of what is gone are not given to others; else it could not come back.
    """
    call.record(ADA, "tagged", literal("x"), aliases=["Countess"])
    by = undone(call)["call"]
    call.record(GRACE, "tagged", literal("y"), aliases=["Admiral"])
    undone(call, call=by)

    assert [call.recalled(name) for name in ("Countess", "Admiral")] == ["Ada", "Grace"]
    assert (told_of(call, "Ada"), told_of(call, "Grace")) == ([("Ada", "tagged", "x")], [("Grace", "tagged", "y")])


def use_in_a_fact(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("record_fact", **fact(GRACE, "reports_to", ADA))


def name_otherwise(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("add_alias", entity=ADA, alias="Countess")


def say_again(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("record_fact", **fact(ADA, "tagged", literal("x"), source="mail"))


def retract(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("retract_fact", fact_id=known["fact_id"])


def delete(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("delete_entity_edge", uuid=known["fact_id"])


def supersede(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("record_fact", **fact(GRACE, "tagged", literal("x"), supersedes=[known["fact_id"]]))


def absorb_it(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("merge_entities", keep=GRACE, absorb=ADA)


def absorb_by_it(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("merge_entities", keep=ADA, absorb=GRACE)


def clear(call: Caller, known: dict[str, Any]) -> dict[str, Any]:
    return call("clear_graph", confirm=True)


@pytest.mark.parametrize(
    "later",
    [use_in_a_fact, name_otherwise, say_again, retract, delete, supersede, absorb_it, absorb_by_it, clear],
    ids=lambda later: later.__name__,
)
def test_what_something_later_rests_on_is_not_taken_back(call, clock, path, later):
    call.record(GRACE, "tagged", literal("y"))
    known = call.record(ADA, "tagged", literal("x"))
    clock.pass_by(hours=1)
    culprit = later(call, known)
    before = dump(path)
    refused = call("undo", call=known["call"])

    assert (refused["error"], [each["call"] for each in refused["candidates"]]) == (
        "LATER_CHANGES",
        [culprit["call"]],
    )
    assert f"call {culprit['call']} ({refused['candidates'][0]['tool']})" in refused["message"]
    assert dump(path) == before
    undone(call, call=culprit["call"])
    undone(call, call=known["call"])
    assert call("get_status")["entities"]["person"] == 1


def test_a_call_that_only_said_again_what_was_known_is_taken_back_alone(call):
    call.record(ADA, "tagged", literal("x"), source="mail")
    before = state(call)
    call.record(ADA, "tagged", literal("x"), source="minutes")
    answer, between = undone(call), state(call)

    assert (answer["changes"], between) == (1, before)
    assert "so it stays" in answer["message"]
    assert "so it stays" not in undone(call)["message"]


@pytest.fixture
def talk(open_graph):
    """Calls of one conversation."""
    return Caller(open_graph(session="talk"))


def test_a_retried_call_and_the_first_are_taken_back_by_one_undo(talk):
    before = state(talk)
    talk.record(ADA, "tagged", literal("x"), source="mail")
    again = [talk.record(ADA, "tagged", literal("x"), source="mail") for _ in range(2)]
    undone(talk)

    assert [(each["effect"], each["call"]) for each in again] == [("nothing_changed", None)] * 2
    assert state(talk) == before


def test_a_retried_batch_and_the_first_are_taken_back_by_one_undo(talk):
    before = state(talk)
    facts = [fact(person(f"P{number % 5}"), "tagged", literal("x")) for number in range(12)]
    _, again = (talk("record_facts", facts=facts) for _ in range(2))
    undone(talk)

    assert (again["call"], state(talk)) == (None, before)


def test_what_is_said_again_after_something_else_is_what_undo_takes_back(talk):
    for who in (ADA, person("Ben")):
        talk.record(who, "tagged", literal("x"))
    before = state(talk)
    again = talk.record(ADA, "tagged", literal("x"))

    assert (undone(talk)["undone_call"], state(talk)) == (again["call"], before)
    assert told_of(talk, "Ben") == [("Ben", "tagged", "x")]


@pytest.mark.parametrize("sessions", [("one", "two", "one"), ("one", "two"), (None, None)])
def test_what_several_say_is_taken_back_one_by_one(open_graph, sessions):
    callers = [Caller(open_graph(session=session)) for session in sessions]
    made = [caller.record(ADA, "tagged", literal("x"))["call"] for caller in callers]

    assert [undone(callers[0])["undone_call"] for _ in made] == made[::-1]
    assert told_of(callers[0], "Ada") == []


def test_a_call_retried_under_an_alias_is_taken_back_by_one_undo_too(talk):
    talk.record(ADA, "tagged", literal("x"))
    talk("change", entity=ADA, add_aliases=["Countess"])
    before = state(talk)
    for _ in range(3):
        talk.record({"type": "person", "name": "Countess"}, "tagged", literal("y"))
    undone(talk)

    assert state(talk) == before


def test_the_call_that_said_anew_what_had_been_retracted_is_named(call, path):
    known = call.record(ADA, "tagged", literal("x"))
    gone = retract(call, known)
    anew = call.record(ADA, "tagged", literal("x"))
    before = dump(path)
    refused = call("undo", call=gone["call"])

    assert refused["error"] == "LATER_CHANGES"
    assert dump(path) == before
    assert [each["call"] for each in refused.get("candidates", [])] == [anew["call"]]


def test_the_call_that_made_the_absorbed_name_anew_is_named(call, path):
    call.record(concept("Quicksilver"), "tagged", literal("metal"))
    call.record(project("Mercury"), "tagged", literal("mission"))
    both = merged(call, concept("Quicksilver"), project("Mercury"), across_types=True)
    anew = call.record(project("Mercury"), "tagged", literal("another"))
    before = dump(path)
    refused = call("undo", call=both["call"])

    assert refused["error"] == "LATER_CHANGES"
    assert dump(path) == before
    assert [each["call"] for each in refused.get("candidates", [])] == [anew["call"]]


# One change


@pytest.fixture
def three(call: Caller) -> dict[str, Any]:
    return call(
        "record_facts",
        facts=[fact(ADA, "tagged", literal(name), source=f"page {name}") for name in ("x", "y", "z")],
    )


def test_one_fact_of_many_is_taken_back_with_its_provenance_only(call, path, three):
    numbers = [number for number, _, table in changes(path, three["call"]) if table == "fact"]
    answer = undone(call, change=numbers[1])

    assert (answer["undone_call"], answer["changes"]) == (three["call"], 2)
    assert told_of(call, "Ada") == [("Ada", "tagged", "x"), ("Ada", "tagged", "z")]
    assert rows(path, "SELECT source FROM provenance ORDER BY id") == [("page x",), ("page z",)]
    assert undone(call)["undone_call"] == answer["call"]
    assert len(told_of(call, "Ada")) == 3


@pytest.mark.parametrize(
    "facts",
    [
        3,
        30,
    ],
)
def test_an_entity_is_taken_back_with_all_that_its_call_said_of_it(call, path, facts):
    many = call("record_facts", facts=[fact(ADA, "tagged", literal(str(number))) for number in range(facts)])
    ((number, _, _),) = [each for each in changes(path, many["call"]) if each[2] == "entity"]
    undone(call, change=number)

    assert {name: held for name, held in state(call).items() if held} == {}


@pytest.mark.parametrize("table", ["entity", "fact"])
def test_a_change_that_something_later_rests_on_is_not_taken_back(call, path, three, table):
    later = call.record(ADA, "tagged", literal("x"), source="mail")["call"]
    number = next(number for number, _, name in changes(path, three["call"]) if name == table)
    before = dump(path)
    refused = call("undo", change=number)

    assert (refused["error"], refused["candidates"]) == ("LATER_CHANGES", [{"call": later, "tool": "record_fact"}])
    assert dump(path) == before


def test_a_call_of_which_a_part_was_taken_back_is_taken_back_after_that(call, path, three):
    number = next(number for number, _, table in changes(path, three["call"]) if table == "fact")
    part = undone(call, change=number)["call"]
    before = dump(path)
    refused = call("undo", call=three["call"])

    assert (refused["error"], refused["candidates"]) == ("LATER_CHANGES", [{"call": part, "tool": "undo"}])
    assert dump(path) == before
    undone(call, call=part)
    undone(call, call=three["call"])
    assert state(call)["entity"] == []


def put_anew(call: Caller, text: str, *words: str) -> None:
    """Let a text become another one, in the pieces that are given."""
    with call.graph.database.write("remember") as tx:
        tx = store.journal.begin_call(tx)
        there = store.episodes.by_id(tx, text)
        assert there is not None
        storage.upsert(
            tx,
            existing=there,
            kind=there.kind,
            name=there.name,
            source=None,
            digest=utf8.digest("".join(words)),
            occurred_at=None,
            chunks=lambda: [(TextChunk(each), ()) for each in words],
        )


def test_of_a_text_no_part_is_taken_back_alone(call, path):
    """
    Whichever change of it is named, all that the call changed of the text goes, and nothing else.
    """
    other = remembered(call, "Another.")
    text = remembered(call, "Ada leads.")
    before = state(call)
    put_anew(call, text, "Ada leads. ", "Bob follows. ", "Eve stays.")
    after = state(call)
    for number, _, _ in changes(path, calls(call)[0]):
        assert state(call) == after
        again = undone(call, change=number)
        assert state(call) == before
        undone(call, call=again["call"])
    assert rows(path, "SELECT count(*) FROM episode WHERE public_id = ?", other) == [(1,)]


def test_a_text_is_taken_back_with_what_was_said_out_of_it(call, path):
    call.record(ADA, "tagged", literal("here"))
    before = state(call)
    with call.graph.database.write("remember") as tx:
        tx = store.journal.begin_call(tx)
        added = texts.episodes.upsert(tx, name="A note", text="Grace leads Ada.")
        texts.episodes.index(tx, [added])
        text = added.episode
        for subject in (Ref(type="person", name="Grace"), Ref(type="person", name="Ada")):
            knowledge.facts.record(replace(tx, episode=text.row), subject=subject, predicate="tagged", object="here")
    of_the_text = [number for number, op, table in changes(path, calls(call)[0]) if table == "episode"]
    undone(call, change=of_the_text[0])

    assert state(call)["fact"] == before["fact"]
    assert state(call)["provenance"] == before["provenance"]
    check_sound(call)


def test_a_fact_whose_only_assertion_is_taken_back_goes_too(call, three):
    first = three["results"][0]["fact_id"]
    (event,) = call("get_history", about=first)["events"]
    undone(call, change=event["change"])

    assert told_of(call, "Ada") == [("Ada", "tagged", "y"), ("Ada", "tagged", "z")]


def test_a_deleted_fact_comes_back_with_its_sources(call, three):
    before = state(call)
    delete(call, three["results"][0])
    event = call("get_history", about="Ada")["events"][0]
    assert event["what"] == "deleted"
    undone(call, change=event["change"])

    assert state(call) == before


def test_what_no_longer_ended_is_known_once(call, clock):
    known = call.record(ADA, "tagged", literal("on"))
    clock.pass_by(days=1)
    call.record(ADA, "tagged", literal("off"), supersedes=[known["fact_id"]])
    event = call("get_history", about=known["fact_id"])["events"][0]
    assert event["what"] == "ended"
    undone(call, change=event["change"])

    assert told_of(call, "Ada") == [("Ada", "tagged", "on"), ("Ada", "tagged", "off")]
    assert told_of(call, "Ada", known_at="2026-05-15") == [("Ada", "tagged", "on")]


def test_the_retraction_alone_is_taken_back(call, three):
    before = state(call)
    retract(call, three["results"][1])
    event = call("get_history", about=three["results"][1]["fact_id"])["events"][0]
    assert event["what"] == "retracted"
    undone(call, change=event["change"])

    assert state(call) == before


# What is refused


@pytest.mark.parametrize(
    ("which", "code"),
    [
        ({"call": 99}, "CHANGE_NOT_FOUND"),
        ({"change": 99}, "CHANGE_NOT_FOUND"),
        ({"call": 1, "change": 1}, "INVALID_ARGUMENTS"),
        ({"call": 0}, "INVALID_ARGUMENTS"),
        ({"change": -1}, "INVALID_ARGUMENTS"),
        ({"call": "last"}, "INVALID_ARGUMENTS"),
        ({"call": 2**60}, "CHANGE_NOT_FOUND"),
        ({"call": 2**70}, "INVALID_ARGUMENTS"),
    ],
)
def test_what_is_not_there_is_not_taken_back(call, path, which, code):
    call.record(ADA, "tagged", literal("x"))
    before = dump(path)

    assert call("undo", **which)["error"] == code
    assert dump(path) == before


def test_a_call_that_changed_nothing_cannot_be_taken_back_and_is_passed_over(call):
    made = call.record(ADA, "tagged", literal("x"), aliases=["Countess"])["call"]
    idle = call("add_alias", entity=ADA, alias="COUNTESS")["call"]

    assert idle is None
    assert call("undo", call=made + 1)["error"] == "CHANGE_NOT_FOUND"
    assert undone(call)["undone_call"] == made


def test_what_another_group_did_cannot_be_taken_back_from_this_one(open_graph, path):
    ours, theirs = (Caller(open_graph(group=group)) for group in ("ours", "theirs"))
    own = ours.record(ADA, "tagged", literal("x"))["call"]
    other = theirs.record(ADA, "tagged", literal("x"))["call"]
    cleared = theirs("clear_graph", everything=True, confirm=True)["call"]
    before = dump(path)

    assert {ours("undo", call=number)["error"] for number in (other, cleared)} == {"CHANGE_NOT_FOUND"}
    assert {
        ours("undo", change=change)["error"] for number in (other, cleared) for change, _, _ in changes(path, number)
    } == {"CHANGE_NOT_FOUND"}
    assert ours("undo")["candidates"] == [{"call": cleared, "tool": "clear_graph"}]
    assert dump(path) == before
    undone(theirs)
    assert [undone(ours)["undone_call"], undone(theirs)["undone_call"]] == [own, other]


def test_a_graph_opened_for_reading_takes_nothing_back(call, open_graph, path):
    call.record(ADA, "tagged", literal("x"))
    before = dump(path)

    assert Caller(open_graph(read_only=True))("undo")["error"] == "GRAPH_READ_ONLY"
    assert dump(path) == before


# Clearing, and requests that are made again


@pytest.mark.parametrize("given", [{}, {"confirm": False}, {"everything": True}, {"group_ids": ["default"]}])
def test_clearing_has_to_be_confirmed(call, path, given):
    call.record(ADA, "tagged", literal("x"))
    before = dump(path)

    assert call("clear_graph", **given)["error"] == "NOT_CONFIRMED"
    assert dump(path) == before


@pytest.mark.parametrize(
    ("given", "cleared"),
    [
        ({}, ["ours"]),
        ({"group_ids": ["ours", "ours"]}, ["ours"]),
        ({"group_ids": ["theirs"]}, ["theirs"]),
        ({"everything": True}, ["ours", "theirs"]),
    ],
)
def test_clearing_one_group_leaves_the_others_and_undo_brings_all_back(open_graph, given, cleared):
    graphs = {group: Caller(open_graph(group=group)) for group in ("ours", "theirs")}
    for each in graphs.values():
        remembered(each, "Ada met Grace.\n\nThey spoke of tea.", about=[{"how": "given", **ADA}])
        one, other = (each.record(who, "tagged", literal("x"), aliases=["Countess"]) for who in (ADA, ADAH))
        each.record(ADA, "tagged", literal("y"), supersedes=[one["fact_id"]], valid_from="2026-05-01")
        each("retract_fact", fact_id=other["fact_id"])
        merged(each, ADA, ADAH)
    before = {group: state(each) for group, each in graphs.items()}
    done = graphs["ours"]("clear_graph", **given, confirm=True)

    assert {group for group, each in graphs.items() if each.recalled("Ada") is None} == set(cleared)
    assert (done["entities"], done["facts"], done["episodes"]) == (len(cleared), 3 * len(cleared), len(cleared))
    undone(graphs["ours"])
    assert {group: state(each) for group, each in graphs.items()} == before


def test_a_fact_out_of_a_text_that_is_cleared_stays_in_its_own_group(open_graph, path):
    ours, theirs = (Caller(open_graph(group=group)) for group in ("ours", "theirs"))
    text = remembered(theirs, "Ada leads.")
    ours.record(ADA, "tagged", literal("lead"))
    with connected(path) as conn:
        conn.execute("UPDATE provenance SET episode = (SELECT id FROM episode WHERE public_id = ?)", (text,))
    before = state(ours)
    theirs("clear_graph", confirm=True)

    assert rows(path, "SELECT episode FROM provenance") == [(None,)]
    assert ours.recalled("Ada") == "Ada"
    undone(theirs)
    assert state(ours) == before


def test_a_group_that_is_not_there_is_not_cleared(call, path):
    call.record(ADA, "tagged", literal("x"))
    before = dump(path)

    assert call("clear_graph", group_ids=["nobody's"], confirm=True)["error"] == "INVALID_ARGUMENTS"
    assert dump(path) == before


def test_after_an_undo_the_same_request_records_again(call):
    request = {"facts": [fact(ADA, "tagged", literal("x"))], "idempotency_key": "monday"}
    first = call("record_facts", **request)
    assert call("record_facts", **request) == {**first, "replayed": True}
    undone(call)
    again = call("record_facts", **request)

    assert (again["recorded"], again["replayed"]) == (1, False)
    assert told_of(call, "Ada") == [("Ada", "tagged", "x")]
    assert call("record_facts", **request) == {**again, "replayed": True}


@pytest.fixture
def split(call):
    """Ada and Adah are merged; returns the call that did it."""
    call.record(ADA, "decided_in", GO)
    call.record(ADAH, "decided_in", decision("Stay"))
    absorbed = call("recall_entity", name_or_alias="Adah")["entity"]["id"]
    merged(call, ADA, ADAH)
    return call("list_calls", limit=1)["calls"][0]["call"], absorbed


@pytest.mark.parametrize("named", [ADAH, {"type": "person", "name": "ADAH "}, None])
def test_a_merge_is_not_taken_back_after_a_fact_was_recorded_under_the_absorbed_name(call, split, named):
    merge, absorbed = split
    call("record_fact", subject=named or {"id": absorbed}, predicate="decided_in", object=decision("Later"))
    refused = call("undo", call=merge)
    listed = refused["candidates"]

    assert (refused["error"], [one["tool"] for one in listed]) == ("LATER_CHANGES", ["record_fact"])


def test_a_merge_is_taken_back_once_the_facts_under_the_absorbed_name_are(call, split):
    call.record(ADAH, "decided_in", decision("Later"))
    undone(call)
    undone(call, call=split[0])
    found = [call("recall_entity", name_or_alias=name)["entity"]["name"] for name in ("Adah", "Ada")]

    assert found == ["Adah", "Ada"]


@pytest.mark.parametrize("named", [ADAH, None])
@pytest.mark.parametrize("tool", ["delete_entity_edge", "undo"])
def test_a_fact_under_the_absorbed_name_does_not_come_back_to_somebody_else(call, split, tool, named):
    """
    It was deleted when the merge was taken back, and had the entity that was kept as its subject.
    """
    merge, absorbed = split
    fact = call("record_fact", subject=named or {"id": absorbed}, predicate="decided_in", object=decision("Later"))
    call(tool, **({"uuid": fact["fact_id"]} if tool == "delete_entity_edge" else {}))
    deletion = call("list_calls", limit=1)["calls"][0]["call"]
    undone(call, call=merge)

    assert call("undo", call=deletion)["error"] == "LATER_CHANGES"


def test_a_fact_said_again_under_the_absorbed_name_keeps_the_merge(call, split):
    call.record(ADAH, "decided_in", GO)

    assert call("undo", call=split[0])["error"] == "LATER_CHANGES"


@pytest.mark.parametrize("named", [ADAH, None])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_alias", {"alias": "Addy"}),
        ("update_entity", {"properties": {"role": "clerk"}}),
        ("update_entity", {"summary": "A clerk."}),
        ("update_entity", {"add_aliases": ["Addy"]}),
    ],
)
def test_what_was_set_under_the_absorbed_name_keeps_the_merge_until_it_is_taken_back(
    call, split, tool, arguments, named
):
    merge, absorbed = split
    call(tool, entity=named or {"id": absorbed}, **arguments)
    refused = call("undo", call=merge)
    undone(call)
    undone(call, call=merge)

    assert (refused["error"], [one["tool"] for one in refused["candidates"]]) == ("LATER_CHANGES", [tool])
    assert call("recall_entity", name_or_alias="Adah")["entity"]["name"] == "Adah"


def test_what_was_set_under_the_name_of_the_entity_that_stays_is_in_nobodys_way(call, split):
    call("add_alias", entity=ADA, alias="Addy")
    undone(call, call=split[0])

    assert call("recall_entity", name_or_alias="Addy")["entity"]["name"] == "Ada"


def test_a_fact_under_the_name_of_the_entity_that_stays_is_in_nobodys_way(call, split):
    call.record(ADA, "decided_in", decision("Later"))
    undone(call, call=split[0])

    assert call("recall_entity", name_or_alias="Adah")["entity"]["name"] == "Adah"
