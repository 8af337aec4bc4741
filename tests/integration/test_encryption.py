"""Encrypted graphs: where the key is found, what is told without it, and changes of the key, ended at every step."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import keepgraph
from fork_server import python
from homes import (
    DIGITS,
    MARKER,
    OTHER_DIGITS,
    PHRASE,
    TYPED_PHRASES,
    Mould,
    Steps,
    Tree,
    error_code,
    files_with,
    flip,
    leave_a_log,
    open_elsewhere,
    read_files,
    run,
    run_ok,
    table_digests,
)
from keepgraph import errors, permissions, store
from keepgraph.cli import graph_options
from keepgraph.cli.root import kg
from keepgraph.engine.maintenance import backups, graph_keys
from keepgraph.model import Key
from keepgraph.profiles import keys
from laws import IS_SWEEP
from words import Caller, literal, person

pytestmark = pytest.mark.usefixtures("ring")


@pytest.fixture
def key_file(home: Path) -> Path:
    return home / "config" / "keepgraph" / "keys" / "default.key"


@pytest.fixture
def settings_file(graph_file: Path) -> Path:
    return graph_file.with_suffix(".toml")


_moulds: dict[str, tuple[Mould, str]] = {}
"""Homes with all that is in their graphs, as it is exported."""


def cast(name: str, home: Path) -> str:
    mould, export = _moulds[name]
    mould.into(home)
    return export


@pytest.fixture
def filled(home: Path) -> str:
    """A plain graph of the default profile with a backup; all that is in it."""
    if "plain" not in _moulds:
        run_ok("record", f"person:{MARKER} name", "tagged", f"={MARKER} literal", "--source", f"{MARKER} source")
        run_ok("alias", f"{MARKER} name", f"{MARKER} alias")
        run_ok("backup")
        run_ok("record", f"person:{MARKER} name", "tagged", "=later")
        everything = run_ok("export")
        _moulds["plain"] = Mould.of(home), everything
        return everything
    return cast("plain", home)


@pytest.fixture
def encrypted(home: Path, request: pytest.FixtureRequest) -> str:
    """The same, encrypted with a key in a file."""
    if "encrypted" not in _moulds:
        everything = request.getfixturevalue("filled")
        run_ok("encrypt")
        _moulds["encrypted"] = Mould.of(home), everything
        return str(everything)
    return cast("encrypted", home)


# Where the key is found


@pytest.mark.parametrize("source", ["file", "keyring", "passphrase"])
def test_an_encrypted_profile_is_used_as_any_other(terminal, home, source):
    run_ok("profile", "create", "work", "--key", source, input=TYPED_PHRASES)
    run_ok("--profile", "work", "record", f"person:{MARKER}", "tagged", "=x", input=TYPED_PHRASES)

    assert MARKER in run_ok("--profile", "work", "recall", MARKER, input=TYPED_PHRASES)
    assert store.files.kind(home / "data/keepgraph/work.db") is store.files.Kind.ENCRYPTED
    assert files_with(home, MARKER) == []


@pytest.mark.parametrize("written", [DIGITS, DIGITS.upper()])
def test_a_new_graph_is_encrypted_with_the_key_in_the_environment(monkeypatch, graph_file, written):
    monkeypatch.setenv("KG_KEY", written)
    run_ok("record", f"person:{MARKER}", "tagged", "=x")

    assert MARKER in run_ok("recall", MARKER)
    assert store.copies.opens_with(graph_file, keys.from_digits(DIGITS, "it"))


def test_a_key_file_that_is_named_comes_before_that_of_the_profile(encrypted, key_file, monkeypatch, tmp_path):
    permissions.write(tmp_path / "other.key", OTHER_DIGITS)
    monkeypatch.setenv("KG_KEY_FILE", str(tmp_path / "other.key"))

    assert error_code(run("export")) == "KEY_WRONG"
    permissions.write(tmp_path / "right.key", key_file.read_text())
    key_file.unlink()
    monkeypatch.setenv("KG_KEY_FILE", str(tmp_path / "right.key"))
    assert run_ok("export") == encrypted


def test_a_key_that_does_not_fit_gives_way_to_the_next(encrypted, monkeypatch, key_file, ring):
    right = keys.read(key_file)[0].digits
    permissions.write(key_file, OTHER_DIGITS)
    monkeypatch.setenv("KG_KEY", DIGITS)
    ring.set_password("keepgraph", "default", right)

    assert run_ok("export") == encrypted


def test_a_key_file_comes_before_the_environment(encrypted, monkeypatch):
    monkeypatch.setenv("KG_KEY", OTHER_DIGITS)

    assert run_ok("export") == encrypted


def test_python_is_given_a_key(path):
    with keepgraph.open(path, key=DIGITS) as graph:
        Caller(graph).record(person(MARKER), "tagged", literal("x"))
        written = files_with(path.parent, MARKER)
    with keepgraph.open(path, key=DIGITS.upper()) as graph:
        found = Caller(graph).recalled(MARKER)

    assert (written, found) == ([], MARKER)


def test_a_real_command_finds_a_key_in_the_environment(tmp_path):
    def command(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        here = [*python(), "-m", "keepgraph.cli", "--db", str(tmp_path / "g.db"), *words]
        return subprocess.run(here, env={**os.environ, **more}, capture_output=True, text=True, check=False)

    command("record", f"person:{MARKER}", "tagged", "=x", KG_KEY=DIGITS)
    found, missing = command("recall", MARKER, KG_KEY=DIGITS), command("recall", MARKER)

    assert (found.returncode, missing.returncode) == (0, 1)
    assert "KEY_MISSING" in missing.stderr
    assert files_with(tmp_path, MARKER) == []


def test_a_passphrase_is_asked_for_at_a_terminal_and_not_shown(terminal, home):
    """
    A real terminal; in the end nothing is left of it but the answer.
    """
    run_ok("profile", "create", "work", "--key", "passphrase", input=TYPED_PHRASES)
    run_ok("--profile", "work", "record", f"person:{MARKER}", "tagged", "=x", input=TYPED_PHRASES)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "keepgraph.cli", "--profile", "work", "recall", MARKER],
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True,
    ) as command:  # fmt: skip
        os.close(theirs)
        asked = os.read(ours, 1000)
        os.write(ours, f"{PHRASE}\n".encode())
        answer = command.stdout.read().decode()
        shown = asked + rest(ours)

    assert b"Passphrase for work" in asked
    assert MARKER in answer
    assert PHRASE.encode() not in shown


def rest(terminal: int) -> bytes:
    """What else was written to a terminal before the other side closed it."""
    read = b""
    try:
        while some := os.read(terminal, 1000):
            read += some
    except OSError:  # that is how the end is told on Linux
        pass
    os.close(terminal)
    return read


def test_without_a_terminal_a_passphrase_is_not_asked_for(terminal, monkeypatch, graph_file):
    run_ok("profile", "create", "work", "--key", "passphrase", input=TYPED_PHRASES)
    monkeypatch.setattr(graph_options, "passphrase_prompt", lambda ctx: None)
    refused = run("--profile", "work", "recall", MARKER)

    assert error_code(refused) == "KEY_MISSING"
    assert "work.wrapped-key needs its passphrase" in refused.stderr


def test_a_short_passphrase_is_asked_for_again(terminal):
    said = run_ok("profile", "create", "work", "--key", "passphrase", input="short\nshort\n" + TYPED_PHRASES)

    assert "The profile work is ready" in said


# What is told without the key


def put_plain(graph: Path, key: Path) -> None:
    plain = graph.with_name("plain.db")
    keepgraph.open(plain).close()
    plain.replace(graph)


def put_junk(graph: Path, key: Path) -> None:
    """Something that never was a graph, for no settings say so."""
    graph.with_suffix(".toml").unlink()
    graph.write_bytes(b"junk" * 5000)


@pytest.mark.parametrize(
    ("happens", "told"),
    [
        (lambda graph, key: permissions.write(key, OTHER_DIGITS), "KEY_WRONG"),
        (lambda graph, key: key.unlink(), "KEY_MISSING"),
        (put_plain, "GRAPH_NOT_ENCRYPTED"),
        (put_junk, "GRAPH_UNAVAILABLE"),
        (lambda graph, key: graph.write_bytes(b"junk" * 5000), "GRAPH_DAMAGED"),
        (lambda graph, key: os.truncate(graph, 10_000), "GRAPH_DAMAGED"),
        (lambda graph, key: os.truncate(graph, 3 * 4096), "GRAPH_DAMAGED"),
        (lambda graph, key: graph.write_bytes(b"\0" + graph.read_bytes()[1:]), "GRAPH_DAMAGED"),
    ],
    ids=["wrong key", "no key", "plain", "junk", "junk in its place", "cut", "cut at a page", "a changed byte"],
)  # fmt: skip
@pytest.mark.parametrize("words", [["export"], ["recall", MARKER], ["record", "person:Ada", "tagged", "=x"]])
def test_what_is_wrong_is_told_by_its_code_and_left_as_it_is(encrypted, graph_file, key_file, happens, told, words):
    happens(graph_file, key_file)
    before = graph_file.read_bytes()

    assert error_code(run(*words)) == told
    assert graph_file.read_bytes() == before


def test_four_troubles_have_four_messages(encrypted, graph_file, key_file, settings_file):
    sound, kept = graph_file.read_bytes(), key_file.read_text()
    permissions.write(key_file, OTHER_DIGITS)
    told = [run("export").stderr]
    key_file.unlink()
    told.append(run("export").stderr)
    permissions.write(key_file, kept)
    graph_file.write_bytes(sound[:4096] + bytes(4096) + sound[8192:])
    told.append(run("export").stderr)
    settings_file.unlink()
    graph_file.write_bytes(b"junk" * 5000)
    told.append(run("export").stderr)

    assert len(set(told)) == 4


def test_a_changed_byte_anywhere_is_told_or_does_no_harm(encrypted, graph_file):
    """
    Each page is authenticated: what is read is as it was written, or it is not read.
    """
    sound, told = graph_file.read_bytes(), []
    for at in range(2000, len(sound), 4 * store.files.PAGE_SIZE):
        graph_file.write_bytes(sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :])
        result = run("export")
        told.append("as it was" if result.stdout == encrypted and result.exit_code == 0 else error_code(result))

    assert set(told) <= {"as it was", "GRAPH_DAMAGED"}
    assert told.count("GRAPH_DAMAGED") > 5


@pytest.mark.parametrize(
    "written",
    [DIGITS[:-1], f"{DIGITS}0", f"0x{DIGITS}", f"x'{DIGITS}'", f"{DIGITS[:-1]}g", f"{DIGITS[:32]} {DIGITS[32:]}",
     f"{DIGITS[:-1]}３", "password", "-"],
)  # fmt: skip
@pytest.mark.parametrize("words", [["status"], ["rekey"], ["profile", "create", "x", "--encrypted"]])
def test_a_key_that_is_none_is_refused_and_repeated_nowhere(encrypted, monkeypatch, key_file, words, written):
    key_file.unlink()
    monkeypatch.setenv("KG_KEY", written)
    results = [run(*words), run("--json", *words), run("--trace", *words)]

    assert [result.exit_code for result in results] == [1, 1, 1]
    assert [DIGITS[:16] in result.output for result in results] == [False] * 3
    assert "KG_KEY is not a key" in results[0].stderr


@pytest.mark.parametrize("written", [DIGITS[:-1], f"{DIGITS}g", "", "correct horse"])
def test_python_refuses_a_key_that_is_none_without_repeating_it(path, written):
    with pytest.raises(errors.KeyInvalid) as refused:
        keepgraph.open(path, key=written)

    assert DIGITS[:16] not in f"{refused.value!r} {refused.value.answer()}"


def test_a_key_in_the_place_of_its_file_is_not_repeated(encrypted, monkeypatch):
    monkeypatch.setenv("KG_KEY_FILE", DIGITS)

    assert DIGITS[:16] not in run("status").output


def test_a_refused_key_leaves_no_file_behind(monkeypatch, home):
    monkeypatch.setenv("KG_KEY", "nonsense")

    assert error_code(run("record", "person:Ada", "tagged", "=x")) == "KEY_INVALID"
    assert read_files(home) == {}


def test_no_message_or_file_but_the_key_file_has_the_key(encrypted, key_file, home, tmp_path):
    digits = keys.read(key_file)[0].digits
    before = files_with(home, digits, digits.upper())
    said = [run(*words, "--json").output for words in (["status"], ["backup"], ["profile", "show"], ["rekey"])]
    digits_now = keys.read(key_file)[0].digits
    said += [
        run(*words).output for words in (["key", "export", str(tmp_path / "k")], ["key", "import", str(tmp_path / "k")])
    ]
    permissions.write(key_file, OTHER_DIGITS)
    said += [run(*words).output for words in (["status"], ["rekey"], ["decrypt", "--yes"], ["restore", "--yes"])]

    assert before == [str(key_file.relative_to(home))]
    assert [text for text in said if digits in text or digits_now in text or OTHER_DIGITS in text] == []
    assert files_with(home, digits, digits_now) == []


# Key files


def as_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def as_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o600)


@pytest.mark.parametrize(
    "happens",
    [
        lambda file: file.chmod(0o644),
        lambda file: file.chmod(0o640),
        lambda file: file.chmod(0o604),
        lambda file: file.chmod(0o660),
        lambda file: file.write_text(""),
        lambda file: file.write_text("# no key here\n"),
        lambda file: file.write_text(f"{DIGITS[:-1]}\n"),
        lambda file: file.write_text(f"{DIGITS}\nnonsense\n"),
        lambda file: file.write_bytes(bytes.fromhex(DIGITS)),
        as_a_folder,
        as_a_pipe,
    ],
    ids=["0644", "0640", "0604", "0660", "empty", "comment", "short", "half", "raw bytes", "folder", "pipe"],
)
def test_a_key_file_that_is_not_sound_is_refused_by_its_name(encrypted, key_file, happens):
    happens(key_file)
    refused = run("status")

    assert error_code(refused) == "KEY_INVALID"
    assert str(key_file) in refused.stderr
    assert DIGITS[:16] not in refused.output


def test_a_link_to_a_key_file_is_fine(encrypted, key_file, tmp_path):
    shutil.move(key_file, tmp_path / "elsewhere.key")
    key_file.symlink_to(tmp_path / "elsewhere.key")

    assert run_ok("export") == encrypted


def test_a_key_file_may_have_two_keys(encrypted, key_file):
    permissions.write(key_file, f"{OTHER_DIGITS}\n{key_file.read_text()}{DIGITS}\n")

    assert run_ok("export") == encrypted


@pytest.mark.parametrize("where", ["KG_KEY_FILE", "KG_DB", "settings"])
def test_the_home_of_nobody_gets_an_answer(encrypted, monkeypatch, settings_file, where):
    if where == "settings":
        settings_file.write_text('[key]\nsource = "file"\nfile = "~nobody-here/a.key"\n')
    else:
        monkeypatch.setenv(where, "~nobody-here/x")

    assert error_code(run("status")) != "INTERNAL_ERROR"


# kg encrypt


@pytest.mark.parametrize("source", ["file", "keyring", "passphrase"])
def test_encrypting_changes_nothing_but_who_can_read_it(filled, terminal, home, graph_file, source):
    before = table_digests(graph_file, None)
    run_ok("encrypt", "--key", source, input=TYPED_PHRASES)
    key = graph_keys.find(graph_file, ask=lambda _: PHRASE)[0]

    assert run_ok("export", input=TYPED_PHRASES) == filled
    assert table_digests(graph_file, key) == before
    assert graph_file.stat().st_mode & 0o777 == 0o600


def test_nothing_plain_is_left(filled, home):
    plain = files_with(home, MARKER)
    run_ok("encrypt")

    assert len(plain) == 2
    assert files_with(home, MARKER) == []


def test_the_backups_are_encrypted_with_it_and_are_the_same(filled, graph_file, key_file):
    before = [table_digests(each.file, None) for each in backups.list_all(graph_file)]
    run_ok("encrypt")
    key = keys.read(key_file)[0]

    assert [table_digests(each.file, key) for each in backups.list_all(graph_file)] == before


def test_what_an_interrupted_backup_has_left_is_not_left_plain(filled, graph_file, home):
    made = backups.list_all(graph_file)[0].file
    shutil.copy(made, made.with_name(f".{made.name}.123-part"))
    run_ok("encrypt")

    assert files_with(home, MARKER) == []


def test_an_encrypted_graph_is_not_encrypted_again(encrypted, home):
    before = read_files(home)

    assert error_code(run("encrypt")) == "INVALID_ARGUMENTS"
    assert read_files(home) == before


@pytest.mark.parametrize("lost", ["the settings", "the graph"])
def test_what_is_not_a_plain_graph_is_not_encrypted(encrypted, home, settings_file, graph_file, lost):
    settings_file.unlink()
    if lost == "the graph":
        graph_file.write_bytes(b"junk" * 5000)
    before = read_files(home)
    result = run("encrypt")

    assert result.exit_code == 1
    assert read_files(home) == before


def test_a_plain_graph_in_an_encrypted_profile_can_be_encrypted_as_the_hint_says(filled, graph_file):
    plain = graph_file.read_bytes()
    run_ok("encrypt")
    graph_file.write_bytes(plain)
    hint = run("export").stderr
    run_ok("encrypt")

    assert "kg encrypt" in hint
    assert run_ok("export") == filled


def test_a_graph_that_is_open_elsewhere_is_not_encrypted(filled, home, graph_file):
    with open_elsewhere(graph_file):
        before = read_files(home)
        refused = run("encrypt")
        after = read_files(home)

    assert error_code(refused) == "GRAPH_BUSY"
    assert after == before


def test_a_graph_that_was_open_elsewhere_can_be_encrypted_later(filled, home, graph_file):
    with open_elsewhere(graph_file):
        refused = run("encrypt")
        during = run_ok("export")
    run_ok("encrypt")

    assert error_code(refused) == "GRAPH_BUSY"
    assert (during, run_ok("export"), files_with(home, MARKER)) == (filled, filled, [])


def test_a_copy_that_differs_does_not_take_the_place_of_the_graph(filled, graph_file, monkeypatch):
    before = table_digests(graph_file, None)
    original = store.copies._copy_rows

    def forgetful(conn: Any, target: Path, key: Key | None) -> None:
        original(conn, target, key)
        copied = store.connections.connect(target, "rw", key=key)
        copied.execute("UPDATE entity SET name = name || 'x'")
        copied.close()

    monkeypatch.setattr(store.copies, "_copy_rows", forgetful)
    refused = run("encrypt")

    assert error_code(refused) == "BACKUP_FAILED"
    assert "entity" in refused.stderr
    assert table_digests(graph_file, None) == before
    assert run_ok("export") == filled


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("graph", ()),
        ("graph.sqlite", ()),
        ("my graph, mine?#%.db", ()),
        ("İstanbul ß.db", ()),
        ("graph.wrapped-key", ()),
        ("graph.wrapped-key", ("--key", "passphrase")),
        ("graph.toml", ()),
        ("a\nb.db", ()),
        (os.fsdecode(b"a\xff.db"), ()),
    ],
    ids=lambda value: ascii(value),
)
def test_a_graph_of_any_name_can_be_encrypted(terminal, home, name, words):
    """
    And if not, it is refused for a reason, and is there as before.
    """
    path = str(home / name)
    run_ok("--db", path, "record", f"person:{MARKER}", "tagged", "=x")
    before = run_ok("--db", path, "export")
    result = run("--db", path, "encrypt", *words, input=TYPED_PHRASES)

    assert (result.exit_code == 0) is (files_with(home, MARKER) == [])
    assert result.exit_code == 0 or error_code(result) in ("INVALID_ARGUMENTS", "SETTINGS_INVALID")
    assert run_ok("--db", path, "export", input=TYPED_PHRASES) == before


# kg decrypt


def test_decrypting_gives_the_same_graph(encrypted, graph_file, key_file):
    before = table_digests(graph_file, keys.read(key_file)[0])
    run_ok("decrypt", "--yes")

    assert table_digests(graph_file, None) == before
    assert run_ok("export") == encrypted


def test_decrypting_asks(encrypted, terminal, home):
    before = read_files(home)
    refused = run("decrypt", input="n\n")

    assert (refused.exit_code, "Aborted" in refused.output) == (1, True)
    assert read_files(home) == before


def test_decrypting_without_a_terminal_needs_a_yes(encrypted, home):
    before = read_files(home)

    assert error_code(run("decrypt")) == "NOT_CONFIRMED"
    assert read_files(home) == before


def test_backups_from_before_stay_encrypted_and_can_be_restored(encrypted, graph_file, key_file):
    run_ok("backup")
    run_ok("record", "person:Late", "tagged", "=x")
    run_ok("decrypt", "--yes")
    kinds = {store.files.kind(each.file) for each in backups.list_all(graph_file)}
    run_ok("restore", "--yes", backups.list_all(graph_file)[0].file.name)

    assert kinds == {store.files.Kind.ENCRYPTED}
    assert run_ok("export") == encrypted
    assert store.files.kind(graph_file) is store.files.Kind.PLAIN


@pytest.mark.parametrize("words", [["decrypt", "--yes"], ["rekey"], ["rekey", "--key", "keyring"]], ids=" ".join)
def test_a_graph_that_is_open_elsewhere_keeps_its_key_and_settings(encrypted, graph_file, home, words):
    with open_elsewhere(graph_file):
        before = read_files(home)
        refused = run(*words)
        after = read_files(home)

    assert error_code(refused) == "GRAPH_BUSY"
    assert after == before


def test_encrypting_again_takes_the_key_that_was_kept(encrypted, key_file):
    before = key_file.read_text()
    run_ok("decrypt", "--yes")
    run_ok("encrypt")

    assert key_file.read_text() == before
    assert run_ok("export") == encrypted


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("source", ["file", "keyring", "passphrase"])
def test_encrypting_at_a_new_place_is_finished_by_running_it_again_too(filled, terminal, graph_file, source):
    """
    Encrypted, decrypted, and encrypted again; this time it is ended before the backups have the new key.
    """
    again = ["encrypt", "--key", source]
    run_ok(*again, input=TYPED_PHRASES)
    run_ok("decrypt", "--yes", input=TYPED_PHRASES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backups, "reencrypt_all", ended)
        with pytest.raises(Ended):
            CliRunner().invoke(kg, again, input=TYPED_PHRASES, catch_exceptions=False)
    run(*again, input=TYPED_PHRASES)
    key = graph_keys.find(graph_file, ask=lambda _: PHRASE)[0]

    assert [store.copies.opens_with(each.file, key) for each in backups.list_all(graph_file)] == [True]


ANOTHER = "another long phrase\n"


def test_a_graph_that_was_decrypted_can_be_encrypted_with_another_passphrase(filled, terminal):
    """
    A backup has the key of the first time, so its passphrase is asked for, after the new one.
    """
    run_ok("encrypt", "--key", "passphrase", input=TYPED_PHRASES)
    run_ok("decrypt", "--yes", input=TYPED_PHRASES)
    run_ok("encrypt", "--key", "passphrase", input=ANOTHER * 2 + f"{PHRASE}\n")

    assert run_ok("export", input=ANOTHER) == filled


def test_a_passphrase_that_nothing_needs_any_more_is_not_asked_for(filled, terminal, graph_file):
    shutil.rmtree(graph_file.with_suffix(".backups"))
    run_ok("encrypt", "--key", "passphrase", input=TYPED_PHRASES)
    run_ok("decrypt", "--yes", input=TYPED_PHRASES)
    run_ok("encrypt", "--key", "passphrase", input=ANOTHER * 2)

    assert run_ok("export", input=ANOTHER) == filled


class Ended(BaseException):
    """The process ends here."""


def ended(*_: object, **__: object) -> Any:
    raise Ended


# kg rekey


def old_and_new(key_file: Path, *words: str) -> tuple[Key, list[Key]]:
    old = keys.read(key_file)[0]
    run_ok("rekey", *words, input=TYPED_PHRASES)
    return old, keys.read(key_file) if key_file.exists() else []


def test_after_a_rekey_the_old_key_opens_nothing(encrypted, graph_file, key_file):
    old, new = old_and_new(key_file)
    every = [graph_file, *(each.file for each in backups.list_all(graph_file))]

    assert [store.copies.opens_with(file, old) for file in every] == [False, False]
    assert [store.copies.opens_with(file, new[0]) for file in every] == [True, True]
    assert (len(new), run_ok("export")) == (1, encrypted)


@pytest.mark.parametrize(
    ("source", "kept"),
    [("keyring", "ring.json"), ("passphrase", "data/keepgraph/default.wrapped-key"),
     ("file", "config/keepgraph/keys/default-2.key")],
)  # fmt: skip
def test_a_rekey_moves_the_key_and_forgets_where_it_was(encrypted, terminal, home, key_file, source, kept):
    run_ok("rekey", "--key", source, input=TYPED_PHRASES)

    assert run_ok("export", input=TYPED_PHRASES) == encrypted
    assert not key_file.exists()
    assert (home / kept).exists()


def test_a_rekey_moves_the_key_out_of_the_keyring(filled, ring, key_file):
    run_ok("encrypt", "--key", "keyring")
    run_ok("rekey", "--key", "file")

    assert (ring.entries(), key_file.exists(), run_ok("export")) == ({}, True, filled)


def test_a_keyring_that_does_not_give_up_the_old_key_spoils_no_rekey(filled, ring):
    run_ok("encrypt", "--key", "keyring")
    ring.refuses = True
    result = run("rekey", "--key", "file")

    assert result.exit_code == 0
    assert run_ok("export") == filled


def test_a_rekey_changes_a_passphrase(filled, terminal):
    run_ok("encrypt", "--key", "passphrase", input=TYPED_PHRASES)
    run_ok("rekey", input=f"{PHRASE}\n" + ANOTHER * 2)

    assert error_code(run("export", input=TYPED_PHRASES)) == "KEY_WRONG"
    assert run_ok("export", input=ANOTHER) == filled


def test_a_plain_graph_has_no_key_to_change(filled, home):
    before = read_files(home)

    assert error_code(run("rekey")) == "GRAPH_NOT_ENCRYPTED"
    assert read_files(home) == before


def test_a_key_from_the_environment_is_not_changed_where_it_would_be_lost(filled, monkeypatch, home):
    monkeypatch.setenv("KG_KEY", DIGITS)
    run_ok("encrypt")
    before = read_files(home)

    assert error_code(run("rekey")) == "INVALID_ARGUMENTS"
    assert read_files(home) == before


def test_a_graph_opens_after_a_rekey_under_a_named_key_file(encrypted, key_file, monkeypatch, tmp_path):
    """
    Either it is refused, or what KG_KEY_FILE names has the new key.
    """
    shutil.move(key_file, tmp_path / "mine.key")
    monkeypatch.setenv("KG_KEY_FILE", str(tmp_path / "mine.key"))
    run("rekey")

    assert run_ok("export") == encrypted


# A graph that a sudden end has left, with facts in its log, and the log damaged


@pytest.fixture
def cut_off(encrypted: str, graph_file: Path) -> Path:
    return leave_a_log(graph_file)


@pytest.mark.parametrize("words", [["rekey"], ["decrypt", "--yes"], ["backup"]], ids=" ".join)
def test_what_is_in_a_log_is_not_lost(cut_off, words):
    run_ok(*words)

    assert run_ok("recall", "Log").count("tagged") == 6


@pytest.mark.parametrize("words", [["backup"], ["rekey"], ["decrypt", "--yes"]], ids=" ".join)
def test_a_damaged_log_is_told_and_not_dropped(cut_off, words):
    flip(cut_off, 200)
    log = cut_off.read_bytes()
    result = run(*words)

    assert (result.exit_code, cut_off.exists() and cut_off.read_bytes() == log) == (1, True)
    assert error_code(result) == "GRAPH_DAMAGED"


# kg key


def test_an_exported_key_is_for_its_owner_alone(encrypted, key_file, tmp_path):
    run_ok("key", "export", str(tmp_path / "mine.key"))

    assert keys.read(tmp_path / "mine.key")[0].digits == keys.read(key_file)[0].digits
    assert (tmp_path / "mine.key").stat().st_mode & 0o777 == 0o600


def test_a_key_is_exported_to_standard_output_where_that_is_asked_for(encrypted, key_file):
    written = run_ok("key", "export", "-")

    assert keys.parse(written.encode(), "it")[0].digits == keys.read(key_file)[0].digits


def test_an_export_of_a_key_writes_over_nothing(encrypted, tmp_path):
    (tmp_path / "mine.key").write_text("precious")

    assert error_code(run("key", "export", str(tmp_path / "mine.key"))) == "INVALID_ARGUMENTS"
    assert (tmp_path / "mine.key").read_text() == "precious"


def lose_key(key_file: Path, settings_file: Path) -> None:
    key_file.unlink()


def lose_both(key_file: Path, settings_file: Path) -> None:
    key_file.unlink()
    settings_file.unlink()


@pytest.mark.parametrize("lose", [lose_key, lose_both])
def test_a_lost_key_is_told_with_the_way_out_which_works(encrypted, key_file, settings_file, tmp_path, lose):
    run_ok("key", "export", str(tmp_path / "mine.key"))
    lose(key_file, settings_file)
    lost = run("export")
    run_ok("key", "import", str(tmp_path / "mine.key"))

    assert error_code(lost) == "KEY_MISSING"
    assert str(key_file) in lost.stderr
    assert "kg key import FILE" in lost.stderr
    assert run_ok("export") == encrypted


def test_a_lost_wrapped_key_is_told_by_its_name(filled, terminal, graph_file):
    run_ok("encrypt", "--key", "passphrase", input=TYPED_PHRASES)
    keys.wrapped_file(graph_file).unlink()

    assert keys.wrapped_file(graph_file).name in run("export", input=TYPED_PHRASES).stderr


@pytest.mark.parametrize("source", ["file", "keyring", "passphrase"])
def test_a_key_is_put_back_where_it_was(filled, terminal, home, ring, key_file, graph_file, tmp_path, source):
    run_ok("encrypt", "--key", source, input=TYPED_PHRASES)
    run_ok("key", "export", str(tmp_path / "mine.key"), input=TYPED_PHRASES)
    for file in (key_file, ring.file, keys.wrapped_file(graph_file)):
        file.unlink(missing_ok=True)
    refused = run("export", input=TYPED_PHRASES)
    run_ok("key", "import", str(tmp_path / "mine.key"), input=TYPED_PHRASES)

    assert error_code(refused) == "KEY_MISSING"
    assert run_ok("export", input=TYPED_PHRASES) == filled


@pytest.fixture
def carried(encrypted, home, tmp_path, graph_file) -> Path:
    """The backup of an encrypted graph and its key `old.key`, on another computer, where nothing else is."""
    run_ok("key", "export", str(tmp_path / "old.key"))
    run_ok("backup", str(tmp_path / "stick.db"))
    shutil.rmtree(home)
    shutil.rmtree(graph_file.parent, ignore_errors=True)
    return tmp_path / "stick.db"


@pytest.mark.slow
@pytest.mark.parametrize("order", ["create import restore", "create restore import restore", "import restore"])
def test_an_encrypted_graph_is_moved_in_the_order_that_one_would_try(encrypted, carried, order):
    profile = ("--profile", "work") if "create" in order else ()
    steps = {
        "create": ("profile", "create", "work", "--encrypted"),
        "import": (*profile, "key", "import", str(carried.with_name("old.key"))),
        "restore": (*profile, "restore", str(carried), "--yes"),
    }
    codes = [run(*steps[step]).exit_code for step in order.split()]

    assert codes[-2:] == [0, 0]
    assert run_ok(*profile, "export") == encrypted
    assert "Nothing is wrong" in run_ok(*profile, "doctor")


def test_a_backup_without_its_key_is_named_and_not_a_graph_that_does_not_exist(encrypted, carried, graph_file):
    refused = run("restore", str(carried), "--yes")

    assert error_code(refused) == "BACKUP_FAILED"
    assert (str(carried) in refused.output, str(graph_file) in refused.output) == (True, False)
    assert ("key import FILE" in refused.output, graph_file.exists()) == (True, False)


def test_a_key_comes_in_by_standard_input(encrypted, key_file):
    digits = keys.read(key_file)[0].digits
    key_file.unlink()
    run_ok("key", "import", "-", input=f"{digits}\n")

    assert run_ok("export") == encrypted


@pytest.mark.parametrize("written", [OTHER_DIGITS, "", "nonsense", DIGITS[:-1], f"{OTHER_DIGITS}\nnonsense"])
def test_a_key_that_does_not_open_the_graph_is_not_put_back(encrypted, home, tmp_path, written):
    (tmp_path / "other.key").write_text(written)
    before = read_files(home)
    refused = run("key", "import", str(tmp_path / "other.key"))

    assert error_code(refused) == ("KEY_WRONG" if written == OTHER_DIGITS else "KEY_INVALID")
    assert (read_files(home), OTHER_DIGITS in refused.output, DIGITS[:16] in refused.output) == (before, False, False)


def test_a_key_is_put_back_although_the_environment_has_another(
    encrypted, key_file, settings_file, monkeypatch, tmp_path
):
    run_ok("key", "export", str(tmp_path / "mine.key"))
    lose_both(key_file, settings_file)
    monkeypatch.setenv("KG_KEY", OTHER_DIGITS)
    run_ok("key", "import", str(tmp_path / "mine.key"))

    assert run_ok("export") == encrypted


# Ended at every step


@dataclass(frozen=True)
class Flow:
    """A command that changes many files, what was done before it, and which refusal says that it is done already."""

    words: tuple[str, ...]
    first: tuple[tuple[str, ...], ...] = ()
    already: str | None = None
    plain: bool = False


FLOWS = {
    "encrypt": Flow(("encrypt",), already="INVALID_ARGUMENTS"),
    "encrypt --key keyring": Flow(("encrypt", "--key", "keyring"), already="INVALID_ARGUMENTS"),
    "encrypt --key passphrase": Flow(("encrypt", "--key", "passphrase"), already="INVALID_ARGUMENTS"),
    "decrypt": Flow(("decrypt", "--yes"), (("encrypt",),), already="GRAPH_NOT_ENCRYPTED", plain=True),
    "rekey": Flow(("rekey",), (("encrypt",),)),
    "rekey --key file": Flow(("rekey", "--key", "file"), (("encrypt",),)),
    "rekey --key keyring": Flow(("rekey", "--key", "keyring"), (("encrypt",),)),
    "rekey --key passphrase": Flow(("rekey", "--key", "passphrase"), (("encrypt",),)),
    "rekey from the keyring": Flow(("rekey", "--key", "file"), (("encrypt", "--key", "keyring"),)),
    "rekey a passphrase": Flow(("rekey",), (("encrypt", "--key", "passphrase"),)),
}

NAMED = {
    "encrypt --key-file": Flow(("encrypt", "--key-file", "~/my.key"), already="INVALID_ARGUMENTS"),
    "rekey --key-file": Flow(("rekey", "--key-file", "~/my.key"), (("encrypt",),), already="INVALID_ARGUMENTS"),
}


@pytest.fixture
def steps(home: Path, monkeypatch: pytest.MonkeyPatch) -> Steps:
    return Steps(home, monkeypatch)


@pytest.fixture
def flow(request: pytest.FixtureRequest, filled: str, terminal: None) -> Flow:
    chosen: Flow = request.param
    for words in chosen.first:
        run_ok(*words, input=TYPED_PHRASES)
    return chosen


def every_flow(flows: dict[str, Flow] = FLOWS) -> Any:
    return pytest.mark.parametrize("flow", list(flows.values()), ids=list(flows), indirect=True)


@pytest.mark.slow
@pytest.mark.law
@every_flow({**FLOWS, **NAMED})
def test_ended_at_any_step_the_graph_opens_with_all_that_was_in_it(steps, filled, flow):
    """
    Of the steps after which it is run again, test_ended_at_any_step_it_is_finished compares what is there then.
    """
    spoiled = []
    for step, tree in some(steps.of(lambda: run(*flow.words, input=TYPED_PHRASES)), flow, offset=3):
        steps.put(tree)
        result = run("export", input=TYPED_PHRASES)
        if result.stdout != filled:
            spoiled.append((step, result.output))

    assert spoiled == []


def again(flow: Flow) -> str | None:
    """Run it once more; what is wrong with that."""
    result = run(*flow.words, input=TYPED_PHRASES)
    if result.exit_code == 0 or (flow.already and f"({flow.already})" in result.stderr):
        return None
    return result.output


def some(steps: list[tuple[str, Tree]], flow: Flow, *, offset: int = 0) -> list[tuple[str, Tree]]:
    """Every sixth step and the last, other ones of each command, which have most in common; in the sweeps all."""
    number = [*FLOWS.values(), *NAMED.values()].index(flow)
    return steps if IS_SWEEP else [*steps[(number + offset) % 6 : -1 : 6], steps[-1]]


@dataclass(frozen=True)
class Outcome:
    """What there is when a command was ended at a step and run again.

    Attributes:
        plain: the files in which the graph can be read without the key.
        backups: what is in each backup that opens with the key.
        half_made: copies of keys that were to take another name.
    """

    step: str
    problem: str | None
    export: str
    plain: list[str]
    backups: list[store.copies.TableDigests | bool]
    half_made: list[str]
    has_key_file: bool


@dataclass(frozen=True)
class Ends:
    """A command ended at one step after the other, each time run again; and the backups before it."""

    outcomes: list[Outcome]
    backups: list[store.copies.TableDigests]


_ends: dict[Flow, Ends] = {}


@pytest.fixture
def ends(steps: Steps, flow: Flow, graph_file: Path, key_file: Path, home: Path) -> Ends:
    if flow not in _ends:
        backups = backups_in(graph_file, flow)
        ended = some(steps.of(lambda: run(*flow.words, input=TYPED_PHRASES)), flow)
        _ends[flow] = Ends([run_again(flow, *end, steps, graph_file, key_file, home) for end in ended], backups)
    return _ends[flow]


def run_again(flow: Flow, step: str, tree: Tree, steps: Steps, graph_file: Path, key_file: Path, home: Path) -> Outcome:
    steps.put(tree)
    problem = again(flow)
    half_made = [file.name for file in home.rglob("*.key.*part")]
    key = None if flow.plain else graph_keys.find(graph_file, ask=lambda _: PHRASE)[0]
    kept = [
        store.copies.opens_with(each.file, key) and table_digests(each.file, key)
        for each in backups.list_all(graph_file)
    ]
    plain = [] if flow.plain else files_with(home, MARKER)
    export = run("export", input=TYPED_PHRASES).stdout
    return Outcome(step, problem, export, plain, kept, half_made, key_file.exists())


@pytest.mark.sampled(one_in=5)
@pytest.mark.law
@every_flow()
def test_ended_at_any_step_it_is_finished_by_running_it_again(ends, filled, flow):
    unfinished = [
        (end.step, end.problem, end.plain, len(end.backups))
        for end in ends.outcomes
        if end.problem or end.export != filled or end.plain or (not flow.plain and end.backups != ends.backups)
    ]

    assert ends.outcomes
    assert unfinished == []


def backups_in(graph: Path, flow: Flow) -> list[store.copies.TableDigests]:
    """What is in the backups, before anything is ended."""
    key = None if not flow.first else graph_keys.find(graph, ask=lambda _: PHRASE)[0]
    return [table_digests(each.file, key) for each in backups.list_all(graph)]


@pytest.mark.sampled(one_in=2)
@pytest.mark.law
@every_flow(NAMED)
def test_ended_at_any_step_it_is_finished_by_running_it_again_with_the_file_it_names(
    steps, filled, flow, graph_file, home
):
    unfinished = []
    for step, tree in some(steps.of(lambda: run(*flow.words, input=TYPED_PHRASES))[:-1], flow):
        steps.put(tree)
        run(*flow.words, input=TYPED_PHRASES)
        kept = keys.read(home / "my.key") if (home / "my.key").exists() else []
        if [store.copies.opens_with(graph_file, key) for key in kept] != [True] or files_with(home, MARKER):
            unfinished.append(step)

    assert unfinished == []


@pytest.mark.sampled(one_in=2)
@pytest.mark.law
@every_flow({name: FLOWS[name] for name in ("encrypt", "rekey")})
def test_ended_at_any_step_and_run_again_no_second_copy_of_a_key_is_left(ends):
    assert [(end.step, end.half_made) for end in ends.outcomes if end.half_made] == []


@pytest.mark.sampled(one_in=2)
@pytest.mark.law
@every_flow({name: FLOWS[name] for name in ("rekey --key keyring", "rekey --key passphrase")})
def test_ended_at_any_step_and_run_again_the_old_place_is_forgotten(ends):
    assert [end.step for end in ends.outcomes if end.has_key_file] == []


@pytest.mark.sampled(one_in=3)
@pytest.mark.law
@every_flow({name: FLOWS[name] for name in ("encrypt", "encrypt --key keyring", "decrypt", "rekey")})
def test_ended_at_any_step_the_next_command_leaves_nothing_plain_or_says_what_remains(steps, home, flow, graph_file):
    """
    A graph that is encrypted has no plain text beside it; one that is not yet says so, and no half-made file is left:
    of the settings and of what stands for a keyring there may be one.
    """
    wrong = []
    for step, tree in some(steps.of(lambda: run(*flow.words, input=TYPED_PHRASES))[1:-1], flow):
        steps.put(tree)
        answer = json.loads(run_ok("--json", "status"))
        commands = [each["command"] for each in answer["unfinished"]]
        half_made = [file.name for file in home.rglob("*part") if not re.search(r"\.toml\.|ring\.json", file.name)]
        plain = files_with(home, MARKER)
        if answer["encrypted"]:
            is_said = commands in ([], [f"kg {flow.words[0]}"]) and not plain
        else:
            is_said = flow.plain or commands == ["kg encrypt"] or not graph_file.with_suffix(".toml").exists()
        if not is_said or half_made:
            wrong.append((step, answer["encrypted"], commands, plain, half_made))

    assert wrong == []


def test_half_made_backups_and_key_files_of_processes_that_were_killed_are_removed(encrypted, graph_file, key_file):
    left = [
        backups.folder(graph_file) / ".20260101T000000Z-daily.db.999999-part",
        key_file.with_name(".default.key.999999.part"),
        key_file.with_name(".default-2.key.999999.part"),
    ]
    for file in left:
        file.parent.mkdir(exist_ok=True)
        file.write_text(MARKER)
    run_ok("status")

    assert [file.name for file in left if file.exists()] == []


def test_what_another_process_is_writing_is_left_alone(encrypted, graph_file, key_file):
    backup = backups.folder(graph_file) / f".20260101T000000Z-daily.db.{os.getpid()}-part"
    of_another_profile = key_file.with_name(f".default-2.key.{os.getpid()}.part")
    of_another_profile.write_text("")
    with open_elsewhere(graph_file):
        backup.write_text("")
        run_ok("status")

    assert backup.exists()
    assert of_another_profile.exists()


def test_plain_backups_beside_an_encrypted_graph_are_named_by_status(filled, graph_file):
    plain = backups.list_all(graph_file)[0].file
    content = plain.read_bytes()
    run_ok("encrypt")
    plain.write_bytes(content)
    (unfinished,) = json.loads(run_ok("--json", "status"))["unfinished"]

    assert unfinished["command"] == "kg doctor --fix"
    assert plain.name in unfinished["message"]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["file", "keyring", "passphrase"])
def test_a_rekey_that_is_ended_twice_loses_no_backup(filled, terminal, graph_file, monkeypatch, source):
    """
    First before the backups have the new key, then as soon as a third key is kept.
    """
    run_ok("encrypt", "--key", source, input=TYPED_PHRASES)
    for place, step in ((backups, "reencrypt_all"), (store.copies, "rewrite")):
        with monkeypatch.context() as patch:
            patch.setattr(place, step, ended)
            with pytest.raises(Ended):
                CliRunner().invoke(kg, ["rekey"], input=TYPED_PHRASES, catch_exceptions=False)
    run_ok("rekey", input=TYPED_PHRASES)

    assert run_ok("restore", "--yes", backups.list_all(graph_file)[0].file.name, input=TYPED_PHRASES)
    assert MARKER in run_ok("export", input=TYPED_PHRASES)


@pytest.mark.slow
@every_flow({name: FLOWS[name] for name in ("rekey", "rekey a passphrase")})
def test_ended_at_any_two_steps_it_is_finished_by_running_it_again(steps, filled, flow, graph_file, home):
    unfinished = []
    ended = steps.of(lambda: run(*flow.words, input=TYPED_PHRASES))
    for first, tree in ended if IS_SWEEP else [*ended[:-1:2], ended[-1]]:
        steps.put(tree)
        for second, later in steps.of(lambda: run(*flow.words, input=TYPED_PHRASES)):
            steps.put(later)
            problem = again(flow)
            key = graph_keys.find(graph_file, ask=lambda _: PHRASE)[0]
            sound = [store.copies.opens_with(each.file, key) for each in backups.list_all(graph_file)]
            if problem or run("export", input=TYPED_PHRASES).stdout != filled or sound != [True]:
                unfinished.append((first, second))

    assert unfinished == []


DIES = """
import os, sys
from keepgraph.cli.root import kg
from keepgraph.store import copies
original = os.replace
def replace(part, path):
    if str(path).endswith(sys.argv[1]):
        if sys.argv[2] == "after":
            original(part, path)
        os._exit(9)
    original(part, path)
