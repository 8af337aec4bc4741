"""An export is the graph, an import of it gives the same graph, and what contradicts the graph is refused by line."""

from __future__ import annotations

import json
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given as told_of
from hypothesis import settings
from hypothesis import strategies as st

import keepgraph
from keepgraph import errors, package_files, store
from keepgraph.cli.root import kg
from keepgraph.engine import knowledge
from keepgraph.engine.exchange import export, import_state
from keepgraph.engine.maintenance import backups
from keepgraph.engine.texts import episodes, forgetting
from keepgraph.language import utf8
from keepgraph.model import Episode, Ref, Settings
from keepgraph.store.transactions import Tx
from words import Caller, Clock, concept, connected, decision, dump, fact, literal, person, project, rows

KEPT = (
    *("entity", "alias", "former_id", "fact", "earlier_validity", "provenance", "episode", "chunk"),
    *("owner", "narrative"),
)
HEADER = '{"keepgraph": "graph", "format": 1}\n'
NOON = "2026-05-15T10:00:00.000Z"
LATER = "2026-05-16T10:00:00.000Z"


@pytest.fixture(autouse=True)
def no_backups(monkeypatch: pytest.MonkeyPatch) -> None:
    """An import here makes no backup first, which takes as long as a small import; test_backups.py has those."""
    monkeypatch.setattr(backups, "make", lambda *_, **__: None)


def exported(path: Path) -> str:
    done = CliRunner().invoke(kg, ["--db", str(path), "export"])
    assert done.exit_code == 0, done.output
    return done.output


def imported(path: Path, lines: str, *options: str) -> dict[str, Any]:
    """The report of an import."""
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", "-", *options], input=lines)
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.exit_code == (1 if report["refused"] or "error" in report else 0)
    return report


def counts(report: dict[str, Any]) -> tuple[int, int, list[tuple[int, str]]]:
    """Added, known before, and the lines refused with their codes."""
    return report["added"], report["merged"], [(each["line"], each["error"]) for each in report["refused"]]


def kept(path: Path) -> dict[str, Any]:
    return {table: held for table, held in dump(path).items() if table in (*KEPT, "journal")}


def public_id(kind: str, number: int) -> str:
    return f"{kind}_{number:026d}"


def entity_line(number: int, name: str, **more: Any) -> dict[str, Any]:
    line = {"kind": "entity", "id": public_id("ent", number), "type": "person", "name": name, "created_at": NOON}
    return {**line, **more}


def fact_line(number: int, subject: int, object: int | str, **more: Any) -> dict[str, Any]:
    target = {"literal": object} if isinstance(object, str) else {"object": public_id("ent", object)}
    said = {"provenance": [{"source": "mail", "tool": "record_fact"}]}
    line = {"kind": "fact", "id": public_id("fact", number), "subject": public_id("ent", subject)}
    return {**line, "predicate": "reports_to", **target, "recorded_at": NOON, **said, **more}


def provenance_line(number: int, **more: Any) -> dict[str, Any]:
    return {
        "kind": "provenance",
        "fact": public_id("fact", number),
        "recorded_at": LATER,
        "tool": "record_fact",
        **more,
    }


def word_line(name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "word", "word_kind": "predicate", "name": name, "description": "Imported.", **more}


def episode_line(number: int, *pieces: str, **more: Any) -> dict[str, Any]:
    line = {"kind": "episode", "id": public_id("ep", number), "episode_kind": "text", "name": "A note"}
    said = {"digest": utf8.digest("".join(pieces)), "occurred_at": NOON}
    return {**line, **said, "chunks": [{"text": piece} for piece in pieces], **more}


def chunk_line(episode: int, place: int, piece: str, **more: Any) -> dict[str, Any]:
    return {"kind": "chunk", "episode": public_id("ep", episode), "place": place, "text": piece, **more}


def text(*lines: dict[str, Any] | str) -> str:
    return "".join((each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)) + "\n" for each in lines)


# Stories: graphs as they come about through calls

GROUPS = ["default", "work"]
THINGS = [person("Ada"), person("Ada Q"), person("Bob"), concept("Ada"), project("Atlas"), decision("Go")]
PREDICATES = ["blocked_by", "resolved_by", "decided_in", "belongs_to", "tagged"]
NAMES = ["Countess", "The Plan", "bob", "A. Q.", "ADA Q", "João „x“\u2028"]

TEXTS = [
    "Ada met Bob.",
    "Ada met Bob.\n\nAtlas waits.",
    "Ada: Hi „x“\u2028\n\nBob: 東京 \U0001f642\r\n",
    "Long. " * 400,
]
ABOUT = [[], [{"how": "given", **person("Ada")}, {"how": "tag", "type": None, "name": "The Plan"}]]

WEEKS = ["2026-W19", "2026-W20"]

things = st.sampled_from(THINGS)
which = st.integers(0, 30)
days = st.sampled_from(["2026-01-01", "2026-05-15", "2026-05-17", "2026-08-01"])
recordings = st.builds(
    lambda subject, predicate, object, validity, **more: {
        **fact(subject, predicate, object),
        **validity,
        **{name: value for name, value in more.items() if value},
    },
    things,
    st.sampled_from(PREDICATES),
    things | st.sampled_from([literal("tests"), literal("next-action")]),
    st.just({}) | st.fixed_dictionaries({}, optional={"valid_from": days, "valid_to": days}),
    source=st.sampled_from([None, None, "mail", "“minutes”\n\x01\u2029"]),
    confidence=st.sampled_from([None, None, 0.1 + 0.2, 1 / 3, 5e-324]),
    aliases=st.lists(st.sampled_from(NAMES), max_size=2),
)
steps = st.one_of(
    st.tuples(st.just("record"), recordings),
    st.tuples(st.just("record"), recordings),
    st.tuples(st.just("record many"), st.lists(recordings, min_size=2, max_size=4)),
    st.tuples(st.just("say again"), which),
    st.tuples(st.just("say again"), which),
    st.tuples(st.just("supersede"), which, recordings),
    st.tuples(st.just("retract"), which),
    st.tuples(st.just("delete"), which),
    st.tuples(st.just("alias"), which, st.sampled_from(NAMES)),
    st.tuples(st.just("merge"), which, which),
    st.tuples(st.just("undo")),
    st.tuples(st.just("undo call"), which),
    st.tuples(st.just("undo change"), which),
    st.tuples(
        st.just("remember"), st.sampled_from(TEXTS), st.sampled_from(["text", "message"]), st.sampled_from(ABOUT)
    ),
    st.tuples(
        st.just("narrate"), st.sampled_from(TEXTS), st.sampled_from(WEEKS), st.sampled_from([None, None, "Atlas"])
    ),
    st.tuples(st.just("own"), which),
    st.tuples(st.just("record out of"), which, recordings),
    st.tuples(st.just("forget"), which),
    st.tuples(st.just("group"), st.sampled_from(GROUPS)),
    st.tuples(st.just("wait"), st.integers(0, 3)),
)
stories = st.tuples(st.lists(recordings, min_size=3, max_size=6), st.lists(steps, min_size=2, max_size=14)).map(
    lambda told: [("record many", told[0]), *told[1]]
)

_SAID = """
    SELECT s.public_id, predicate.name, o.public_id, literal, nullif(valid_from, ''), nullif(valid_to, '~')
    FROM fact JOIN predicate ON predicate.id = predicate JOIN entity AS s ON s.id = subject
    LEFT JOIN entity AS o ON o.id = object
    WHERE fact.public_id = ?
"""


def recorded(tx: Tx, given: dict[str, Any]) -> None:
    """Record a fact as a tool does that reads it out of a text."""
    target = given["object"]
    more = {name: value for name, value in given.items() if name not in ("subject", "object")}
    knowledge.facts.record(
        tx,
        subject=Ref(**given["subject"]),
        object=target["literal"] if "literal" in target else Ref(**target),
        **more,
    )


