"""A bundle of pages holds the graph, becomes the same graph again, and brings edits back by ids."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.cli.root import kg
from keepgraph.formats import okf_pages
from keepgraph.formats.okf_pages import Statement
from words import dump, rows

HOSTILE = [
    "../../x",
    "a/b",
    "CON",
    "index",
    "ada",
    "ADA.",
    "\u202egnp",
    "x" * 200,
    "[a](b) · since 2020 ^c",
    "…",
    "a\u200bb",
]


def run(path: Path, *arguments: str) -> str:
    done = CliRunner().invoke(kg, ["--db", str(path), *arguments])
    assert done.exit_code == 0, done.output
    return str(done.output)


def report(path: Path, bundle: Path, *options: str) -> dict:
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", str(bundle), *options])
    return json.loads(done.stdout)


def files(bundle: Path) -> dict[str, str]:
    found = {file.relative_to(bundle).as_posix(): file.read_text() for file in bundle.rglob("*") if file.is_file()}
    return {name: text for name, text in found.items() if name != "log.md"}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A graph of 60 people, with hostile names, ended facts, tags, sources, a text; and its bundle."""
    folder = tmp_path_factory.mktemp("made")
    facts: list[dict] = []
    for number in range(60):
        someone = {"type": "person", "name": f"Person {number}"}
        ended = {"valid_to": "2021-12-31"} if number % 5 == 0 else {}
        firm = {"type": "organisation", "name": f"Firm {number % 7}"}
        source = f"https://example.org/{number % 3}"
        facts += [
            {"subject": someone, "predicate": "works_at", "object": firm, "source": source, "valid_from": "2020-01-01"}
            | ended,
            {"subject": someone, "predicate": "tagged", "object": {"type": "concept", "name": f"tag {number % 4}"}},
            {"subject": someone, "predicate": "job_title", "object": {"literal": f"“{number}”: a [b]\nc · d"}},
        ]
    odd = {"type": "concept", "name": "odd"}
    facts += [{"subject": {"type": "concept", "name": name}, "predicate": "tagged", "object": odd} for name in HOSTILE]
    with keepgraph.open(folder / "graph.db") as graph:
        results = [graph.call("record_facts", facts=facts[start : start + 50]) for start in range(0, len(facts), 50)]
        assert not any("error" in each for result in results for each in result["results"])
        graph.call("add_memory", name="Diary", episode_body="---\ntype: no front matter\n---\r\nMet Person 1.  ")
    run(folder / "graph.db", "export", "--vault", str(folder / "bundle"))
    return folder


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    shutil.copy(made / "graph.db", tmp_path / "graph.db")
    return tmp_path / "graph.db"


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "bundle", tmp_path / "bundle")
    return tmp_path / "bundle"


def test_a_bundle_becomes_the_same_bundle_again(path, bundle, tmp_path):
    other = tmp_path / "other.db"
    first = report(other, bundle)
    run(other, "export", "--vault", str(tmp_path / "again"))
    run(path, "export", "--vault", str(bundle))

    assert first["conflicts"] == []
    assert files(bundle) == files(tmp_path / "again")
    assert (bundle / "log.md").read_text().count("**") == 2


def breaches(bundle: Path) -> list[str]:
    """Where a folder breaks OKF 0.2, by the sections of its text; read by PyYAML and line by line."""
    found = []
    for file in sorted(bundle.rglob("*.md")):
        name, text = file.relative_to(bundle).as_posix(), file.read_bytes().decode("utf-8")
        head, body = "", text
        if text.startswith("---\n"):
            head, _, body = text[4:].partition("\n---\n")
        try:
            front = yaml.safe_load(head) or {}
        except yaml.YAMLError:
            front = None
        if file.name == "index.md":
            wrong = index_breaches(front, body, is_root=name == "index.md")
        elif file.name == "log.md":
            days = [line[3:] for line in body.splitlines() if line.startswith("## ")]
            is_day = all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", day) for day in days)
            wrong = {"9: date-grouped entries, newest first": is_day and days == sorted(days, reverse=True)}
        elif not isinstance(front, dict):
            wrong = {"11.1: a parseable front matter": False}
        else:
            wrong = concept_breaches(front)
        found += [f"{name}: {rule}" for rule, holds in wrong.items() if not holds]
    return found


