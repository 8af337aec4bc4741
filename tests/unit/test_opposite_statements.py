"""Opposite statements: one wants what the other refuses, and nothing else is different."""

from __future__ import annotations

import pytest

from keepgraph.language import opposites

OPPOSITE = [
    ("Adopt SQLite", "Don't use SQLite"),
    ("Use SQLite", "Drop SQLite"),
    ("Open the office", "Close the office"),
    ("Keep Redis", "Replace Redis"),
    ("Enable telemetry", "Disable telemetry"),
    ("Allow remote work", "Forbid remote work"),
    ("Increase the budget", "Reduce the budget"),
    ("Move to Lisbon", "Stay in Lisbon"),
]
NOT_OPPOSITE = [
    ("Adopt SQLite", "Adopt DuckDB"),
    ("Adopt SQLite", "Use SQLite"),
    ("Enable telemetry", "Do not disable telemetry"),
    ("Open the office", "Do not close the office"),
    ("Ship Atlas in May", "Do not ship Atlas in June"),
    ("Remote office", "No local office"),
    ("Replace Redis", "Replace Redis with Valkey"),
    ("Hire two engineers", "Hire three engineers"),
    ("Do not use SQLite", "Never use SQLite"),
]


@pytest.mark.parametrize(("statement", "other"), OPPOSITE)
def test_opposite_statements_are_recognised_either_way_round(statement, other):
    assert opposites.are_opposite(statement, other)
    assert opposites.are_opposite(other, statement)


@pytest.mark.parametrize(("statement", "other"), NOT_OPPOSITE)
def test_what_says_something_else_or_the_same_is_not_opposite(statement, other):
    assert not opposites.are_opposite(statement, other)
    assert not opposites.are_opposite(other, statement)