class World:
    """A graph in several groups in which a story happens, at times that are remembered."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path, self.clock = path, clock
        new_id = store.ids.ulids()
        self.calls = {
            group: Caller(
                keepgraph.open(path, clock=clock, new_id=new_id, group=group, settings=Settings(steps=("fuzzy",)))
            )
            for group in GROUPS
        }
        self.call = self.calls["default"]
        self.moments = {clock.now}

    def close(self) -> None:
        for call in self.calls.values():
            call.graph.close()

    def tell(self, story: list[tuple[Any, ...]]) -> None:
        for kind, *with_what in story:
            self.step(kind, with_what)

    def step(self, kind: str, given: list[Any]) -> dict[str, Any]:
        if kind == "group":
            self.call = self.calls[given[0]]
        elif kind == "wait":
            self.clock.pass_by(days=given[0], seconds=1)
            self.moments.add(self.clock.now)
        elif kind == "record":
            return self.call("record_fact", **given[0])
        elif kind == "record many":
            return self.call("record_facts", facts=given[0])
        elif kind == "alias":
            return self.call("add_alias", entity={"id": self.picked("entity", given[0])}, alias=given[1])
        elif kind == "merge":
            keep, absorb = ({"id": self.picked("entity", each)} for each in given)
            return self.call("merge_entities", keep=keep, absorb=absorb, across_types=True)
        elif kind == "undo":
            return self.call("undo")
        elif kind == "undo call":
            made = [each["call"] for each in self.call("list_calls", limit=1000)["calls"]] or [1]
            return self.call("undo", call=made[given[0] % len(made)])
        elif kind == "undo change":
            ((last,),) = rows(self.path, "SELECT coalesce(max(id), 1) FROM journal")
            return self.call("undo", change=last - given[0] % last)
        elif kind == "remember":
            with self.call.graph.database.write("remember") as tx:
                tx = store.journal.begin_call(tx)
                added = episodes.upsert(tx, name="A note", text=given[0], kind=given[1], annotations=given[2])
                episodes.index(tx, [added])
        elif kind == "narrate":
            more = {"project": given[2]} if given[2] else {}
            return self.call("remember", text=given[0], narrative_for=given[1], **more)
        elif kind == "own":
            return self.call("set_owner", person={"id": self.picked("entity", given[0])})
        elif kind == "forget":
            self.of_a_text(given[0], lambda tx, episode: forgetting.delete(tx, episode))
        elif kind == "record out of":
            self.of_a_text(given[0], lambda tx, episode: recorded(replace(tx, episode=episode.row), given[1]))
        elif kind == "supersede":
            return self.call("record_fact", **given[1], supersedes=[self.picked("fact", given[0])])
        elif kind == "retract":
            return self.call("retract_fact", fact_id=self.picked("fact", given[0]))
        elif kind == "delete":
            return self.call("delete_entity_edge", uuid=self.picked("fact", given[0]))
        elif said := rows(self.path, _SAID, self.picked("fact", given[0])):
            subject, predicate, target, words, start, end = said[0]
            interval = {name: value for name, value in (("valid_from", start), ("valid_to", end)) if value}
            return self.call(
                "record_fact",
                **fact({"id": subject}, predicate, {"id": target} if target else literal(words), **interval),
            )
        return {}

    def of_a_text(self, number: int, do: Callable[[Tx, Episode], object]) -> None:
        """Do something with one of the texts of the group, if there is one."""
        with suppress(errors.KeepgraphError), self.call.graph.database.write("remember") as tx:
            here = store.episodes.newest(tx, [tx.group], limit=100)
            if here:
                do(store.journal.begin_call(tx), here[number % len(here)])

    def picked(self, table: str, number: int) -> str:
        found = rows(self.path, f"SELECT public_id FROM {table} ORDER BY id")
        return found[number % len(found)][0] if found else "nobody"

    def answers(self) -> dict[str, Any]:
        """What readers see now, and what they see of every moment of the story."""
        names = [each for (each,) in rows(self.path, "SELECT name FROM entity UNION SELECT alias FROM alias")]
        told = [
            each for (each,) in rows(self.path, "SELECT public_id FROM entity UNION SELECT public_id FROM former_id")
        ]
        answers = {}
        looks: list[dict[str, str]] = [{}, {"as_of": "2026-02-01"}]
        for moment in sorted(self.moments):
            looks += [{"known_at": moment.isoformat()}, {"known_at": moment.isoformat(), "as_of": "2026-09-01"}]
        for group, call in self.calls.items():
            for look in looks:
                asked = [*told, *([] if look else [*names, "Adda"])]
                for name in asked:
                    answers[f"{group} {name} {look}"] = call("recall_entity", name_or_alias=name, **look)
                answers[f"{group} decisions {look}"] = call("recall_decisions", project="Atlas", **look)
                answers[f"{group} week {look}"] = call("weekly_rollup", **look)
                answers[f"{group} me {look}"] = call("recall_entity", name_or_alias="me", **look)
                answers[f"{group} week of Atlas {look}"] = call("weekly_rollup", project="Atlas", **look)
            with call.graph.database.read("texts") as tx:
                for each in store.episodes.newest(tx, [group], limit=100):
                    said = [(chunk.text, chunk.speaker, chunk.annotations) for chunk in store.episodes.chunks(tx, each)]
                    answers[f"{group} {each.id}"] = replace(each, row=0), said, store.episodes.text(tx, each)
        return answers


def without_marks(answers: Any) -> Any:
    """Answers without the marks of what was imported."""
    if isinstance(answers, dict):
        kept = {name: without_marks(value) for name, value in answers.items()}
        return {name: value for name, value in kept.items() if name not in ("imported_at", "imported_from")}
    if isinstance(answers, list):
        return [without_marks(each) for each in answers]
    return answers.replace(", imported).", ").") if isinstance(answers, str) else answers


@contextmanager
def worlds(blank: Path) -> Iterator[Callable[[], World]]:
    """Makes empty worlds that share a clock, unless one is to be some seconds ahead."""
    with tempfile.TemporaryDirectory() as folder:
        clock, made = Clock(), []

        def world(*, seconds: float = 0) -> World:
            own = clock if not seconds else Clock(clock.now + timedelta(seconds=seconds))
            made.append(World(shutil.copy(blank, Path(folder) / f"{len(made)}.db"), own))
            return made[-1]

        try:
            yield world
        finally:
            for each in made:
                each.close()


def check_a_copy_is_the_same(blank: Path, story: list[tuple[Any, ...]], shuffle: random.Random) -> None:
    with worlds(blank) as world:
        told, copy, other = world(), world(), world()
        told.tell(story)
        lines = exported(told.path)
        number = lines.count("\n") - 1
        assert counts(imported(copy.path, lines)) == (number, 0, [])
        assert exported(copy.path) == lines

        copy.moments = told.moments
        assert without_marks(copy.answers()) == told.answers()

        before = kept(copy.path)
        assert counts(imported(copy.path, lines)) == (0, number, [])
        assert counts(imported(told.path, lines)) == (0, number, [])
        assert kept(copy.path) == before

        # Assertions on lines of their own are there for their order, and so are narratives; all else may come in any.
        ordered = ('{"kind": "provenance"', '{"kind": "narrative"')
        apart = [line for line in lines.split("\n")[:-1] if line.startswith(ordered)]
        others = [line for line in lines.split("\n")[:-1] if not line.startswith(ordered)]
        shuffle.shuffle(others)
        assert counts(imported(other.path, text(*others, *apart))) == (number, 0, [])
        assert exported(other.path) == lines
        for each in (copy, other):
            with connected(each.path) as conn:
                assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
                assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@settings(max_examples=4)
@told_of(stories, st.randoms(use_true_random=False))
def test_a_copy_has_the_same_export_and_gives_the_same_answers(blank, story, shuffle):
    check_a_copy_is_the_same(blank, story, shuffle)


@pytest.mark.slow
@settings(max_examples=200)
@told_of(stories, st.randoms(use_true_random=False))
def test_many_copies_have_the_same_exports_and_give_the_same_answers(blank, story, shuffle):
    check_a_copy_is_the_same(blank, story, shuffle)


def lasting(path: Path) -> dict[str, set[Any]]:
    """What no import takes away or changes. A record that both graphs have may get the older id, time and spelling."""
    tables = kept(path)
    of_record = {
        "alias": ("alias", "alias_folded", "created_at"),
        "fact": ("public_id", "confidence", "recorded_at", "known_from"),
        "episode": ("public_id", "recorded_at", "session"),
    }
    rows_of = {table: set(tables[table]) for table in KEPT if table not in ("entity", "former_id", *of_record)}
    for table, names in of_record.items():
        columns = [name for _, name, *_ in rows(path, f"PRAGMA table_info({table})")]
        kept_columns = ", ".join(name for name in columns if name not in names)
        rows_of[table] = set(rows(path, f"SELECT {kept_columns} FROM {table}"))
    rows_of["entity"] = set(rows(path, "SELECT id, group_id, type, name FROM entity"))
    rows_of["ids"] = set(rows(path, "SELECT public_id, id FROM entity UNION SELECT public_id, entity FROM former_id"))
    return rows_of


def with_current_ids(path: Path, refused: list[Any]) -> list[Any]:
    """Refusals in which each entity has its present id: an import may give it an older one after it was named."""
    text = json.dumps(refused)
    for former, current in rows(
        path, "SELECT former_id.public_id, entity.public_id FROM former_id JOIN entity ON entity.id = entity"
    ):
        text = text.replace(former, current)
    return json.loads(text)


def check_two_graphs_come_together(blank: Path, one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> None:
    with worlds(blank) as world:
        first, second = world(), world()
        first.tell(one)
        second.tell(other)
        before, lines = exported(first.path), exported(second.path)
        held = lasting(first.path)
        report = imported(first.path, lines)
        codes = {code for _, code in counts(report)[2]}
        assert codes <= {"IMPORT_CONFLICT", "ALIAS_TAKEN", "ENTITY_NOT_FOUND", "FACT_NOT_FOUND"}, report["refused"]
        for table, was in held.items():
            assert was <= lasting(first.path)[table]

        after = kept(first.path)
        again = imported(first.path, lines)
        refused = with_current_ids(first.path, report["refused"])
        assert (again["added"], with_current_ids(first.path, again["refused"])) == (0, refused)
        assert kept(first.path) == after

        call = first.calls["default"]
        for each in call("list_calls", limit=1000)["calls"]:
            if each["tool"] == "import":
                assert "error" not in call("undo", call=each["call"])
        assert exported(first.path) == before


@settings(max_examples=4)
@told_of(stories, stories)
def test_what_two_graphs_know_comes_together_and_nothing_is_lost(blank, one, other):
    check_two_graphs_come_together(blank, one, other)


@pytest.mark.slow
@settings(max_examples=150)
@told_of(stories, stories)
def test_what_many_pairs_of_graphs_know_comes_together(blank, one, other):
    check_two_graphs_come_together(blank, one, other)


def as_said(path: Path) -> dict[str, Any]:
    """The lines of an export by what they are about: assertions with their facts, and no order within one instant."""
    lines: dict[str, Any] = {}
    for line in map(json.loads, exported(path).split("\n")[1:-1]):
        if line["kind"] == "provenance":
            of_fact = lines[line["fact"]]
            line = {**of_fact, "provenance": [*of_fact["provenance"], line]}
        if line["kind"] == "fact":
            default = {"confidence": line.get("confidence", 1.0), "recorded_at": line["recorded_at"]}
            said = [{**default, **each} for each in line.get("provenance", ())]
            line["provenance"] = [
                {name: each[name] for name in each if name not in ("kind", "fact", "nth")} for each in said
            ]
        for name in ("aliases", "provenance"):
            line[name] = sorted(line.get(name, ()), key=lambda each: json.dumps(each, sort_keys=True))
        lines[line.get("id", json.dumps(line, sort_keys=True))] = line
    return lines


_IDS = re.compile(r"(?:ent|fact|ep)_[0-9a-z]{26}")


def check_copies_converge(
    blank: Path, shared: list[tuple[Any, ...]], one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]
) -> None:
    with worlds(blank) as world:
        first, second = world(), world(seconds=0.007)
        first.tell(shared)
        imported(second.path, exported(first.path))
        first.tell(one)
        second.tell(other)
        refused: set[str] = set()
        for source, target in [(first, second), (second, first)] * 2:
            lines = exported(source.path)
            for each in imported(target.path, lines)["refused"]:
                said = f"{lines.split(chr(10))[each['line'] - 1]} {each['message']} {each.get('hint')}"
                refused |= set(_IDS.findall(said))
        ours, theirs = as_said(first.path), as_said(second.path)
        differing = [about for about in ours.keys() | theirs.keys() if ours.get(about) != theirs.get(about)]

        assert [about for about in differing if refused.isdisjoint(_IDS.findall(about))] == []


@settings(max_examples=2)
@told_of(stories, stories, stories)
def test_copies_that_exchange_exports_become_equal_or_are_told_where_they_differ(blank, shared, one, other):
    check_copies_converge(blank, shared[:4], one, other)


@pytest.mark.slow
@settings(max_examples=100)
@told_of(stories, stories, stories)
def test_many_pairs_of_copies_become_equal_or_are_told_where_they_differ(blank, shared, one, other):
    check_copies_converge(blank, shared[:4], one, other)


def test_what_two_copies_recorded_alike_gets_the_ids_and_times_of_the_older(call, clock, path, open_graph, tmp_path):
    """
    What one of them says of it afterwards is a conflict that is told, and not a second fact.
    """
    other = Caller(open_graph(tmp_path / "other.db"))
    for each in (call, other):
        each.record(person("Ada"), "belongs_to", project("Atlas"), aliases=["Countess"])
        each("add_memory", name="A note", episode_body="Ada met Bob.", reference_time="2026-05-01T08:00:00Z")
        clock.pass_by(seconds=1)
    younger_id = other("recall_entity", name_or_alias="Ada")["entity"]["id"]
    older = as_said(path)
    imported(other.graph.path, exported(path))
    imported(path, exported(other.graph.path))
    call("retract_fact", fact_id=call("recall_entity", name_or_alias="Ada")["facts"][0]["id"])
    report = imported(other.graph.path, exported(path))

    assert as_said(other.graph.path).keys() == older.keys()
    assert other("recall_entity", name_or_alias=younger_id)["entity"]["name"] == "Ada"
    assert "is in this graph with different retracted_at" in report["refused"][0]["message"]
    assert "kg retract fact_" in report["refused"][0]["hint"]
    assert len(report["refused"]) == 1


def test_what_another_copy_ended_or_renamed_is_refused_with_the_command_for_it(call, path, tmp_path):
    called = call.record(person("Ada"), "belongs_to", project("Atlas"))
    other = tmp_path / "other.db"
    imported(other, exported(path))
    call("end_fact", fact_id=called["fact_id"], valid_to="2026-05-10")
    call("update_entity", entity=person("Ada"), name="Ada King", keep_old_name=False)
    hints = []
    for _ in range(2):  # a fact is compared where its ends are known
        hints += [each["hint"] for each in imported(other, exported(path))["refused"] if "kg " in each.get("hint", "")]
        CliRunner().invoke(kg, ["--db", str(other), *shlex.split(hints[-1].rpartition("kg ")[2])])

    assert "“Ada King belongs to Atlas”" in hints[1]
    with keepgraph.open(other) as graph:
        after = graph.call("recall_entity", name_or_alias="Ada King")
    assert [after["entity"]["name"], after["facts"]] == ["Ada King", []]


@pytest.mark.parametrize(
    ("more", "difference"),
    [
        ({"earlier": [{"valid_to": LATER, "known_from": NOON, "known_to": LATER}]}, "validity known before"),
        ({"pinned": True}, "pinned"),
    ],
)
def test_an_older_record_that_says_more_is_refused_each_time(call, path, more, difference):
    younger = call.record(person("Ada"), "tagged", literal("x"))["fact_id"]
    lines = [json.loads(line) for line in exported(path).split("\n")[:-1]]
    [older] = [line for line in lines if line.get("kind") == "fact"]
    held = kept(path)
    older_id = "fact_" + "0" * 26
    reports = [imported(path, text({**older, "id": older_id, **more})) for _ in range(2)]

    assert [report["added"] for report in reports] == [0, 0]
    for report in reports:
        assert [each["message"] for each in report["refused"]] == [
            f"{older_id} is in this graph as {younger}, with different {difference}"
        ]
    assert kept(path) == held


def test_an_older_decision_that_is_imported_later_is_not_the_newest(graph, path):
    decided = {"kind": "review_decision", "proposal_kind": "new_entity", "key": "quietus", "statement": "Is it one?"}
    newer = {**decided, "decision": "accepted", "decided_at": LATER}
    older = {**decided, "decision": "rejected", "decided_at": NOON}
    for line in (newer, older):
        imported(path, text(line))

    assert [line["decision"] for line in map(json.loads, exported(path).split("\n")[1:-1])] == ["rejected", "accepted"]
    with graph.database.read("review") as tx:
        assert store.review_proposals.last(tx, "new_entity", "quietus") == "accepted"


# The format


def test_an_export_is_written_just_so(call, clock, path):
    call.record(person("João"), "reports_to", person("Bob"), source="mail", confidence=0.25, aliases=["Jo"])
    old = call.record(person("João"), "tagged", literal("lead"))["fact_id"]
    clock.pass_by(days=1)
    call.record(person("João"), "reports_to", person("bob"), aliases=["Jay"])
    call.record(person("João"), "tagged", literal("head"), supersedes=[old])
    call("retract_fact", fact_id=old)
    call("merge_entities", keep=person("João"), absorb=person("Bob"))
    with keepgraph.open(path, group="work", clock=clock, new_id=lambda kind, now: public_id(kind, 77)) as work:
        work.call("record_fact", **fact(project("Atlas"), "tagged", literal("x" * 3)))

    joao, bob = public_id("ent", 1), public_id("ent", 2)
    assert exported(path) == text(
        {"keepgraph": "graph", "format": 1},
        {
            "kind": "entity",
            "id": joao,
            "type": "person",
            "name": "João",
            "created_at": NOON,
            "aliases": ["Jo", {"alias": "Jay", "created_at": LATER}, {"alias": "Bob", "created_at": LATER}],
            "former_ids": [bob],
        },
        {
            "kind": "entity",
            "id": public_id("ent", 77),
            "group": "work",
            "type": "project",
            "name": "Atlas",
            "created_at": LATER,
        },
        {
            "kind": "fact",
            "id": public_id("fact", 3),
            "subject": joao,
            "predicate": "reports_to",
            "object": joao,
            "text": "João reports to João",
            "confidence": 0.25,
            "recorded_at": NOON,
            "retracted_at": LATER,
            "provenance": [
                {"source": "mail", "tool": "record_fact"},
                {"confidence": 1.0, "recorded_at": LATER, "tool": "record_fact"},
            ],
        },
        {
            "kind": "fact",
            "id": public_id("fact", 4),
            "subject": joao,
            "predicate": "tagged",
            "literal": "lead",
            "text": "João tagged lead",
            "recorded_at": NOON,
            "valid_to": LATER,
            "retracted_at": LATER,
            "known_from": LATER,
            "earlier": [{"known_from": NOON, "known_to": LATER}],
            "provenance": [{"tool": "record_fact"}],
        },
        {
            "kind": "fact",
            "id": public_id("fact", 5),
            "subject": joao,
            "predicate": "tagged",
            "literal": "head",
            "text": "João tagged head",
            "recorded_at": LATER,
            "valid_from": LATER,
            "provenance": [{"tool": "record_fact"}],
        },
        {
            "kind": "fact",
            "id": public_id("fact", 77),
            "subject": public_id("ent", 77),
            "predicate": "tagged",
            "literal": "xxx",
            "text": "Atlas tagged xxx",
            "recorded_at": LATER,
            "provenance": [{"tool": "record_fact"}],
        },
    )


CARRIED = {
    "entity": "public_id group_id type name summary properties created_at",
    "alias": "entity alias created_at scope",
    "former_id": "public_id entity",
    "fact": "public_id subject predicate object literal text confidence recorded_at valid_from valid_to retracted_at "
    "known_from scope pinned",
    "earlier_validity": "fact valid_from valid_to known_from known_to",
    "provenance": "fact source confidence recorded_at session tool episode statement",
    "open_statement": "episode statement waits_for",
    "episode": "public_id group_id kind name source digest occurred_at recorded_at session pinned",
    "chunk": "episode place text heading speaker named",
    # Of the vocabulary, what a new graph may lack.
    "vocabulary_set": "name version uri retired_at details",
    "entity_type": "name description version vocabulary_set style is_abstract details retired_at replaced_by",
    "type_parent": "type parent",
    "type_disjoint": "type other",
    "predicate": "name description version vocabulary_set role inverse_of is_symmetric is_asymmetric is_irreflexive "
    "is_transitive is_acyclic is_functional is_inverse_functional has_binding_ends literal_kind sentence details "
    "is_usually_functional is_usually_inverse_functional is_basis is_rests_on_basis "
    "retired_at replaced_by",
    "predicate_end": "predicate side type",
    "vocabulary_label": "kind term language status label is_added",
    "assumed_type": "id",
    "proposed_fact": "public_id group_id subject subject_type wording object object_type confidence source evidence "
    "episode session recorded_at reason",
    "dismissed_wording": "group_id wording dismissed_at",
    "review_decision": "group_id kind key rests_on evidence decision statement decided_at",
    "owner": "entity set_at",
    "narrative": "episode week project recorded_at",
}
MADE_ANEW = {
    "entity_count": "group_id type entities",
    "fact_count": "group_id predicate subject_type object_type facts open_facts",
    "entity": "id name_key name_folded",
    "alias": "id alias_key alias_folded",
    "former_id": "id",
    "fact": "id",
    "earlier_validity": "id",
    "provenance": "id",
    "open_statement": "id",
    "vector_space": "id model dimension",
    "episode": "id",
    "chunk": "id speaker_key spaced",
    "mention": "chunk entity how start stop",
    "proposal": "id public_id group_id kind key subject_type subject predicate object_type object literal confidence "
    "created_at",
    "proposal_evidence": "proposal chunk start stop",
    "community": "id public_id group_id name summary created_at named_by",
    "community_member": "community entity",
    "map_place": "entity x y",
    "vocabulary_set": "id added_at",
    "entity_type": "id",
    "type_parent": "id",
    "type_disjoint": "id",
    "predicate": "id",
    "predicate_end": "id",
    "vocabulary_label": "id label_key",
    "vocabulary_revision": "id revision",
    "proposed_fact": "id wording_key",
    "dismissed_wording": "id wording_key",
    "review_decision": "id",
    "owner": "id group_id",
    "narrative": "id",
}
LEFT_OUT = {
    # What happened in one file, not what is known.
    "migration": "number name sha256 applied_at",
    "call": "id at tool session group_id undoes",
    "journal": "id call op tbl row was",
    "idempotency": "group_id key call digest answer",
    "assertion_surface": "id assertion alias former_id",
    "vector_change": "id kind number",
    "imported_rows": "id tbl first last imported_at file",
    # What is proposed again from what is known, and how one file was used.
    "review_proposal": "id public_id group_id kind key statement score rests_on evidence tool arguments offered_at",
    "garden_run": "id group_id started_at ended_at conversation origin proposed passes",
    "read_count": "conversation group_id tool times first_at last_at",
    "unknown_name": "group_id name_key name times last_at",
}


def test_every_column_is_exported_made_anew_or_left_out_on_purpose(graph, path):
    """
    Whoever adds a table or a column decides here what an export does with it. Derived tables are made anew.
    """
    with connected(path) as conn:
        tables = conn.execute(
            """
            SELECT name FROM pragma_table_list
            WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
            """
        ).fetchall()
        found = {
            (table, column[0])
            for (table,) in tables
            if table not in store.derived_tables.TABLES
            for column in conn.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        }
    decided = [
        (table, column)
        for some in (CARRIED, MADE_ANEW, LEFT_OUT)
        for table, columns in some.items()
        for column in columns.split()
    ]

    assert sorted(found) == sorted(decided)


def test_the_examples_in_the_schemas_are_good_lines(path):
    examples = []
    vocabulary = ("set", "word", "label", "dismissed_wording")
    for each in (
        *vocabulary,
        "entity",
        "owner",
        "episode",
        "narrative",
        "fact",
        "provenance",
        "proposed_fact",
        "review_decision",
    ):
        schema = json.loads((package_files.schemas() / "transfer" / "lines" / f"{each}.input.json").read_text())
        jsonschema.validate(schema["examples"][0], schema)
        examples += schema["examples"]

    assert counts(imported(path, text(*examples))) == (len(examples), 0, [])
    schema = json.loads((package_files.schemas() / "transfer" / "lines" / "chunk.input.json").read_text())
    jsonschema.validate(schema["examples"][0], schema)
    assert counts(imported(path, text(*schema["examples"]))) == (0, 1, [])


def test_what_was_said_again_in_one_moment_keeps_its_order(call, path, tmp_path):
    """
    Blocked, resolved and blocked again is open, even if all of it was said in one call.
    """
    tests = literal("tests")
    blocked, resolved = fact(project("Atlas"), "blocked_by", tests), fact(project("Atlas"), "resolved_by", tests)
    copies = []
    for number, said in enumerate(([blocked, resolved], [blocked, resolved, blocked])):
        call("record_facts", facts=said)
        copy = tmp_path / f"{number}.db"
        imported(copy, exported(path))
        copies.append(copy)
        assert exported(copy) == exported(path)
    apart = [json.loads(line) for line in exported(path).splitlines() if '"kind": "provenance"' in line]

    def blockers(path: Path) -> int:
        answer = json.loads(CliRunner().invoke(kg, ["--json", "--db", str(path), "week"]).output)
        return answer["totals"]["blockers"]

    assert [blockers(copy) for copy in copies] == [0, 1]
    # The resolution ends the first fact; what is said after it is a fact of its own.
    assert [(line["fact"], line.get("nth")) for line in apart] == [
        (public_id("fact", 3), 2),
        (public_id("fact", 5), None),
    ]


def test_a_fact_that_was_said_very_often_fits_the_lines(call, clock, path, tmp_path):
    for _ in range(3):
        call("record_facts", facts=[fact(person("Ada"), "tagged", literal("x"), source="s" * 2000)] * 300)
        clock.pass_by(hours=1)
    copy, lines = tmp_path / "copy.db", exported(path)
    report = imported(copy, lines)

    assert max(map(len, lines.splitlines())) < 200_000
    assert (report["added"], report["refused"]) == (lines.count("\n") - 1, [])
    assert exported(copy) == lines
    assert counts(imported(copy, lines))[::2] == (0, [])


def test_particulars_come_along_in_one_order(call, path, tmp_path):
    call.record(person("Ada"), "tagged", literal("x"))
    with connected(path) as conn:
        conn.execute("""UPDATE entity SET summary = 'Counts.', properties = '{"b": {"d": 1.0, "c": null}, "a": 2}'""")
    copy, lines = tmp_path / "copy.db", exported(path)
    imported(copy, lines)

    assert '"summary": "Counts.", "properties": {"a": 2, "b": {"c": null, "d": 1.0}}' in lines
    assert exported(copy) == lines


def test_a_text_is_exported_just_so(call, clock, path):
    with call.graph.database.write("add_memory") as tx:
        about = [{"how": "given", **person("Ada")}]
        added = episodes.upsert(
            store.journal.begin_call(tx),
            name="Talk",
            text="Ada: Hi.\n\nBob: Tea?",
            kind="message",
            source="mail",
            occurred_at="2026-05-01T00:00:00Z",
            annotations=about,
        )
        episodes.index(tx, [added])
        recorded(replace(tx, episode=added.episode.row), fact(person("Ada"), "tagged", literal("lead")))
    ((ada, said),) = rows(path, "SELECT entity.public_id, fact.public_id FROM entity, fact")

    assert [json.loads(line) for line in exported(path).splitlines()] == [
        {"keepgraph": "graph", "format": 1},
        {"kind": "entity", "id": ada, "type": "person", "name": "Ada", "created_at": NOON},
        {
            "kind": "episode",
            "id": added.episode.id,
            "episode_kind": "message",
            "name": "Talk",
            "source": "mail",
            "digest": added.episode.digest,
            "occurred_at": "2026-05-01T00:00:00.000Z",
            "recorded_at": NOON,
            "chunks": [
                {"text": "Ada: Hi.\n\n", "speaker": "Ada", "named": about},
                {"text": "Bob: Tea?", "speaker": "Bob", "named": about},
            ],
        },
        {
            "kind": "fact",
            "id": said,
            "subject": ada,
            "predicate": "tagged",
            "literal": "lead",
            "text": "Ada tagged lead",
            "recorded_at": NOON,
            "provenance": [{"tool": "add_memory", "episode": added.episode.id}],
        },
    ]


def test_a_text_that_is_too_long_for_a_line_goes_on_in_others(path, tmp_path, monkeypatch):
    pieces = [f"Piece {number}. " for number in range(9)]
    imported(path, text(episode_line(1, *pieces), episode_line(2, "short"), episode_line(3, *pieces, name="Other")))
    monkeypatch.setattr("keepgraph.engine.exchange.export.CHARACTERS_IN_LINE", 30)
    lines = exported(path)
    copy, shuffled = tmp_path / "copy.db", tmp_path / "shuffled.db"
    number = lines.count("\n") - 1
    assert sum('"kind": "chunk"' in line for line in lines.splitlines()) == 12
    assert counts(imported(copy, lines)) == (number, 0, [])
    assert exported(copy) == lines
    assert counts(imported(copy, lines)) == counts(imported(path, lines)) == (0, number, [])

    others = lines.splitlines(keepends=True)
    random.Random(7).shuffle(others)
    assert counts(imported(shuffled, "".join(others))) == (number, 0, [])
    assert exported(shuffled) == lines


def test_an_import_that_stopped_within_a_long_text_goes_on(path, monkeypatch):
    monkeypatch.setattr("keepgraph.engine.exchange.export.CHARACTERS_IN_LINE", 1)
    whole = episode_line(1, "a", "b", "c", "d")
    lines = [
        {**whole, "chunks": whole["chunks"][:1], "following": 3},
        *(chunk_line(1, n, "abcd"[n]) for n in (1, 2, 3)),
    ]
    assert counts(imported(path, text(*lines[:3]))) == (3, 0, [])
    assert counts(imported(path, text(*lines))) == (1, 3, [])

    assert counts(imported(path, text(chunk_line(1, 4, "e")))) == (0, 0, [(1, "IMPORT_CONFLICT")])
    assert exported(path) == text({"keepgraph": "graph", "format": 1}, *lines)


TEXT = episode_line(1, "Ada met ", "Bob.")


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([TEXT], (0, 1, [])),
        ([episode_line(2, "Ada met ", "Bob.")], (0, 1, [])),
        ([episode_line(2, "Ada met Bob.")], (0, 1, [])),
        ([episode_line(2, "Ada met ", "Bob.", name="Other")], (1, 0, [])),
        ([episode_line(2, "Ada met ", "Bob.", occurred_at=LATER)], (1, 0, [])),
        ([episode_line(2, "Ada met ", "Bob.", group="work")], (1, 0, [])),
        ([episode_line(1, "Ada met ", "Bea.")], (0, 0, [(1, "IMPORT_CONFLICT")])),
        ([episode_line(1, "Ada met Bob.")], (0, 0, [(1, "IMPORT_CONFLICT")])),
        ([{**TEXT, "name": "Other"}], (0, 0, [(1, "IMPORT_CONFLICT")])),
        ([{**TEXT, "source": "mail"}], (0, 0, [(1, "IMPORT_CONFLICT")])),
        (
            [{**TEXT, "name": "Other"}, chunk_line(1, 0, "Ada met ")],
            (0, 0, [(1, "IMPORT_CONFLICT"), (2, "IMPORT_CONFLICT")]),
        ),
        ([chunk_line(1, 0, "Ada met ")], (0, 1, [])),
        ([chunk_line(1, 0, "Ada saw ")], (0, 0, [(1, "IMPORT_CONFLICT")])),
        ([chunk_line(1, 2, "more")], (0, 0, [(1, "IMPORT_CONFLICT")])),
        ([chunk_line(7, 0, "more")], (0, 0, [(1, "EPISODE_NOT_FOUND")])),
        ([word_line("tagged", description="Ours.")], (0, 1, [])),
    ],
)
def test_a_text_that_meets_a_graph_is_known_new_or_refused(path, lines, expected):
    imported(path, text(TEXT))

    assert counts(imported(path, text(*lines))) == expected


@pytest.mark.parametrize("number", [1, 2])
def test_what_came_out_of_a_text_says_so_whatever_its_id_is_here(path, number):
    imported(path, text(episode_line(1, "Ada met ", "Bob.")))
    said = fact_line(1, 1, 2, provenance=[{"tool": "x", "episode": public_id("ep", number)}])
    again = provenance_line(1, episode=public_id("ep", number))
    lines = text(said, again, ADA, BOB, episode_line(number, "Ada met ", "Bob."))

    assert counts(imported(path, lines)) == (4, 1, [])
    assert (
        rows(path, "SELECT public_id FROM provenance JOIN episode ON episode.id = episode")
        == [(public_id("ep", 1),)] * 2
    )
    assert counts(imported(path, lines)) == (0, 5, [])


def test_a_word_of_another_graph_may_be_used(path, tmp_path):
    said = {**SAID, "predicate": "mentors"}
    lines = text(word_line("mentors"), word_line("lab", word_kind="entity_type"), ADA, {**BOB, "type": "lab"}, said)

    assert counts(imported(path, lines)) == (5, 0, [])
    assert counts(imported(path, lines)) == (0, 5, [])
    copy = tmp_path / "copy.db"
    imported(copy, exported(path))
    assert exported(copy) == exported(path)


def test_an_export_does_not_wait_for_all_of_it(call, monkeypatch):
    call.record(person("Ada"), "tagged", literal("x"))
    lines = export.stream_lines(call.graph.database)

    assert next(lines) == {"keepgraph": "graph", "format": 1}
    assert next(lines)["name"] == "Ada"
    call.record(person("Bob"), "tagged", literal("x"))
    assert [line["kind"] for line in lines] == ["fact"]


# Into a graph that has things already

ADA, BOB, CLEO = entity_line(1, "Ada"), entity_line(2, "Bob"), entity_line(3, "Cleo")
SAID = fact_line(1, 1, 2)
BASE = text(ADA, BOB, SAID)

MEETINGS: list[tuple[str, list[dict[str, Any]], tuple[int, int, list[tuple[int, str]]]]] = [
    ("all of it again", [ADA, BOB, SAID], (0, 3, [])),
    ("a new alias", [{**ADA, "aliases": ["Countess"]}], (0, 1, [])),
    ("another spelling of the name", [{**ADA, "name": "ADA"}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("another summary", [{**ADA, "summary": "Counts."}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("another property", [{**ADA, "properties": {"a": 1}}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("another beginning", [{**ADA, "created_at": LATER}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("another name", [{**ADA, "name": "Zoe"}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("another type", [{**ADA, "type": "concept"}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("another group", [{**ADA, "group": "work"}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    (
        "a fact about one who is another",
        [{**ADA, "name": "Zoe"}, BOB, fact_line(2, 1, "x"), provenance_line(2)],
        (0, 1, [(1, "IMPORT_CONFLICT"), (3, "IMPORT_CONFLICT"), (4, "FACT_NOT_FOUND")]),
    ),
    (
        "a fact about one with another summary",
        [{**ADA, "summary": "Counts."}, fact_line(2, 1, "x")],
        (1, 0, [(1, "IMPORT_CONFLICT")]),
    ),
    ("the name under another id", [entity_line(9, "ADA"), fact_line(9, 9, 2)], (0, 2, [])),
    ("the name in another group", [entity_line(9, "Ada", group="work")], (1, 0, [])),
    ("the name in another type", [entity_line(9, "Ada", type="concept")], (1, 0, [])),
    ("a fact of another object", [fact_line(1, 1, "x")], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("a fact of another time", [{**SAID, "recorded_at": LATER}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("a fact of another confidence", [{**SAID, "confidence": 0.5}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("a fact that ended", [{**SAID, "valid_to": LATER}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("a fact that was retracted", [{**SAID, "retracted_at": LATER}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    ("a fact known since later", [{**SAID, "known_from": LATER}], (0, 0, [(1, "IMPORT_CONFLICT")])),
    (
        "a fact with another past",
        [{**SAID, "earlier": [{"known_from": NOON, "known_to": LATER}]}],
        (0, 0, [(1, "IMPORT_CONFLICT")]),
    ),
    (
        "more on a fact that says otherwise",
        [{**SAID, "confidence": 0.5}, provenance_line(1)],
        (0, 0, [(1, "IMPORT_CONFLICT"), (2, "IMPORT_CONFLICT")]),
    ),
    ("a fact told in other words", [{**SAID, "text": "Whatever"}], (0, 1, [])),
    ("the same under another id", [fact_line(9, 1, 2), provenance_line(9)], (1, 1, [])),
    ("the same, but retracted", [fact_line(9, 1, 2, retracted_at=LATER)], (1, 0, [])),
    ("the same of another time", [fact_line(9, 1, 2, valid_to=LATER)], (1, 0, [])),
    ("an alias that is a name", [{**ADA, "aliases": ["BOB"]}], (0, 1, [(1, "ALIAS_TAKEN")])),
    ("a new one with an alias that is a name", [{**CLEO, "aliases": ["Bob"]}], (1, 0, [(1, "ALIAS_TAKEN")])),
    ("a former id that is an entity", [{**CLEO, "former_ids": [BOB["id"]]}], (1, 0, [(1, "IMPORT_CONFLICT")])),
    ("nobody's fact", [fact_line(9, 8, 2)], (0, 0, [(1, "ENTITY_NOT_FOUND")])),
    ("a fact about nobody", [fact_line(9, 1, 8)], (0, 0, [(1, "ENTITY_NOT_FOUND")])),
    ("more on nothing", [provenance_line(9)], (0, 0, [(1, "FACT_NOT_FOUND")])),
    ("a fact before its entity", [fact_line(9, 3, 1), provenance_line(9), CLEO], (3, 0, [])),
    ("a fact across groups", [{**CLEO, "group": "work"}, fact_line(9, 3, 1)], (1, 0, [(2, "INVALID_ARGUMENTS")])),
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A graph to copy, and what is exported of it."""
    file = tmp_path_factory.mktemp("base") / "graph.db"
    imported(file, BASE)
    return file, exported(file)


