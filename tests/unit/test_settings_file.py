"""Changes of a settings file: the other settings and all comments stay."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homes import scratch
from keepgraph.model import KeyLocation
from keepgraph.profiles import settings_file
from laws import examples

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
@examples(50, sweep=500)
def test_a_change_of_settings_keeps_all_other_keys_and_comments(text):
    with scratch() as folder:
        (folder / "graph.toml").write_text(text, encoding="utf-8")
        said = {"source": "file", "file": "/k", "account": None, "encrypted": True, "fingerprint": "abc"}
        settings_file.update(folder / "graph.db", {("key", name): value for name, value in said.items()})
        written = (folder / "graph.toml").read_text(encoding="utf-8")
        now = tomllib.loads(written)

        assert {name: now["key"].get(name) for name in OURS} == said
        assert without_ours(now) == without_ours(tomllib.loads(text))
        assert [line for line in text.split("\n") if line.startswith("#") and line not in written.split("\n")] == []
        assert settings_file.read(folder / "graph.db").key == KeyLocation("file", file="/k", fingerprint="abc")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_change_of_settings_keeps_the_ends_of_lines(tmp_path, ends):
    file = tmp_path / "graph.toml"
    file.write_bytes(f'# mine{ends}zone = "UTC"{ends}'.encode())
    settings_file.update(tmp_path / "graph.db", {("key", "source"): "file"})

    assert file.read_bytes().startswith(f'# mine{ends}zone = "UTC"{ends}'.encode())


@pytest.mark.parametrize("text", ["[key.more]\nx = 1\n", "[key.more]\nx = 1\n[names]\naccept = 0.9\n"])
def test_a_change_of_settings_keeps_a_table_within_ours(tmp_path, text):
    (tmp_path / "graph.toml").write_text(text)
    settings_file.update(tmp_path / "graph.db", {("key", "source"): "file"})
    now = tomllib.loads((tmp_path / "graph.toml").read_text())

    assert now == {**tomllib.loads(text), "key": {"source": "file", "more": {"x": 1}}}