def index_breaches(front: dict | None, body: str, *, is_root: bool) -> dict[str, bool]:
    lines = [line for line in body.splitlines() if line.strip()]
    entry = re.compile(r"[*-] \[(?:[^\[\]\\]|\\.)+\]\((?:<[^<>]+>|[^\s<>]+)\)(?: - \S.*)?")
    return {
        "8: front matter at the root alone, of the version alone": front
        in ({}, {"okf_version": "0.2"} if is_root else {}),
        "8: headings and entries": all(line.startswith("#") or entry.fullmatch(line) for line in lines),
        "8: entries under a heading": not lines or lines[0].startswith("# "),
    }


def concept_breaches(front: dict) -> dict[str, bool]:
    sources, tags = front.get("sources", []), front.get("tags", [])
    verified = front.get("verified", [])
    acts = [*([verified] if isinstance(verified, dict) else verified), *([g] if (g := front.get("generated")) else [])]
    day, instant = re.compile(r"\d{4}-\d{2}-\d{2}"), re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
    actor = re.compile(r"(?:human|process):\S.*|[^/:\s]+/\S+")
    ids = [source["id"] for source in sources if "id" in source]
    return {
        "4.1: a type": isinstance(front.get("type"), str) and bool(front["type"].strip()),
        "4.1: short texts": all(isinstance(front.get(key, ""), str) for key in ("title", "description", "resource")),
        "4.1: one sentence": "\n" not in front.get("description", ""),
        "4.1: tags": isinstance(tags, list) and all(isinstance(tag, str) for tag in tags),
        "5.1: sources": isinstance(sources, list) and all(str(source.get("resource") or "") for source in sources),
        "5.1: ids of sources are keys": len(ids) == len(set(ids)),
        "5.2, 7: actors": all(actor.fullmatch(str(act.get("by"))) for act in acts),
        "5.2: instants": all(instant.match(str(act.get("at"))) for act in acts),
        "5.4: status": front.get("status", "stable") in ("draft", "stable", "deprecated"),
        "5.5: stale_after": bool(day.fullmatch(str(front.get("stale_after", "2026-01-01")))),
    }


def test_a_bundle_conforms_to_the_specification(bundle):
    assert len(list(bundle.rglob("*.md"))) > 60
    assert breaches(bundle) == []


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("x.md", "text", "4.1"),
        ("x.md", "---\na: [\n---\n", "11.1"),
        ("x.md", "---\ntype: T\nsources: [{id: a}]\n---\n", "5.1"),
        ("x.md", "---\ntype: T\ngenerated: {by: me, at: now}\n---\n", "5.2"),
        ("x.md", "---\ntype: T\nstatus: good\n---\n", "5.4"),
        ("a/index.md", '---\nokf_version: "0.2"\n---\n# A\n', "8"),
        ("log.md", "## 2026-01-01\n## 2026-01-02\n", "9"),
    ],
)
def test_the_checker_of_bundles_finds_what_breaks_the_specification(tmp_path, name, text, rule):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)

    assert breaches(tmp_path)[0].startswith(f"{name}: {rule}")


def test_every_link_leads_to_a_page(bundle):
    texts = files(bundle)
    linked = {
        statement.path
        for text in texts.values()
        if (page := okf_pages.parse(text)[0])
        for line in page.lines
        if (statement := line.statement()) and statement.path
    }

    assert len(linked) == 7
    assert linked <= texts.keys()


def test_nothing_is_written_outside_the_folder(bundle, tmp_path):
    assert {each.name for each in tmp_path.iterdir() if each.is_dir()} == {"bundle"}
    assert len({name.casefold() for name in files(bundle)}) == len(files(bundle))
    assert not any(set(name) & set('\\:*?"<>|\u202e\u200b') for name in files(bundle))


def test_without_edits_nothing_changes(path, bundle):
    before = dump(path, ["entity", "fact", "alias", "chunk", "provenance"])
    answer = report(path, bundle)

    assert answer == {"preview": False, "conflicts": []}
    assert dump(path, ["entity", "fact", "alias", "chunk", "provenance"]) == before