def test_what_is_imported_again_is_no_change_that_undo_would_find(tmp_path, open_graph):
    """
    The words that the file carries are those of the graph; nothing in it uses most of them.
    """
    other = Caller(open_graph())
    other.record(person("Ada"), "works_at", {"type": "organisation", "name": "Acme"})
    lines, here = exported(other.graph.path), tmp_path / "here.db"
    imported(here, lines)
    before = rows(here, "SELECT * FROM journal")
    again = imported(here, lines)

    assert again["added"] == 0
    assert rows(here, "SELECT * FROM journal") == before
    assert {table for (table,) in rows(here, "SELECT tbl FROM journal")}.isdisjoint({"entity_type", "predicate"})


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(("lines", "expected"), [met[1:] for met in MEETINGS], ids=[met[0] for met in MEETINGS])
def test_what_meets_a_graph_is_known_new_or_refused(path, base, lines, expected):
    shutil.copy(base[0], path)
    before = {table: set(held) for table, held in kept(path).items()}
    first = imported(path, text(*lines))
    after = kept(path)
    again = imported(path, text(*lines))

    assert counts(first) == expected
    assert (again["added"], again["merged"]) == (0, first["added"] + first["merged"])
    assert again["refused"] == first["refused"]
    assert kept(path) == after
    assert all(held <= set(after[table]) for table, held in before.items())


