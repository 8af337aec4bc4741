"""The settings in the file beside a graph: what they change, and what is said where they are wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import keepgraph
from keepgraph import errors, store
from keepgraph.cli.root import kg
from keepgraph.ml import embedder
from keepgraph.model import Settings
from keepgraph.profiles import settings_file
from words import Caller, concept, literal, person, project

HERE = literal("here")
TROUBLE = embedder.unavailable_reason() or store.vectors.extension_missing()

needs_vectors = pytest.mark.skipif(TROUBLE is not None, reason=str(TROUBLE))

Said = Callable[..., Caller]


@pytest.fixture
def said(open_graph: Callable[..., keepgraph.Graph], path: Path) -> Said:
    """Opens the graph with these lines under [names] in the file beside it, knowing a few names."""

    def open(lines: str, **more: Any) -> Caller:
        path.with_suffix(".toml").write_text(f"[names]\n{lines}\n", encoding="utf-8")
        call = Caller(open_graph(**more))
        call.record(person("Robert Hughes"), "tagged", HERE, aliases=["The Boss"])
        call.record(concept("Kubernetes"), "tagged", HERE)
        call.record(project("Authentication service"), "tagged", HERE)
        return call

    return open


def methods(call: Caller) -> dict[str, str]:
    """The step at which some names are found."""
    asked = ("Robert Hughes", "The Boss", "Kuberntes", "Bob", "login system")
    return {name: call("recall_entity", name_or_alias=name)["resolution"]["method"] for name in asked}


# Where they are, and what they are where nothing is said


def test_the_settings_lie_beside_the_graph(tmp_path):
    assert settings_file.path(tmp_path / "graph.db") == tmp_path / "graph.toml"


def test_without_a_file_the_defaults_hold(path):
    assert settings_file.read(path).settings == Settings()


@pytest.mark.parametrize(
    "text",
    ["", "[names]", "# nothing", "[other]\naccept = 9", "accept = 9", "[names]\nfuture = 1\n[names.more]\nx = 2"],
)
def test_what_is_not_said_or_not_known_is_left_as_it_is(path, text):
    path.with_suffix(".toml").write_text(text, encoding="utf-8")

    assert settings_file.read(path).settings == Settings()


def test_what_is_said_holds(path):
    path.with_suffix(".toml").write_text(
        '[names]\naccept = 1\nmodel = "/models/mine"\nsteps = []\n# é', encoding="utf-8"
    )

    assert settings_file.read(path).settings == Settings(accept=1.0, model="/models/mine", steps=())


def test_every_setting_can_be_said(path):
    path.with_suffix(".toml").write_text(
        '[names]\naccept = 0.5\nmodel = "x"\nsteps = ["embedding", "fuzzy"]\n'
        '[search]\ncross_encoder = "ce"\ntraversal = "ppr"\n[verification]\nentailment_model = "nli"\n'
        '[documents]\nroots = ["notes"]\n'
        '[vault]\nfolders = ["~/Notes"]\nnever = ["Drafts"]\ntypes = { Crew = "person" }\n'
        "[garden]\nreads = true\nunknown_names = true\n",
        "utf-8",
    )
    held = settings_file.read(path).settings

    assert [name for name in Settings.__slots__ if getattr(held, name) == getattr(Settings(), name)] == []


@pytest.mark.parametrize(
    "text", ["[search]\ncross_encoder = 7\n", '[documents]\nroots = "notes"\n', "[documents]\nroots = [7]\n"]
)
def test_a_folder_that_is_none_is_refused_with_its_line(path, text):
    path.with_suffix(".toml").write_text(text, "utf-8")

    with pytest.raises(errors.SettingsInvalid, match="line 2"):
        settings_file.read(path)


def test_the_settings_of_another_graph_do_not_hold(said, open_graph, tmp_path):
    said("steps = []")
    other = Caller(open_graph(tmp_path / "other.db"))
    other.record(person("Robert Hughes"), "tagged", HERE)

    assert other.recalled("Bob") == "Robert Hughes"


def test_settings_that_are_given_come_before_those_in_the_file(said):
    call = said("steps = []", settings=Settings(steps=("fuzzy",)))

    assert call.recalled("Bob") == "Robert Hughes"


def test_a_graph_may_have_the_ending_of_its_settings(open_graph, tmp_path):
    call = Caller(open_graph(tmp_path / "graph.toml"))
    call.record(person("Robert Hughes"), "tagged", HERE)

    assert call.recalled("Bob") == "Robert Hughes"


def test_a_folder_beside_the_graph_is_no_settings(path, open_graph):
    path.with_suffix(".toml").mkdir()

    assert Caller(open_graph())("get_status")["status"] == "ok"


# What they change


def test_a_threshold_of_one_leaves_a_slip_unresolved_with_candidates(said):
    call = said("accept = 1.0\nsteps = ['fuzzy']")
    answer = call("recall_entity", name_or_alias="Kuberntes")

    assert (answer["entity"], answer["resolution"]["method"]) == (None, "none")
    assert [each["name"] for each in answer["resolution"]["candidates"]] == ["Kubernetes"]
    assert call.recalled("kubernetes") == "Kubernetes"


@pytest.mark.parametrize("accept", [0.96, 1.0])
def test_an_alias_is_found_whatever_the_threshold(said, accept):
    assert said(f"accept = {accept}").recalled("the boss") == "Robert Hughes"


def test_a_lower_threshold_takes_what_was_only_a_candidate(said):
    call = said("accept = 0.01\nsteps = ['fuzzy']")

    assert call.recalled("Authentication API") == "Authentication service"


def test_two_that_answer_equally_well_are_too_close_whatever_the_threshold(said):
    call = said("accept = 0")
    call.record(project("Kubernetes"), "tagged", HERE)

    assert call.recalled("Kubernetes") is None


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("[]", {}),
        ("['fuzzy']", {"Kuberntes": "fuzzy", "Bob": "fuzzy"}),
        pytest.param("['embedding']", {"login system": "embedding"}, marks=needs_vectors),
        pytest.param(
            "['embedding', 'fuzzy']",
            {"Kuberntes": "fuzzy", "Bob": "fuzzy", "login system": "embedding"},
            marks=needs_vectors,
        ),
    ],
)
def test_only_the_steps_that_are_named_are_asked(said, steps, found):
    always = {"Robert Hughes": "exact", "The Boss": "alias"}
    never = dict.fromkeys(["Kuberntes", "Bob", "login system"], "none")

    assert methods(said(f"steps = {steps}")) == {**never, **always, **found}


@pytest.mark.parametrize("steps", ["[]", "['fuzzy']", "['embedding']"])
def test_the_status_says_which_steps_are_off_by_the_settings(said, steps):
    told = said(f"steps = {steps}")("get_status")["resolution"]
    off = {step for step, state in told.items() if state == "off: by the settings"}

    assert off == {"fuzzy", "embedding"} - {step for step in ("fuzzy", "embedding") if step in steps}
    assert (told["exact"], told["alias"]) == ("on", "on")


@needs_vectors
@pytest.mark.parametrize(("threshold", "found"), [(0.3, "Authentication service"), (0.995, None)])
def test_a_threshold_decides_what_means_the_same(said, threshold, found):
    assert said(f"accept = {threshold}").recalled("login system") == found


@pytest.mark.parametrize("model", ["/no/such/folder", "gpt-5", "sentence-transformers/all-MiniLM-L6-v2"])
def test_a_model_that_is_not_here_turns_the_rung_off_and_says_so(said, model):
    call = said(f"model = '{model}'")
    told = call("recall_entity", name_or_alias="login system")["resolution"]["embedding"]

    assert told.startswith("off: ")
    assert (call("get_status")["resolution"]["embedding"], call.recalled("Bob")) == (told, "Robert Hughes")
    assert model in told or store.vectors.extension_missing()


@needs_vectors
def test_another_model_leaves_the_vectors_of_the_first_alone(said, open_graph, path, tmp_path):
    said("").recalled("login system")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    call = said(f"model = '{folder}'")
    told = call("recall_entity", name_or_alias="login system")["resolution"]["embedding"]

    assert told.startswith("off: ")
    assert said("").recalled("login system") == "Authentication service"


# What is wrong

WRONG = [
    ("accept = 1.5", "accept"),
    ("accept = -0.1", "accept"),
    ("accept = nan", "accept"),
    ("accept = inf", "accept"),
    ("accept = '0.8'", "accept"),
    ("accept = true", "accept"),
    ("accept = [0.8]", "accept"),
    ("accept = 58", "accept"),
    ("accept = 2026-05-15", "accept"),
    ("accept = {}", "accept"),
    ("model = 3", "model"),
    ("model = ''", "model"),
    ("model = '  '", "model"),
    ("model = ['a', 'b']", "model"),
    ("steps = 'fuzzy'", "steps"),
    ("steps = ['telepathy']", "steps"),
    ("steps = ['fuzzy', 3]", "steps"),
    ("steps = [['fuzzy']]", "steps"),
    ("steps = {fuzzy = true}", "steps"),
]


@pytest.mark.parametrize(("line", "key"), WRONG)
def test_a_mistake_is_told_with_the_file_and_the_key(path, line, key):
    path.with_suffix(".toml").write_text(f"[names]\n{line}\n", encoding="utf-8")
    with pytest.raises(errors.SettingsInvalid) as wrong:
        keepgraph.open(path)
    envelope = wrong.value.answer()

    assert envelope["error"] == "SETTINGS_INVALID"
    assert str(path.with_suffix(".toml")) in envelope["message"]
    assert key in envelope["message"]


@pytest.mark.parametrize(
    "written", [b"[names", b"fuzzy 0.8", b"[names]\nfuzzy = .8", b"[names]\nmodel = '\xff'", b"\x00"]
)
def test_a_file_that_is_not_toml_is_told(path, written):
    path.with_suffix(".toml").write_bytes(written)
    with pytest.raises(errors.SettingsInvalid, match="not TOML") as wrong:
        keepgraph.open(path)

    assert str(path.with_suffix(".toml")) in wrong.value.message


def test_names_that_are_no_table_are_told_with_the_way_to_write_them(path):
    path.with_suffix(".toml").write_text("names = 3\n", encoding="utf-8")
    with pytest.raises(errors.SettingsInvalid, match="names is not a table") as wrong:
        keepgraph.open(path)

    assert "[names]" in str(wrong.value.answer()["hint"])


def test_a_mistake_makes_no_graph_and_spoils_none(path, said):
    path.with_suffix(".toml").write_text("[names]\naccept = 7\n", encoding="utf-8")
    with pytest.raises(errors.SettingsInvalid):
        keepgraph.open(path)
    missing = not path.exists()

    assert missing
    assert said("accept = 0.7").recalled("Bob") == "Robert Hughes"


def test_settings_that_cannot_be_read_are_told(path, monkeypatch):
    path.with_suffix(".toml").write_text("[names]\n", encoding="utf-8")

    def refused(*_: Any, **__: Any) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refused)
    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(keepgraph.KeepgraphError):
        keepgraph.open(path)


@pytest.mark.parametrize(
    "words", [["recall", "Bob"], ["status"], ["reindex"], ["record", "person:Ada", "tagged", "=x"]]
)
def test_the_command_line_says_what_is_wrong_in_the_settings(path, words):
    keepgraph.open(path).close()
    path.with_suffix(".toml").write_text("[names]\naccept = 7\n", encoding="utf-8")
    done = CliRunner().invoke(kg, ["--db", str(path), *words])

    assert done.exit_code == 1
    assert "SETTINGS_INVALID" in done.output
    assert "accept is not a number from 0 to 1" in done.output


def test_the_command_line_follows_the_settings(said, path):
    said("steps = []")
    done = CliRunner().invoke(kg, ["--db", str(path), "recall", "Bob"])

    assert done.exit_code == 3
