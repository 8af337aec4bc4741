"""Keys in files and behind passphrases, and what a graph looks like from outside: files and logs as bytes."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import keepgraph
from homes import DIGITS, OTHER, leave_a_log
from keepgraph import errors, permissions, store
from keepgraph.model import Key, KeyPlace
from keepgraph.profiles import keys, profile

some_keys = st.lists(st.binary(min_size=32, max_size=32).map(lambda raw: keys.key(raw.hex(), "a test")), min_size=1)


@contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def digits(found: list[Key]) -> list[str]:
    return [key.digits for key in found]


# One key


@pytest.mark.parametrize("written", [DIGITS, DIGITS.upper(), f"  {DIGITS}\n", "00" * 32, "fF" * 32])
def test_a_key_is_64_digits_in_either_case(written):
    assert keys.key(written, "it").digits == written.strip().lower()


@pytest.mark.parametrize(
    "written",
    [
        "",
        DIGITS[:-1],
        f"{DIGITS}0",
        f"0x{DIGITS[2:]}",
        f"x'{DIGITS}'",
        f"{DIGITS[:32]} {DIGITS[32:]}",
        f"{DIGITS[:-1]}g",
        f"{DIGITS[:-1]}٣",
        f"{DIGITS[:-1]}３",
        f"{DIGITS}\0",
        f"'{DIGITS}'",
        f"{DIGITS},",
    ],
)
def test_anything_else_is_no_key_and_is_not_repeated(written):
    with pytest.raises(errors.KeyInvalid) as refused:
        keys.key(written, "it")

    assert DIGITS[:16] not in str(refused.value.answer()) + repr(refused.value)


def test_new_keys_differ():
    made = [keys.new() for _ in range(100)]

    assert len({key.digits for key in made}) == len({key.fingerprint for key in made}) == 100


def test_a_fingerprint_gives_nothing_away():
    key = keys.key(DIGITS, "it")

    assert key.fingerprint == keys.key(DIGITS.upper(), "elsewhere").fingerprint
    assert key.fingerprint not in key.digits
    assert DIGITS not in repr(key)


# Key files


@given(kept=some_keys.filter(lambda kept: len(kept) < 100), about=st.text(st.characters(exclude_categories=["C", "Z"])))
def test_what_is_kept_in_a_file_comes_back(kept, about):
    with scratch() as folder:
        keys.write_file(folder / "a.key", kept, about=about)

        assert digits(keys.read_file(folder / "a.key")) == digits(kept)
        assert (folder / "a.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a\x0bb", "a\x85b", "a\u2028b", os.fsdecode(b"a\xffb")])
def test_a_graph_of_any_name_can_have_a_key_file(name):
    with scratch() as folder:
        keys.write_file(folder / "a.key", [keys.key(DIGITS, "it")], about=f"The key of {name}.")

        assert digits(keys.read_file(folder / "a.key")) == [DIGITS]


@pytest.mark.parametrize(
    "text",
    [
        DIGITS,
        f"{DIGITS}\n",
        f"\n\n  {DIGITS}  \r\n",
        f"# mine\n{DIGITS.upper()}",
        f"\ufeff{DIGITS}\n",
        f"#\xe9\n{DIGITS}",
    ],
)
def test_a_key_file_may_be_written_by_hand(tmp_path, text):
    permissions.write(tmp_path / "a.key", text)

    assert digits(keys.read_file(tmp_path / "a.key")) == [DIGITS]


def test_two_keys_are_tried_in_the_order_of_their_lines(tmp_path):
    permissions.write(tmp_path / "a.key", f"{OTHER}\n# the new one\n{DIGITS}\n")

    assert digits(keys.read_file(tmp_path / "a.key")) == [OTHER, DIGITS]


@given(st.binary() | st.text().map(str.encode) | st.binary().map(lambda raw: DIGITS.encode() + raw))
@example(DIGITS.encode() * 2)
@example(b"\xff\xfe" + DIGITS.encode("utf-16-le"))
@example(b"# " * 20_000)
def test_no_bytes_get_more_than_a_refusal_that_repeats_nothing(text):
    answer = parsed(text)

    assert (
        DIGITS[:16] not in str(answer)
        if isinstance(answer, dict)
        else all(key.digits.encode() in text.lower() for key in answer)
    )


def parsed(text: bytes) -> list[Key] | dict[str, Any]:
    """The keys, or the envelope of the refusal."""
    try:
        return keys.parse(text, "it")
    except errors.KeyInvalid as refused:
        return refused.answer()


# Behind a passphrase


@given(kept=some_keys, passphrase=st.text(st.characters(exclude_categories=["Cs"])))
@settings(max_examples=40)
def test_what_is_wrapped_comes_back_by_its_passphrase(quick, kept, passphrase):
    with scratch() as folder:
        keys.wrap(folder / "w", kept, passphrase)

        assert digits(keys.unwrap(folder / "w", lambda _: passphrase)) == digits(kept)


def test_any_text_that_python_has_is_a_passphrase(quick, tmp_path):
    keys.wrap(tmp_path / "w", [keys.key(DIGITS, "it")], "\ud800 half a letter")

    assert digits(keys.unwrap(tmp_path / "w", lambda _: "\ud800 half a letter")) == [DIGITS]


def test_another_passphrase_opens_nothing(quick, tmp_path):
    keys.wrap(tmp_path / "w", [keys.key(DIGITS, "it")], "correct horse")
    with pytest.raises(errors.KeyWrong) as refused:
        keys.unwrap(tmp_path / "w", lambda _: "correct horsf")

    assert "correct" not in str(refused.value.answer())


def test_the_same_letters_are_the_same_passphrase_however_they_are_composed(quick, tmp_path):
    keys.wrap(tmp_path / "w", [keys.key(DIGITS, "it")], "caf\u00e9 ﬁn")

    assert digits(keys.unwrap(tmp_path / "w", lambda _: "cafe\u0301 fin")) == [DIGITS]


def test_a_wrapped_key_holds_neither_the_key_nor_the_passphrase(quick, tmp_path):
    keys.wrap(tmp_path / "w", [keys.key(DIGITS, "it")], "correct horse")
    written = (tmp_path / "w").read_text()

    assert DIGITS[:16] not in written
    assert "horse" not in written
    assert (tmp_path / "w").stat().st_mode & 0o777 == 0o600


def test_two_wrappings_of_one_key_have_nothing_in_common(quick, tmp_path):
    for name in ("a", "b"):
        keys.wrap(tmp_path / name, [keys.key(DIGITS, "it")], "correct horse")
    one, other = (json.loads((tmp_path / name).read_text()) for name in ("a", "b"))

    assert one["salt"] != other["salt"]
    assert one["wrapped"] != other["wrapped"]


def unwrapped(text: bytes) -> list[str] | str:
    """The keys, or the code of the refusal."""
    with scratch() as folder:
        (folder / "w").write_bytes(text)
        try:
            return digits(keys.unwrap(folder / "w", lambda _: "correct horse"))
        except errors.KeepgraphError as error:
            return error.code


@pytest.fixture
def wrapped(quick: None, tmp_path: Path) -> bytes:
    keys.wrap(tmp_path / "w", [keys.key(DIGITS, "it")], "correct horse")
    return (tmp_path / "w").read_bytes()


@given(where=st.floats(0, 1, exclude_max=True), bits=st.integers(1, 255))
@settings(max_examples=200)
def test_a_changed_byte_is_refused_or_changes_nothing(wrapped, where, bits):
    """
    The case of a hexadecimal digit is such a byte.
    """
    at = int(where * len(wrapped))
    changed = bytearray(wrapped)
    changed[at] ^= bits
    # Numbers that ask for a long time or much memory are another test.
    assume(not wrapped[:at].rsplit(b'"', 2)[-2:-1] or wrapped[:at].rsplit(b'"', 2)[-2] not in COSTS)

    assert unwrapped(bytes(changed)) in ("KEY_INVALID", "KEY_WRONG", [DIGITS])


COSTS = (b"memory_kib", b"iterations", b"lanes")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.binary() | st.text().map(str.encode) | JSON.map(lambda said: json.dumps(said).encode()))
@settings(max_examples=60)
def test_what_is_no_wrapped_key_is_refused(text):
    assert unwrapped(text) == "KEY_INVALID"


@pytest.mark.parametrize(
    "said",
    [
        {"memory_kib": 2**40},
        {"iterations": 10**9},
        {"lanes": 10**6},
        {"memory_kib": 0},
        {"iterations": -1},
        {"memory_kib": 1},
        {"iterations": "many"},
        {"iterations": None},
        {"iterations": float("nan")},
        {"kdf": "md5"},
        {"salt": ""},
        {"salt": "00"},
        {"salt": 5},
        {"wrapped": "0"},
        {"wrapped": []},
    ],
    ids=str,
)
def test_a_wrapped_key_that_asks_for_the_impossible_is_refused(wrapped, said):
    assert unwrapped(json.dumps({**json.loads(wrapped), **said}).encode()) == "KEY_INVALID"


@pytest.mark.parametrize("name", [cost.decode() for cost in COSTS])
def test_a_wrapped_key_that_asks_for_infinitely_much_is_refused(wrapped, name):
    assert unwrapped(json.dumps({**json.loads(wrapped), name: float("inf")}).encode()) == "KEY_INVALID"


@pytest.mark.parametrize("said", [{"version": 2}, {"keepgraph": "something else"}], ids=str)
def test_a_wrapped_key_of_another_version_is_refused(wrapped, said):
    assert unwrapped(json.dumps({**json.loads(wrapped), **said}).encode()) == "KEY_INVALID"


def test_a_missing_or_truncated_wrapped_key_is_refused(wrapped):
    assert {str(unwrapped(wrapped[:length])) for length in range(0, len(wrapped) - 1, 7)} == {"KEY_INVALID"}


# Settings that are changed

NAMES = st.text("abcdefgh", min_size=1, max_size=5).map(lambda text: f"x_{text}")
COMMENTS = st.text("abc é#=[]\"'", max_size=12)
VALUES = st.sampled_from(
    ['"text"', "'it'", "3", "-0.5", "true", "2026-05-15", "[1, 2]", '["a",\n  "b", # c\n]', "{a = 1}"]
)


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A file of settings with keys that nobody knows, comments in odd places, and perhaps a key already."""

    def lines(at_most: int) -> list[str]:
        found = []
        for name in draw(st.lists(NAMES, unique=True, max_size=at_most)):
            found += [f"# {draw(COMMENTS)}"] * draw(st.integers(0, 1))
            found.append(f"{name} = {draw(VALUES)}{draw(st.sampled_from(['', f'  # {draw(COMMENTS)}']))}")
            found += [""] * draw(st.integers(0, 1))
        return found

    text = lines(3)
    known = draw(st.sampled_from(["", "[key]", "[key]  # here", "key = {}", "key.source = 'keyring'", "[ key ]"]))
    headers = draw(st.permutations(["[names]", "[backups]", "[other]", "[other.inner]", "[[many]]"]))[
        : draw(st.integers(0, 4))
    ]
    if known.startswith("key"):
        text.insert(0, known)
    elif known:
        headers.insert(draw(st.integers(0, len(headers))), known)
    for header in headers:
        text += [header, *(["source = 'keyring'  # was"] if header is known and draw(st.booleans()) else []), *lines(3)]
    return "\n".join([*text, f"# {draw(COMMENTS)}"]) + draw(st.sampled_from(["", "\n", "\n\n"]))