def test_another_id_for_a_name_leads_to_the_one_that_is_there(path):
    imported(path, BASE)
    ours = entity_line(9, "ADA", aliases=["Countess"], summary="Counts.", properties={"a": 1}, created_at=LATER)
    imported(
        path,
        text(
            ours,
            fact_line(9, 9, "x"),
            fact_line(8, 9, 2, provenance=[{"tool": "t", "source": "talk", "recorded_at": LATER}]),
        ),
    )
    lines = [json.loads(line) for line in exported(path).splitlines()]

    assert lines[1] == {
        **entity_line(1, "Ada"),
        "summary": "Counts.",
        "properties": {"a": 1},
        "aliases": [{"alias": "Countess", "created_at": LATER}],
        "former_ids": [public_id("ent", 9)],
    }
    assert [(line["subject"], [said.get("source") for said in line["provenance"]]) for line in lines[3:]] == [
        (ADA["id"], ["mail", "talk"]),
        (ADA["id"], ["mail"]),
    ]
    assert counts(imported(path, text({**ours, "summary": "Other."})))[2] == [(1, "IMPORT_CONFLICT")]
    assert counts(imported(path, text({**ours, "properties": {"a": 2}})))[2] == [(1, "IMPORT_CONFLICT")]


def test_a_file_from_before_a_merge_finds_what_was_merged(call, path):
    imported(path, BASE)
    call("merge_entities", keep={"id": BOB["id"]}, absorb={"id": ADA["id"]})
    before = kept(path)

    # The fact between the two was retracted by the merge: of that, the file says otherwise.
    assert counts(imported(path, BASE)) == (0, 2, [(3, "IMPORT_CONFLICT")])
    assert kept(path) == before


