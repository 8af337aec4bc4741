"""What people say, and the command line that is plain from `kg --help`: each does what was meant, on a small graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from keepgraph.cli.root import kg

Kg = Callable[..., Result]

GRAPH = [
    ["me", "Ana Ruiz"],
    ["record", "person:Ana Ruiz", "works_at", "Acme"],
    ["record", "Ana Ruiz", "works_on", "project:Atlas"],
    ["record", "person:Bob", "works_on", "Atlas"],
    ["record", "Bob", "decided_in", "decision:Use Okta for authentication", "--from", "yesterday"],
    ["record", "decision:Use Okta for authentication", "belongs_to", "Atlas"],
    ["record", "person:Priya", "decided_in", "decision:Move the office to Lisbon"],
    ["record", "Atlas", "blocked_by", "=waiting for the licence"],
    ["record", "task:Renew the passport", "due_on", "=2020-01-31"],
    ["remember", "Read about incremental view maintenance in the Materialize blog."],
    ["remember", "The licence key is under the doormat."],
    ["remember", "We meet at noon."],
]

SENTENCES = [
    ("forget the note about the licence key", ["forget", "the note about the licence key", "--yes"], "licence key"),
    ("the licence has arrived", ["resolve", "the licence"], "waiting for the licence"),
    ("Ana left Acme in June", ["end", "Ana Ruiz", "works_at", "Acme", "--on", "in June"], "06-30"),
    (
        "what did we decide about auth lately?",
        ["decisions", "--about", "auth", "--since", "2 weeks ago"],
        "Use Okta for authentication, Bob, Atlas",
    ),
    ("what do you know about me?", ["recall", "me"], "works_at → Acme"),
    ("who works on Atlas?", ["search", "who works on Atlas?"], "Bob works on Atlas"),
    ("who is there?", ["list", "people"], "Ana Ruiz"),
    ("what is blocked?", ["list", "blockers"], "Atlas blocked_by “waiting for the licence”"),
    ("rename Bob to Robert", ["rename", "Bob", "Robert"], "Robert"),
    ("Ana is CTO now", ["set", "Ana Ruiz", "role=CTO"], "CTO"),
    ("what happened this week?", ["week"], "Use Okta for authentication"),
    ("undo that", ["undo"], "Took back call 12"),
    ("what should I do next?", ["next"], "Renew the passport"),
    ("note that the door is blue", ["remember", "The door is blue."], "Remembered: The door is blue."),
    ("which projects are there?", ["list", "projects"], "Atlas"),
    ("where did I read about view maintenance?", ["search", "view maintenance"], "Materialize blog"),
    ("what is there?", ["list"], "decision"),
    ("what is in it?", ["overview"], "Atlas"),
    ("Ana knows Zoe", ["record", "Ana Ruiz", "knows", "Zoe"], "Recorded: Ana Ruiz knows Zoe"),
    ("add Zoe", ["add", "person:Zoe"], "Added: Zoe"),
    ("forget everything about Bob", ["forget", "Bob", "--yes"], "Bob"),
    ("how much is there?", ["stats"], "decided_in 2"),
]

AS_TYPED = [
    ("who works on Atlas", "Bob works on Atlas"),
    ("What is under the doormat?", "licence key"),
    ("ask who works on Atlas?", "Bob works on Atlas"),
    ("find doormat", "licence key"),
    ("note The door is blue.", "Remembered: The door is blue."),
    ("people", "Priya"),
    ("projects", "Atlas"),
    ("tags", "There is nothing of the kind tags."),
    ("blockers", "waiting for the licence"),
    ("todo", "Renew the passport"),
    ("get Bob", "works_on → Atlas"),
    ("ls", "decision"),
    ("delete Bob --yes", "Bob"),
    ("whoami", "works_at → Acme"),
    ("add person:Zoe", "Added: Zoe"),
    ("stats", "decided_in 2"),
    ("next", "overdue"),
    ("list", "person"),
]

HINTS = [
    ("today", "kg next"),
    ("open", "kg show NAME"),
    ("graph", "kg overview"),
    ("version", "kg --version"),
    ("config", "kg profile show"),
    ("init", "kg install"),
    ("login", "no account"),
    ("sync", "kg export"),
    ("update", "kg set"),
    ("recrod x y z", "Did you mean “record”?"),
    ("frobnicate", "See “kg --help”"),
]


REACHED_FOR = """
    rename edit delete forget list projects people tags stats today next open graph ls add find note
""".split()
"""The words that a person typed on the first day, and none of which was there."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sentences") / "graph.db"
    for words in GRAPH:
        done = CliRunner().invoke(kg, ["--db", str(path), *words])
        assert done.exit_code == 0, done.output
    return path


@pytest.fixture
def run(filled: Path, path: Path) -> Kg:
    path.write_bytes(filled.read_bytes())

    def call(*words: str) -> Result:
        return CliRunner().invoke(kg, ["--db", str(path), *words], prog_name="kg")

    return call


@pytest.mark.parametrize(("words", "answer"), [row[1:] for row in SENTENCES], ids=[row[0] for row in SENTENCES])
def test_what_a_person_says_is_one_command(run: Kg, words: list[str], answer: str) -> None:
    result = run(*words)

    assert answer in result.output
    assert result.exit_code == 0


@pytest.mark.parametrize(("line", "answer"), AS_TYPED, ids=[row[0] for row in AS_TYPED])
def test_another_word_for_a_command_is_that_command(run: Kg, line: str, answer: str) -> None:
    result = run(*line.split())

    assert answer in result.output
    assert result.exit_code == 0


@pytest.mark.parametrize(("line", "advice"), HINTS, ids=[row[0] for row in HINTS])
def test_a_word_that_is_no_command_says_what_to_type(run: Kg, line: str, advice: str) -> None:
    result = run(*line.split())

    assert advice in result.output
    assert result.exit_code == 2


@pytest.mark.parametrize("word", REACHED_FOR)
def test_every_word_that_one_reaches_for_works_or_says_what_to_type(run: Kg, word: str) -> None:
    result = run(word, "--help")

    assert result.output.startswith("Usage: kg ")
    assert result.exit_code == 0 or "`kg " in result.output