def without_ours(said: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in said.items() if name != "key"}
    key = {name: value for name, value in said.get("key", {}).items() if name not in OURS}
    return {**rest, "key": key} if key else rest


OURS = ("source", "file", "account", "encrypted", "fingerprint")


@given(text=tables())
@settings(max_examples=150)
def test_a_change_of_settings_keeps_all_other_keys_and_comments(text):
    with scratch() as folder:
        (folder / "graph.toml").write_text(text, encoding="utf-8")
        said = {"source": "file", "file": "/k", "account": None, "encrypted": True, "fingerprint": "abc"}
        profile.change(folder / "graph.db", {("key", name): value for name, value in said.items()})
        written = (folder / "graph.toml").read_text(encoding="utf-8")
        now = tomllib.loads(written)

        assert {name: now["key"].get(name) for name in OURS} == said
        assert without_ours(now) == without_ours(tomllib.loads(text))
        assert [line for line in text.split("\n") if line.startswith("#") and line not in written.split("\n")] == []
        assert profile.read(folder / "graph.db").key == KeyPlace("file", file="/k", fingerprint="abc")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_change_of_settings_keeps_the_ends_of_lines(tmp_path, ends):
    file = tmp_path / "graph.toml"
    file.write_bytes(f'# mine{ends}zone = "UTC"{ends}'.encode())
    profile.change(tmp_path / "graph.db", {("key", "source"): "file"})

    assert file.read_bytes().startswith(f'# mine{ends}zone = "UTC"{ends}'.encode())


