"""`kg remember`, as a person and as a script use it."""

from __future__ import annotations

import json
import shlex

import pytest
from click.testing import Result

from words import Kg

NOTE = "Priya reports to Ada Lovelace. We decided to use PostgreSQL."


def lines(result: Result) -> list[str]:
    return [line.split("  (ep_")[0].rstrip() for line in result.output.splitlines()]


def test_a_note_is_kept_and_what_is_recognised_is_shown_in_few_lines(run: Kg) -> None:
    run("record", "person:Ada Lovelace", "tagged", "=lead")
    shown = run("remember", NOTE)

    assert shown.exit_code == 0
    assert lines(shown) == [
        f"Remembered: {NOTE}",
        "  mentions Ada Lovelace",
        "  new names: Priya, PostgreSQL, Use PostgreSQL",
        "  perhaps: kg record person:Priya reports_to 'person:Ada Lovelace'",
    ]


def test_the_command_that_is_shown_records_the_fact(run: Kg) -> None:
    shown = run("remember", NOTE)
    (proposed,) = [line.removeprefix("  perhaps: kg ") for line in lines(shown) if "perhaps" in line]

    assert run(*shlex.split(proposed)).exit_code == 0


def test_a_note_is_read_from_standard_input_to_the_letter(run: Kg) -> None:
    text = "First.\n\n  Zweitens: größer 東京\n"
    added = json.loads(run("--json", "remember", "-", "--at", "2026-05-01", input=text.encode()).output)
    kept = json.loads(
        run("tool", "call", "get_full_document", "--json", json.dumps({"doc_id": added["doc_id"]})).output
    )

    assert kept["text"] == text
    assert kept["valid_at"].startswith("2026-05-01T00:00")


def test_a_note_that_is_known_is_said_to_be(run: Kg) -> None:
    run("remember", NOTE)

    assert lines(run("remember", NOTE))[0] == f"Known already: {NOTE}"


def test_a_note_is_about_what_is_named(run: Kg) -> None:
    run("record", "project:Atlas", "tagged", "=active")
    shown = run("remember", "Blocked by the vendor contract.", "--about", "Atlas")

    assert "  perhaps: kg record project:Atlas blocked_by 'concept:vendor contract'" in lines(shown)


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (["remember", " "], None, "EPISODE_INVALID"),
        (["remember", "-"], b"", "EPISODE_INVALID"),
        (["remember", "-"], b"\xff\xfe\xff", "EPISODE_INVALID"),
        (["remember", "x", "--at", "soon"], None, "MOMENT_INVALID"),
        (["remember", "x", "--about", ""], None, "INVALID_ARGUMENTS"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_code(run: Kg, words: list[str], told: bytes | None, code: str) -> None:
    refused = run("--json", *words, input=told)

    assert refused.exit_code == 1
    assert json.loads(refused.output)["error"] == code


def test_a_terminal_is_not_steered_by_a_note(run: Kg) -> None:
    assert "\x1b" not in run("remember", "Ada \x1b[31mLovelace met Bob\x07").output