def test_a_file_from_after_a_merge_says_what_to_do(call, path, tmp_path):
    imported(path, BASE)
    older = tmp_path / "older.db"
    imported(older, BASE)
    call("merge_entities", keep={"id": BOB["id"]}, absorb={"id": ADA["id"]})
    report = imported(older, exported(path))
    wanted = "If they are the same: kg merge person:Bob person:Ada"

    assert {each["error"] for each in report["refused"]} == {"IMPORT_CONFLICT", "ALIAS_TAKEN"}
    assert wanted in [each.get("hint") for each in report["refused"]]


def test_a_name_that_is_an_alias_here_is_not_guessed(call, path):
    call.record(person("Robert"), "tagged", literal("x"), aliases=["Bob"])
    report = imported(path, text(BOB, fact_line(9, 2, "y")))

    assert counts(report) == (0, 0, [(1, "IMPORT_CONFLICT"), (2, "IMPORT_CONFLICT")])
    assert "is an alias of the person 'Robert'" in report["refused"][0]["message"]


def test_a_name_that_is_an_alias_here_is_not_guessed_in_a_whole_export_either(call, path):
    """
    The file has the other entity too, and not its alias: there the name meant somebody else.
    """
    ada = {**ADA, "name": "Ada"}
    imported(path, text(ada))
    call("add_alias", entity={"id": ada["id"]}, alias="Bob")
    for lines in (text(ada, BOB), text(BOB, ada)):
        report = imported(path, lines)

        assert [each["error"] for each in report["refused"]] == ["IMPORT_CONFLICT"]
        assert call("recall_entity", name_or_alias="Bob")["entity"]["name"] == "Ada"