def test_sixty_edits_are_sixty_changes(path, bundle):
    person = bundle / "person"
    for number in range(10):
        edit(person / f"Person {number}.md", f"title: Person {number}", f"title: Persona {number}")
        edit(
            person / f"Person {10 + number}.md",
            f"/organisation/Firm%20{(10 + number) % 7}.md",
            f"/organisation/Firm%20{(11 + number) % 7}.md",
        )
        append(
            person / f"Person {20 + number}.md",
            f"- knows [Person 1](/person/Person%201.md) · since 2024-0{1 + number % 9}-01",
        )
        edit(person / f"Person {30 + number}.md", "title: ", "description: Described.\ntitle: ")
        edit(person / f"Person {40 + number}.md", f"- tag {number % 4}\n", f"- tag {(number + 1) % 4}\n")
        drop_line(person / f"Person {50 + number}.md", "- job title")
    previewed = report(path, bundle, "--preview")
    answer = report(path, bundle)
    again = report(path, bundle)

    assert {**previewed, "preview": False} == answer
    assert answer["conflicts"] == []
    assert (answer["added"], answer["changed"], answer["retracted"]) == (10, 40, 10)
    assert again == {"preview": False, "conflicts": []}
    run(path, "export", "--vault", str(bundle))
    assert "knows" in (person / "Person 20.md").read_text()
    run(path, "undo")
    assert "Described." not in run(path, "recall", "Person 30")


def edit(file: Path, old: str, new: str) -> None:
    before = file.read_text()
    assert old in before
    file.write_text(before.replace(old, new, 1))


def append(file: Path, line: str) -> None:
    file.write_text(f"{file.read_text()}{line}\n")


def drop_line(file: Path, beginning: str) -> None:
    kept = [line for line in file.read_text().splitlines(keepends=True) if not line.startswith(beginning)]
    file.write_text("".join(kept))


def test_what_both_changed_is_shown_and_left(path, bundle):
    run(path, "record", "person:Person 1", "knows", "person:Person 2")
    drop_line(bundle / "person/Person 1.md", "- job title")
    append(bundle / "person/Person 3.md", "no list, but a thought about Person 3")
    append(bundle / "person/Person 4.md", "- sings for [Firm 1](/organisation/Firm%201.md)")
    answer = report(path, bundle)

    assert [each["place"] for each in answer["conflicts"]] == ["person/Person 1.md"]
    assert (answer["texts"], answer["proposed"]) == (1, 1)
    assert "job title" not in (bundle / "person/Person 1.md").read_text()
    assert "job_title" in run(path, "recall", "Person 1")


def test_other_files_beside_the_pages_stay(path, bundle):
    picture = bundle / "person" / "portrait.png"
    picture.write_bytes(b"\x89PNG")
    append(bundle / "person/Person 3.md", "no list, but a thought about Person 3")

    assert report(path, bundle)["texts"] == 1
    assert picture.read_bytes() == b"\x89PNG"


def test_a_bundle_in_a_folder_of_notes_is_left_out(path, bundle, tmp_path):
    notes = tmp_path / "notes"
    shutil.copytree(bundle, notes / "Keepgraph")
    (notes / "Plan.md").write_text("Ship it.", encoding="utf-8")
    done = CliRunner().invoke(kg, ["--db", str(path), "ingest", str(notes), "--json"])
    report = json.loads(done.stdout)

    assert report["added"] == 1
    assert [(Path(each["path"]).name, each["code"]) for each in report["skipped"]] == [("Keepgraph", "EXPORTED_GRAPH")]


@pytest.mark.parametrize("words", [("ingest",), ("vault", "add"), ("vault", "preview")])
def test_a_bundle_is_not_read_as_notes(path, bundle, words):
    before = dump(path)
    refused = CliRunner().invoke(kg, ["--db", str(path), *words, str(bundle)])

    assert refused.exit_code == 1
    assert f"kg import {bundle}" in refused.stderr
    assert dump(path) == before


def test_edits_are_not_overwritten_and_other_files_are_refused(path, bundle, tmp_path):
    append(bundle / "person/Person 1.md", "- knows [[Person 2]]")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/mine.txt").write_text("mine")
    for folder, said in ((bundle, "Person 1.md"), (tmp_path / "other", "other files")):
        done = CliRunner().invoke(kg, ["--db", str(path), "export", "--vault", str(folder)])

        assert done.exit_code == 1
        assert said in done.output
    run(path, "export", "--vault", str(bundle), "--overwrite")
    assert "knows" not in (bundle / "person/Person 1.md").read_text()


