"""What was overwritten or taken away stands in no file of ours once it is purged; what is there now stays."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import keepgraph
from homes import error_code, files_with, run, run_ok
from keepgraph.engine.maintenance import backups, integrity
from words import Caller, connected, literal, person, project, rows

SECRETS_OF_A_KIND = 3


def _change(call: Caller, number: int, **changes: object) -> None:
    answer = call("update_entity", entity=person(f"Ana {number}"), **changes)
    assert "error" not in answer, answer


def property_cleared(call: Caller, number: int, secret: str) -> Callable[[], object]:
    _change(call, number, properties={"pin": f"code {secret}", "kept": "yes"})
    return lambda: _change(call, number, properties={"pin": None})


def deep_property_cleared(call: Caller, number: int, secret: str) -> Callable[[], object]:
    _change(call, number, properties={"accounts": [{"name": "bank", "pin": secret}]})
    return lambda: _change(call, number, properties={"accounts": None})


def alias_removed(call: Caller, number: int, secret: str) -> Callable[[], object]:
    _change(call, number, add_aliases=[f"{secret} Kowalska"])
    return lambda: _change(call, number, remove_aliases=[f"{secret} Kowalska"])


def old_name_forgotten(call: Caller, number: int, secret: str) -> Callable[[], object]:
    call.record(project(f"Project {secret}"), "tagged", literal(f"tag {number}"))
    return lambda: call(
        "update_entity", entity=project(f"Project {secret}"), name=f"Harbour {number}", keep_old_name=False
    )


def summary_cleared(call: Caller, number: int, secret: str) -> Callable[[], object]:
    _change(call, number, summary=f"She knows {secret} well.")
    return lambda: _change(call, number, summary="")


def entity_forgotten(call: Caller, number: int, secret: str) -> Callable[[], object]:
    call.record(person(f"Bob {secret}"), "reports_to", person(f"Ana {number}"), aliases=[f"{secret} the Younger"])
    return lambda: call("forget", what=f"Bob {secret}")


def fact_forgotten(call: Caller, number: int, secret: str) -> Callable[[], object]:
    fact = call.record(person(f"Ana {number}"), "tagged", literal(f"{secret} tag"), source=f"{secret} source")[
        "fact_id"
    ]
    return lambda: call("forget", what=fact)


def note_forgotten(call: Caller, number: int, secret: str) -> Callable[[], object]:
    text = call("remember", text=f"Diary {number}\n\n{secret} Valdemar came to see Ana {number}.")["doc_id"]
    return lambda: call("forget", what=text)


def call_undone(call: Caller, number: int, secret: str) -> Callable[[], object]:
    said = [{"subject": person(f"Ana {number}"), "predicate": "tagged", "object": literal(secret)}]
    recorded = call("record_facts", facts=said, idempotency_key=secret)["call"]
    return lambda: call("undo", call=recorded)


TAKEN_AWAY = (
    *(property_cleared, deep_property_cleared, alias_removed, old_name_forgotten, summary_cleared),
    *(entity_forgotten, fact_forgotten, note_forgotten, call_undone),
)


def property_replaced(call: Caller, number: int, secret: str) -> Callable[[], object]:
    _change(call, number, properties={"city": f"near {secret}"})
    return lambda: _change(call, number, properties={"city": "Basel"})


def summary_replaced(call: Caller, number: int, secret: str) -> Callable[[], object]:
    _change(call, number, summary=f"Married to {secret} since the spring.")
    return lambda: _change(call, number, summary="She paints.")


def text_edited(call: Caller, number: int, secret: str) -> Callable[[], object]:
    text = call("add_memory", name=f"Trip {number}", episode_body=f"We met {secret} Olafsen.\n\nIt rained.")["uuid"]
    return lambda: call("add_memory", uuid=text, name=f"Trip {number}", episode_body="We met nobody.\n\nIt rained.")


def title_changed(call: Caller, number: int, secret: str) -> Callable[[], object]:
    text = call("add_memory", name=f"About {secret}", episode_body=f"The weather on day {number}.")["uuid"]
    return lambda: call("add_memory", uuid=text, name=f"Day {number}", episode_body=f"The weather on day {number}.")


REPLACED = (property_replaced, summary_replaced, text_edited, title_changed)


def plant(graph_file: Path, kinds: Sequence[Callable[..., Callable[[], object]]]) -> list[str]:
    """Plant some secrets of each kind, with a backup of all, and take them away again; the secrets."""
    secrets: list[str] = []
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        take_away = []
        for number in range(SECRETS_OF_A_KIND):
            for kind in kinds:
                # A person for each, so that one that is purged does not take the versions of another with it.
                of_kind = 100 * kinds.index(kind) + number
                call.record(person(f"Ana {of_kind}"), "tagged", literal("here"))
                secrets.append("Quex" + "".join(chr(97 + int(digit)) for digit in f"{of_kind:04}") + "zor")
                take_away.append(kind(call, of_kind, secrets[-1]))
        backups.make(graph.database, backups.BY_HAND)
        for take in take_away:
            answer = take()
            assert "error" not in (answer or {}), answer
    return [form for secret in secrets for form in (secret, secret.lower())]


def analyze(file: Path) -> None:
    with connected(file) as conn:
        conn.execute("ANALYZE")


def check_sound(graph_file: Path) -> None:
    with keepgraph.open(graph_file) as graph:
        checks, _ = integrity.check_all(graph.database)

    assert [check for check in checks if check.state is integrity.State.WRONG] == []


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
def test_no_byte_of_what_was_taken_away_is_left_after_a_purge(graph_file, home, is_encrypted):
    secrets = plant(graph_file, TAKEN_AWAY)
    analyze(graph_file)
    if is_encrypted:
        run_ok("encrypt")
    assert is_encrypted or files_with(home, *secrets)
    run_ok("purge", "--yes")
    if is_encrypted:
        run_ok("decrypt", "--yes")
        run_ok("restore", "--yes")

    assert files_with(home, *secrets) == []
    check_sound(graph_file)
    assert rows(graph_file, "SELECT count(*) FROM entity WHERE name = 'Ana 0'") == [(1,)]


def test_a_purged_backup_has_what_stays_as_it_is_now(graph_file):
    plant(graph_file, TAKEN_AWAY)
    run_ok("purge", "--yes")
    before = run_ok("export")
    run_ok("restore", "--yes")

    assert before == run_ok("export")
    check_sound(graph_file)


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
def test_no_byte_of_any_earlier_version_is_left_after_a_purge_of_all(graph_file, home, is_encrypted):
    secrets = plant(graph_file, [*TAKEN_AWAY, *REPLACED])
    analyze(graph_file)
    if is_encrypted:
        run_ok("encrypt")
    run_ok("purge", "--earlier-versions", "--yes")
    if is_encrypted:
        run_ok("decrypt", "--yes")

    assert files_with(home, *secrets) == []
    assert len(backups.list_all(graph_file)) == 1
    assert ("She paints.",) in rows(graph_file, "SELECT summary FROM entity")
    check_sound(graph_file)
    run_ok("log", "-n", "100")
    run_ok("history", "Ana 0")


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("kind", REPLACED)
def test_the_earlier_versions_of_one_thing_can_be_purged(graph_file, home, kind):
    secrets = plant(graph_file, [kind])
    of_other = secrets[2:]
    what = {text_edited: "Trip 0", title_changed: "Day 0"}.get(kind, "person:Ana 0")
    run_ok("purge", what, "--yes")

    assert files_with(home, *secrets[:2]) == []
    assert files_with(home, *of_other)
    check_sound(graph_file)
    run_ok("restore", "--yes")
    assert files_with(home, *secrets[:2]) == []
    check_sound(graph_file)


def test_what_stays_is_what_it_was_and_the_other_changes_can_be_undone(graph_file):
    plant(graph_file, TAKEN_AWAY)
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call.record(person("Kim"), "tagged", literal("x"))
        changed = call("update_entity", entity=person("Kim"), summary="First.")["call"]
        replaced = call("update_entity", entity=person("Kim"), summary="Second.")["call"]
    before = run_ok("export")
    report = json.loads(run_ok("--json", "purge", "--yes"))

    assert before == run_ok("export")
    assert report["earlier_versions_left"] == 2
    run_ok("undo", str(replaced))
    run_ok("undo", str(changed))
    assert rows(graph_file, "SELECT summary FROM entity WHERE name = 'Kim'") == [("",)]


def test_a_purge_says_what_earlier_versions_stay_and_how_to_remove_them(graph_file):
    plant(graph_file, [summary_replaced])

    assert "`kg purge --earlier-versions`" in run_ok("purge", "--yes")
    assert "`kg purge --earlier-versions`" not in run_ok("purge", "--earlier-versions", "--yes")
    assert error_code(run("undo")) == "PURGED"


def test_a_backup_in_which_another_had_the_name_is_purged_too(graph_file, home):
    run_ok("record", "person:Quexazor", "tagged", "=a")
    run_ok("record", "person:Kim", "tagged", "=b")
    run_ok("backup")
    run_ok("rename", "Kim", "Lee", "--forget-old-name")
    run_ok("rename", "Quexazor", "Kim", "--forget-old-name")
    run_ok("purge", "--yes")

    assert files_with(home, "Quexazor", "quexazor") == []
    run_ok("restore", "--yes")
    check_sound(graph_file)
    assert rows(graph_file, "SELECT text FROM fact ORDER BY id") == [("Kim tagged a",), ("Lee tagged b",)]


def test_earlier_versions_of_what_is_not_there_or_only_mentioned_are_not_purged(graph_file):
    run_ok("remember", "Dana Whitfield signed the lease.")
    before = run_ok("export")
    refused = [run("purge", *what, "--yes") for what in (["Dana Whitfield"], ["the", "lease"], ["call", "1"])]

    assert [error_code(each) for each in refused] == ["ENTITY_NOT_FOUND", "ENTITY_NOT_FOUND", "INVALID_ARGUMENTS"]
    assert before == run_ok("export")
    assert error_code(run("purge", "Dana", "--earlier-versions", "--yes")) == "INVALID_ARGUMENTS"


# Words of the vocabulary

WORD, LABEL, MEANING = "vumblixen_of", "quexazors at", "Whether somebody drazzoplies with another."


def live_with_a_word(graph_file: Path, *, is_used: bool) -> None:
    add = ["vocabulary", "add", "predicate", WORD, "--from", "person", "--to", "person"]
    run_ok(*add, "--label", LABEL, "--description", MEANING, "--inverse", f"{WORD}_back")
    run_ok("vocabulary", "add", "type", "vumblixen", "--parent", "concept", "--description", MEANING)
    run_ok("vocabulary", "change", "vumblixen", "--label", "Quexazor")
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call("extend_vocabulary", dismissed=[LABEL])
        if is_used:
            fact = call.record(person("Ana"), WORD, person("Bob"))["fact_id"]
        backups.make(graph.database, backups.BY_HAND)
        if is_used:
            call("forget", what=fact)


@pytest.mark.parametrize("is_used", [False, True])
def test_no_byte_of_a_purged_word_is_left(graph_file, home, is_used):
    live_with_a_word(graph_file, is_used=is_used)
    secrets = ["vumblixen", "Vumblixen", "quexazor", "Quexazor", "drazzopl"]
    assert files_with(home, *secrets)
    run_ok("vocabulary", "remove", WORD, "--purge", "--yes")
    run_ok("vocabulary", "remove", "vumblixen", "--yes")
    run_ok("vocabulary", "remove", "vumblixen", "--purge", "--yes")

    assert files_with(home, "vumblixen", "Vumblixen", "quexazors", "Quexazor", "drazzopl") == []
    check_sound(graph_file)
    run_ok("restore", "--yes")
    check_sound(graph_file)


def test_a_purge_of_all_takes_words_that_somebody_added_and_removed(graph_file, home):
    live_with_a_word(graph_file, is_used=False)
    run_ok("vocabulary", "set", "add", "research")
    run_ok("vocabulary", "set", "remove", "research", "--yes")
    run_ok("vocabulary", "remove", WORD, "--yes")
    run_ok("vocabulary", "remove", "vumblixen", "--yes")
    run_ok("purge", "--yes")

    assert files_with(home, "vumblixen", "quexazors", "drazzopl") == []
    check_sound(graph_file)


def test_a_word_that_is_used_is_not_purged(graph_file):
    run_ok("vocabulary", "add", "predicate", WORD, "--from", "person", "--to", "person")
    run_ok("record", "person:Ana", WORD, "person:Bob")
    before = run_ok("export")

    assert error_code(run("vocabulary", "remove", WORD, "--purge", "--yes")) == "VOCABULARY_CONFLICT"
    assert before == run_ok("export")
    assert error_code(run("vocabulary", "remove", "nothing_like_it", "--purge", "--yes")) == "PREDICATE_UNKNOWN"