os.replace = replace
kg(sys.argv[3:], prog_name="kg")
"""


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("command", ["encrypt", "rekey", "decrypt"])
def test_a_process_that_really_dies_leaves_the_graph_to_the_next(filled, home, command, moment):
    if command != "encrypt":
        run_ok("encrypt")
    words = [command, *(["--yes"] if command == "decrypt" else [])]
    died = subprocess.run([*python(), "-c", DIES, "default.db", moment, *words], check=False).returncode
    opened = run_ok("export")
    CliRunner().invoke(kg, words)

    assert (died, opened, run_ok("export")) == (9, filled, filled)
    assert (files_with(home, MARKER) == []) is (command != "decrypt")


# The making of an encrypted profile, ended at every step


SOURCES = ["file", "keyring", "passphrase"]


def every_other(steps: list[tuple[str, Tree]], source: str) -> list[tuple[str, Tree]]:
    """Every other step, other ones of each source, which have most in common; in the sweeps all."""
    return steps if IS_SWEEP else steps[SOURCES.index(source) % 2 :: 2]


@pytest.mark.law
@pytest.mark.parametrize("source", SOURCES)
def test_an_encrypted_profile_is_never_there_without_its_key(steps, terminal, home, source):
    words = ["profile", "create", "work", "--key", source]
    spoiled = []
    for step, tree in every_other(steps.of(lambda: run(*words, input=TYPED_PHRASES)), source):
        steps.put(tree)
        run("--profile", "work", "record", f"person:{MARKER}", "tagged", "=x", input=TYPED_PHRASES)
        if files_with(home, MARKER):
            spoiled.append(step)

    assert spoiled == []


@pytest.mark.sampled(one_in=3)
@pytest.mark.law
@pytest.mark.parametrize("source", SOURCES)
def test_the_making_of_a_profile_is_finished_by_running_it_again(steps, terminal, home, source):
    words = ["profile", "create", "work", "--key", source]
    spoiled = []
    for step, tree in every_other(steps.of(lambda: run(*words, input=TYPED_PHRASES)), source):
        steps.put(tree)
        run(*words, input=TYPED_PHRASES)
        used = run("--profile", "work", "record", f"person:{MARKER}", "tagged", "=x", input=TYPED_PHRASES)
        if used.exit_code or files_with(home, MARKER):
            spoiled.append(step)

    assert spoiled == []


# Bringing a backup back, ended at every step


@pytest.mark.parametrize("protected", [False, True], ids=["plain", "encrypted"])
def test_a_restore_that_is_ended_leaves_the_graph_as_it_was_or_as_it_was_to_be(steps, filled, protected):
    if protected:
        run_ok("encrypt")
    words = ["restore", "--yes"]
    spoiled = []
    found = steps.of(lambda: run(*words))
    after = run_ok("export")
    for step, tree in found:
        steps.put(tree)
        if run("export").stdout not in (filled, after):
            spoiled.append(step)

    assert after != filled
    assert spoiled == []


@pytest.mark.slow
@pytest.mark.parametrize("named", [True, False], ids=["by its name", "the newest"])
def test_a_restore_that_is_ended_is_finished_by_running_it_again(steps, filled, graph_file, named):
    age(backups.list_all(graph_file)[0].file)
    words = ["restore", "--yes", *([backups.list_all(graph_file)[0].file.name] if named else [])]
    found = steps.of(lambda: run(*words))
    after = run_ok("export")
    spoiled = []
    for step, tree in found[:-1]:
        steps.put(tree)
        again = run(*words)
        if again.exit_code or run("export").stdout != after:
            spoiled.append((step, again.output))

    assert spoiled == []


def age(backup: Path) -> None:
    """Let a backup be of another second than now."""
    backup.rename(backup.with_name(f"20200101T000000Z{backup.name[16:]}"))