@pytest.mark.parametrize("text", ["[key.more]\nx = 1\n", "[key.more]\nx = 1\n[names]\nfuzzy = 0.9\n"])
def test_a_change_of_settings_keeps_a_table_within_ours(tmp_path, text):
    (tmp_path / "graph.toml").write_text(text)
    profile.change(tmp_path / "graph.db", {("key", "source"): "file"})
    now = tomllib.loads((tmp_path / "graph.toml").read_text())

    assert now == {**tomllib.loads(text), "key": {"source": "file", "more": {"x": 1}}}


# What a file looks like from outside


@given(st.binary(min_size=1, max_size=64), st.integers(1, 3))
@settings(max_examples=50)
def test_a_page_that_repeats_itself_is_not_taken_for_an_encrypted_graph(part, pages):
    assume(not part.startswith(b"SQLite"))
    with scratch() as folder:
        (folder / "f").write_bytes((part * store.files.PAGE_SIZE)[: store.files.PAGE_SIZE * pages])

        assert store.files.kind(folder / "f") is store.files.Kind.JUNK


def test_whole_pages_of_chance_look_encrypted(tmp_path):
    seen = set()
    for pages in (1, 2, 7):
        for _ in range(300):
            (tmp_path / "f").write_bytes(os.urandom(store.files.PAGE_SIZE * pages))
            seen.add(store.files.kind(tmp_path / "f"))

    assert seen == {store.files.Kind.ENCRYPTED}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", store.files.Kind.EMPTY),
        (b"SQLite format 3\x00", store.files.Kind.PLAIN),
        (b"SQLite format 3\x00" + bytes(4080), store.files.Kind.PLAIN),
        (bytes(4096), store.files.Kind.JUNK),
        (b"All work and no play makes Jack a dull boy. " * 1000, store.files.Kind.JUNK),
        (bytes(range(256)) * 15, store.files.Kind.JUNK),
        (os.urandom(4095), store.files.Kind.JUNK),
        (os.urandom(4097), store.files.Kind.JUNK),
        (os.urandom(100), store.files.Kind.JUNK),
    ],
    ids=["nothing", "header", "page", "zeros", "text", "part of a page", "cut", "grown", "a little"],
)
def test_a_file_is_told_by_its_first_page(tmp_path, content, kind):
    (tmp_path / "f").write_bytes(content)

    assert store.files.kind(tmp_path / "f") is kind