def test_a_link_out_of_the_folder_is_not_followed(path, bundle, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    for file in (bundle / "texts").iterdir():
        file.unlink()
    (bundle / "texts").rmdir()
    os.symlink(outside, bundle / "texts")
    done = CliRunner().invoke(kg, ["--db", str(path), "export", "--vault", str(bundle)])

    assert (done.exit_code, list(outside.iterdir())) == (1, [])


@given(
    st.builds(
        Statement,
        predicate=st.sampled_from(["works at", "job title"]),
        object=st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), min_size=1, max_size=30),
        is_literal=st.booleans(),
        since=st.none() | st.just("2020-01-01"),
        until=st.none() | st.just("2021-01-01"),
        notes=st.sampled_from([(), ("s1", "s22")]),
    )
)
def test_a_line_is_read_as_it_was_written(statement):
    path = None if statement.is_literal else "person/Ada · b.md"
    written = Statement(**{name: getattr(statement, name) for name in statement.__slots__} | {"path": path})

    assert okf_pages.Line(written.line()).statement() == written


@given(st.lists(st.text(max_size=40), max_size=8))
def test_a_file_name_is_safe_and_its_own(names):
    taken: set[str] = set()
    for name in names:
        file = okf_pages.file_name(name, taken=taken, id="ent_00000000000000000000000001")

        assert file.casefold() not in taken
        assert not set(file) & set("/\\:\0\n")
        assert file not in ("", ".", "..")
        assert len(file.encode()) < 200
        taken.add(file.casefold())


@pytest.mark.parametrize("part", ["[^s1]", " · since ", "a [", "\\", ": ", "(", "[["])
def test_a_line_of_any_length_is_no_fact(part):
    """
    Each of them takes minutes where the pattern tries all ways to divide it.
    """
    assert okf_pages.Line(f"- a: {part * 30_000}x").statement() is None


def test_a_damaged_bundle_is_imported_but_for_what_is_wrong(path, bundle, tmp_path):
    (bundle / "bad.md").write_text("no front matter")
    (bundle / "new.md").write_text("---\ntype: no such\ntitle: N\n---\n")
    (bundle / "person/odd.md").write_text(
        "---\ntype: person\ntitle: ../../x\nid: ent_00000000000000000000000009\nrevision: a-b\ntags: {a: b}\n"
        "aliases: 3\nproperties: [1]\nsources: x\ngenerated: 4\n---\n- a [b](/../../c.md)\n"
    )
    (bundle / "vocabulary.jsonl").write_text('{"kind": "entity", "id": "x"}\n')
    os.symlink(tmp_path, bundle / "loop")
    answer = report(path, bundle)

    assert sorted(each["place"] for each in answer["conflicts"]) == [
        "bad.md",
        "new.md",
        "person/odd.md",
        "vocabulary.jsonl",
    ]


def test_an_encrypted_graph_is_not_written_as_plain_text_unasked(tmp_path, monkeypatch):
    (tmp_path / "key").write_text("5f" * 32)
    (tmp_path / "key").chmod(0o600)
    monkeypatch.setenv("KG_KEY_FILE", str(tmp_path / "key"))
    with keepgraph.open(tmp_path / "secret.db", key="5f" * 32):
        pass
    done = CliRunner().invoke(kg, ["--db", str(tmp_path / "secret.db"), "export", "--vault", str(tmp_path / "plain")])

    assert done.exit_code == 1
    assert "--yes" in done.output
    assert not (tmp_path / "plain").exists()


def test_what_was_added_to_pages_comes_into_another_graph_with_them_in_one_call(bundle, tmp_path):
    with (bundle / "person/Person 1.md").open("a") as page:
        page.write(
            "\nLikes tea.\n\n- email: one@x.example\n- works at [Firm 1](/organisation/Firm%201.md) · since soon\n"
        )
    (bundle / "person/New.md").write_text("---\ntype: person\ntitle: New\n---\n- reports to [[Person 1]]\n")
    other = tmp_path / "other.db"
    first, again = report(other, bundle), report(other, bundle)
    with keepgraph.open(other) as graph:
        facts = graph.call("recall_entity", name_or_alias="one@x.example")["facts"]

    assert len(first["conflicts"]) == len(again["conflicts"]) == 1
    assert (first["added"], {key for key, count in again.items() if count}) == (2, {"conflicts"})
    assert {"New"} == {fact["subject"]["name"] for fact in facts if fact["predicate"] == "reports_to"}