def test_a_name_and_the_same_alias_in_one_file_are_taken_by_a_graph_that_has_the_alias(call, path):
    lines = text(BOB, {**ADA, "aliases": ["Bob"]})
    imported(path, text(ADA))
    call("add_alias", entity={"id": ADA["id"]}, alias="Bob")

    assert counts(imported(path, lines)) == (1, 1, [])


@pytest.mark.parametrize("strict", [(), ("--strict",)], ids=["all", "strict"])
def test_what_was_recorded_in_the_future_is_refused(path, strict):
    future = "2999-01-01T00:00:00.000Z"
    lines = text(ADA, {**BOB, "created_at": future}, fact_line(1, 1, "x", recorded_at=future), {**CLEO})
    report = imported(path, lines, *strict)
    refused = [(each["line"], each["error"]) for each in report["refused"]]

    assert refused == ([(2, "INVALID_ARGUMENTS")] if strict else [(n, "INVALID_ARGUMENTS") for n in (2, 3)])
    assert "future" in report["refused"][0]["message"]


@pytest.mark.parametrize(
    "values",
    [
        {"sentence": "somebody works somewhere"},
        {"flags": ["symmetric", "asymmetric"]},
        {"literal": "date", "flags": ["transitive"]},
        {"labels": [["en", "alternative", "…"]]},
        {"details": {"examples": [7]}},
    ],
    ids=str,
)
def test_a_word_line_is_checked_as_the_vocabulary_checks_words(path, values):
    """
    A new word, and one that takes the place of a word as the program ships it.
    """
    for name in ("mentors_often", "near"):
        report = imported(path, text(word_line(name, **values)))

        assert [each["error"] for each in report["refused"]][:1] in (["VOCABULARY_INVALID"], ["VOCABULARY_CONFLICT"])


def test_an_export_holds_no_control_character_that_a_terminal_interprets(call, path):
    odd = "a\x1b[2Jb\x9bc\x7fd\u202ee\u2066f"
    call.record(person("Ada"), "tagged", literal(odd))
    exported = CliRunner().invoke(kg, ["--db", str(path), "export"]).stdout

    assert not any(character in exported for character in "\x1b\x9b\x7f\u202e\u2066")
    assert odd in {json.loads(line).get("literal") for line in exported.splitlines()}


def test_what_is_valid_in_the_future_is_taken(path):
    lines = text(ADA, fact_line(1, 1, "x", valid_from="2999-01-01T00:00:00.000Z"))

    assert counts(imported(path, lines))[2] == []


def test_what_stands_in_one_file_is_taken_as_it_was(path):
    """
    Undo may leave a name and the alias of another that are alike; a name goes before an alias.
    """
    lines = text({**ADA, "aliases": ["Bob"]}, BOB)
    other = text(BOB, {**ADA, "aliases": ["Bob"]})

    assert counts(imported(path, lines)) == (2, 0, [])
    assert counts(imported(path, other)) == (0, 2, [])


