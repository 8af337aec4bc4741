"""What was purged stands in no file of ours: no row, index, journal entry, stored answer, history or backup has it."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from homes import Mould, Steps, error_code, files_with, open_elsewhere, run, run_ok
from keepgraph import store
from keepgraph.engine.maintenance import backups, integrity
from keepgraph.engine.texts import mention_index
from keepgraph.model import Key
from laws import examples
from words import Caller, concept, connected, literal, person, rows

RARE = "Quexazor"
FORMER = "Vumblixen"
MERGED = "Drazzoply"
WORDS = (RARE, RARE.lower(), FORMER, FORMER.lower(), MERGED, MERGED.lower())


_moulds: list[Mould] = []
"""The home of the graph that was lived in, once it is made."""


@pytest.fixture
def lived(home: Path, graph_file: Path) -> Path:
    """A graph in which one person was named, renamed, merged, quoted, proposed and undone in every way there is."""
    if _moulds:
        _moulds[0].into(home)
    else:
        live(graph_file)
        _moulds.append(Mould.of(home))
    return graph_file


def live(graph_file: Path) -> None:
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call.record(person(FORMER), "tagged", literal(f"{FORMER} is away"), source=f"{FORMER} said so", aliases=["Vux"])
        call.record(person(MERGED), "reports_to", person("Ana"))
        call.record(person("Ana"), "tagged", literal("here"), source="standup")
        call("update_entity", entity=person(FORMER), name=RARE, summary=f"{RARE} writes", properties={"nick": RARE})
        call("merge_entities", keep=person(RARE), absorb=person(MERGED))
        facts = [
            {"subject": person(RARE), "predicate": "tagged", "object": literal("tall")},
            {"subject": person("Ana"), "predicate": "reports_to", "object": person(RARE)},
        ]
        call("record_facts", facts=facts, idempotency_key="first")
        call("record_facts", facts=[{**facts[0], "object": literal("undone")}], idempotency_key="second")
        call("undo")
        said = {"from": RARE, "type": "juggles beside", "to": "Ana"}
        call("submit_session_extraction", entities=[], relations=[said])
        call("remember", text="The trip was long.", about=[RARE])
        note = call("remember", text=f"A note with {RARE} in it that goes.")
        call("delete_episode", uuid=note["doc_id"])
        backups.make(graph.database, backups.BY_HAND)
        call("retract_fact", fact_id=call("recall_entity", name_or_alias=RARE)["facts"][0]["id"])
        mention_index.backfill(graph.database)
        backups.make(graph.database, backups.BY_HAND)
    store.files.prompt_history(graph_file).write_text(f"MATCH (n) WHERE n.name = '{RARE}' RETURN n\n")


def state(graph_file: Path) -> str:
    return run_ok("--db", str(graph_file), "export")


def check_sound(graph_file: Path) -> None:
    with keepgraph.open(graph_file) as graph:
        checks, _ = integrity.check_all(graph.database)

    assert [check for check in checks if check.state is integrity.State.WRONG] == []


# An entity


def test_nothing_of_a_purged_entity_is_in_any_file(lived, home):
    assert len(files_with(home, *WORDS)) == 4
    run_ok("forget", RARE, "--purge", "--yes")

    assert files_with(home, *WORDS) == []
    check_sound(lived)


def test_what_has_nothing_to_do_with_it_stays(lived):
    run_ok("forget", RARE, "--purge", "--yes")
    with keepgraph.open(lived) as graph:
        call = Caller(graph)
        ana = call("recall_entity", name_or_alias="Ana")

    assert [fact["object"]["literal"] for fact in ana["facts"]] == ["here"]
    assert rows(lived, "SELECT name FROM episode") == [("The trip was long.",)]
    assert len(backups.list_all(lived)) == 2


def test_the_report_names_each_file_and_what_still_has_the_name(lived):
    with keepgraph.open(lived) as graph:
        Caller(graph)("remember", text=f"A note about {RARE} that stays.")
    report = json.loads(run_ok("--json", "forget", RARE, "--purge", "--yes"))["purged"]

    assert len(report["files"]) == 3
    assert str(lived) == report["files"][-1]["file"]
    assert [f"A note about {RARE} that stays."] == [named["name"] for named in report["files"][-1]["still_named_in"]]
    assert all(file["rows_searched"] for file in report["files"])


def test_what_was_forgotten_before_can_be_purged_by_its_name_or_id(lived, home):
    with keepgraph.open(lived) as graph:
        public_id = Caller(graph)("forget", what=RARE)["forgotten"]["id"]
    assert files_with(home, RARE)
    run_ok("forget", public_id, "--purge", "--yes")

    assert files_with(home, *WORDS) == []


def test_purging_twice_is_no_error_where_the_id_is_given(lived, home):
    with keepgraph.open(lived) as graph:
        public_id = Caller(graph)("forget", what=RARE)["forgotten"]["id"]
    run_ok("forget", public_id, "--purge", "--yes")
    run_ok("forget", public_id, "--purge", "--yes")

    assert error_code(run("forget", RARE, "--purge", "--yes")) == "ENTITY_NOT_FOUND"


def test_a_note_is_not_purged_by_the_name_of_a_person_in_it(graph_file):
    run_ok("remember", "Person Ana Ruiz signed the lease in Lyon.")
    refused = [
        run("forget", *what, "--yes", *more)
        for what in (["person:Ana", "Ruiz"], ["Ana Ruiz"], ["signed the lease"], ["lease", "--kind", "text"])
        for more in ([], ["--purge"])
    ]

    assert {error_code(each) for each in refused} == {"ENTITY_NOT_FOUND", "EPISODE_NOT_FOUND"}
    assert rows(graph_file, "SELECT count(*) FROM episode") == [(1,)]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("what", "fits"),
    [
        (["person:Kim Lee"], True),
        (["Kim Lee", "--kind", "entity"], True),
        (["project:Kim Lee"], False),
        (["Kim Lee", "--kind", "text"], False),
        (["Kim Lee", "--kind", "fact"], False),
    ],
)
def test_what_was_forgotten_before_is_purged_only_as_what_it_was(graph_file, home, what, fits):
    run_ok("record", "person:Kim Lee", "tagged", "=Blorptastic")
    run_ok("forget", "Kim Lee", "--yes")
    done = run("forget", *what, "--purge", "--yes")

    assert (done.exit_code == 0) is fits
    assert bool(files_with(home, "Blorptastic")) is not fits


def test_a_separated_entity_is_not_purged_with_the_one_it_was_merged_into(graph_file):
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call.record(person("Kim Lee"), "tagged", literal("a"))
        call.record(person("Kim Leigh"), "tagged", literal("b"))
        merged = call("merge_entities", keep=person("Kim Lee"), absorb=person("Kim Leigh"))
        call("undo", call=merged["call"])
    run_ok("forget", "Kim Lee", "--purge", "--yes")

    assert rows(graph_file, "SELECT name FROM entity") == [("Kim Leigh",)]
    assert rows(graph_file, "SELECT literal FROM fact") == [("b",)]
    check_sound(graph_file)


# Fifty texts


@pytest.fixture
def fifty(graph_file: Path) -> list[str]:
    """Fifty texts, each with a rare word, some of them edited, in a graph with backups; the words."""
    words = [f"quex{chr(97 + n // 26)}{chr(97 + n % 26)}zor" for n in range(50)]
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        for n, word in enumerate(words):
            text = f"Note {n}: {word} and {word.capitalize()} Harlan are late."
            added = call("add_memory", name=f"About {word}", episode_body=text)
            if n % 5 == 0:
                call("add_memory", uuid=added["uuid"], name=f"About {word} again", episode_body=f"{word} came.")
            call.record(person("Ana"), "tagged", literal(f"kept {n}"), source=f"About {word} ({added['uuid']})")
            if n == 25:
                backups.make(graph.database, backups.BY_HAND)
        backups.make(graph.database, backups.DAILY)
    return words


@pytest.mark.slow
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
def test_no_byte_of_fifty_purged_texts_is_left(fifty, home, graph_file, encrypted):
    if encrypted:
        run_ok("encrypt")
    for word in fifty[:2]:
        run_ok("forget", "the", "note", "about", word, "--yes", "--purge")
    with keepgraph.open(graph_file) as graph:
        for word in fifty[2:]:
            assert "error" not in Caller(graph)("forget", what=f"the note about {word}")
    report = json.loads(run_ok("--json", "purge", "--yes"))
    if encrypted:
        run_ok("decrypt", "--yes")

    assert files_with(home, *fifty, *(word.capitalize() for word in fifty)) == []
    assert not report["failures"]
    assert len(rows(graph_file, "SELECT 1 FROM fact WHERE literal LIKE 'kept %'")) == 50


def test_what_was_cleared_can_be_purged(lived, home):
    run_ok("clear", "--yes")
    assert files_with(home, RARE)
    run_ok("purge", "--yes")

    assert files_with(home, *WORDS) == []


def test_a_purge_of_nothing_changes_nothing_that_is_known(lived):
    run_ok("purge", "--yes")
    before = state(lived)
    run_ok("purge", "--yes")

    assert before == state(lived)


def test_a_merge_can_be_taken_back_after_a_purge_of_all_that_was_deleted(graph_file):
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call.record(person("Kim Lee"), "tagged", literal("a"))
        call.record(person("Kim Leigh"), "tagged", literal("a"))
        before = [str(line) for line in call("recall_entity", name_or_alias="Kim Leigh")["facts"]]
        merged = call("merge_entities", keep=person("Kim Lee"), absorb=person("Kim Leigh"))["call"]
    run_ok("purge", "--yes")
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call("undo", call=merged)

        assert before == [str(line) for line in call("recall_entity", name_or_alias="Kim Leigh")["facts"]]


# Undo


def test_undo_says_that_what_it_would_bring_back_was_purged(lived):
    answer = json.loads(run_ok("--json", "forget", RARE, "--purge", "--yes"))

    assert error_code(run("undo", str(answer["call"]))) == "PURGED"
    assert error_code(run("undo")) == "PURGED"


def test_undo_of_a_call_in_which_it_was_one_of_many_says_so_and_brings_back_the_others(graph_file):
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        for name in ("Ana", RARE):
            call.record(person(name), "tagged", literal("x"))
        cleared = call("clear_graph", confirm=True)["call"]
    run_ok("forget", RARE, "--purge", "--yes")
    answer = json.loads(run_ok("--json", "undo", str(cleared)))

    assert answer["purged"]
    assert "purged" in answer["message"]
    assert rows(graph_file, "SELECT name FROM entity") == [("Ana",)]
    check_sound(graph_file)


def test_an_earlier_version_of_a_kept_text_that_named_it_does_not_come_back(graph_file, home):
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call.record(person(RARE), "tagged", literal("x"))
        text = call("add_memory", name="Trip", episode_body=f"{RARE} and Ana went.")["uuid"]
        edited = call("add_memory", uuid=text, name="Trip", episode_body="Ana went.")["call"]
    run_ok("forget", RARE, "--purge", "--yes")

    assert files_with(home, RARE, RARE.lower()) == []
    assert error_code(run("undo", str(edited))) in ("PURGED", None)
    assert rows(graph_file, "SELECT text FROM chunk") == [("Ana went.",)]
    check_sound(graph_file)


def test_the_number_of_a_purged_row_is_not_given_again(lived):
    before = rows(lived, "SELECT max(id) FROM entity")
    run_ok("forget", RARE, "--purge", "--yes")
    run_ok("record", "person:Newcomer", "tagged", "=x")

    assert rows(lived, "SELECT max(id) FROM entity") > before


def test_history_and_log_do_without_what_was_purged(lived):
    run_ok("forget", RARE, "--purge", "--yes")
    run_ok("log", "-n", "100")
    run_ok("history", "Ana")


# Communities


@pytest.fixture
def community(graph_file: Path) -> str:
    """The id of a community, built before one of its members joined and after; its name has a word of a fact."""
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        for one, other in combinations(("Ana", "Bob", "Cid", "Dan"), 2):
            call.record(person(one), "knows", person(other))
        call.record(person("Ana"), "tagged", literal("blorptastic"), source="standup")
        uuid = call("build_communities", group_ids=["default"])["communities"][0]["uuid"]
        for name in ("Ana", "Bob", "Cid"):
            call.record(person(RARE), "knows", person(name))
        call("build_communities", group_ids=["default"])
        backups.make(graph.database, backups.BY_HAND)
    return uuid


def test_a_purged_entity_is_in_no_community_and_no_earlier_one(community, graph_file, home):
    run_ok("communities", "name", community, f"Those of {RARE}")
    run_ok("forget", RARE, "--purge", "--yes")

    assert files_with(home, RARE, RARE.lower()) == []
    assert rows(graph_file, "SELECT * FROM community") == []
    check_sound(graph_file)
    run_ok("log", "-n", "100")
    run_ok("communities", "build")


def test_the_words_of_a_purged_fact_leave_the_generated_name_of_a_community(community, graph_file, home):
    fact = rows(graph_file, "SELECT public_id FROM fact WHERE literal IS NOT NULL")[0][0]
    assert "blorptastic" in rows(graph_file, "SELECT name FROM community")[0][0]
    run_ok("forget", fact, "--purge", "--yes")

    assert files_with(home, "blorptastic") == []
    check_sound(graph_file)


def test_the_words_of_a_forgotten_entity_leave_the_name_of_the_community_it_was_in(community, graph_file, home):
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call.record(person(RARE), "tagged", literal("Abraxmor"))
        call("build_communities", group_ids=["default"])
        names = rows(graph_file, "SELECT name FROM community")
        call("forget", what=RARE)
    run_ok("purge", "--yes")

    assert "abraxmor" in names[0][0]
    assert files_with(home, "Abraxmor", "abraxmor") == []
    check_sound(graph_file)


def test_undo_of_a_build_says_that_its_community_was_purged(community, graph_file):
    run_ok("communities", "name", community, f"Those of {RARE}")
    run_ok("forget", RARE, "--purge", "--yes")
    calls = rows(graph_file, "SELECT id FROM call WHERE tool = 'build_communities' ORDER BY id DESC")

    assert [error_code(run("undo", str(call))) for (call,) in calls] == ["PURGED", "PURGED"]


def test_the_number_of_a_purged_community_is_not_given_again(community, graph_file):
    run_ok("communities", "name", community, f"Those of {RARE}")
    before = rows(graph_file, "SELECT max(id) FROM community")
    run_ok("forget", RARE, "--purge", "--yes")
    run_ok("communities", "build")

    assert rows(graph_file, "SELECT max(id) FROM community") > before


def test_a_given_name_without_it_stays_when_a_fact_is_purged(community, graph_file):
    run_ok("communities", "name", community, "Weavers")
    fact = rows(graph_file, "SELECT public_id FROM fact WHERE literal IS NOT NULL")[0][0]
    run_ok("forget", fact, "--purge", "--yes")

    assert rows(graph_file, "SELECT name FROM community") == [("Weavers",)]


# A fact, a call


def test_a_fact_alone_is_purged_and_its_ends_stay(lived, home):
    with keepgraph.open(lived) as graph:
        call = Caller(graph)
        fact = call.record(person("Ana"), "tagged", literal("Blorptastic"), source="Grimwexel")["fact_id"]
        backups.make(graph.database, backups.BY_HAND)
    run_ok("forget", fact, "--purge", "--yes")

    assert files_with(home, "Blorptastic", "blorptastic", "Grimwexel", fact) == []
    assert files_with(home, RARE)


def test_what_a_call_recorded_is_purged_with_it(graph_file, home):
    run_ok("record", "person:Ana", "tagged", "=here")
    run_ok("alias", "Ana", "Blorptastic")
    run_ok("backup")
    run_ok("forget", "last", "call", "--purge", "--yes")

    assert files_with(home, "Blorptastic", "blorptastic") == []
    assert rows(graph_file, "SELECT name FROM entity") == [("Ana",)]


def test_facts_and_entities_that_fell_with_a_text_are_purged_with_it(graph_file, home):
    said = {"from": RARE, "type": "works at", "to": FORMER}
    chunk = {"text": "They met.", "entities": [{"name": RARE}, {"name": FORMER}], "relations": [said]}
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        text = call("ingest_prechunked", source="a.md", chunks=[chunk])["doc_id"]
        call("forget", what=text)
    run_ok("forget", text, "--purge", "--yes")

    assert files_with(home, *WORDS) == []


# Files


def test_a_graph_that_is_open_elsewhere_is_not_purged_and_nothing_is_forgotten(lived):
    before = state(lived)
    with open_elsewhere(lived):
        refused = run("forget", RARE, "--purge", "--yes")

    assert error_code(refused) == "GRAPH_BUSY"
    assert before == state(lived)


def test_a_backup_that_cannot_be_opened_is_named(lived):
    broken = backups.folder(lived) / "20260101T000000Z-by-hand.db"
    broken.write_bytes(b"no graph" * 1000)
    done = run("forget", RARE, "--purge", "--yes")

    assert done.exit_code == 0
    assert broken.name in done.stderr


def test_backups_keep_their_names_and_dates(lived):
    before = {backup.file: backup.file.stat().st_mtime_ns for backup in backups.list_all(lived)}
    run_ok("forget", RARE, "--purge", "--yes")

    assert before == {backup.file: backup.file.stat().st_mtime_ns for backup in backups.list_all(lived)}


def test_a_purged_backup_can_be_restored(lived, home):
    run_ok("forget", RARE, "--purge", "--yes")
    run_ok("restore", "--yes")

    assert files_with(home, *WORDS) == []
    assert "Ana" in state(lived)
    check_sound(lived)


def test_a_backup_of_an_older_version_is_purged_too(lived, home):
    old = backups.folder(lived) / "20260101T000000Z-before-0002_later.db"
    conn = store.connections.connect(backups.list_all(lived)[0].file, "rw")
    conn.execute("PRAGMA foreign_keys = OFF")
    since = ("narrative", "owner", "proposed_fact", "former_id", "dismissed_wording", "review_decision")
    for table in (*since, "assertion_surface"):
        conn.execute(f"DROP TABLE {table}")
    lost = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND (sql LIKE '%owner%' OR sql LIKE '%narrative%')"
    for (trigger,) in conn.execute(lost).fetchall():
        conn.execute(f"DROP TRIGGER {trigger}")
    conn.execute("VACUUM INTO ?", (str(old),))
    conn.close()
    report = json.loads(run_ok("--json", "forget", RARE, "--purge", "--yes"))["purged"]

    assert str(old) in [file["file"] for file in report["files"]]
    assert files_with(home, *WORDS) == []


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 2])
def test_a_purge_that_is_interrupted_anywhere_is_finished_by_running_it_again(lived, home, monkeypatch, copies):
    for surplus in backups.list_all(lived)[copies:]:
        surplus.file.unlink()
    steps = Steps(home, monkeypatch)
    states = steps.of(lambda: run_ok("forget", RARE, "--purge", "--yes"))
    assert len(states) > 10
    for step, tree in states:
        steps.put(tree)
        done = run("forget", RARE, "--purge", "--yes")
        if done.exit_code:
            # It was complete, but for what is cleaned up when the graph is opened next.
            assert error_code(done) == "ENTITY_NOT_FOUND", step
        assert files_with(home, *WORDS) == [], step
        assert "Ana" in state(lived), step
    check_sound(lived)


def test_without_a_terminal_purging_needs_a_yes(lived):
    before = state(lived)
    refused = run("forget", RARE, "--purge"), run("purge")

    assert [error_code(each) for each in refused] == ["NOT_CONFIRMED", "NOT_CONFIRMED"]
    assert before == state(lived)


# Statistics that another program made


def analyze(*files: Path) -> None:
    for file in files:
        with connected(file) as conn:
            conn.execute("ANALYZE")


def tables(file: Path, key: Key | None = None) -> set[str]:
    conn = store.connections.connect(file, "ro", key=key)
    try:
        return {name for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'")}
    finally:
        conn.close()


def test_statistics_of_another_program_hold_nothing_of_what_was_purged(lived, home):
    analyze(lived, *(backup.file for backup in backups.list_all(lived)))
    assert "sqlite_stat4" in tables(lived)
    run_ok("forget", RARE, "--purge", "--yes")

    assert files_with(home, *WORDS) == []
    check_sound(lived)
    run_ok("purge", "--yes")


@pytest.mark.slow
@pytest.mark.parametrize("command", [["compact"], ["encrypt"], ["restore", "--yes"], ["purge", "--yes"]])
def test_statistics_of_another_program_are_dropped(lived, home, command):
    analyze(lived, *(backup.file for backup in backups.list_all(lived)))
    run_ok(*command)
    if command == ["encrypt"]:
        run_ok("decrypt", "--yes")

    assert tables(lived) == set()
    check_sound(lived)


# Any graph


words = st.sampled_from(["Ana", "Bob", "Atlas", "Kim Lee", RARE])
facts = st.tuples(words, st.sampled_from(["tagged", "depends_on"]), words)


@examples(5, sweep=100)
@given(st.lists(facts, min_size=2, max_size=8), st.lists(words, max_size=4), st.integers(0, 3))
def test_purging_leaves_the_rest_as_forgetting_does(home, said, notes, undone):
    file = home / "any.db"
    for old in [*home.glob("any.*"), *home.glob("any.db*")]:
        old.unlink() if old.is_file() else None
    with keepgraph.open(file) as graph:
        call = Caller(graph)
        call.record(concept(RARE), "tagged", literal("x"))
        for subject, predicate, target in said:
            target_ = literal(target) if predicate == "tagged" else concept(target)
            if subject != target:
                call.record(concept(subject), predicate, target_)
        for name in notes:
            call("remember", text=f"It was {name} there.")
        for _ in range(undone):
            call("undo")
        if call("forget", what=f"concept:{RARE}").get("error"):
            return
    before = state(file)
    run_ok("--db", str(file), "purge", "--yes")

    assert before == state(file)
    check_sound(file)
    assert RARE in before or [name for name in files_with(home, RARE) if name.startswith("any")] == []


def test_undo_does_not_pass_over_the_forgetting_of_a_call_that_was_purged(lived):
    with keepgraph.open(lived) as graph:
        call = Caller(graph)
        number = call("remember", text="The door code is 4711.")["call"]
    run_ok("forget", f"call {number}", "--purge", "--yes")
    before = state(lived)
    with keepgraph.open(lived) as graph:
        answer = Caller(graph)("undo")

    assert answer["error"] == "PURGED"
    assert state(lived) == before