def test_a_line_with_a_bad_date_does_not_stop_the_others(bundle, tmp_path):
    page = bundle / "person/Person 1.md"
    page.write_text(page.read_text().replace("since 2020-01-01", "since 2020-13-01"))
    answer = report(tmp_path / "other.db", bundle)

    assert [each["place"].startswith("person/Person 1.md: - works at") for each in answer["conflicts"]] == [True]
    assert answer["entities"] > 1


def test_an_edited_fact_holds_where_it_held_and_is_as_certain_and_pinned_as_it_was(tmp_path):
    path, folder = tmp_path / "graph.db", tmp_path / "pages"
    with keepgraph.open(path) as graph:
        ada, bo, atlas = (
            {"type": kind, "name": name} for kind, name in (("person", "Ada"), ("person", "Bo"), ("project", "Atlas"))
        )
        graph.call("record_fact", subject=ada, predicate="works_on", object=atlas)
        graph.call("record_fact", subject=ada, predicate="works_on", object={"type": "project", "name": "Apollo"})
        graph.call(
            "record_fact", subject=ada, predicate="reports_to", object=bo, project="Atlas", always=True, confidence=0.5
        )
    run(path, "export", "--vault", str(folder))
    page = folder / "person/Ada.md"
    page.write_text(page.read_text().replace("(/person/Bo.md)", "(/person/Bo.md) · since 2021-01-01"))
    answer = report(path, folder)
    with keepgraph.open(path) as graph:
        told = [graph.call("recall_for", message="x", scope=scope)["standing"] for scope in (["Atlas"], ["Apollo"])]
        known = graph.call("recall_entity", name_or_alias="Bo")["facts"]

    assert answer["changed"] == 1
    assert ["Ada reports to Bo" in str(standing) for standing in told] == [True, False]
    assert [(fact["confidence"], fact["scope"]) for fact in known] == [(0.5, ["Atlas"])]
    assert "only in Atlas" in run(path, "recall", "Bo")


@pytest.mark.parametrize("option", ["--strict", "--add-words", "--format=csv"])
def test_an_option_for_files_is_refused_with_a_folder(path, bundle, option):
    refused = CliRunner().invoke(kg, ["--db", str(path), "import", option, str(bundle)])

    assert refused.exit_code == 1
    assert "not for a folder" in refused.output


def test_scopes_pins_and_confidence_come_into_another_graph(tmp_path):
    one, other, folder, again = (tmp_path / name for name in ("one.db", "other.db", "pages", "again"))
    with keepgraph.open(one) as graph:
        ada, bo = ({"type": "person", "name": name} for name in ("Ada", "Bo"))
        graph.call("record_fact", subject=ada, predicate="works_on", object={"type": "project", "name": "Atlas"})
        graph.call(
            "record_fact", subject=ada, predicate="reports_to", object=bo, project="Atlas", always=True, confidence=0.5
        )
        graph.call("add_alias", entity=ada, alias="Chief", project="Atlas")
        graph.call("remember", text="The gate is always locked.", always=True)
    run(one, "export", "--vault", str(folder))
    run(other, "import", str(folder))
    run(other, "export", "--vault", str(again))
    kept = [
        rows(
            path,
            """
            SELECT text, scope, pinned, confidence FROM fact
            UNION ALL SELECT alias, scope, 0, 0 FROM alias
            UNION ALL SELECT name, '', pinned, 0 FROM episode
            ORDER BY 1
            """,
        )
        for path in (one, other)
    ]

    assert kept[0] == kept[1]
    assert {row[2] for row in kept[0]} == {0, 1}
    assert files(folder) == files(again)


@pytest.mark.parametrize("details", ["x", "{fact: 1}", "{Chief: {scope: 3, confidence: .inf, pinned: maybe}}"])
def test_details_that_are_none_are_left_out(bundle, tmp_path, details):
    page = bundle / "person/Person 1.md"
    page.write_text(page.read_text().replace("\nid: ", f"\naliases: [Chief]\ndetails: {details}\nid: ", 1))
    answer = report(tmp_path / "new.db", bundle)

    assert answer["conflicts"] == []