def test_a_source_is_the_one_who_said_it_first(call, path):
    imported(path, text(ADA, fact_line(1, 1, "x", recorded_at=LATER)))
    imported(path, text(provenance_line(1, recorded_at=NOON, source="an older letter")))
    (told,) = call("recall_entity", name_or_alias="Ada")["facts"]

    assert told["source"] == "an older letter"


# Lines that are wrong

STAMP = "2026-02-30T10:00:00.000Z"
WRONG: list[tuple[dict[str, Any] | str, str]] = [
    ({**ADA, "kind": "person"}, "INVALID_ARGUMENTS"),
    ({**ADA, "kind": ["entity"]}, "INVALID_ARGUMENTS"),
    ({**ADA, "kind": None}, "INVALID_ARGUMENTS"),
    ({**ADA, "more": 1}, "INVALID_ARGUMENTS"),
    ({name: value for name, value in ADA.items() if name != "id"}, "INVALID_ARGUMENTS"),
    ({**ADA, "id": "ent_1"}, "INVALID_ARGUMENTS"),
    ({**ADA, "id": "ent_" + "0" * 25 + "u"}, "INVALID_ARGUMENTS"),
    ({**ADA, "id": "ent_8" + "0" * 25}, "INVALID_ARGUMENTS"),
    ({**ADA, "id": ADA["id"] + "\n"}, "INVALID_ARGUMENTS"),
    ({**ADA, "id": SAID["id"]}, "INVALID_ARGUMENTS"),
    ({**ADA, "group": ""}, "INVALID_ARGUMENTS"),
    ({**ADA, "group": "g" * 201}, "INVALID_ARGUMENTS"),
    ({**ADA, "type": "alien"}, "ENTITY_TYPE_UNKNOWN"),
    ({**ADA, "type": 3}, "ENTITY_TYPE_UNKNOWN"),
    ({**ADA, "name": ""}, "INVALID_ARGUMENTS"),
    ({**ADA, "name": " \u200b"}, "INVALID_ARGUMENTS"),
    ({**ADA, "name": "x" * 201}, "INVALID_ARGUMENTS"),
    ({**ADA, "name": "a\x00b"}, "INVALID_ARGUMENTS"),
    ('{"kind": "entity", "name": "\\ud800"}', "INVALID_ARGUMENTS"),
    ({**ADA, "summary": 1}, "INVALID_ARGUMENTS"),
    ({**ADA, "properties": []}, "INVALID_ARGUMENTS"),
    ({**ADA, "properties": "{}"}, "INVALID_ARGUMENTS"),
    (json.dumps({**ADA, "properties": {"a": 1}}).replace("1}", "NaN}"), "INVALID_ARGUMENTS"),
    (json.dumps({**ADA, "properties": {"a": 1}}).replace("1}", "1e999}"), "INVALID_ARGUMENTS"),
    (json.dumps({**ADA, "properties": {"a": 1}}).replace("1}", "[" * 80 + "]" * 80 + "}"), "INVALID_ARGUMENTS"),
    (json.dumps({**ADA, "properties": {"a": 1}}).replace("1}", "[" * 90_000 + "]" * 90_000 + "}"), "INVALID_ARGUMENTS"),
    (json.dumps({**ADA, "properties": {"a": 1}}).replace("1}", "1" * 5000 + "}"), "INVALID_ARGUMENTS"),
    ({**ADA, "created_at": "2026-05-15"}, "INVALID_ARGUMENTS"),
    ({**ADA, "created_at": "2026-05-15T10:00:00.000+"}, "INVALID_ARGUMENTS"),
    ({**ADA, "created_at": STAMP}, "INVALID_ARGUMENTS"),
    ({**ADA, "created_at": "2026-05-15T24:00:00.000Z"}, "INVALID_ARGUMENTS"),
    ({**ADA, "created_at": "0000-05-15T10:00:00.000Z"}, "INVALID_ARGUMENTS"),
    ({**ADA, "created_at": "٢٠٢٦-05-15T10:00:00.000Z"}, "INVALID_ARGUMENTS"),
    ({**ADA, "aliases": "Countess"}, "ALIAS_INVALID"),
    ({**ADA, "aliases": [""]}, "ALIAS_INVALID"),
    ({**ADA, "aliases": ["\u200b"]}, "ALIAS_INVALID"),
    ({**ADA, "aliases": [{"alias": "C"}]}, "ALIAS_INVALID"),
    ({**ADA, "aliases": [{"alias": "C", "created_at": STAMP}]}, "INVALID_ARGUMENTS"),
    ({**ADA, "former_ids": ["nobody"]}, "INVALID_ARGUMENTS"),
    ({**SAID, "id": ADA["id"]}, "INVALID_ARGUMENTS"),
    ({**SAID, "subject": "Ada"}, "SUBJECT_REQUIRED"),
    ({**SAID, "object": {"literal": "x"}}, "OBJECT_REQUIRED"),
    ({**SAID, "literal": "both"}, "OBJECT_REQUIRED"),
    ({name: value for name, value in SAID.items() if name != "object"}, "OBJECT_REQUIRED"),
    (fact_line(1, 1, ""), "OBJECT_REQUIRED"),
    (fact_line(1, 1, " \t"), "OBJECT_REQUIRED"),
    (fact_line(1, 1, "x" * 1001), "OBJECT_REQUIRED"),
    ({**SAID, "predicate": "venerates"}, "PREDICATE_UNKNOWN"),
    ({**SAID, "confidence": 1.5}, "CONFIDENCE_OUT_OF_RANGE"),
    ({**SAID, "confidence": -1e-9}, "CONFIDENCE_OUT_OF_RANGE"),
    ({**SAID, "confidence": True}, "CONFIDENCE_OUT_OF_RANGE"),
    (json.dumps({**SAID, "confidence": 1}).replace('"confidence": 1', '"confidence": NaN'), "CONFIDENCE_OUT_OF_RANGE"),
    ({**SAID, "valid_from": LATER, "valid_to": LATER}, "VALIDITY_INVALID"),
    ({**SAID, "valid_from": LATER, "valid_to": NOON}, "VALIDITY_INVALID"),
    ({**SAID, "valid_from": "2026-05-15"}, "VALIDITY_INVALID"),
    ({**SAID, "valid_to": "~"}, "VALIDITY_INVALID"),
    ({**SAID, "valid_to": ""}, "VALIDITY_INVALID"),
    ({**SAID, "valid_from": STAMP}, "INVALID_ARGUMENTS"),
    ({**SAID, "recorded_at": STAMP}, "INVALID_ARGUMENTS"),
    ({**SAID, "retracted_at": "never"}, "INVALID_ARGUMENTS"),
    ({**SAID, "known_from": ""}, "INVALID_ARGUMENTS"),
    ({**SAID, "earlier": [{"known_from": NOON}]}, "INVALID_ARGUMENTS"),
    ({**SAID, "earlier": [{"known_from": NOON, "known_to": STAMP}]}, "INVALID_ARGUMENTS"),
    (
        {**SAID, "earlier": [{"valid_from": LATER, "valid_to": NOON, "known_from": NOON, "known_to": NOON}]},
        "VALIDITY_INVALID",
    ),
    ({**SAID, "provenance": [{}]}, "INVALID_ARGUMENTS"),
    ({**SAID, "provenance": [{"tool": ""}]}, "INVALID_ARGUMENTS"),
    ({**SAID, "provenance": [{"tool": "x", "source": ""}]}, "INVALID_ARGUMENTS"),
    ({**SAID, "provenance": [{"tool": "x", "source": "s" * 2001}]}, "INVALID_ARGUMENTS"),
    ({**SAID, "provenance": [{"tool": "x", "confidence": 2}]}, "CONFIDENCE_OUT_OF_RANGE"),
    ({**SAID, "provenance": [{"tool": "x", "recorded_at": STAMP}]}, "INVALID_ARGUMENTS"),
    ({**SAID, "provenance": [{"tool": "x", "who": "me"}]}, "INVALID_ARGUMENTS"),
    (provenance_line(1, nth=0), "INVALID_ARGUMENTS"),
    (provenance_line(1, recorded_at=STAMP), "INVALID_ARGUMENTS"),
    (provenance_line(1, confidence=7), "CONFIDENCE_OUT_OF_RANGE"),
    ({**provenance_line(1), "fact": "fact_1"}, "FACT_NOT_FOUND"),
    ({**provenance_line(1), "episode": "ep_1"}, "EPISODE_NOT_FOUND"),
    ({**provenance_line(1), "episode": public_id("ep", 9)}, "EPISODE_NOT_FOUND"),
    ({**SAID, "provenance": [{"tool": "x", "episode": public_id("ep", 9)}]}, "EPISODE_NOT_FOUND"),
    (word_line("works at"), "INVALID_ARGUMENTS"),
    (word_line(""), "INVALID_ARGUMENTS"),
    (word_line("works_at", word_kind="verb"), "INVALID_ARGUMENTS"),
    (episode_line(1, "a", digest="0" * 64), "EPISODE_INVALID"),
    (episode_line(1, "a", digest="0"), "INVALID_ARGUMENTS"),
    (episode_line(1, "a", episode_kind="song"), "INVALID_ARGUMENTS"),
    (episode_line(1, "a", name=""), "INVALID_ARGUMENTS"),
    (episode_line(1, "a", source="x" * 4097), "INVALID_ARGUMENTS"),
    (episode_line(1, "a", occurred_at=STAMP), "INVALID_ARGUMENTS"),
    (episode_line(1, "a", chunks=[{"text": ""}]), "INVALID_ARGUMENTS"),
    (episode_line(1, "a", chunks=[{"text": "a", "speaker": "\u200b"}]), "EPISODE_INVALID"),
    (episode_line(1, "a", chunks=[{"text": "a", "named": [{"name": "Ada"}]}]), "INVALID_ARGUMENTS"),
    (episode_line(1, "a\0"), "INVALID_ARGUMENTS"),
    (chunk_line(9, 0, "a"), "EPISODE_NOT_FOUND"),
    (chunk_line(9, -1, "a"), "INVALID_ARGUMENTS"),
    ('{"kind": "fact"', "INVALID_ARGUMENTS"),
    ("[" * 100_000, "INVALID_ARGUMENTS"),
    ({"keepgraph": "graph"}, "INVALID_ARGUMENTS"),
    ({"keepgraph": "graph", "format": 0}, "INVALID_ARGUMENTS"),
    ({"keepgraph": "graph", "format": True}, "INVALID_ARGUMENTS"),
    ({"keepgraph": "graph", "format": 1, "more": 1}, "INVALID_ARGUMENTS"),
    ({"keepgraph": "profile", "format": 1}, "INVALID_ARGUMENTS"),
    ({**CLEO, "summary": "x" * 16_000_001}, "INVALID_ARGUMENTS"),
]


