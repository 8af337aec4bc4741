"""Keys: parsed from text, in key files, and wrapped with a passphrase."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from homes import DIGITS, OTHER_DIGITS, scratch
from keepgraph import errors, permissions
from keepgraph.model import Key
from keepgraph.profiles import keys
from laws import examples

some_keys = st.lists(
    st.binary(min_size=32, max_size=32).map(lambda raw: keys.from_digits(raw.hex(), "a test")), min_size=1
)


def digits(found: list[Key]) -> list[str]:
    return [key.digits for key in found]


# One key


@pytest.mark.parametrize("written", [DIGITS, DIGITS.upper(), f"  {DIGITS}\n", "00" * 32, "fF" * 32])
def test_a_key_is_64_digits_in_either_case(written):
    assert keys.from_digits(written, "it").digits == written.strip().lower()


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
        keys.from_digits(written, "it")

    assert DIGITS[:16] not in str(refused.value.answer()) + repr(refused.value)


def test_new_keys_differ():
    made = [keys.new() for _ in range(100)]

    assert len({key.digits for key in made}) == len({key.fingerprint for key in made}) == 100


def test_a_fingerprint_gives_nothing_away():
    key = keys.from_digits(DIGITS, "it")

    assert key.fingerprint == keys.from_digits(DIGITS.upper(), "elsewhere").fingerprint
    assert key.fingerprint not in key.digits
    assert DIGITS not in repr(key)


# Key files


@given(kept=some_keys.filter(lambda kept: len(kept) < 100), about=st.text(st.characters(exclude_categories=["C", "Z"])))
def test_what_is_kept_in_a_file_comes_back(kept, about):
    with scratch() as folder:
        keys.write(folder / "a.key", kept, about=about)

        assert digits(keys.read(folder / "a.key")) == digits(kept)
        assert (folder / "a.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a\x0bb", "a\x85b", "a\u2028b", os.fsdecode(b"a\xffb")])
def test_a_graph_of_any_name_can_have_a_key_file(name):
    with scratch() as folder:
        keys.write(folder / "a.key", [keys.from_digits(DIGITS, "it")], about=f"The key of {name}.")

        assert digits(keys.read(folder / "a.key")) == [DIGITS]


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

    assert digits(keys.read(tmp_path / "a.key")) == [DIGITS]


def test_two_keys_are_tried_in_the_order_of_their_lines(tmp_path):
    permissions.write(tmp_path / "a.key", f"{OTHER_DIGITS}\n# the new one\n{DIGITS}\n")

    assert digits(keys.read(tmp_path / "a.key")) == [OTHER_DIGITS, DIGITS]


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
    keys.wrap(tmp_path / "w", [keys.from_digits(DIGITS, "it")], "\ud800 half a letter")

    assert digits(keys.unwrap(tmp_path / "w", lambda _: "\ud800 half a letter")) == [DIGITS]


def test_another_passphrase_opens_nothing(quick, tmp_path):
    keys.wrap(tmp_path / "w", [keys.from_digits(DIGITS, "it")], "correct horse")
    with pytest.raises(errors.KeyWrong) as refused:
        keys.unwrap(tmp_path / "w", lambda _: "correct horsf")

    assert "correct" not in str(refused.value.answer())


def test_the_same_letters_are_the_same_passphrase_however_they_are_composed(quick, tmp_path):
    keys.wrap(tmp_path / "w", [keys.from_digits(DIGITS, "it")], "caf\u00e9 ﬁn")

    assert digits(keys.unwrap(tmp_path / "w", lambda _: "cafe\u0301 fin")) == [DIGITS]


def test_a_wrapped_key_holds_neither_the_key_nor_the_passphrase(quick, tmp_path):
    keys.wrap(tmp_path / "w", [keys.from_digits(DIGITS, "it")], "correct horse")
    written = (tmp_path / "w").read_text()

    assert DIGITS[:16] not in written
    assert "horse" not in written
    assert (tmp_path / "w").stat().st_mode & 0o777 == 0o600


def test_two_wrappings_of_one_key_have_nothing_in_common(quick, tmp_path):
    for name in ("a", "b"):
        keys.wrap(tmp_path / name, [keys.from_digits(DIGITS, "it")], "correct horse")
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
    keys.wrap(tmp_path / "w", [keys.from_digits(DIGITS, "it")], "correct horse")
    return (tmp_path / "w").read_bytes()


@given(where=st.floats(0, 1, exclude_max=True), bits=st.integers(1, 255))
@examples(60, sweep=600)
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
