"""Every tool of the five systems is accounted for, and the account is true."""

from __future__ import annotations

import pytest
from heritage import HERE, MENTIONED

from keepgraph.tools.contract import catalogue


def test_all_sixty_are_accounted_for():
    assert len(HERE) == 60


@pytest.mark.parametrize(("theirs", "ours"), HERE.items())
def test_what_is_here_answers_to_its_own_name(theirs, ours):
    assert catalogue.find(theirs).name == ours


def test_every_other_spelling_is_one_of_theirs():
    assert {theirs: ours for theirs, ours in (HERE | MENTIONED).items() if theirs != ours} == catalogue.TOOL_ALIASES