@pytest.mark.parametrize("key", [None, DIGITS])
def test_a_graph_is_told_from_outside(tmp_path, key):
    keepgraph.open(tmp_path / "graph.db", key=key).close()

    assert store.files.kind(tmp_path / "graph.db") is (store.files.Kind.ENCRYPTED if key else store.files.Kind.PLAIN)


# Whether a log is whole

FRAME = 24 + store.files.PAGE_SIZE


@pytest.fixture(scope="module", params=["", DIGITS], ids=["plain", "encrypted"])
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph that a sudden end has left with six transactions in its log."""
    path = tmp_path_factory.mktemp("left") / "graph.db"
    leave_a_log(path, key=request.param)
    return path


def commits(log: bytes) -> list[int]:
    """The ends of the transactions in a log, in bytes."""
    ends = [at + FRAME for at in range(32, len(log) - FRAME + 1, FRAME) if log[at + 4 : at + 8] != bytes(4)]
    assert len(ends) == 6
    return ends


def lost(log: bytes) -> int:
    with scratch() as folder:
        store.wal.file(folder / "graph.db").write_bytes(log)
        return store.wal.lost(folder / "graph.db")


def test_a_log_that_a_sudden_end_has_left_is_whole(left):
    assert lost(store.wal.file(left).read_bytes()) == 0


@given(part=st.floats(0, 1))
@settings(max_examples=60)
@example(part=0.0)
@example(part=1.0)
def test_a_log_that_was_cut_anywhere_has_lost_nothing_that_was_there_before(left, part):
    log = store.wal.file(left).read_bytes()

    assert lost(log[: int(part * len(log))]) == 0


@given(part=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@settings(max_examples=60)
def test_a_flipped_bit_before_two_whole_transactions_is_damage(left, part, bit):
    log = bytearray(store.wal.file(left).read_bytes())
    torn = 32 + int(part * (commits(log)[-3] - 32))
    log[torn] ^= 1 << bit

    assert lost(bytes(log)) > 0


@pytest.mark.parametrize("at", range(32))
def test_a_flipped_bit_in_the_header_of_a_log_is_damage(left, at):
    log = bytearray(store.wal.file(left).read_bytes())
    log[at] ^= 0x10

    assert lost(bytes(log)) > 0


@given(part=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@settings(max_examples=20)
def test_a_torn_last_transaction_is_a_sudden_end(left, part, bit):
    log = bytearray(store.wal.file(left).read_bytes())
    ends = commits(log)
    log[ends[-2] + int(part * (ends[-1] - ends[-2]))] ^= 1 << bit

    assert lost(bytes(log)) == 0


def test_the_rest_of_an_earlier_log_is_no_damage(left, tmp_path):
    """
    When a log is begun anew, it is written over from the start, and the frames behind are those of the one before.
    """
    path = tmp_path / "graph.db"
    key = "" if store.files.kind(left) is store.files.Kind.PLAIN else DIGITS
    for ending in ("", "-wal"):
        shutil.copy(f"{left}{ending}", f"{path}{ending}")
    leave_a_log(path, ["later"], key=key, checkpoint="RESTART")
    log = store.wal.file(path).read_bytes()

    assert log[16:24] != log[-FRAME + 8 : -FRAME + 16]
    assert store.wal.lost(path) == 0


@given(st.binary(max_size=200))
@settings(max_examples=50)
def test_no_log_is_too_odd_to_be_looked_at(content):
    assert lost(content) == 0


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_damaged_log_is_refused_with_what_would_be_lost_and_left_as_it_is(left, tmp_path, at):
    path = tmp_path / "graph.db"
    key = None if store.files.kind(left) is store.files.Kind.PLAIN else DIGITS
    log = bytearray(store.wal.file(left).read_bytes())
    log[[32, *commits(log)][at] + 100] ^= 1
    shutil.copy(left, path)
    store.wal.file(path).write_bytes(log)
    before = path.read_bytes()
    with pytest.raises(errors.GraphDamaged, match=f"{5 - at} changes"):
        keepgraph.open(path, key=key)

    assert (path.read_bytes(), store.wal.file(path).read_bytes()) == (before, log)
