"""Relation extraction by patterns: few facts rather than wrong ones."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgraph.language import relation_extraction, time_references


def extracted(text: str, about: str | None = None) -> list[tuple[str, str, str]]:
    return [(fact.subject, fact.role, fact.object) for fact in relation_extraction.extract_facts(text, about=about)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Priya reports to Ada Lovelace.", [("Priya", "reports", "Ada Lovelace")]),
        ("Priya's manager is Bob", [("Priya", "reports", "Bob")]),
        ("Ada is the manager of Priya.", [("Priya", "reports", "Ada")]),
        ("Atlas is blocked by the vendor contract.", [("Atlas", "blocks", "vendor contract")]),
        ("Atlas is waiting for the legal review.", [("Atlas", "blocks", "legal review")]),
        ("Livio still waits for two titles.", [("Livio", "blocks", "two titles")]),
        ("PostgreSQL blocks notification-service", [("notification-service", "blocks", "PostgreSQL")]),
        (
            "Atlas depends on PostgreSQL, Redis and Kafka.",
            [("Atlas", "depends", other) for other in ("PostgreSQL", "Redis", "Kafka")],
        ),
        ("notification-service needs PostgreSQL", [("notification-service", "depends", "PostgreSQL")]),
        ("PostgreSQL is required by GraphQL.", [("GraphQL", "depends", "PostgreSQL")]),
        ("The login bug was fixed by Priya Raman.", [("login bug", "resolves", "Priya Raman")]),
        ("GraphQL belongs to Project Atlas", [("GraphQL", "part_of", "Atlas")]),
        ("GraphQL is part of Atlas", [("GraphQL", "part_of", "Atlas")]),
        ("Priya decided to postpone the launch.", [("Priya", "decides", "Postpone the launch")]),
        ("Ada Lovelace reports to Dr. Grace Hopper.", [("Ada Lovelace", "reports", "Grace Hopper")]),
        ("Ada Lovelace reports to Dr. Hopper.", [("Ada Lovelace", "reports", "Dr. Hopper")]),
        ("Atlas is blocked by St. Brigid's Hospital.", [("Atlas", "blocks", "St. Brigid's Hospital")]),
        ("Ada Lovelace reports to Gen. Jo Frost.", [("Ada Lovelace", "reports", "Jo Frost")]),
    ],
)
def test_a_plainly_worded_fact_is_found(text, expected):
    assert expected == extracted(text)


@pytest.mark.parametrize(
    "text",
    [
        "Atlas does not depend on Redis.",
        "Priya no longer reports to Ada.",
        "If Atlas depends on Redis, we wait.",
        "Does Priya report to Ada?",
        "Atlas depends on Redis?",
        "Atlas might be blocked by Legal.",
        "Atlas will depend on Redis.",
        "It depends on the weather.",
        "We need more time. She needs sleep.",
        "Weekly reports to Priya.",
        "She sent reports to Bob.",
        "We decided not to use Mongo.",
        "We agreed on Monday.",
        "The team is waiting on legal.",
        "The outage was resolved by restarting the server.",
        "Atlas used to depend on Redis.",
        "Alice's manager is on vacation.",
        "Der Start hängt von Redis ab.",
        "Blocked by Legal",
        "",
    ],
)
def test_what_is_asked_denied_or_supposed_is_no_fact(text):
    assert not extracted(text)


def test_what_a_text_is_about_is_the_subject_that_is_left_out():
    expected = [("Atlas", "blocks", "legal review")]

    assert expected == extracted("- Blocked by the legal review", about="Atlas")


def test_a_decision_belongs_to_what_the_text_is_about():
    expected = [("Use PostgreSQL", "part_of", "Atlas")]

    assert expected == extracted("We decided to use PostgreSQL because of JSON.", about="Atlas")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We decided to use PostgreSQL, for JSON.", ("Use PostgreSQL", None)),
        ("Decision: adopt SQLite, not MySQL", ("Adopt SQLite", None)),
        ("Priya has decided to hire Bob", ("Hire Bob", "Priya")),
        ("We decided to hire Dr. Grace Hopper. She agreed.", ("Hire Dr. Grace Hopper", None)),
        ("Priya decided to use Node.js for the site.", ("Use Node.js for the site", "Priya")),
    ],
)
def test_a_decision_is_named_by_its_clause(text, expected):
    assert [expected] == [(decision.name, decision.by) for decision in relation_extraction.extract_decisions(text)]


@pytest.mark.parametrize(
    ("text", "name", "by", "day"),
    [
        ("On 2025-01-05 Robert Hale decided to use Go.", "Use Go", "Robert Hale", "2025-01-05"),
        ("Robert Hale decided to drop Perl on 3 March 2025.", "Drop Perl", "Robert Hale", "2025-03-03"),
        ("Robert Hale decided to drop Perl on March 3, 2025, for speed.", "Drop Perl", "Robert Hale", "2025-03-03"),
        ("We decided on 3 March 2025 to use Go.", "Use Go", None, "2025-03-03"),
        ("Decision (2025-01-05): adopt SQLite", "Adopt SQLite", None, "2025-01-05"),
        ("2025-01-05: we decided to use Go", "Use Go", None, "2025-01-05"),
        ("We decided to ship by 3 March 2025.", "Ship by 3 March 2025", None, None),
        ("We decided to launch on 3 June 2027.", "Launch on 3 June 2027", None, None),
        ("We decided to keep the 2025-01-05 report.", "Keep the 2025-01-05 report", None, None),
        ("On 30 February 2025 we decided to use Go.", "Use Go", None, None),
        ("On 14 April Marta decided to ship weekly.", "Ship weekly", "Marta", "2026-04-14"),
        ("We agreed on December 9th to drop SOAP.", "Drop SOAP", None, "2025-12-09"),
        ("We decided to leave Graz (2 Feb).", "Leave Graz", None, "2026-02-02"),
        ("We decided to launch on 3 June.", "Launch on 3 June", None, None),
    ],
)
def test_the_day_of_a_decision_is_no_part_of_its_name(text, name, by, day):
    [decision] = relation_extraction.extract_decisions(text, written_on="2026-05-01")

    assert (name, by) == (decision.name, decision.by)
    assert day == time_references.split(text, not_after="2026-05-01")[1]


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("- Project Helios. Blocked by legal", ["Helios"]),
        ("- Titan. Depends on Kafka", []),  # an English word too: not sure
        ("- **Juno Two**. Depends on Kafka.", ["Juno Two"]),
        ("1. Orion\n   Blocked by Rust", ["Orion"]),
        ("- Payment gateway. Waiting for Klarna", []),
        ("- Ana wrote the parser. Depends on Kafka.", []),
        ("- We are done here. Depends on Kafka.", ["Atlas"]),
        ("- Titan\n- Depends on Kafka", ["Atlas"]),
        ("Titan.\n\nDepends on Kafka", ["Atlas"]),
        ("# Titan\nDepends on Kafka", ["Atlas"]),
    ],
)
def test_a_left_out_subject_is_the_name_before_it_in_its_list_item_else_what_the_text_is_about(text, subjects):
    assert subjects == [fact.subject for fact in relation_extraction.extract_facts(text, about="Atlas")]


def test_the_evidence_is_the_sentence():
    text = "Hello there, this is a line that is wrapped. Priya reports\nto Ada. Goodbye."
    (fact,) = relation_extraction.extract_facts(text)

    assert fact.evidence == "Priya reports to Ada."
    assert text[fact.start : fact.end] == "Priya reports\nto Ada."


def test_what_others_say_is_less_sure():
    own = relation_extraction.extract_facts("Atlas depends on PostgreSQL.")[0]
    quoted = relation_extraction.extract_facts("> Atlas depends on PostgreSQL.")[0]
    heard = relation_extraction.extract_facts("Bob said that Atlas depends on PostgreSQL.")[0]

    assert own.confidence > quoted.confidence == heard.confidence


PIECES = ["Priya", "Atlas", "PostgreSQL", " reports to ", " depends on ", " said that ", *"Ab.,'’\n?`:->"]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
@example("Priya reports to Ada. Atlas depends on PostgreSQL.")
def test_any_text_has_an_answer(text):
    assert all(0 < fact.confidence <= 1 for fact in relation_extraction.extract_facts(text, about="Atlas"))
