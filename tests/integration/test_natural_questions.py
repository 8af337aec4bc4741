"""Questions in Cypher as models and people write them: each is answered, or told why it finds nothing.

The questions are in tests/golden/questions.txt, each in a line, with `$` its parameters, and then `=` what it gives,
`?` the kind of the warning that says why it finds nothing or why it says little, or `!` the code of its error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import keepgraph
from keepgraph.engine.query import empty_results
from words import Caller, Clock, concept, counted, decision, fact, literal, person, project

QUESTIONS = Path(__file__).parents[1] / "golden" / "questions.txt"

ADA, ALAN, GRACE, MARY = map(person, ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Mary Jackson"))
ATLAS, BEACON, SQLITE = project("Atlas"), project("Beacon"), concept("SQLite")
ADOPT, SHIP = decision("Adopt SQLite"), decision("Ship in June")
ACME, PLATFORM = {"type": "organisation", "name": "Acme"}, {"type": "team", "name": "Platform"}

FACTS = {
    datetime(2026, 4, 1, 9, tzinfo=UTC): [
        fact(GRACE, "works_at", ACME, valid_from="2020-01-01", valid_to="2025-06-30"),
        fact(GRACE, "leads", PLATFORM, valid_from="2025-07-01"),
        fact(ADA, "reports_to", GRACE, source="chart"),
        fact(ALAN, "reports_to", GRACE),
        fact(GRACE, "reports_to", MARY),
        fact(ADA, "works_at", ACME, valid_from="2024-03-01"),
        fact(ADA, "member_of", PLATFORM),
        fact(PLATFORM, "part_of", ACME),
    ],
    datetime(2026, 5, 1, 9, tzinfo=UTC): [
        fact(ADA, "works_on", ATLAS),
        fact(ALAN, "works_on", ATLAS),
        fact(ALAN, "works_on", BEACON),
        fact(BEACON, "depends_on", ATLAS),
        fact(ATLAS, "depends_on", SQLITE),
        fact(ATLAS, "tagged", literal("active")),
        fact(BEACON, "tagged", literal("active")),
        fact(BEACON, "tagged", literal("risky")),
        fact(ADA, "knows", ALAN),
    ],
    datetime(2026, 5, 10, 9, tzinfo=UTC): [
        fact(ADA, "decided_in", ADOPT, source="standup"),
        fact(ADOPT, "belongs_to", ATLAS),
        fact(MARY, "born_on", literal("1921-04-09")),
    ],
    datetime(2026, 5, 14, 9, tzinfo=UTC): [
        fact(ALAN, "decided_in", SHIP, confidence=0.6),
        fact(SHIP, "belongs_to", BEACON),
        fact(BEACON, "blocked_by", literal("waiting for the licence")),
        fact(BEACON, "due_on", literal("2026-06-30")),
    ],
    datetime(2026, 5, 15, 9, tzinfo=UTC): [
        fact(person("Eve Novak"), "works_at", {"type": "organisation", "name": "Initech"}, valid_from="2026-05-15"),
    ],
}


@pytest.fixture(scope="module")
def ask(new_file: Callable[[], Path]) -> Iterator[Callable[..., dict[str, Any]]]:
    clock = Clock()
    with (
        pytest.MonkeyPatch.context() as patch,
        keepgraph.open(new_file(), clock=clock, new_id=counted(), zone=UTC) as graph,
    ):
        call = Caller(graph)
        for day, facts in FACTS.items():
            clock.now = day
            answer = call("record_facts", facts=facts)
            assert [each for each in answer["results"] if "error" in each] == []
        call("update_entity", entity=ADA, properties={"age": 36})
        clock.pass_by(hours=1)
        # On a busy machine, no probe takes a few milliseconds.
        patch.setattr(empty_results, "MAX_SECONDS", 10.0)
        yield lambda query, parameters: call("run_cypher", query=query, parameters=parameters)


def questions() -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Each question, its parameters, the sign of what is expected, and what is."""
    query, parameters = "", {}
    for line in QUESTIONS.read_text().splitlines():
        sign, _, text = line.strip().partition(" ")
        if not line.startswith("    "):
            query, parameters = json.loads(line) if line.startswith('"') else line, {}
        elif sign == "$":
            parameters = json.loads(text)
        else:
            yield query, parameters, sign, text


