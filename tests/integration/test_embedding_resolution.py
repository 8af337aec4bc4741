"""The embedding step of name resolution, the backfill of its vectors, and what works without a model."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import keepgraph
from fork_server import await_killed, python
from keepgraph import errors, store
from keepgraph.cli.root import kg
from keepgraph.engine import vector_backfill
from keepgraph.engine.resolution import abstention
from keepgraph.ml import embedder
from keepgraph.model import Settings
from words import Caller, concept, connected, decision, fact, literal, person, project, rows, source

HERE = literal("here")
LOGIN, FALCON = project("Authentication service"), project("Falcon")
WORKING_LIFE = json.loads(
    (Path(__file__).parents[1] / "benchmarks" / "names" / "train" / "working_life.json").read_text("utf-8")
)
ENTITIES, CASES = WORKING_LIFE["entities"], WORKING_LIFE["cases"]
UNAVAILABLE_REASON = embedder.unavailable_reason() or store.vectors.extension_missing()

needs_vectors = pytest.mark.skipif(UNAVAILABLE_REASON is not None, reason=str(UNAVAILABLE_REASON))


def create(call: Caller, *subjects: dict[str, str], **more: Any) -> None:
    """Record these entities, and nothing else."""
    for subject in subjects:
        call.record(subject, "tagged", HERE, **more)


def many(call: Caller, number: int) -> None:
    """Record so many entities, whose names have no vector yet."""
    facts = [fact(concept(f"Ticket {n} of the backlog"), "tagged", HERE) for n in range(number)]
    assert call("record_facts", facts=facts)["refused"] == 0


def embedded(path: Path) -> set[str]:
    """The names and aliases that have a vector."""
    names = rows(
        path,
        """
        SELECT iif(surface % 2, (SELECT alias FROM alias WHERE id = surface / 2),
                                (SELECT name FROM entity WHERE id = surface / 2))
        FROM name_vector JOIN name_signs USING (surface)
        """,
    )
    return {name for (name,) in names}


def waiting(path: Path) -> int:
    return int(rows(path, "SELECT count(*) FROM name_unembedded")[0][0])


def all_embedded(path: Path) -> bool:
    """Every name and every alias has one vector, nothing else has, and the file is in order."""
    named, with_vector, with_signs = (
        sorted(rows(path, query))
        for query in (
            "SELECT 2 * id FROM entity UNION ALL SELECT 2 * id + 1 FROM alias",
            "SELECT surface FROM name_vector",
            "SELECT surface FROM name_signs",
        )
    )
    whole = rows(path, "PRAGMA integrity_check") == [("ok",)]
    return named == with_vector == with_signs and waiting(path) == 0 and whole


@pytest.fixture(scope="module", autouse=True)
def cached_embeddings() -> Iterator[None]:
    """Embeds each name once, and those in the tables together: it is quicker, and gives the same vectors."""
    if UNAVAILABLE_REASON:
        yield
        return
    np = pytest.importorskip("numpy")
    real, known_vectors = embedder.embed, {}

    def embed(texts: Sequence[str], *, model: str = embedder.DEFAULT_MODEL) -> Any:
        assert model == embedder.DEFAULT_MODEL
        new = [text for text in dict.fromkeys(texts) if text not in known_vectors]
        known_vectors.update(zip(new, real(new) if new else (), strict=True))
        return np.stack([known_vectors[text] for text in texts])

    tables = [*SIBLINGS, *OPPOSITES, *NUMBERS, *CONFUSED]
    texts = [text for query, subject in tables for text in (query, subject["name"])]
    texts += [case["asked"] for case in CASES if case["kind"] in ("near", "far", "ambiguous")]
    embed([*texts, *(entity["name"] for entity in ENTITIES), "login system", "staff manual", "Falcon", "bird of prey"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedder, "embed", embed)
        yield


# Paraphrases


@needs_vectors
def test_a_name_is_found_by_a_paraphrase_with_the_reason(call):
    create(call, LOGIN, project("Payroll Automation"), concept("Kubernetes"), person("Ada Lovelace"))
    answer = call("recall_entity", name_or_alias="login system")
    how = answer["resolution"]

    assert answer["entity"]["name"] == "Authentication service"
    assert how["method"] == "embedding"
    assert Settings().accept <= how["score"] < 1
    assert how["because"] == "“Authentication service” means about the same"
    assert "embedding" not in how


@needs_vectors
@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("automating salary payments", project("Payroll Automation")),
        ("staff manual", source("Employee Handbook")),
        ("German national railway", concept("Deutsche Bahn")),
        ("turn on the dark theme as standard", decision("Enable dark mode by default")),
        ("project: login system", LOGIN),
    ],
)
def test_an_entity_is_found_by_a_paraphrase(call, query, subject):
    create(call, subject, concept("Kubernetes"), project("Office Relocation 2026"))
    answer = call("recall_entity", name_or_alias=query)

    assert (answer["entity"]["name"], answer["resolution"]["method"]) == (subject["name"], "embedding")


@needs_vectors
def test_decisions_and_weeks_of_a_project_are_found_by_a_paraphrase(call):
    create(call, LOGIN)

    assert call("recall_decisions", project="login system")["project"]["name"] == "Authentication service"
    assert call("weekly_rollup", project="login system")["project"]["name"] == "Authentication service"
    assert call("get_history", about="login system")["entity"]["name"] == "Authentication service"


@needs_vectors
def test_two_paraphrases_are_too_close_to_call(call):
    create(call, LOGIN, concept("Authentication services"), project("Sign-in system"))
    answer = call("recall_entity", name_or_alias="log-on service")

    assert answer["entity"] is None
    assert len(answer["resolution"]["candidates"]) > 1


@needs_vectors
def test_a_query_writes_nothing_but_vectors(call, path):
    create(call, LOGIN)
    before = rows(path, "SELECT count(*), max(id) FROM journal")
    call("recall_entity", name_or_alias="login system")

    assert rows(path, "SELECT count(*), max(id) FROM journal") == before


# What is never found by vectors

SIBLINGS = [
    ("Authorization service", LOGIN),
    ("MySQL documentation", source("PostgreSQL documentation")),
    ("deep learning", concept("Machine learning")),
    ("Korean launch preparations", project("Japan launch preparations")),
    ("releasing the iOS application", project("Android app launch")),
    ("Contract with the Berlin hospital", source("Agreement with the Munich hospital")),
    ("moving to Azure", project("Migration to AWS")),
    ("talk with the father", source("Interview with the mother")),
    ("Deutsche Bank", concept("Deutsche Bahn")),
    ("University of Glasgow", concept("University of Edinburgh")),
]
OPPOSITES = [
    ("Disable dark mode by default", decision("Enable dark mode by default")),
    ("turn off the dark theme", decision("Enable dark mode by default")),
    ("Collect telemetry", decision("Do not collect telemetry")),
    ("decline the offer of Globex", decision("Accept the offer from Globex")),
    ("sell our building in Berlin", decision("Buy the Berlin building")),
    ("leave the market in Japan", decision("Enter the Japanese market")),
    ("close the Vienna store", decision("Open a shop in Vienna")),
    ("Forbid remote work", decision("Allow remote work four days a week")),
    ("Switch from Linear to Jira", decision("Switch from Jira to Linear")),
    ("working during the day", concept("Night shift")),
]
NUMBERS = [
    ("second version of the phone app", project("Mobile App v3")),
    ("financial plan for 2024", source("Budget 2025")),
    ("roadmap for the fourth quarter of 2025", project("Q3 2025 Roadmap")),
    ("the Globex meeting of 15 March", source("Meeting with Globex, 14 March")),
    ("release it on Thursday", decision("Ship on Friday")),
    ("meeting of the board in May", source("Board deck June 2025")),
    ("Postgres 15 upgrade", project("Moving to PostgreSQL 16")),
    ("recruit three engineers", decision("Hire two engineers")),
    ("draft of the third chapter", source("Chapter two draft")),
]
# The model gives all of these a high cosine, and no rule separates them yet.
CONFUSED = [
    ("Dismiss a backend engineer", decision("Hire a second backend engineer")),
    ("split the teams", decision("Merge the two teams")),
    ("lose the agreement", decision("Win the contract")),
    ("revoke contractor access to billing", decision("Grant contractors access to the billing system")),
    ("batting with the right hand", concept("Left-handed batting")),
    ("low blood pressure", concept("Hypertension")),
    ("rendering on the server", concept("Client-side rendering")),
    ("growing sales in South America", project("North American sales expansion")),
    ("website for onboarding new customers", project("Employee onboarding portal")),
    ("second stage of the rollout", project("Rollout phase one")),
]


@pytest.mark.sampled(one_in=3)
@needs_vectors
@pytest.mark.parametrize(("query", "subject"), [*SIBLINGS, *OPPOSITES, *NUMBERS])
def test_a_sibling_an_opposite_or_another_number_is_not_found(call, query, subject):
    create(call, subject)
    answer = call("recall_entity", name_or_alias=query)

    assert (answer["entity"], answer["resolution"]["method"]) == (None, "none")


@needs_vectors
@pytest.mark.parametrize(("query", "subject"), CONFUSED)
def test_an_opposite_is_not_found(call, query, subject):
    create(call, subject)

    assert call.recalled(query) is None


@pytest.fixture(scope="module")
def world(tmp_path_factory, cached_embeddings) -> Iterator[Caller]:
    """A graph with the entities of the benchmark."""
    with keepgraph.open(tmp_path_factory.mktemp("world") / "graph.db") as graph:
        facts = [fact({"type": e["type"], "name": e["name"]}, "tagged", HERE, aliases=e.get("aliases", []))
                 for e in ENTITIES]  # fmt: skip
        assert graph.call("record_facts", facts=facts)["refused"] == 0
        yield Caller(graph)


@needs_vectors
@pytest.mark.parametrize("kind", ["near", "far", "ambiguous"])
def test_nothing_that_must_not_be_found_is_found_by_vectors(world, kind):
    queries = [case["asked"] for case in CASES if case["kind"] == kind]
    methods = {name: world("recall_entity", name_or_alias=name)["resolution"]["method"] for name in queries}

    assert [name for name, method in methods.items() if method == "embedding"] == []


@needs_vectors
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Father Christmas", "Santa Claus"),
        ("the pop star from Barbados", "Rihanna"),
        ("person: head of marketing", "Marketing Chief"),
        ("marketing head", "Marketing Chief"),
        ("Sarah from the office", "Sarah at the office"),
    ],
)
def test_a_person_is_never_found_by_vectors(call, query, name):
    create(call, person(name))
    answer = call("recall_entity", name_or_alias=query)

    assert answer["entity"] is None
    assert [candidate for candidate in answer["resolution"]["candidates"] if candidate["method"] == "embedding"] == []


@needs_vectors
def test_vectors_do_not_settle_which_person_a_slip_means(call):
    create(call, person("Ana"), person("Ana2"))

    answer = call("recall_entity", name_or_alias="Anaa")

    assert answer["entity"] is None
    assert [each["name"] for each in answer["resolution"]["candidates"]] == ["Ana", "Ana2"]


@needs_vectors
@pytest.mark.parametrize(
    ("query", "kind", "name"),
    [
        ("Rosewood Nursing Home", "organisation", "Rosewood Hospice"),
        ("Akademia Muzyczna", "organisation", "Akademia Sztuk Teatralnych"),
        ("Riverside Cemetery", "place", "Riverside Graveyard Chapel"),
    ],
)
def test_a_proper_name_of_the_same_meaning_is_shown_and_not_answered(call, query, kind, name):
    create(call, {"type": kind, "name": name})
    answer = call("recall_entity", name_or_alias=query)

    assert answer["entity"] is None
    assert [candidate["name"] for candidate in answer["resolution"]["candidates"]] == [name]


@needs_vectors
@pytest.mark.parametrize(
    ("query", "name"),
    [("🦊", "🎯"), ("မြန်မာ", "ภาษาไทย"), ("ქართული", "ภาษาไทย"), ("ภาษา", "साइट"), ("🙂 🚀", "🎯")],
)
def test_scripts_that_the_model_does_not_know_match_nothing(call, query, name):
    create(call, concept(name))

    assert call.recalled(query) is None


# Where no vectors are available


@pytest.fixture(
    params=[
        (embedder, "unavailable_reason", "the model is not here"),
        (store.vectors, "extension_missing", "sqlite-vec is not here"),
    ],
    ids=["model", "vec"],
)
def reason(request, monkeypatch) -> str:
    """Something that finding by meaning needs is missing: what is said of it."""
    module, check, unavailable = request.param
    monkeypatch.setattr(module, check, lambda *_: unavailable)
    return f"off: {unavailable}"


def test_the_answer_says_why_the_step_is_off(call, reason):
    create(call, LOGIN)
    answer = call("recall_entity", name_or_alias="login system")
    state = answer["resolution"].pop("embedding")

    assert answer["entity"] is None
    assert answer["resolution"] == {"method": "none", "score": 0.0, "candidates": []}
    assert state.startswith(reason)
    assert call("get_status")["resolution"]["embedding"] == state


def test_where_a_package_is_missing_the_answer_says_where_to_learn_how_to_install_it(
    call, path, monkeypatch, own_server_is_forked
):
    monkeypatch.setattr(store.vectors, "extension_missing", lambda: "the package sqlite-vec is not installed")
    create(call, LOGIN)
    state = call("recall_entity", name_or_alias="login system")["resolution"]["embedding"]
    checked = CliRunner().invoke(kg, ["--db", str(path), "doctor"]).output
    refused = CliRunner().invoke(kg, ["--db", str(path), "reindex"]).output

    assert state == "off: the package sqlite-vec is not installed; `kg doctor` says how to install it"
    assert "[meaning]" in checked
    assert "[meaning]" in refused
    assert "kg doctor" not in refused


def test_everything_else_works_without_vectors(call, path, reason):
    methods = {"Robert Hughes": "exact", "kerberos": "alias", "Bob": "fuzzy", "Authentcation service": "fuzzy"}
    create(call, person("Robert Hughes"), FALCON)
    create(call, LOGIN, aliases=["Kerberos"])
    answers = {query: call("recall_entity", name_or_alias=query)["resolution"] for query in methods}

    assert {query: how["method"] for query, how in answers.items()} == methods
    assert [query for query, how in answers.items() if "embedding" in how] == []
    assert call("merge_entities", keep=FALCON, absorb=LOGIN)["entity"]["name"] == "Falcon"
    assert call.recalled("Authentication service") == "Falcon"
    assert "error" not in call("undo")
    assert "error" not in call("clear_graph", confirm=True)
    assert embedded(path) == set()


def test_reindexing_says_what_is_missing(call, path, reason):
    create(call, LOGIN)
    for options in ([], ["--anew"], ["--json"]):
        done = CliRunner().invoke(kg, ["--db", str(path), "reindex", *options])

        assert done.exit_code == 1
        assert "MODEL_UNAVAILABLE" in done.output
        assert reason.removeprefix("off: ") in done.output


@needs_vectors
@pytest.mark.parametrize("broken", ["model", "vec"])
def test_an_unknown_name_has_an_answer_even_if_the_model_is_broken(call, monkeypatch, tmp_path, broken):
    """
    The files of the model or of sqlite-vec are there, and are not what they should be.
    """

    def break_off(*_: Any, **__: Any) -> Any:
        raise errors.ModelUnavailable("not the file we know")

    create(call, LOGIN)
    if broken == "model":
        call.recalled("login system")
        monkeypatch.setattr(embedder, "embed", break_off)
    else:
        (tmp_path / "vec0.so").write_text("no library")
        monkeypatch.setattr(store.vectors, "_extension_path", lambda: str(tmp_path / "vec0"))
    answer = call("recall_entity", name_or_alias="login system")

    assert answer.get("entity", "an error") is None
    assert answer["resolution"]["embedding"].startswith("off: ")


def test_a_step_that_the_settings_turn_off_says_nothing(open_graph):
    call = Caller(open_graph(settings=Settings(steps=("fuzzy",))))
    create(call, LOGIN)

    assert "embedding" not in call("recall_entity", name_or_alias="login system")["resolution"]
    assert call("get_status")["resolution"]["embedding"] == "off: by the settings"


@needs_vectors
def test_no_vectors_are_made_for_a_step_that_is_turned_off(open_graph):
    call = Caller(open_graph(settings=Settings(steps=("fuzzy",))))
    create(call, LOGIN)

    assert vector_backfill.count_due(call.graph.database) == 0


@needs_vectors
def test_vectors_of_another_model_are_not_compared(call, path):
    create(call, LOGIN)
    assert call.recalled("login system") == "Authentication service"
    with connected(path) as conn:
        conn.execute("UPDATE vector_space SET model = 'some-other-model'")
    answer = call("recall_entity", name_or_alias="login system")
    status = answer["resolution"]["embedding"]

    assert answer["entity"] is None
    assert status.startswith("off: ")
    assert "some-other-model" in status
    assert "kg reindex" in status
    assert call("get_status")["resolution"]["embedding"] == status


@needs_vectors
def test_names_are_not_added_to_the_vectors_of_another_model(call, path):
    create(call, LOGIN)
    call.recalled("login system")
    with connected(path) as conn:
        conn.execute("UPDATE vector_space SET model = 'some-other-model'")
    create(call, FALCON)
    call.recalled("bird of prey")

    assert embedded(path) == {"Authentication service"}
    assert waiting(path) == 1


@needs_vectors
def test_reindexing_replaces_the_vectors_of_another_model(call, path):
    create(call, LOGIN)
    call.recalled("login system")
    with connected(path) as conn:
        conn.execute("UPDATE vector_space SET model = 'some-other-model'")
    done = CliRunner().invoke(kg, ["--db", str(path), "reindex"])

    assert (done.exit_code, all_embedded(path)) == (0, True)
    assert call.recalled("login system") == "Authentication service"


# Names without a vector


@pytest.fixture
def hurried(monkeypatch) -> None:
    """Two names at a time, and after them there is no time left: the model takes an hour for whatever it does."""
    now, real = [0.0], embedder.embed

    def slow(texts: Sequence[str], **more: Any) -> Any:
        now[0] += 3600
        return real(texts, **more)

    monkeypatch.setattr(vector_backfill, "_BATCH_OF_A_READ", 90)
    monkeypatch.setattr(vector_backfill, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(embedder, "embed", slow)


def missing_vectors(answer: dict[str, Any]) -> int | None:
    """How many names wait, as an answer says."""
    said = re.fullmatch(r"([\d,]+) names? still waits? for .*", answer["resolution"].get("embedding", ""))
    return int(said[1].replace(",", "")) if said else None


@needs_vectors
def test_the_status_says_how_many_names_have_no_vector(call):
    create(call, LOGIN, FALCON)
    before = call("get_status")["resolution"]["embedding"]
    call.recalled("login system")

    assert before == "on; 2 names still wait for their vectors"
    assert call("get_status")["resolution"] == {"exact": "on", "alias": "on", "fuzzy": "on", "embedding": "on"}


@needs_vectors
def test_a_query_makes_the_vectors_it_needs(call, path):
    create(call, LOGIN, aliases=["Kerberos"])
    call.recalled("bird of prey")

    assert embedded(path) == {"Authentication service", "Kerberos"}
    assert all_embedded(path)


@needs_vectors
def test_a_query_makes_only_as_many_vectors_as_there_is_time_for_and_says_so(call, path, hurried):
    create(call, LOGIN, FALCON, concept("Kubernetes"), concept("Photosynthesis"), concept("Onboarding"))
    first, second, third = (call("recall_entity", name_or_alias="login system") for _ in range(3))

    assert [missing_vectors(answer) for answer in (first, second, third)] == [3, 1, None]
    assert [answer["entity"] for answer in (first, second)] == [None, None]
    assert third["entity"]["name"] == "Authentication service"
    assert "embedding" not in third["resolution"]


@needs_vectors
def test_the_time_for_a_backfill_may_be_set(call, path, monkeypatch):
    monkeypatch.setattr(vector_backfill, "_BATCH_OF_A_READ", 1)
    monkeypatch.setattr(vector_backfill, "MAX_SECONDS_OF_A_READ", -1.0)
    create(call, *(concept(f"Thing number {n}") for n in range(4)))
    call.recalled("login system")

    assert waiting(path) == 3


@needs_vectors
def test_a_read_only_graph_makes_no_vectors_and_says_how_many_are_missing(call, open_graph, path):
    create(call, LOGIN, FALCON)
    reader = Caller(open_graph(read_only=True))
    answer = reader("recall_entity", name_or_alias="login system")

    assert missing_vectors(answer) == 2
    assert (waiting(path), embedded(path)) == (2, set())


@needs_vectors
def test_a_read_only_graph_uses_vectors_that_others_made(call, open_graph):
    create(call, LOGIN)
    call.recalled("login system")

    assert Caller(open_graph(read_only=True)).recalled("login system") == "Authentication service"


@needs_vectors
def test_a_query_does_not_wait_for_another_writer(call, open_graph):
    """
    A question waits for vectors a second or two; it must not wait for half a minute because another writes.
    """
    create(call, LOGIN)
    answers: list[Any] = []
    other = Caller(open_graph())
    asking = threading.Thread(target=lambda: answers.append(call("recall_entity", name_or_alias="login system")))
    with other.graph.database.write("slow"):
        asking.start()
        asking.join(store.connections.LOCK_TIMEOUT_SECONDS - 5)
        answered = list(answers)
    asking.join()

    assert [missing_vectors(answer) for answer in answered] == [1]


@pytest.mark.parametrize(
    ("query", "method"),
    [
        ("Robert Hughes", "exact"),
        ("Rob from sales", "alias"),
        ("Bob", "fuzzy"),
        ("Robret Hughes", "fuzzy"),
        ("person:Bob", "fuzzy"),
        ("person:login system", "none"),
        ("Sarah", "none"),
    ],
)
def test_no_model_is_loaded_where_another_step_answers(call, monkeypatch, query, method):
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("the model was asked")

    monkeypatch.setattr(embedder, "embed", never)
    create(call, person("Robert Hughes"), aliases=["Rob from sales"])
    create(call, person("Sarah Chen"), person("Sarah Miller"), LOGIN)

    assert call("recall_entity", name_or_alias=query)["resolution"]["method"] == method


# Vectors follow their names


@needs_vectors
def test_a_new_alias_is_found_by_a_paraphrase(call, path):
    create(call, FALCON)
    assert call.recalled("login system") is None
    call("add_alias", entity=FALCON, alias="Authentication service")
    answer = call("recall_entity", name_or_alias="login system")

    assert (answer["entity"]["name"], answer["resolution"]["method"]) == ("Falcon", "embedding")
    assert answer["resolution"]["because"] == "“Authentication service” means about the same"
    assert all_embedded(path)


@needs_vectors
def test_a_merged_entity_is_found_in_the_other_and_after_undo_again_as_itself(call, path):
    create(call, LOGIN, aliases=["Handbook for employees"])
    create(call, FALCON)
    for merged in (True, False):
        call("merge_entities", keep=FALCON, absorb=LOGIN) if merged else call("undo")
        home = "Falcon" if merged else "Authentication service"

        assert [call.recalled(query) for query in ("login system", "staff manual")] == [home, home]
        assert all_embedded(path)


@needs_vectors
def test_a_cleared_graph_has_no_vectors_and_undo_brings_them_back(call, path):
    create(call, LOGIN, aliases=["Kerberos"])
    call.recalled("login system")
    call("clear_graph", confirm=True)

    assert (embedded(path), waiting(path)) == (set(), 0)
    assert call.recalled("login system") is None
    call("undo")
    assert call.recalled("login system") == "Authentication service"
    assert all_embedded(path)


@needs_vectors
def test_undoing_a_record_deletes_its_vectors(call, path):
    create(call, LOGIN)
    call.recalled("login system")
    call("undo")

    assert (embedded(path), waiting(path)) == (set(), 0)


@needs_vectors
def test_names_of_another_group_are_never_found(open_graph):
    ours, theirs = Caller(open_graph(group="ours")), Caller(open_graph(group="theirs"))
    create(theirs, LOGIN, aliases=["Handbook for employees"])
    create(ours, FALCON)
    for query in ("login system", "staff manual", "project:login system"):
        answer = ours("recall_entity", name_or_alias=query)

        assert (answer["entity"], answer["resolution"]["candidates"]) == (None, [])
    assert theirs.recalled("login system") == "Authentication service"


@needs_vectors
def test_a_vector_of_a_name_that_has_changed_meanwhile_is_not_kept(call, path):
    create(call, LOGIN, aliases=["Kerberos"])
    with call.graph.database.read("look") as tx:
        some = store.vectors.next_missing(tx, limit=10)
    with call.graph.database.write("vectors") as tx:
        store.vectors.reset(tx, embedder.DEFAULT_MODEL, embedder.dimension())
        store.vectors.insert(tx, [(surface, f"formerly {text}", b"\x01" * 384, b"\x01" * 48) for surface, text in some])
        store.vectors.insert(tx, [(10_000, "Nobody", b"\x01" * 384, b"\x01" * 48)])

    assert (embedded(path), waiting(path)) == (set(), 2)


@needs_vectors
def test_a_name_that_changes_while_its_vector_is_made_is_found_by_the_new_name(call, path, monkeypatch):
    create(call, FALCON)
    real = embedder.embed

    def renames_meanwhile(texts: Any, **more: Any) -> Any:
        made = real(texts, **more)
        with connected(path) as conn:
            conn.execute("UPDATE entity SET name = 'Authentication service' WHERE name = 'Falcon'")
        return made

    monkeypatch.setattr(embedder, "embed", renames_meanwhile)

    assert call.recalled("login system") == "Authentication service"
    assert embedded(path) == {"Authentication service"}


@needs_vectors
def test_a_name_that_is_deleted_while_its_vector_is_made_leaves_none(call, open_graph, path, monkeypatch):
    create(call, LOGIN)
    other, real = Caller(open_graph()), embedder.embed

    def clears_meanwhile(texts: Any, **more: Any) -> Any:
        made = real(texts, **more)
        other("clear_graph", confirm=True)
        return made

    monkeypatch.setattr(embedder, "embed", clears_meanwhile)

    assert call.recalled("login system") is None
    assert (embedded(path), waiting(path)) == (set(), 0)


# kg reindex


def run_kg(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*python(), "-m", "keepgraph.cli", "--db", str(path), *words], capture_output=True, text=True, check=False
    )


SMALL_BATCHES = """
import sys
from keepgraph.cli.root import kg
from keepgraph.engine import vector_backfill
vector_backfill.BATCH = vector_backfill._BATCH_OF_A_READ = 1_000
kg(sys.argv[1:], prog_name="kg")
"""


def start_kg(path: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start a command that keeps the vectors of sixteen names at a time, so that few names are many batches."""
    return subprocess.Popen(
        [*python(), "-c", SMALL_BATCHES, "--db", str(path), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_until(fits: Callable[[], bool], *, seconds: float = 120.0) -> bool:
    """Look again and again, at most so long."""
    until = time.monotonic() + seconds
    while not fits() and time.monotonic() < until:
        time.sleep(0.02)
    return fits()


@needs_vectors
def test_reindexing_fills_once_and_again_with_anew(call, path):
    create(call, LOGIN, FALCON)
    first, again, anew = (run_kg(path, "reindex", *options) for options in ([], ["--json"], ["--anew", "--json"]))

    assert (first.returncode, first.stdout) == (
        0,
        "4 names, texts and facts now have vectors made by all-MiniLM-L6-v2.\n",
    )
    assert json.loads(again.stdout) == {"model": "all-MiniLM-L6-v2", "embedded": 0, "waiting": 0}
    assert json.loads(anew.stdout) == {"model": "all-MiniLM-L6-v2", "embedded": 4, "waiting": 0}
    assert {first.stderr, again.stderr, anew.stderr} == {""}
    assert all_embedded(path)


def test_reindexing_makes_no_graph(path):
    done = CliRunner().invoke(kg, ["--db", str(path), "reindex"])

    assert (done.exit_code, path.exists()) == (1, False)
    assert "GRAPH_NOT_FOUND" in done.output


@needs_vectors
def test_vectors_that_were_made_anew_are_the_same(call, path):
    create(call, LOGIN, FALCON)
    kept = []
    for _ in range(2):
        CliRunner().invoke(kg, ["--db", str(path), "reindex", "--anew"])
        kept.append(rows(path, "SELECT * FROM name_vector JOIN name_signs USING (surface) ORDER BY surface"))

    assert kept[0] == kept[1]
    assert len(kept[0]) == 2


@needs_vectors
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_reindexing_that_was_stopped_continues_where_it_was(call, path, how):
    many(call, 120)
    child = start_kg(path, "reindex")
    begun = wait_until(lambda: waiting(path) < 120)
    child.send_signal(how)
    _, said = child.communicate()
    await_killed()
    left, facts_waiting = waiting(path), rows(path, "SELECT count(*) FROM fact_unembedded")[0][0]

    assert begun
    assert (child.returncode != 0, b"Traceback" in said, 0 < left < 120) == (True, False, True)
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert json.loads(run_kg(path, "reindex", "--json").stdout)["embedded"] == left + facts_waiting
    assert all_embedded(path)


@needs_vectors
def test_writes_during_reindexing_are_not_refused(call, path):
    many(call, 100)
    with start_kg(path, "reindex") as child:
        answers = []
        while child.poll() is None:
            new = {"subject": concept(f"Late {len(answers)}"), "predicate": "tagged", "object": HERE}
            answers.append(call("record_fact", **new))
            time.sleep(0.05)

    assert child.returncode == 0
    assert len(answers) > 1
    assert [answer for answer in answers if "error" in answer] == []
    assert run_kg(path, "reindex").returncode == 0
    assert all_embedded(path)


# The server


def server(path: Path, *options: str) -> StdioServerParameters:
    command, *words = python()
    return StdioServerParameters(
        command=command, args=[*words, "-m", "keepgraph.cli", "--db", str(path), "serve", *options]
    )


@needs_vectors
def test_an_idle_server_makes_vectors(path):
    async def recorded() -> bool:
        async with Client(server(path)) as client:
            await client.call_tool("record_fact", {"subject": LOGIN, "predicate": "tagged", "object": HERE})
            return await anyio.to_thread.run_sync(lambda: wait_until(lambda: waiting(path) == 0))

    assert anyio.run(recorded)
    assert embedded(path) == {"Authentication service"}
    assert all_embedded(path)


@needs_vectors
def test_a_read_only_server_makes_none(call, path):
    create(call, LOGIN)

    async def query() -> Any:
        async with Client(server(path, "--read-only")) as client:
            return await client.call_tool("recall_entity", {"name_or_alias": "login system"})

    answer = anyio.run(query).structured_content

    assert (missing_vectors(answer), waiting(path)) == (1, 1)


@needs_vectors
def test_the_server_ends_with_its_input_even_if_vectors_are_missing(call, path):
    many(call, 300)
    with start_kg(path, "serve") as child:
        begun = wait_until(lambda: waiting(path) < 300)
        child.stdin.close()
        code = child.wait(120)

    assert (begun, code, waiting(path) > 0) == (True, 0, True)
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


# Imports and the network

HEAVY = {"numpy", "torch", "sentence_transformers", "tokenizers", "transformers", "sqlite_vec"}
ASK = """
import json, sys, keepgraph
with keepgraph.open(sys.argv[1]) as graph:
    graph.call("get_status")
    answers = [graph.call("recall_entity", name_or_alias=name) for name in sys.argv[2:]]
methods = [answer["resolution"]["method"] for answer in answers]
print(json.dumps([methods, sorted({name.split(".")[0] for name in sys.modules})]))
"""


def resolve_in_process(path: Path, *names: str) -> tuple[list[str], set[str]]:
    """How names were found in a process of its own, after its status, and what was imported for all that."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(path), *names], capture_output=True, text=True, check=True, env={**os.environ}
    )
    methods, modules = json.loads(done.stdout)
    return methods, set(modules)


def test_nothing_heavy_is_imported_for_the_status_and_where_another_step_answers(call, path):
    create(call, person("Robert Hughes"), aliases=["The Boss"])
    methods, modules = resolve_in_process(path, "Robert Hughes", "The Boss", "Robret Hughes", "Bob", "RH")

    assert waiting(path) > 0
    assert methods == ["exact", "alias", "fuzzy", "fuzzy", "fuzzy"]
    assert modules & HEAVY == set()


@needs_vectors
def test_the_embedding_step_imports_no_torch(call, path):
    create(call, LOGIN)
    methods, modules = resolve_in_process(path, "login system")

    assert methods == ["embedding"]
    assert modules & HEAVY == {"numpy", "tokenizers"}


WITHOUT_A_NETWORK = """
import sys

def refuse(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.client.", "ftplib.", "smtplib.")):
        raise SystemExit(f"the network was asked for: {event} {arguments}")

sys.addaudithook(refuse)

from pathlib import Path
import keepgraph
from click.testing import CliRunner
from keepgraph.cli.root import kg

path = sys.argv[1]
project = lambda name: {"type": "project", "name": name}
with keepgraph.open(path) as graph:
    call = graph.call
    for name in ("Authentication service", "Falcon", "Москва", "Robert Hughes"):
        call("record_fact", subject=project(name), predicate="tagged", object={"literal": "x"})
    call("record_fact", subject={"type": "person", "name": "Robert Hughes"}, predicate="tagged",
         object={"literal": "x"})
    call("add_alias", entity=project("Falcon"), alias="Bird")
    methods = [call("recall_entity", name_or_alias=name)["resolution"]["method"]
               for name in ("Falcon", "Bird", "Flacon", "person:Bob", "Moskva", "login system", "xyzzy")]
    call("merge_entities", keep=project("Falcon"), absorb=project("Authentication service"))
    merged = call("recall_entity", name_or_alias="login system")["entity"]["name"]
    call("undo")
    undone = call("recall_entity", name_or_alias="login system")["entity"]["name"]
    call("get_status")
done = [CliRunner().invoke(kg, ["--db", path, *words]).exit_code
        for words in (["reindex"], ["reindex", "--anew"], ["recall", "login system"], ["status"])]
print([*methods, merged, undone, *done])
"""


@needs_vectors
def test_names_need_no_network(path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_NETWORK, str(path)], capture_output=True, text=True, check=False
    )
    expected = ["exact", "alias", "fuzzy", "fuzzy", "fuzzy", "embedding", "none", "Falcon", "Authentication service"]

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str([*expected, 0, 0, 0, 0])


# Limits


@needs_vectors
def test_the_candidates_of_both_steps_are_few(call):
    create(call, *(concept(f"Authentication {word}") for word in "server gateway proxy daemon cluster broker".split()))
    candidates = call("recall_entity", name_or_alias="login system for everybody at work")["resolution"]["candidates"]

    assert 0 < len(candidates) <= abstention.MAX_CANDIDATES
    assert [candidate["score"] for candidate in candidates] == sorted(
        (candidate["score"] for candidate in candidates), reverse=True
    )
