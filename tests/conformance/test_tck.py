"""The openCypher conformance kit: every scenario that a query engine that only reads can be asked, on both targets.

The kit is not part of the project; it is looked for in the folder that KEEPGRAPH_TCK names, or at ../shared/tck.
What does not pass stands in NOT_PASSED with its reason, and must not pass unnoticed either.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

KIT = Path(os.environ.get("KEEPGRAPH_TCK") or Path(__file__).parents[3] / "shared" / "tck")

NOT_PASSED: dict[str, str] = {}
"""Scenarios by the kit's name for them, each with the reason why it does not pass."""

pytestmark = pytest.mark.skipif(not (KIT / "cyphertck").is_dir(), reason=f"there is no conformance kit at {KIT}")


@pytest.fixture(scope="module")
def kit() -> Iterator[Any]:
    sys.path.insert(0, str(KIT))
    from cyphertck import runner

    yield runner
    sys.path.remove(str(KIT))


@pytest.fixture(scope="module")
def answered(kit):
    """What became of each scenario where SQL says what it can, and what answered it: SQL, Python or both."""
    import tck_adapter

    adapter = tck_adapter.Keepgraph()
    adapter.open()
    found = []
    for scenario in kit.scenarios():
        adapter.by = None
        found.append((scenario, kit.run_one(adapter, scenario, level="detail"), adapter.by))
    return found


@pytest.fixture(scope="module", params=["Keepgraph", pytest.param("Reference", marks=pytest.mark.slow)])
def outcomes(kit, answered, request):
    """What became of each scenario: SQL where it can say it, and Python alone."""
    import tck_adapter

    if request.param == "Keepgraph":
        return [outcome for _, outcome, _ in answered]
    adapter = tck_adapter.Reference()
    adapter.open()
    return [kit.run_one(adapter, scenario, level="detail") for scenario in kit.scenarios()]


@pytest.mark.parametrize("tier", ["core", "temporal"])
@pytest.mark.parametrize("kind", ["positive", "error"])
def test_every_scenario_passes_but_those_that_are_listed(outcomes, tier, kind):
    """Answers and errors apart; an error must be of the right type and detail."""
    asked = [each for each in outcomes if each.tier == tier and (each.kind == "error") == (kind == "error")]
    failed = {each.id: each.note for each in asked if each.status != "pass" and each.id not in NOT_PASSED}

    assert failed == {}


def test_what_is_listed_as_not_passed_does_not_pass(outcomes):
    passed = {each.id for each in outcomes if each.status == "pass"}

    assert set() == passed & set(NOT_PASSED)


def test_most_answers_come_from_sql_alone(answered):
    """Python is there for what SQL cannot say, and not to hide that SQL says little."""
    by = [
        found_by
        for scenario, _, found_by in answered
        if scenario.expected.kind != "error" and "MATCH" in scenario.query and "clauses/" in scenario.folder
    ]

    assert len(by) > 100
    assert None not in by
    assert by.count("sql") > len(by) * 0.4
    assert by.count("python") < len(by) * 0.3
