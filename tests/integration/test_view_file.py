"""`kg view` writes the page with the graph in it: whole, or what is around something; never more, never by mistake."""

from __future__ import annotations

import base64
import json
import re
import stat
import zlib
from pathlib import Path
from typing import Any

import pytest

import keepgraph
from homes import run, run_ok
from keepgraph.tools import page
from words import Caller, person, project

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028."


@pytest.fixture
def atlas(call: Caller) -> Caller:
    for name in ("Ana", "Ben"):
        call.record(person(name), "belongs_to", project("Atlas"), source="the kick-off", aliases=[f"{name} A."])
    call.record(person("Cem"), "belongs_to", project("Atlas"), valid_from="2026-01-01", valid_to="2026-03-01")
    call.record(person("Dua"), "belongs_to", project("Borea"))
    call.record(person("Ana"), "tagged", {"literal": HOSTILE})
    call("remember", text="Ana wrote about Atlas. " + HOSTILE)
    call.graph.close()
    return call


def data_of(file: Path) -> dict[str, Any]:
    """What is in the page."""
    [element] = re.findall(r'<script type="application/json" id="graph">(.*?)</script>', file.read_text("utf-8"))
    return json.loads(zlib.decompress(base64.b64decode(json.loads(element)["deflate"])))


def sentences(data: dict[str, Any]) -> set[str]:
    facts, names = data["facts"], data["nodes"]["name"]
    return {
        f"{names[subject]} {data['predicates'][predicate]} {names[object] if object >= 0 else facts['literal'][str(n)]}"
        for n, (subject, predicate, object) in enumerate(
            zip(facts["subject"], facts["predicate"], facts["object"], strict=True)
        )
    }


def test_the_whole_graph_is_in_the_file_for_its_owner_alone(atlas, path, tmp_path):
    file = tmp_path / "atlas.html"
    printed = run_ok("--db", str(path), "view", "--out", str(file))
    data = data_of(file)
    numbers = {name: number for number, name in enumerate(data["nodes"]["name"])}

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sentences(data) == {
        "Ana belongs_to Atlas",
        "Ben belongs_to Atlas",
        "Cem belongs_to Atlas",
        "Dua belongs_to Borea",
        f"Ana tagged {HOSTILE}",
    }
    assert data["nodes"]["aliases"][str(numbers["Ana"])] == ["Ana A."]
    assert data["sources"] == ["the kick-off"]
    assert len(data["facts"]["from"]) == len(data["facts"]["to"]) == 1
    assert HOSTILE in data["texts"][0]["text"]
    assert numbers["Ana"] in data["texts"][0]["nodes"]
    assert (data["about"], data["as_of"], data["truncated"]) == (None, None, False)
    assert {len(column) for column in data["nodes"].values() if isinstance(column, list)} == {6}
    assert "6 entities and 5 facts" in printed


def test_what_is_around_something_has_places_of_its_own(atlas, path, tmp_path):
    file = tmp_path / "ana.html"
    run_ok("--db", str(path), "view", "--out", str(file), "--about", "ana", "--depth", "1", "--no-texts")
    data = data_of(file)

    assert set(data["nodes"]["name"]) == {"Ana", "Atlas"}
    assert data["nodes"]["name"][data["about"]] == "Ana"
    assert data["title"].startswith("Ana · ")
    assert data["texts"] == []


@pytest.mark.parametrize(("when", "is_there"), [("2026-02-01", True), ("2026-04-01", False)])
@pytest.mark.parametrize("about", [[], ["--about", "Atlas"]])
def test_as_of_a_day_there_is_what_held_then(atlas, path, tmp_path, about, when, is_there):
    file = tmp_path / "then.html"
    run_ok("--db", str(path), "view", "--out", str(file), "--as-of", when, *about)
    data = data_of(file)

    assert ("Cem belongs_to Atlas" in sentences(data)) == is_there
    assert ("Cem" in data["nodes"]["name"]) == is_there
    assert data["as_of"].startswith(when)


def test_nothing_in_the_graph_ends_the_element_that_holds_it(atlas, path, tmp_path):
    file = tmp_path / "atlas.html"
    run_ok("--db", str(path), "view", "--out", str(file))

    assert HOSTILE not in file.read_text("utf-8")
    assert "onerror=alert" not in file.read_text("utf-8")


def test_an_encrypted_graph_is_written_plain_only_when_asked_to(home, tmp_path):
    run_ok("profile", "create", "work", "--encrypted")
    run_ok("--profile", "work", "record", "person:Ana", "belongs_to", "project:Atlas")
    file = tmp_path / "work.html"
    refused = run("--profile", "work", "view", "--out", str(file))

    assert refused.exit_code == 1
    assert "--plain" in refused.stderr
    assert not file.exists()
    run_ok("--profile", "work", "view", "--plain", "--out", str(file))
    assert data_of(file)["title"] == "work"


def test_a_file_that_is_no_page_is_not_overwritten(atlas, path, tmp_path):
    notes, page = tmp_path / "notes.html", tmp_path / "page.html"
    notes.write_text("<p>mine</p>")
    run_ok("--db", str(path), "view", "--out", str(page))
    again = run("--db", str(path), "view", "--out", str(page))
    refused = run("--db", str(path), "view", "--out", str(notes))
    itself = run("--db", str(path), "view", "--out", str(path))

    assert again.exit_code == 0
    assert (refused.exit_code, notes.read_text()) == (1, "<p>mine</p>")
    assert itself.exit_code == 1
    assert list(tmp_path.glob("*.part")) == []


def test_what_is_not_known_leaves_no_file(atlas, path, tmp_path):
    file = tmp_path / "nobody.html"
    result = run("--db", str(path), "view", "--out", str(file), "--about", "Zebedee")

    assert (result.exit_code, file.exists()) == (3, False)
    assert "Zebedee" in result.output


@pytest.mark.parametrize(
    "words",
    [
        ["--out", "FILE", "--about", " "],
        ["--out", "FILE", "--about", "x" * 201],
        ["--out", "FILE", "--depth", "0"],
        ["--out", "FILE", "--depth", "5"],
        ["--out", "FILE", "--as-of", "whenever"],
        ["--out", "/nowhere/at/all.html"],
        [],
    ],
)
def test_what_cannot_be_meant_is_refused(atlas, path, tmp_path, words):
    file = tmp_path / "page.html"
    result = run("--db", str(path), "view", *(word.replace("FILE", str(file)) for word in words))

    assert result.exit_code in (1, 2)
    assert not file.exists()


def test_an_empty_graph_gives_a_page_too(graph: keepgraph.Graph, path, tmp_path):
    graph.close()
    file = tmp_path / "empty.html"
    run_ok("--db", str(path), "view", "--out", str(file))

    assert data_of(file)["nodes"]["name"] == []


def test_in_json_the_answer_counts(atlas, path, tmp_path):
    file = tmp_path / "page.html"
    answer = json.loads(run_ok("--db", str(path), "view", "--out", str(file), "--json"))

    assert answer == {"file": str(file), "nodes": 6, "facts": 5, "truncated": False}


def test_of_very_many_facts_the_hour_says_when_they_were_recorded(atlas, path, tmp_path, monkeypatch):
    """
    To the second, that would be a quarter of the file.
    """
    file = tmp_path / "page.html"
    run_ok("--db", str(path), "view", "--out", str(file))
    exact = data_of(file)["facts"]["recorded"]
    monkeypatch.setattr(page, "_MANY_FACTS", 0)
    run_ok("--db", str(path), "view", "--out", str(file))

    assert data_of(file)["facts"]["recorded"] == [second // 3600 * 3600 for second in exact]