def test_a_wrong_line_is_refused_and_the_others_are_taken(path, base):
    """
    All in one file: none of them changes how another, or a good line, is read. Of twenty the reasons are told.
    """
    file, before = base
    shutil.copy(file, path)
    report = imported(path, text(ADA, *(line for line, _ in WRONG), CLEO))

    assert counts(report) == (1, 1, [(number, code) for number, (_, code) in enumerate(WRONG[:20], 2)])
    assert report["refused_total"] == len(WRONG)
    for first in range(20, len(WRONG), 20):
        part = WRONG[first : first + 20]
        told = counts(imported(path, text(*(line for line, _ in part))))
        assert told == (0, 0, [(number, code) for number, (_, code) in enumerate(part, 1)])
    assert exported(path).replace(text(CLEO), "") == before


def test_a_strict_import_takes_nothing_of_a_wrong_line_or_after_it(path, base):
    file, before = base
    shutil.copy(file, path)
    for code, line in {code: line for line, code in WRONG}.items():
        report = imported(path, text(ADA, line, CLEO), "--strict")

        assert (counts(report), report["stopped"]) == ((0, 1, [(2, code)]), True), str(line)[:200]
    assert exported(path) == before


def test_a_strict_import_keeps_what_came_before_and_leaves_no_part(path):
    imported(path, text(BOB))
    report = imported(path, text(HEADER.strip(), ADA, {**CLEO, "aliases": ["Bob"]}, entity_line(4, "Dan")), "--strict")
    names = [json.loads(line).get("name") for line in exported(path).splitlines()[1:]]

    assert (counts(report), report["stopped"]) == ((1, 0, [(3, "ALIAS_TAKEN")]), True)
    assert names == ["Ada", "Bob"]


def test_a_newer_format_is_refused_and_says_to_upgrade(path):
    lines = text(ADA, {"keepgraph": "graph", "format": import_state.VERSION + 1, "compressed": True}, BOB)
    report = imported(path, lines)
    shown = CliRunner().invoke(kg, ["--db", str(path), "import", "-"], input=lines)

    assert (report["error"], report["added"], report["stopped"]) == ("GRAPH_TOO_NEW", 1, True)
    assert "upgrade Keepgraph" in report["message"]
    assert "hint:  A newer version wrote this file: upgrade Keepgraph" in shown.output
    assert [json.loads(line)["name"] for line in exported(path).splitlines()[1:]] == ["Ada"]


def test_a_line_without_end_is_not_read_into_memory(path, tmp_path):
    file = tmp_path / "long.jsonl"
    with file.open("w") as out:
        for _ in range(240):
            out.write("x" * 1_000_000)
        out.write("\n" + text(ADA))
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import resource, sys\n"
            "from keepgraph.cli.root import kg\n"
            "resource.setrlimit(resource.RLIMIT_DATA, (200_000_000, 200_000_000))\n"
            "kg(sys.argv[1:])",
            *("--db", str(path), "--json", "import", str(file)),
        ],
        capture_output=True,
        text=True,
    )

    assert counts(json.loads(done.stdout)) == (1, 0, [(1, "INVALID_ARGUMENTS")])


def test_both_kinds_of_lines_may_stand_in_one_file(path):
    by_hand = fact({"id": ADA["id"]}, "tagged", literal("lead"))
    report = imported(path, text(HEADER.strip(), ADA, by_hand, BOB, SAID, by_hand, "", HEADER.strip(), "{"))

    assert counts(report) == (4, 1, [(9, "INVALID_ARGUMENTS")])


def test_a_refusal_is_shown_with_its_line_and_reason(path):
    imported(path, BASE)
    shown = CliRunner().invoke(kg, ["--db", str(path), "import", "-"], input=text(ADA, {**ADA, "summary": "\x1b[31m"}))

    assert f"line 2: {ADA['id']} is in this graph with different summary (IMPORT_CONFLICT)" in shown.output
    assert "2 lines: 0 added, 1 known before, 1 refused" in shown.output


# Calls, and other writers


def many(number: int) -> str:
    """The lines of a graph with so many people and facts."""
    numbers = range(10_000, 10_000 + number)
    people = [entity_line(each, f"Person {each}") for each in numbers]
    return text(HEADER.strip(), *people, *(fact_line(each, each, "here") for each in numbers))


def test_each_batch_is_a_call_that_can_be_taken_back(call, path):
    imported(path, many(700))
    made = call("list_calls", limit=10)["calls"]
    for each in made:
        assert "error" not in call("undo", call=each["call"])

    assert [(each["tool"], sum(each["touched"].values())) for each in made] == [
        ("import", 800),
        ("import", 800),
        ("import", 500),
    ]
    assert exported(path) == HEADER
    assert counts(imported(path, many(700))) == (1400, 0, [])


def test_an_import_that_is_killed_can_be_run_again(path, tmp_path):
    lines = many(3000)
    file = tmp_path / "graph.jsonl"
    file.write_text(lines)
    keepgraph.open(path).close()
    with subprocess.Popen(
        [sys.executable, "-m", "keepgraph.cli", "--db", str(path), "import", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        while running.poll() is None and rows(path, "SELECT count(*) FROM entity") < [(1000,)]:
            time.sleep(0.005)
        running.send_signal(signal.SIGKILL)
    ((came,),) = rows(path, "SELECT (SELECT count(*) FROM entity) + (SELECT count(*) FROM fact)")
    report = imported(path, lines)

    assert came % 500 == 0
    assert counts(report) == (6000 - came, came, [])
    assert exported(path) == lines_in_order(lines)


def lines_in_order(lines: str) -> str:
    """With the sentences, which an import makes."""
    told = []
    for line in map(json.loads, lines.splitlines()):
        if line.get("kind") == "fact":
            number = int(line["subject"].removeprefix("ent_"))
            place = list(line).index("recorded_at")
            parts = [*line.items()]
            line = dict([*parts[:place], ("text", f"Person {number} reports to here"), *parts[place:]])
        told.append(line)
    return text(*told)


def test_others_write_while_an_import_goes_on(call, path, monkeypatch):
    from keepgraph.engine.exchange import importer

    import_batch = importer.import_batch
    done = []

    def and_another_writes(*given: Any, **more: Any) -> Any:
        results = import_batch(*given, **more)
        done.append(call.record(person(f"Writer {len(done)}"), "tagged", literal("x"))["fact_id"])
        return results

    monkeypatch.setattr(importer, "import_batch", and_another_writes)

    assert counts(imported(path, many(700))) == (1400, 0, [])
    assert len(done) == 3


def test_a_batch_that_cannot_be_written_leaves_nothing(call, path, monkeypatch):
    from keepgraph import store

    def full(*given: Any) -> None:
        raise errors.GraphWriteFailed("the disk is full")

    before = kept(path)
    monkeypatch.setattr(store.provenance, "insert_many", full)
    report = imported(path, BASE)

    assert (report["error"], report["lines"]) == ("GRAPH_WRITE_FAILED", 0)
    assert kept(path) == before


def test_imported_names_and_words_are_found(call, path):
    imported(path, text({**ADA, "name": "Ada Lovelace", "aliases": ["Countess"]}, BOB, SAID))
    found = {asked: call.recalled(asked) for asked in ("ada lovelace", "countess", "Ada Lovelase", public_id("ent", 1))}
    words = rows(path, "SELECT rowid FROM fact_text WHERE fact_text MATCH 'lovelace AND report'")

    assert set(found.values()) == {"Ada Lovelace"}
    assert words == [(1,)]
    assert rows(path, "SELECT count(*) FROM name_unembedded") >= [(0,)]
