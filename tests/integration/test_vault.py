"""A folder of notes: each is an entity, its structure is recorded, and what a file said ends with it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import errors
from keepgraph.cli.root import kg
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.texts import ingestion
from keepgraph.engine.texts.ingestion import Report
from keepgraph.model import Settings
from laws import examples
from words import Caller, Clock, dump, person, rows

FIXTURES = Path(__file__).parents[1] / "fixtures"
VAULT = FIXTURES / "vault.txt"


def write(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def vault_of(text: str) -> dict[str, str]:
    return dict(part.partition("\n")[::2] for part in text.split("=== ")[1:])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "vault"
    made.mkdir()
    return made


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2026, 11, 27, 10, 0, tzinfo=UTC))


@pytest.fixture
def call(open_graph, root) -> Caller:
    """Calls tools of a graph that has the folder as a vault."""
    settings = Settings(vault_folders=(str(root),), vault_never=("Templates",), document_roots=(str(root),))
    return Caller(open_graph(settings=settings))


def read(call: Caller, root: Path, **options: Any) -> Report:
    return ingestion.ingest(Job(call.graph.database, tool="kg vault"), root, **options)


def facts(path: Path, where: str = "TRUE") -> set[tuple[str, str, str]]:
    """Subject, predicate and object of the facts; `where` is a condition on subject, predicate, object."""
    found = rows(
        path,
        f"""
        SELECT subject, predicate, object
        FROM (
            SELECT one.name AS subject, predicate.name AS predicate, coalesce(other.name, fact.literal) AS object
            FROM fact
            JOIN entity AS one ON one.id = fact.subject
            JOIN predicate ON predicate.id = fact.predicate
            LEFT JOIN entity AS other ON other.id = fact.object
            WHERE fact.retracted_at IS NULL AND fact.valid_to = '~'
        )
        WHERE {where}
        """,
    )
    return {tuple(row) for row in found}


FACT = "SELECT fact.public_id FROM fact JOIN predicate ON predicate.id = fact.predicate"


def entities(path: Path) -> dict[str, str]:
    return dict(
        rows(path, "SELECT entity.name, entity_type.name FROM entity JOIN entity_type ON entity_type.id = entity.type")
    )


@pytest.fixture
def filled(call, root) -> Report:
    write(root, vault_of(VAULT.read_text()))
    return read(call, root)


# A whole vault


def test_every_note_is_recalled_by_its_file_name_title_and_aliases(call, filled):
    names = {
        "Heat Island Model": "HIM",
        "Oke 1982": "The energetic basis of the urban heat island",
        "Oke82": "oke1982",
        "ben": "Ben Okafor",
        "Großmutter": "Oma",
        "Hausratversicherung 2026": "Versicherung",
        "0001-use-sqlite": "Use SQLite",
        "2026-11-18 Acme": "Acme kick-off",
        "Long title": "A note",
        "empty": "empty",
        "2026-11-24": "2026-11-24",
    }
    same = {
        name: call("recall_entity", name_or_alias=name)["entity"]["id"]
        == call("recall_entity", name_or_alias=other)["entity"]["id"]
        for name, other in names.items()
    }

    assert same == dict.fromkeys(names, True)


def test_links_are_facts_between_the_right_things(filled, path):
    mentions = facts(path, "predicate = 'mentioned_in'")
    oke = "The energetic basis of the urban heat island"

    assert {
        ("Heat Island Model", "mentioned_in", "Home"),
        (oke, "mentioned_in", "Heat Island Model"),
        (oke, "mentioned_in", "Urban Canyon"),
        ("Urban Canyon", "mentioned_in", "Heat Island Model"),
        ("Thesis", "mentioned_in", "Broken"),
        ("Küche", "mentioned_in", "Haushalt"),
        ("Großmutter", "mentioned_in", "Linsensuppe"),
        ("Case2", "mentioned_in", "Case"),
        ("Home", "mentioned_in", "Case2"),
        ("Thesis", "mentioned_in", "Case2"),
        ("2026-11-25", "mentioned_in", "2026-11-24"),
        ("Thesis", "mentioned_in", "Uni/Index"),
        ("Balkon", "mentioned_in", "Index"),
        ("João Silva", "mentioned_in", "Acme Ibérica"),
        ("Personas/João Silva", "mentioned_in", "Acme Ibérica"),
    } <= mentions
    assert not {subject for subject, _, _ in mentions} & {"Not a link", "Also not a link", "plot.png", "plot"}
    assert not [fact for fact in mentions if fact[0] == fact[2]]


def test_a_field_that_the_vocabulary_knows_is_its_predicate(filled, path):
    assert {
        ("Heat Island Model", "supervised_by", "Ada Moreau"),
        ("Lisbon Network", "supervised_by", "Ada Moreau"),
        ("Ada Moreau", "works_at", "University of Lisbon"),
        ("Tim Oke", "authored", "The energetic basis of the urban heat island"),
        ("Thesis", "part_of", "Uni/Index"),
        ("Ben Okafor", "knows", "Tim Oke"),
        ("Großmutter", "lives_in", "Freiburg"),
        ("Marta", "married_to", "Jonas"),
        ("João Silva", "works_at", "Acme Ibérica"),
        ("Licencias", "blocked_by", "Migración"),
        ("Licencias", "depends_on", "Acme Ibérica"),
        ("Marta", "attended", "Acme kick-off"),
        ("Licencias", "noted", "technique: Floating licences (negotiated)"),
        ("Heat Island Model", "tagged", "climate"),
    } <= facts(path)


def test_the_type_of_a_note_is_said_by_its_front_matter_its_folder_or_nothing(filled, path):
    expected = {
        "Acme Ibérica": "organisation",
        "Thesis": "project",
        "Balkon": "project",
        "Migración": "project",
        "Ada Moreau": "person",
        "Großmutter": "person",
        "João Silva": "person",
        "Freiburg": "place",
        "Acme kick-off": "meeting",
        "Heat Island Model": "note",
        "2026-11-24": "note",
        "Use SQLite": "decision",
        "No cloud": "decision",
        "Nirgendwo": "note",
    }

    assert {name: entities(path).get(name) for name in expected} == expected


def test_every_open_task_with_a_day_is_due(call, filled, path):
    due = {subject: day for subject, _, day in facts(path, "predicate = 'due_on'")}
    closed = facts(path, "predicate = 'tagged' AND object IN ('done', 'cancelled')")
    shown = {one["subject"]["name"] for one in call("list_next_steps")["due"]}

    assert due == {
        "Calibrate the model": "2026-12-01",
        "Calibrate the model against Lisbon": "2026-12-04",
        "Water the plants on the roof": "2026-11-30",
        "Write chapter 2": "2026-12-05",
        "Draw figure 3": "2026-12-06",
        "Thesis": "2026-12-07",
        "Send Ada the plan": "2026-11-27",
        "Call the landlord (2026-11-26)": "2026-12-02",
        "Tomaten vorziehen": "2026-12-03",
        "Angebot vom Schreiner Holz Huber einholen": "2026-12-01",
        "Küche": "2026-12-08",
        "Migración": "2026-12-09",
        "Presupuesto a João": "2026-11-30",
        "Revisar contrato": "2026-12-10",
    }
    assert shown == due.keys()
    assert {subject for subject, _, _ in closed} == {
        "Read Oke again",
        "Rewrite chapter 1",
        "Buy milk (2026-11-25)",
        "Maße nehmen",
        "Versicherung",
    }


@pytest.mark.parametrize(("name", "day"), [("2026-11-05", "2026-11-06"), ("Plain", "2026-11-28")])
def test_a_day_that_a_note_says_is_counted_from_its_own_day(call, root, path, name, day):
    write(root, {f"{name}.md": "- [ ] Paint the fence [due:: tomorrow]\n"})
    read(call, root)

    assert {day} == {what for *_, what in facts(path, "subject = 'Paint the fence' AND predicate LIKE '%due%'")}


def test_decisions_have_their_day_and_their_file_and_only_a_decider_that_is_named(call, filled, root):
    decided = {one["name"]: one for one in call("recall_decisions")["decisions"]}
    days = {name: one["decided_on"] for name, one in decided.items()}
    deciders = {name: [who["name"] for who in one["decided_by"]] for name, one in decided.items() if one["decided_by"]}

    assert days["Use SQLite"] == "2026-09-14"
    assert days["No cloud"] == "2026-09-20"
    assert days["We move the database first"] == "2026-11-18"
    assert days["Leave the phone company at the end of the year"] == "2026-10-30"
    assert {"Kein Torf", "Wir nehmen Terrakotta statt Plastik", "Buy ten floating licences"} <= days.keys()
    assert deciders == {"No cloud": ["Marta"]}
    assert decided["Use SQLite"]["source"] == str(root / "ADR" / "0001-use-sqlite.md")


@pytest.mark.parametrize("name", ["2026-11-24.md", "2026-11-24 Standup.md"])
def test_a_dated_note_is_no_decision_but_has_those_under_its_heading(call, root, path, name):
    write(root, {name: "## Decisions\n- [decision] Adopt cards\n- Use steam\ndecided_by:: [[Ada]]\n- [ ] Buy coal\n"})
    read(call, root)

    types = entities(path)

    assert types[Path(name).stem] == "note"
    assert {entity for entity, kind in types.items() if kind == "decision"} == {"Adopt cards", "Use steam"}


@pytest.mark.parametrize(
    ("section", "decided"),
    [
        ("We buy coal. It is cheap.\n\nAda agrees.\n\n- one pro", {"We buy coal"}),
        ("Agreed:\n\n- Buy coal\n  in May\n- Use steam\n\nAda was ill.", {"Buy coal", "Use steam"}),
        ("%% not sure %%\nWe stay", {"We stay"}),
        ("Stay\n\n## Decision\nGo", {"Stay", "Go"}),
        ("%%\n- Leave\n%%", set()),
        ("- Buy coal\n  - it is cheap\n\nWe rejected:\n\n- Use steam", {"Buy coal"}),
    ],
)
def test_a_decision_is_the_list_or_the_first_sentence_under_its_heading(call, root, path, section, decided):
    write(root, {"2026-11-24.md": f"## Decision\n{section}\n"})
    read(call, root)

    assert {entity for entity, kind in entities(path).items() if kind == "decision"} == decided


@pytest.mark.parametrize(
    "line",
    [
        "Decision: Buy coal. It is cheap.",
        "**Entscheidung:** Buy coal",
        "Décision : Buy coal",
        "decision:: Buy coal",
        "> [!decision] Buy coal",
        "> [!Entscheidung]+\n> Buy coal. It is cheap.",
        "---\nEntscheidung: Buy coal\n---",
        "- [decision] Buy coal",
    ],
)
def test_a_line_that_is_labelled_as_a_decision_is_one_in_any_notation_and_language(call, root, path, line):
    write(root, {"Plan.md": f"{line}\n\nNote: Use steam.\n> [!info] Buy oil\n"})
    read(call, root)

    assert [entity for entity, kind in entities(path).items() if kind == "decision"] == ["Buy coal"]


@pytest.mark.parametrize(
    "line", ["Decision: pending", "> [!decision] Which coal?", "Entscheidung:", "A Decision: Buy it"]
)
def test_a_label_without_a_decision_states_none(call, root, path, line):
    write(root, {"Plan.md": f"{line}\n"})
    read(call, root)

    assert "decision" not in entities(path).values()


@pytest.mark.parametrize(
    "field",
    [
        "---\ntype: project\nlead: Ada Moreau\n---",
        "---\ntype: project\nLeiterin: Ada Moreau\n---",
        '---\ntype: project\nlead: "[[Ada Moreau]]"\n---',
        "---\ntype: project\n---\nProject lead: [[Ada Moreau]]",
        "---\ntype: project\n---\nProject lead: [[Bo Lund]], [[Ada Moreau]]",
        "---\ntype: project\nLeader: Ada Moreau\n---",
    ],
)
def test_a_noun_as_a_field_says_who_has_that_part(call, root, path, field):
    write(root, {"Ada Moreau.md": "---\ntype: person\n---\n", "Plan.md": f"{field}\n"})
    read(call, root)

    assert ("Ada Moreau", "leads", "Plan") in {fact[:3] for fact in facts(path)}


def test_a_field_never_turns_a_verb_and_a_status_is_no_decision(call, root, path):
    write(
        root,
        {
            "Nora.md": "---\ntype: person\n---\nled by:: [[Vlog]]\nDecision: pending\n",
            "Site.md": "lead:: [[Ada]]\nEntscheidung: Am 4. März kaufen wir Holz. Gut.\n",
        },
    )
    read(call, root)

    assert {fact[:3] for fact in facts(path) if fact[1] == "leads"} == {("Ada", "leads", "Site")}
    assert [name for name, kind in entities(path).items() if kind == "decision"] == ["Am 4. März kaufen wir Holz"]


def test_the_key_of_a_value_is_not_proposed_as_a_name(call, root):
    write(root, {"Plan.md": "Leiter: Jonas Bauer\nEntscheidung: Postgres für alle\nAnna: Angebot schreiben\n"})
    read(call, root)
    proposed = {name for row in call("review_proposals")["proposals"] for name in row["statement"].split("“")[1:2]}

    assert not {"Leiter”", "Entscheidung”"} & {name.split(" ")[0] for name in proposed}
    assert any("Jonas Bauer" in name for name in proposed)


def test_a_part_of_a_name_that_a_note_links_is_not_proposed(call, root):
    write(root, {"Plan.md": "Met [[Sam Okafor|Sam]] and Zora Quill. Sam was late.\n"})
    read(call, root)

    assert [row["statement"].split("“")[1].split("”")[0] for row in call("review_proposals")["proposals"]] == [
        "Zora Quill"
    ]


def test_a_second_run_changes_nothing(call, filled, root, path):
    before = dump(path)
    again = read(call, root)

    assert (again.calls, again.unchanged, again.added, again.changed) == ([], filled.added, 0, 0)
    assert dump(path) == before


def test_undo_of_the_ingestion_leaves_what_was_before(call, root, path):
    call("record_fact", subject=person("Ada Moreau"), predicate="knows", object=person("Tim Oke"))
    before = {
        table: rows(path, f"SELECT * FROM {table}")
        for table in ("entity", "alias", "fact", "provenance", "episode", "chunk")
    }
    write(root, vault_of(VAULT.read_text()))
    for number in reversed(read(call, root).calls):
        call("undo", call=number)

    assert {table: rows(path, f"SELECT * FROM {table}") for table in before} == before


# Folders of other programs


def test_a_folder_of_logseq_is_read_as_logseq_means_it(call, root, path):
    write(root, vault_of((FIXTURES / "logseq.txt").read_text()))
    report = read(call, root)
    named = {
        name: call("recall_entity", name_or_alias=name)["entity"]["name"]
        for name in ("Streuobstwiese", "Greta", "Nursery/Holm", "What?", "veterans", "Nov 4th, 2026")
    }
    due = {subject: day for subject, _, day in facts(path, "predicate = 'due_on'")}
    closed = facts(path, "predicate = 'tagged' AND object IN ('done', 'cancelled')")

    assert (report.failed, read(call, root).calls) == ([], [])
    assert list(named.values()) == ["Orchard", "Greta Lindqvist", "Nursery/Holm", "What?", "Old trees", "2026-11-04"]
    assert due == {
        "Prune the Boskoop trees": "2027-02-15",
        "Order whips from Nursery/Holm": "2026-12-04",
        "Repair the fence": "2026-12-09",
        "Send her the plan of Nursery/Holm": "2026-11-30",
    }
    assert {(subject, tag) for subject, _, tag in closed} == {
        ("Count the trees", "done"),
        ("Rent the field next door", "cancelled"),
    }
    assert facts(path, "predicate IN ('mentioned_in', 'supervised_by', 'located_in')") == {
        ("Orchard", "supervised_by", "Greta Lindqvist"),
        ("Nursery/Holm", "located_in", "Kiel"),
        ("Old trees", "mentioned_in", "Orchard"),
        ("2026-12-09", "mentioned_in", "Orchard"),
        ("Nursery/Holm", "mentioned_in", "Orchard"),
        ("Soil", "mentioned_in", "Orchard"),
        ("Old trees", "mentioned_in", "Greta Lindqvist"),
        ("2026-11-03", "mentioned_in", "Nursery/Holm"),
        ("Orchard", "mentioned_in", "Soil"),
        ("Greta Lindqvist", "mentioned_in", "What?"),
        ("Greta Lindqvist", "mentioned_in", "2026-11-03"),
        ("Orchard", "mentioned_in", "2026-11-03"),
        ("Nursery/Holm", "mentioned_in", "2026-11-03"),
        ("2026-11-03", "mentioned_in", "2026-11-04"),
        ("Orchard", "mentioned_in", "2026-11-04"),
    }
    assert ("Prune the Boskoop trees", "tagged", "winter") in facts(path)
    assert {"Orchard": "project", "Nursery/Holm": "organisation", "Soil": "note"}.items() <= entities(path).items()
    assert not [key for (key,) in rows(path, "SELECT key FROM proposal") if "logbook" in key or "clock" in key]


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("C#.md", "[[C++]]", ("C++", "mentioned_in", "P")),
        ("A & B.md", "[[A + B]]", ("A + B", "mentioned_in", "P")),
        ("काम.md", "[[किम]]", ("किम", "mentioned_in", "P")),
        ("2026-01-01.md", "[[Q1 2026]]", ("Q1 2026", "mentioned_in", "P")),
        ("2025-12-29.md", "[[week 1 2026]]", ("week 1 2026", "mentioned_in", "P")),
        ("2026-01-01.md", "[[since 2026-01-01]]", ("since 2026-01-01", "mentioned_in", "P")),
        ("2026-11-03.md", "[[3 Nov 2026]]", ("2026-11-03", "mentioned_in", "P")),
        ("Ada Kern.md", "[[ada-kern]]", ("Ada Kern", "mentioned_in", "P")),
    ],
)
def test_a_link_leads_to_no_note_that_is_only_like_it(call, root, path, file, text, expected):
    write(root, {file: "", "P.md": text})
    read(call, root)

    assert facts(path) == {expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- type:: project\n\t- TODO Graft\n\t- see [[Ada]]\n", {("Graft", "P"), ("Ada", "P")}),
        ("Status:: #active, waiting for [[Ada]] #urgent\n", {("P", "active"), ("P", "urgent"), ("Ada", "P")}),
        ("tags:: #a #b/c, #d e\nText of [[Ada]]", {("P", "a"), ("P", "b/c"), ("P", "d"), ("P", "e"), ("Ada", "P")}),
        ("tags:: machine learning, ai\n", {("P", "machine-learning"), ("P", "ai")}),
        ("Summary:: %%secret [[Ada]]%%\n\nText", set()),
        ("alias:: [[Pip]], Pippin\nsupervisor:: [[Ada]]", {("P", "Ada")}),
    ],
)
def test_the_first_lines_of_a_page_are_its_properties_and_its_text(call, root, path, text, expected):
    write(root, {"P.md": text})
    read(call, root)

    assert {(subject, target) for subject, _, target in facts(path)} == expected


def test_a_folder_of_basic_memory_is_read_as_it_means_it(call, root, path):
    write(root, vault_of((FIXTURES / "basic_memory.txt").read_text()))
    report = read(call, root)

    assert (report.failed, read(call, root).calls) == ([], [])
    assert {
        ("Violin No 7", "part_of", "Autumn Commissions"),
        ("Violin No 7", "depends_on", "Oil Varnish"),
        ("Cremona Notes", "mentioned_in", "Violin No 7"),
        ("Bridge Blanks", "mentioned_in", "Violin No 7"),
        ("Maren Voss", "mentioned_in", "Violin No 7"),
        ("Maren Voss", "mentioned_in", "Autumn Commissions"),
        ("Maren Voss", "works_at", "Stadttheater Lübeck"),
        ("Violin No 7", "tagged", "varnish"),
        ("Violin No 7", "noted", "wood: The back is one piece of Bosnian maple (bought 2019)"),
        ("Fit the bass bar", "due_on", "2026-12-11"),
    } <= facts(path)
    assert entities(path).items() >= {"Maren Voss": "person", "Autumn Commissions": "project"}.items()
    assert call("recall_entity", name_or_alias="workshop/oil-varnish")["entity"]["name"] == "Oil Varnish"


# Again: what changes, moves and ends


def test_a_change_adds_what_is_new_and_withdraws_what_is_gone(call, root, path):
    write(root, {"Plan.md": "#old [[A]]\n\n- [ ] Paint 📅 2026-12-01\n- [ ] Sand\n", "B.md": "b"})
    read(call, root)
    write(root, {"Plan.md": "#new [[B]]\n\n- [x] Paint 📅 2026-12-01 ✅ 2026-11-26\n"})
    report = read(call, root)

    assert report.changed == 1
    assert facts(path) == {
        ("Plan", "tagged", "new"),
        ("B", "mentioned_in", "Plan"),
        ("Paint", "belongs_to", "Plan"),
        ("Paint", "due_on", "2026-12-01"),
        ("Paint", "tagged", "done"),
    }
    assert entities(path).keys() == {"Plan", "B", "Paint"}


def test_a_new_title_renames_and_a_lost_alias_is_lost(call, root, path):
    write(root, {"n.md": "---\naliases: [one, two]\n---\n# First\n[[X]]"})
    read(call, root)
    write(root, {"n.md": "---\naliases: [two]\n---\n# Second\n[[X]]"})
    read(call, root)
    aliases = {alias for (alias,) in rows(path, "SELECT alias FROM alias")}

    assert facts(path) == {("X", "mentioned_in", "Second")}
    assert aliases == {"n", "two"}


LINES = {
    "#old": ("Plan", "tagged", "old"),
    "[[Ada]]": ("Ada", "mentioned_in", "Plan"),
    "supervisor:: [[Ben]]": ("Plan", "supervised_by", "Ben"),
    "- [ ] Paint the fence": ("Paint the fence", "belongs_to", "Plan"),
    "- [place] Behind the house": ("Plan", "noted", "place: Behind the house"),
}
REMOVALS = ("forget", "retract_fact", "end_fact", "forget the other end", "purge")
EDITS = ("write", "strike", "title", "move", "export and import")
STEPS = st.lists(st.tuples(st.sampled_from([*EDITS, *REMOVALS, *REMOVALS]), st.sampled_from([*LINES])))


def remove(path: Path, settings: Settings, line: str, how: str) -> None:
    """Remove the fact of a line of a note, as a person does it."""
    of_line = f"{FACT} WHERE predicate.name = ? AND retracted_at IS NULL AND valid_to = '~'"
    [(fact,)] = rows(path, of_line, LINES[line][1])
    ends = "SELECT entity.public_id FROM entity JOIN fact ON entity.id IN (subject, object) WHERE fact.public_id = ?"
    others = [end for (end,) in rows(path, f"{ends} AND entity.name NOT LIKE 'Plan%'", fact)]
    if how == "purge":
        done = CliRunner().invoke(kg, ["--db", str(path), "forget", (others or [fact])[0], "--purge", "--yes"])

        assert done.exit_code == 0, done.output
        return
    with keepgraph.open(path, settings=settings) as graph:
        if how.startswith("forget"):
            graph.call("forget", what=fact if how == "forget" or not others else others[0])
        else:
            graph.call(how, fact_id=fact)


@examples(6, sweep=300)
@given(steps=STEPS, now=st.sets(st.sampled_from([*LINES]), min_size=3))
def test_what_somebody_removed_stays_removed_while_the_note_says_it(new_file, tmp_path_factory, steps, now):
    """
    Whatever else is edited, renamed or moved, and in a copy of the graph too. A line that is struck and written again
    is a new statement.
    """
    root, path, removed, title, file = tmp_path_factory.mktemp("vault"), new_file(), set(), "Plan", "n.md"
    settings = Settings(vault_folders=(str(root),))
    for number, (step, line) in enumerate([("write", "#old"), *steps]):
        if step == "write":
            now = now | {line}
        elif step == "strike":
            now, removed = now - {line}, removed - {line}
        elif step == "title":
            title = f"Plan {number}"
        elif step == "move":
            (root / file).rename(root / f"Plan of {number}.md")
            file = f"Plan of {number}.md"
            with keepgraph.open(path, settings=settings) as graph:
                read(Caller(graph), root)
        elif step == "export and import":
            lines = CliRunner().invoke(kg, ["--db", str(path), "export"]).output
            path = path.with_name(f"{number}.db")
            copied = CliRunner().invoke(kg, ["--db", str(path), "import", "-"], input=lines)

            assert copied.exit_code == 0, copied.output
        elif line in now - removed:
            remove(path, settings, line, step)
            removed = removed | {line}
        write(root, {file: "\n\n".join([f"# {title}", *sorted(now), f"Version {number}."])})
        with keepgraph.open(path, settings=settings) as graph:
            read(Caller(graph), root)
        stated = [LINES[one] for one in now - removed]

        assert facts(path) == {tuple(title if name == "Plan" else name for name in fact) for fact in stated}


def test_a_task_that_somebody_forgot_does_not_come_back_with_an_edit(call, root, path):
    write(root, {"Plan.md": "- [ ] Paint the fence 📅 2026-12-01\n- [ ] Buy tar"})
    read(call, root)
    call("forget", what="Paint the fence")
    write(root, {"Plan.md": "Now.\n- [ ] Paint the fence 📅 2026-12-01\n- [ ] Buy tar"})
    read(call, root)

    again = rows(path, "SELECT count(*) FROM journal WHERE tbl = 'entity' AND op = 'delete'")

    assert entities(path) == {"Plan": "note", "Buy tar": "task"}
    assert facts(path) == {("Buy tar", "belongs_to", "Plan")}
    assert again == [(1,)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- [ ] Paint the fence ^f1", "- [ ] Varnish all of it 📅 2026-12-01 ^f1"),
        ("- [ ] Paint the fence", "- [ ] Paint the garden fence"),
    ],
)
def test_a_forgotten_task_does_not_come_back_in_other_words(call, root, path, before, after):
    write(root, {"Plan.md": before})
    read(call, root)
    call("forget", what="Paint the fence")
    for number in range(2):
        write(root, {"Plan.md": f"# Plan {number}\n\n{after}"})
        read(call, root)

    assert entities(path) == {"Plan 1": "note"}


@pytest.mark.parametrize("purge", [False, True])
def test_a_note_whose_entity_somebody_forgot_is_a_text_until_something_has_its_name(open_graph, root, path, purge):
    settings = Settings(vault_folders=(str(root),))
    write(root, {"Plan.md": "#old [[Ada]]\n- [ ] Buy tar", "B.md": "[[Plan]] #b"})
    with open_graph(settings=settings) as graph:
        read(Caller(graph), root)
    options = ["--purge", "--yes"] if purge else ["--yes"]
    done = CliRunner().invoke(kg, ["--db", str(path), "forget", "note:Plan", *options])
    found = [(facts(path), entities(path))]
    for version in range(2):
        write(root, {"Plan.md": f"#old #new [[Ada]]\n- [ ] Buy tar\n\n{version}", "B.md": f"[[Plan]] #b {version}"})
        with open_graph(settings=settings) as graph:
            call = Caller(graph)
            found.append((read(call, root).failed or facts(path), entities(path)))
            text = call("get_full_document", doc_id=str(root / "Plan.md"))["text"]
            again = read(call, root).calls
    with open_graph(settings=settings) as graph:
        call = Caller(graph)
        call("record_fact", subject={"type": "project", "name": "Plan"}, predicate="tagged", object={"literal": "x"})
        write(root, {"Plan.md": "#old [[Ada]]"})
        read(call, root)

    assert done.exit_code == 0, done.output
    assert found == [({("B", "tagged", "b")}, {"B": "note"})] * 3
    assert ("Buy tar" in text, again) == (True, [])
    assert facts(path, "predicate <> 'tagged' OR subject = 'Plan'") == {
        ("Plan", "tagged", "x"),
        ("Plan", "tagged", "old"),
        ("Ada", "mentioned_in", "Plan"),
    }


def test_what_was_undone_with_the_reading_of_an_edit_is_read_again(call, root, path):
    write(root, {"Plan.md": "#old"})
    read(call, root)
    write(root, {"Plan.md": "#old #new"})
    [number] = read(call, root).calls
    call("undo", call=number)
    undone = facts(path)
    read(call, root)

    assert undone == {("Plan", "tagged", "old")}
    assert facts(path) == {("Plan", "tagged", "old"), ("Plan", "tagged", "new")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- [ ] Paint the fence\n- [ ] Buy tar", "- [ ] Paint the garden fence\n- [ ] Buy tar"),
        ("- [ ] Paitn the fence", "- [ ] Buy tar\n- [x] Paint the fence ✅ 2026-11-26"),
        (
            "- [ ] Paint the fence ^f1\n- [ ] Paint the gate ^g1",
            "- [ ] Varnish all of it ^f1\n- [ ] Paint the gate ^g1",
        ),
        ("- TODO Paint the fence", "- DOING Paint the fence red"),
        (
            "- [ ] Paint the fence, roof\n- [ ] Paint the fence, gate",
            "- [ ] Paint the fences, roof\n- [ ] Paint the fence, gate",
        ),
    ],
)
def test_a_reworded_task_stays_the_same(call, root, path, before, after):
    """
    Then what somebody else said of it stays with it.
    """
    write(root, {"Plan.md": before})
    read(call, root)
    task = next(name for name, kind in entities(path).items() if kind == "task" and name.startswith("Pai"))
    call("record_fact", subject={"type": "task", "name": task}, predicate="due_on", object={"literal": "2026-12-24"})
    [(own,)] = rows(path, "SELECT public_id FROM entity WHERE name = ?", task)
    write(root, {"Plan.md": after})
    read(call, root)
    [(name,)] = rows(path, "SELECT name FROM entity WHERE public_id = ?", own)
    tasks = {name for name, kind in entities(path).items() if kind == "task"}

    assert (name in after, name in before) == (True, False)
    assert (name, "due_on", "2026-12-24") in facts(path)
    assert len(tasks) == after.count("- ")


@pytest.mark.parametrize(
    ("text", "name"),
    [("- [ ] Paint the fence\n\nNow.", "Painting"), ("- [ ] Paint the gate fence", "Paint the gate fence")],
)
def test_a_task_that_somebody_renamed_stays_the_same(call, root, path, text, name):
    write(root, {"Plan.md": "- [ ] Paint the fence"})
    read(call, root)
    call("change", entity={"type": "task", "name": "Paint the fence"}, name="Painting")
    write(root, {"Plan.md": text})
    read(call, root)

    assert entities(path) == {"Plan": "note", name: "task"}


def test_forgetting_a_text_says_that_its_file_is_read_again(call, root):
    write(root, {"Rent.md": "Paid."})
    read(call, root)
    forgotten = call("forget", what="Rent", kind="text", dry_run=True)["message"]
    (root / "Rent.md").unlink()

    assert f"`kg ingest` reads it again: {root / 'Rent.md'}" in forgotten
    assert "kg ingest" not in call("forget", what="Rent", kind="text")["message"]


@pytest.mark.parametrize("text", ["---\ndue: 2026-13-45\n---\nRent", "- [ ] Buy tar 📅 2026-02-31"])
def test_a_day_that_does_not_exist_is_reported(call, root, text):
    write(root, {"Rent.md": text})

    report = read(call, root)

    assert [remark.code for remark in report.warnings] == ["LITERAL_INVALID"]
    assert "is not a calendar day" in report.warnings[0].message


@pytest.mark.parametrize("after", ["- [ ] Buy tar", "- [ ] Buy tar ^t1", ""])
def test_another_task_in_its_place_is_another(call, root, path, after):
    write(root, {"Plan.md": "- [ ] Paint the fence\n"})
    read(call, root)
    [before] = rows(path, "SELECT public_id FROM entity WHERE name = 'Paint the fence'")
    write(root, {"Plan.md": f"{after}\n#now"})
    read(call, root)

    assert before not in rows(path, "SELECT public_id FROM entity")
    assert "Paint the fence" not in entities(path)


def test_a_task_reworded_into_another_becomes_that_one(call, root, path):
    write(root, {"Plan.md": "- [ ] Paint the fence\n"})
    read(call, root)
    call(
        "record_fact",
        subject={"type": "task", "name": "Paint the garden fence"},
        predicate="tagged",
        object={"literal": "x"},
    )
    write(root, {"Plan.md": "- [ ] Paint the garden fence\n"})
    read(call, root)

    assert {name for name, kind in entities(path).items() if kind == "task"} == {"Paint the garden fence"}
    assert ("Paint the garden fence", "belongs_to", "Plan") in facts(path)


def test_a_number_tells_tasks_apart(call, root, path):
    write(root, {"Plan.md": "- [ ] Read chapter 1\n- [ ] Read chapter 2\n"})
    read(call, root)
    call("record_fact", subject={"type": "task", "name": "Read chapter 1"}, predicate="tagged", object={"literal": "x"})
    write(root, {"Plan.md": "- [ ] Read chapter 2\n- [ ] Read chapter 3\n"})
    read(call, root)

    assert facts(path, "predicate = 'tagged'") == {("Read chapter 1", "tagged", "x")}


@pytest.mark.parametrize("new", ["Sub/Plan.md", "Better plan.md", "PLAN.md"])
def test_a_renamed_file_stays_the_same_thing(call, root, path, new):
    write(root, {"Plan.md": "[[A]] and more words", "A.md": "a"})
    read(call, root)
    before = rows(path, "SELECT public_id FROM entity ORDER BY id")
    (root / new).parent.mkdir(exist_ok=True)
    (root / "Plan.md").rename(root / new)
    report = read(call, root)
    sources = {source for (source,) in rows(path, "SELECT source FROM provenance")}

    assert (report.moved, report.added, report.missing) == (1, 0, [])
    assert rows(path, "SELECT public_id FROM entity ORDER BY id") == before
    assert sources == {str(root / new)}


def test_a_note_does_not_cost_more_because_others_were_read_before_it(open_graph, root, path, monkeypatch):
    """
    Each is renamed when it is read: a link named it by its file.
    """
    loads, read_values = json.loads, []
    monkeypatch.setattr(json, "loads", lambda *given, **more: (read_values.append(1), loads(*given, **more))[1])
    counted = []
    for notes in (20, 80):
        write(root, {f"{notes}/n{number}.md": f"# Title {number}\n[[n{number + 1}]]" for number in range(notes)})
        read_values.clear()
        read(Caller(open_graph(path.with_name(f"{notes}.db"))), root / f"{notes}")
        counted.append(len(read_values) / notes)

    assert counted[1] <= 1.5 * counted[0]


def test_a_deleted_file_ends_what_only_it_said(call, root, path):
    write(root, {"One.md": "#t [[Two]] [[Only]]\n- [ ] Task", "Two.md": "[[One]]", "Three.md": "[[Two]]"})
    read(call, root)
    (root / "One.md").unlink()
    report = read(call, root)

    assert report.forgotten == 1
    assert facts(path) == {("One", "mentioned_in", "Two"), ("Two", "mentioned_in", "Three")}
    assert entities(path).keys() == {"One", "Two", "Three"}


def test_a_deleted_note_goes_with_all_its_names_unless_something_is_said_of_it(call, root, path):
    write(root, {"One.md": "---\naliases: [uno]\n---\n#t", "Two.md": "#t"})
    read(call, root)
    (root / "One.md").rename(root / "Eins.md")
    read(call, root)
    write(root, {"Two.md": "[[uno]]", "Eins.md": "---\naliases: [eins, uno]\n---\n#t"})
    read(call, root)
    (root / "Eins.md").unlink()
    read(call, root)
    linked = entities(path), {alias for (alias,) in rows(path, "SELECT alias FROM alias")}
    write(root, {"Two.md": "no link"})
    read(call, root)

    assert linked == ({"Eins": "note", "Two": "note"}, {"uno"})
    assert entities(path).keys() == {"Two"}


def test_a_note_is_the_thing_that_a_link_or_somebody_named_before(call, root, path):
    call(
        "record_fact",
        subject=person("Ada Moreau"),
        predicate="works_at",
        object={"type": "organisation", "name": "IST"},
    )
    write(root, {"A.md": "[[Later]] [[Ada Moreau]]", "Ada Moreau.md": "x", "IST.md": "y", "Z.md": "z"})
    read(call, root)
    write(root, {"Later.md": "---\ntype: person\n---\nnow"})
    read(call, root)

    assert entities(path) == {
        "A": "note",
        "Later": "person",
        "Ada Moreau": "person",
        "IST": "organisation",
        "Z": "note",
    }


def test_a_link_by_a_name_that_is_read_later_leads_to_the_note(call, root, path):
    write(
        root, {"A.md": "[[By alias]] [[By title]] [[Z]]", "Z.md": "---\ntitle: By title\naliases: [By alias]\n---\nz"}
    )
    read(call, root)

    assert facts(path) == {("By title", "mentioned_in", "A")}
    assert entities(path).keys() == {"A", "By title"}


def test_a_citation_is_a_link_to_what_has_its_key(call, root, path):
    write(
        root,
        {"Oke.md": "---\naliases: [oke1982]\n---\no", "Text.md": "So [see @oke1982, p. 3; @none2000] a@oke1982.org"},
    )
    read(call, root)

    assert facts(path) == {("Oke", "mentioned_in", "Text")}


def test_what_is_cited_may_be_read_later_and_have_its_key_as_a_bibliography_gives_it(call, root, path):
    write(root, {"A.md": "So [@oke1982; @none2000]", "Oke.md": "---\naliases: ['@oke1982']\n---\no"})
    read(call, root)
    before = dump(path)

    assert facts(path) == {("Oke", "mentioned_in", "A")}
    assert read(call, root).calls == []
    assert dump(path) == before


def test_what_is_cited_may_come_from_elsewhere_after_the_note_was_read(call, root, path, clock):
    write(root, {"A.md": "So [@oke1982]", "B.md": "    [@oke1982]"})
    read(call, root)
    clock.pass_by(minutes=1)
    employer = {"type": "organisation", "name": "IST"}
    call("record_fact", subject=person("Oke"), predicate="works_at", object=employer, aliases=["@oke1982"])
    read(call, root)

    assert facts(path, "predicate = 'mentioned_in'") == {("Oke", "mentioned_in", "A")}
    assert read(call, root).calls == []


@pytest.mark.parametrize(
    ("link", "file", "text"),
    [
        ("#old-trees", "Old-trees.md", "x"),
        ("#[[old trees]]", "Old trees.md", "x"),
        ("[[2026-11-04]]", "2026-11-04.md", "x"),
        ("[[Nov 4th, 2026]]", "journals/2026_11_04.md", "x"),
        (
            "((0123abcd-0000-0000-0000-000000000000))",
            "Page.md",
            "- A line\n  id:: 0123abcd-0000-0000-0000-000000000000",
        ),
        ("[[projects/atlas]]", "pages/projects___atlas.md", "x"),
        ("[[ada-lovelace]]", "Ada Lovelace.md", "x"),
        ("[Ada](people/ada.md)", "people/Ada.md", "x"),
        ("supervisor:: [[projects/atlas]]", "projects___atlas.md", "---\ntype: person\n---\nx"),
        ("[@oke1982]", "Oke.md", "---\naliases: [oke1982]\n---\no"),
        ("[[By alias]]", "Z.md", "---\naliases: [By alias]\n---\nz"),
    ],
)
def test_what_a_note_names_may_be_written_after_it(call, root, path, link, file, text):
    """
    Then the link is as if it had been there before, and the note is not edited for it.
    """
    write(root, {"P.md": link, "Q.md": link})
    read(call, root)
    write(root, {file: text})
    read(call, root)
    late, things = facts(path), entities(path)
    write(root, {"P.md": f"{link}\n\nNow."})
    read(call, root)

    assert len([one for one in late if one[1] in ("mentioned_in", "supervised_by")]) == 2
    assert (late, things) == (facts(path), entities(path))
    assert len(things) == 3
    assert read(call, root).calls == []


def test_a_late_link_that_somebody_removed_is_not_linked_again(call, root, path):
    write(root, {"P.md": "#old"})
    read(call, root)
    write(root, {"Old.md": "x"})
    *_, number = read(call, root).calls
    call("undo", call=number)
    read(call, root)

    assert facts(path) == {("P", "tagged", "old")}


def test_a_citation_that_was_forgotten_stays_forgotten(call, root, path):
    write(root, {"A.md": "So [@oke1982]", "Oke.md": "---\naliases: ['@oke1982']\n---\no"})
    read(call, root)
    [(fact,)] = rows(path, "SELECT public_id FROM fact")
    call("forget", what=fact)
    read(call, root)

    assert facts(path) == set()


def test_a_citation_in_code_is_none(call, root, path):
    write(root, {"Oke.md": "---\naliases: [oke1982]\n---\no", "A.md": "Write `[@oke1982]` or ``[@oke1982] ` ``."})
    read(call, root)

    assert facts(path) == set()


def test_a_comment_proposes_nothing_and_mentions_nobody(call, root, path):
    call("record_fact", subject=person("Ada Moreau"), predicate="knows", object=person("Tim Oke"))
    write(root, {"A.md": "Plain. %% Ask Ada Moreau, who met Zoltan Verhoeven in Timbuktu. %%\n\n%%\nIda Grün\n%%"})
    read(call, root)

    assert rows(path, "SELECT key FROM proposal") == []
    assert rows(path, "SELECT entity.name FROM mention JOIN entity ON entity.id = mention.entity") == [("A",)]


def test_a_late_citation_that_was_undone_is_not_linked_again(call, root, path, clock):
    write(root, {"A.md": "So [@oke1982]"})
    read(call, root)
    clock.pass_by(minutes=1)
    employer = {"type": "organisation", "name": "IST"}
    call("record_fact", subject=person("Oke"), predicate="works_at", object=employer, aliases=["@oke1982"])
    [number] = read(call, root).calls
    call("undo", call=number)

    assert read(call, root).calls == []
    assert facts(path, "predicate = 'mentioned_in'") == set()


def test_an_alias_that_two_notes_claim_is_reported(call, root):
    write(root, {"Ada.md": "---\naliases: [Boss]\n---\na", "Bo.md": "---\naliases: [Boss, Own]\n---\nb"})
    reports = [read(call, root), read(call, root, dry_run=True)]
    told = [[(Path(each.path).name, each.code, "'Boss'" in each.message) for each in one.warnings] for one in reports]

    assert told[0] == [("Bo.md", "ALIAS_SHARED", True)]
    assert told[1] == [("Ada.md", "ALIAS_SHARED", True), ("Bo.md", "ALIAS_SHARED", True)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("---\ntags: [person]\n---\nx", "person"),
        ("#person #friend\n\nx", "person"),
        ("- #task Buy rope", "note"),
        ("He is a #person like others.", "note"),
    ],
)
def test_a_tag_of_the_whole_note_gives_its_type_and_one_in_a_line_does_not(call, root, path, text, kind):
    write(root, {"One.md": text})
    read(call, root)

    assert entities(path) == {"One": kind}


def test_a_note_in_a_folder_of_notes_may_be_more_than_a_note(call, root, path):
    write(root, {"Notes/Permit.md": "---\ndue: 2026-12-15\n---\nx", "Notes/Ada.md": "x", "A.md": "author:: [[Ada]]"})
    read(call, root)

    assert {"Permit": "task", "Ada": "person"}.items() <= entities(path).items()


def test_what_a_link_leads_to_is_not_proposed_as_well(call, root, path):
    write(root, {"A.md": "See [[Reef Survey#Method]] and [plan](Plan%20B.md#Ziele).", "Reef Survey.md": "x"})
    read(call, root)

    assert rows(path, "SELECT key FROM proposal WHERE kind = 'entity'") == []


def test_an_identifier_in_a_field_finds_its_note(call, root):
    write(
        root,
        {
            "Oke.md": "---\ndoi: 10.1002/qj.4971\n---\no",
            "Book.md": "isbn:: 978-1-60358-055-7",
            "Ada.md": "---\nemail: a@b.org\n---\nx",
        },
    )
    read(call, root)
    asked = ("https://doi.org/10.1002/qj.4971", "ISBN 9781603580557", "a@b.org")

    assert [call("recall_entity", name_or_alias=one)["entity"]["name"] for one in asked] == ["Oke", "Book", "Ada"]


def test_a_note_of_which_no_more_is_known_gets_the_type_that_a_later_fact_gives(call, root, path):
    write(root, {"Ada.md": "[[Atlas]]"})
    read(call, root)
    call("record_fact", subject=person("Ada"), predicate="works_on", object={"type": "project", "name": "Atlas"})
    read(call, root, reread=True)

    assert entities(path) == {"Ada": "person", "Atlas": "project"}


def test_two_notes_of_one_title_are_two_things_and_the_report_says_so(call, root, path):
    write(root, {"a/Plan.md": "[[x]]", "b/Plan.md": "[[y]]", "c.md": "[[b/Plan]] [[a/Plan|p]]"})
    report = read(call, root)

    assert facts(path) == {
        ("x", "mentioned_in", "Plan"),
        ("y", "mentioned_in", "b/Plan"),
        ("b/Plan", "mentioned_in", "c"),
        ("Plan", "mentioned_in", "c"),
    }
    assert [(remark.code, Path(remark.path).parent.name) for remark in report.warnings] == [("NAME_TAKEN", "b")]


def test_notes_of_two_folders_stay_two_things_and_one_that_moves_over_stays_itself(call, root, path, tmp_path):
    write(root, {"Plan.md": "one", "Moving.md": "of its own words"})
    write(tmp_path / "other", {"Plan.md": "two"})
    read(call, root)
    ids = dict(rows(path, "SELECT name, public_id FROM entity"))
    (root / "Moving.md").rename(tmp_path / "other" / "Moving.md")
    read(call, tmp_path / "other")

    assert dict(rows(path, "SELECT name, public_id FROM entity")).items() >= ids.items()
    assert entities(path) == {"Plan": "note", "other/Plan": "note", "Moving": "note"}


def test_outside_of_a_vault_decisions_are_not_recorded(open_graph, root, path):
    call = Caller(open_graph(settings=Settings(document_roots=(str(root),))))
    write(root, vault_of(VAULT.read_text()))
    read(call, root)

    assert "decision" not in entities(path).values()
    assert call("recall_decisions")["decisions"] == []
    assert ("Ada Moreau", "works_at", "University of Lisbon") in facts(path)


def test_a_folder_that_becomes_a_vault_is_read_again_for_its_decisions(open_graph, root, path):
    write(root, {"D.md": "---\ndecision: Stay\ndate: 2026-01-02\n---\ntext"})
    with open_graph() as graph:
        read(Caller(graph), root)
    with open_graph(settings=Settings(vault_folders=(str(root),))) as graph:
        report = read(Caller(graph), root, reread=True)

    assert report.unchanged == 1
    assert ("Stay", "belongs_to", "D") in facts(path)


# What could harm


HOSTILE = {
    "a million tags": "#a " + " ".join(f"#t{n}" for n in range(20_000)),
    "a million links": " ".join(f"[[n{n}]]" for n in range(4_000)),
    "brackets": "[" * 50_000,
    "a field of brackets": "a:: " + "[[" * 20_000,
    "many tasks": "".join(f"- [ ] t{n} 📅 2026-12-01\n" for n in range(900)),
    "a long task": "- [ ] " + "word " * 5_000,
    "aliases that are no names": "---\naliases: ['', ' ', '\\u0007', " + "'" + "x" * 5_000 + "']\n---\ny",
    "paths out of the folder": "[[../../etc/passwd]] [x](../../../etc/shadow.md) [[C:\\Windows\\a]] [[/etc/hosts]]",
    "control characters": "[[a\x07b]] \x1b[31m #t\x00".replace("\x00", ""),
    "impossible days": "- [ ] Now 📅 2026-13-45\n- [x] Then ✅ 9999-99-99\n",
    "a bomb of aliases": "---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\n---\n",
    "words that are no name": "---\ntitle: '…'\ntype: '!!'\n---\n[[...]] [[—]] #…",
    "wide signs": "---\ntitle: "
    + "\ufdfa" * 150
    + "\ndecision: "
    + "\ufdfa" * 150
    + "\n---\n- [ ] "
    + "\ufdfa" * 150
    + "\n[["
    + "\ufdfa" * 150
    + "]]",
    "a number without end": "---\ndate: !!int 0x" + "F" * 9_000 + "\n---\nx",
    "decisions by me": "---\ndecision: me\ndeciders: [me, bad]\ndate: 2026-01-01\n---\n## Decision\n- I\n- bad",
    "properties without end": "a:: [[x]]\n" * 5_000 + "b:: " + "[[," * 9_000,
    "drawers without end": "- TODO x\n  :LOGBOOK:\n" * 2_000 + "%%" * 3_000,
    "a file of blocks": "((" * 9_000 + " ((0123abcd-0000-0000-0000-000000000000)) " + "TODO " * 9_000,
    "me": "---\naliases: [me, I]\ntype: person\n---\n[[me]]",
}


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_note_is_read_within_bounds_and_harms_nothing(call, root, path, name):
    write(root, {"bad.md": HOSTILE[name], "good.md": "[[bad]] #fine"})
    report = read(call, root)
    again = read(call, root)

    assert (report.failed, again.calls) == ([], [])
    assert ("good", "tagged", "fine") in facts(path)
    assert len(facts(path)) < 2_600
    assert sorted(os.listdir(root)) == ["bad.md", "good.md"]


def test_links_in_the_file_system_are_not_followed(call, root, path, tmp_path):
    write(tmp_path / "outside", {"secret.md": "# Secret"})
    (root / "loop").symlink_to(root)
    (root / "itself").symlink_to("itself")
    (root / "out.md").symlink_to(tmp_path / "outside" / "secret.md")
    write(root, {"a.md": "a"})
    report = read(call, root)

    assert [remark.code for remark in report.skipped] == ["SYMBOLIC_LINK", "SYMBOLIC_LINK"]
    assert entities(path).keys() == {"a"}


@pytest.mark.parametrize("types", [({}, {"Crew": "person"}), ({"Crew": "organisation"}, {"Crew": "person"})])
def test_a_type_that_the_settings_give_later_reaches_notes_that_say_none(open_graph, root, path, types):
    write(root, {"Crew/Ada.md": "The first.\n", "Crew/Own.md": "---\ntype: project\n---\nx\n", "Bo.md": "[[Ada]]\n"})
    for types_now in types:
        call = Caller(open_graph(settings=Settings(vault_folders=(str(root),), vault_types=types_now)))
        read(call, root)
    before = dump(path)

    assert {"Ada": "person", "Own": "project", "Bo": "note"}.items() <= entities(path).items()
    assert read(call, root).calls == []
    assert dump(path) == before


def test_an_unknown_type_in_the_settings_is_refused_with_the_nearest(open_graph, root, path):
    write(root, {"Crew/Ada.md": "The first.\n"})
    call = Caller(open_graph(settings=Settings(vault_folders=(str(root),), vault_types={"Crew": "persn"})))

    with pytest.raises(errors.SettingsInvalid, match=r"types, Crew: 'persn'") as refused:
        read(call, root)

    assert "person" in refused.value.hint
    assert entities(path) == {}


def test_a_type_that_somebody_gave_stays_while_the_settings_do(open_graph, root, path):
    write(root, {"Crew/Ada.md": "The first.\n"})
    call = Caller(open_graph(settings=Settings(vault_folders=(str(root),), vault_types={"Crew": "organisation"})))
    read(call, root)
    call("update_entity", entity={"type": "organisation", "name": "Ada"}, type="person")
    write(root, {"Crew/Ada.md": "The first of all.\n"})
    read(call, root)

    assert entities(path) == {"Ada": "person"}


def test_a_type_that_somebody_gave_stays_when_the_settings_first_name_one(open_graph, root, path):
    write(root, {"Crew/Ada.md": "The first.\n"})
    for types in ({}, {"Crew": "person"}):
        call = Caller(open_graph(settings=Settings(vault_folders=(str(root),), vault_types=types)))
        read(call, root)
        if not types:
            call("update_entity", entity={"type": "note", "name": "Ada"}, type="organisation")

    assert entities(path) == {"Ada": "organisation"}


def test_what_the_settings_leave_out_later_goes_as_if_its_file_were_deleted(open_graph, root, path):
    write(root, {"Templates/t.md": "[[Foo]]", "a.md": "#tag"})
    for never in ((), ("Templates",)):
        with open_graph(settings=Settings(vault_folders=(str(root),), vault_never=never)) as graph:
            report = ingestion.ingest(Job(graph.database, tool="kg vault"), root)

    assert report.forgotten == 1
    assert facts(path) == {("a", "tagged", "tag")}


def test_a_folder_that_has_lost_all_its_files_forgets_none(call, root, path):
    write(root, {"a.md": "#t words"})
    read(call, root)
    shutil.move(root / "a.md", root.parent / "a.md")
    report = read(call, root)

    assert (report.forgotten, len(report.missing)) == (0, 1)
    assert facts(path) == {("a", "tagged", "t")}


def test_the_text_of_a_note_tells_its_thing_its_links_and_how_to_open_it(call, root):
    write(
        root,
        {
            "a b/É.md": "---\ntype: person\n---\n[[a b/Plan|it]] [[oke]]",
            "a b/Plan.md": "p",
            "Oke 1.md": "---\naliases: oke\n---\nx",
        },
    )
    read(call, root)
    given = call("get_full_document", doc_id=str(root / "a b" / "É.md"))["note"]
    named = {link["target"]: (link["entity"]["type"], link["entity"]["name"]) for link in given["links"]}

    assert (given["entity"]["type"], given["entity"]["name"]) == ("person", "É")
    assert named == {"a b/Plan": ("note", "Plan"), "oke": ("note", "Oke 1")}
    assert unquote(given["file"]) == f"file://{root}/a b/É.md"
    assert given["obsidian"].startswith("obsidian://open?path=%2F")
    assert given["obsidian"].endswith("%2F%C3%89.md")


# The commands


@pytest.fixture
def command(path: Path) -> Callable[..., Result]:
    def run(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(kg, ["--db", str(path), *arguments])

        assert result.exit_code == code, result.output
        return result

    return run


def test_a_vault_is_previewed_added_looked_at_and_removed(command, root, path):
    write(
        root,
        {
            "a/Ada.md": "---\ntype: person\n---\n[[Plan]] #x\n- [ ] Call",
            "Plan.md": "---\ndecision: Go\n---\n",
            "e.md": "",
        },
    )
    preview = command("vault", "preview", str(root)).output
    before = rows(path, "SELECT count(*) FROM entity")
    added = command("vault", "add", str(root)).output
    (root / "Plan.md").write_text("changed")
    (root / "new.md").write_text("new")
    status = json.loads(command("--json", "vault", "status").output)["vaults"]
    states = {Path(file["path"]).name: (file["state"], "why" in file) for file in status[0]["files"]}
    removed = command("vault", "remove", str(root), "--forget").output

    assert before == [(0,)]
    assert "a/Ada.md: person 'Ada', 1 link, 1 tag, 1 task" in preview
    assert "Plan.md: note 'Plan', 0 links, 1 decision" in preview
    assert "recorded from the notes" in added
    assert states == {
        "Ada.md": ("in the graph", False),
        "Plan.md": ("changed", False),
        "new.md": ("new", False),
        "e.md": ("left out", True),
    }
    assert "2 texts deleted" in removed
    assert facts(path) == set()
    assert "There is no vault" in command("vault", "status").output


def test_what_is_no_vault_is_refused(command, root):
    write(root, {"sub/a.md": "a"})
    command("vault", "add", str(root))

    for arguments in (
        ("vault", "add", str(root / "none")),
        ("vault", "add", ""),
        ("vault", "add", str(root / "sub" / "a.md")),
        ("vault", "add", str(root / "sub")),
        ("vault", "remove", str(root / "sub")),
    ):
        assert "INVALID_ARGUMENTS" in command(*arguments, code=1).output


def test_watching_reads_what_changes(command, root, path, monkeypatch):
    write(root, {"a.md": "[[b]]"})
    command("vault", "add", str(root))
    write(root, {"a.md": "[[c]]"})

    def changes(*folders: Path, **options: Any) -> Iterator[set[tuple[int, str]]]:
        assert folders == (root,)
        root.rename(root.with_name("away"))
        yield {(3, str(root))}
        root.with_name("away").rename(root)
        write(root, {"d.md": "#new"})
        yield {(1, str(root / "d.md"))}

    monkeypatch.setitem(sys.modules, "watchfiles", SimpleNamespace(watch=changes))
    output = command("watch").output

    assert "Watching 1 folder" in output
    assert "error" not in output
    assert facts(path) == {("c", "mentioned_in", "a"), ("d", "tagged", "new")}


def test_watching_without_the_library_says_how_to_get_it(command, root, monkeypatch):
    monkeypatch.setitem(sys.modules, "watchfiles", None)

    output = command("watch", code=1).output

    assert ("watchfiles is not installed" in output, "watch]" in output) == (True, True)
