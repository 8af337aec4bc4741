"""What the pages show of the command line is what a reader gets, command by command.

`pytest tests/conformance/test_transcripts.py --update-golden` writes the answers into the pages anew.
"""

from __future__ import annotations

import re
import shlex
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from keepgraph import graph
from keepgraph.cli import dates
from keepgraph.cli.root import kg
from keepgraph.store import database

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "docs/install.md",
    "docs/recipes.md",
    "docs/moving.md",
    "docs/names.md",
    "docs/changing.md",
)
RUN_ELSEWHERE = {
    "make demo": "CI runs it",
    "make dist": "CI runs it",
    "uv tool install .": "CI installs the same by pip (make wheel-test)",
    "kg install claude-desktop": "test_install.py",
    "kg install claude-code": "test_install.py",
    "kg install claude-desktop --profile work": "test_two_graphs_in_one_client.py",
}
CONSOLE = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
A_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
A_TIME = re.compile(r"\b\d{2}:\d{2}\b")
A_SIZE = re.compile(r"\b\d+\.\d MB\b")
A_COUNT_OF_ROWS = re.compile(r"[\d,]+ rows")
A_THURSDAY = datetime(2026, 11, 19, 10, tzinfo=UTC)
"""When the commands are run: yesterday lies in the same week, whenever the tests are run."""
AN_ID = re.compile(r"\b(ent|ep|fact)_[0-9a-z]{26}")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the pages show the folders of Linux")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home that nothing has been in: no graph, no profile, no key."""
    monkeypatch.chdir(tmp_path)
    for name, folder in (("XDG_DATA_HOME", ".local/share"), ("XDG_CONFIG_HOME", ".config")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    for name in ("KG_DB", "KG_PROFILE", "KG_KEY", "KG_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def clock(monkeypatch):
    """The clock that the commands read; it goes on from a certain Thursday."""
    begin = time.monotonic()

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return (A_THURSDAY + timedelta(seconds=time.monotonic() - begin)).astimezone(tz)

    for module in (graph, database, dates):
        monkeypatch.setattr(module, "datetime", Clock)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_shows_what_happens(home, clock, page, request):
    """
    All its commands in order, in one new home; days, times and ids are others each time.
    """
    file = ROOT / page
    text = file.read_text(encoding="utf-8")
    ids: dict[str, str] = {}

    def show(block: re.Match[str]) -> str:
        return COMMAND.sub(lambda shown: f"$ {shown[1]}\n{_answer(shown, home, ids)}", block[1])

    actual = CONSOLE.sub(show, text)
    if request.config.getoption("--update-golden"):
        file.write_text(actual, encoding="utf-8")

    assert _without_what_changes(actual) == _without_what_changes(text)


def _answer(shown: re.Match[str], home: Path, ids: dict[str, str]) -> str:
    """What a command answers now, with the empty lines that the page has after it."""
    command, answer = shown[1], shown[2]
    if command in RUN_ELSEWHERE:
        return answer
    words = shlex.split(command, comments=True)
    assert words[0] == "kg", f"no test runs {command!r}"
    # The page names ids of the day on which it was written.
    words = [ids.get(word, word) for word in words[1:]]
    output = CliRunner().invoke(kg, words, prog_name="kg").output
    output = output.replace(f"{home}/.", "~/.").replace(f"{home}/", "")
    ids.update(zip((it[0] for it in AN_ID.finditer(answer)), (it[0] for it in AN_ID.finditer(output)), strict=False))
    empty_lines = len(answer) - len(answer.rstrip("\n"))
    return output.rstrip("\n") + "\n" * max(empty_lines, 1) if output else answer[len(answer.rstrip("\n")) :]


def _without_what_changes(text: str) -> str:
    text = A_SIZE.sub("SIZE", A_COUNT_OF_ROWS.sub("ROWS", A_TIME.sub("TIME", text)))
    return AN_ID.sub("ID", A_DAY.sub("DAY", text))