def outcome(answer: dict[str, Any]) -> tuple[str, Any]:
    """What came of a question, as the file writes it: rows of one value are values."""
    if answer["type"] == "error":
        return "!", answer["code"]
    if answer.get("warnings"):
        return "?", answer["warnings"][0]["kind"]
    if "rows" in answer:
        return "=", [row[0] if len(row) == 1 else row for row in answer["rows"]]
    return "=", answer["result"] if answer["type"] == "scalar" else answer["row_count"]


def test_every_question_is_answered_or_told_why_not(ask: Callable[..., dict[str, Any]]) -> None:
    wrong = {}
    for query, parameters, sign, text in questions():
        expected = (sign, json.loads(text) if sign == "=" else text)
        found = outcome(ask(query, parameters))
        if found != expected:
            wrong[query] = (expected, found)

    assert wrong == {}


def test_no_question_finds_nothing_in_silence(ask: Callable[..., dict[str, Any]]) -> None:
    silent = []
    for query, _, sign, text in questions():
        asks_for_nothing = "LIMIT 0" in query
        if sign == "=" and text in ("[]", "0", "null", "[null]", "false") and not asks_for_nothing:
            silent.append(query)

    assert silent == []


@pytest.mark.parametrize(
    ("query", "near"),
    [
        ("MATCH (x:Project {name: 'Atlas'})-[:DEPENDS_ON]->(y:Project) RETURN y",
         "(x:Project {name: 'Atlas'})<-[:DEPENDS_ON]-(y:Project)"),
        ("MATCH (p:Person) WHERE p.name =~ 'ada.*' RETURN p", "Ada Lovelace"),
        ("MATCH ()-[r]->() WHERE r.source = 'Standup' RETURN r", "standup"),
        ("MATCH (p:Person) WHERE toLower(p.name) CONTAINS $q RETURN p", "ada lovelace"),
        ("MATCH (p:Project) WHERE p.due_on < date() RETURN p", "(n)-[:DUE_ON]->(x)"),
    ],
)  # fmt: skip
def test_a_warning_says_what_has_rows_instead(ask: Callable[..., dict[str, Any]], query: str, near: str) -> None:
    assert ask(query, {"q": "Ada"})["warnings"][0]["near"][0] == near


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("MATCH (p:Person {name: 'Grace Hopper'})-[:WORKS_AT]->(o) RETURN o", "ended, the last one on 2025-07-01"),
        ("MATCH (p:Person) WHERE p.name CONTAINS 'a' AND size(p.name) > 99 RETURN p",
         "No row passes size(p.name) > 99"),
        ("MATCH (p:Person) WHERE p.name STARTS WITH 'A' MATCH (p)-[:LEADS]->(t)-[:PART_OF]->(o) RETURN o",
         "the type in -[:LEADS]->; without it there are rows, where the type is 'MEMBER_OF'"),
        ("MATCH (p:Person)-[:LIVES_IN]->(c:City {name: 'Rome'}) RETURN c", "Nothing matches (p:Person)-[:LIVES_IN]->"),
        ("MATCH (p:Person) WHERE p.age > 99 AND size(p.name) > 99 RETURN p", "No row passes all these conditions"),
        ("MATCH (d:Decision) WHERE d.created_at > $since RETURN d", "where d.created_at is '2026-05-10T"),
        ("MATCH (p:Person) WHERE p.age > '30' RETURN p", "where p.age is 36, null."),
        ("MATCH (n:Person)-[r]->() WHERE type(r) = 'sails' RETURN n", "where type(r) is 'BORN_ON', 'DECIDED_IN'"),
        ("MATCH (n:Organisation) WHERE n:Person RETURN n", "where the label is"),
    ],
)  # fmt: skip
def test_a_warning_says_why_there_are_no_rows(ask: Callable[..., dict[str, Any]], query: str, message: str) -> None:
    assert message in ask(query, {"since": "yesterday"})["warnings"][0]["message"]
