"""Every tool of the five systems is accounted for, and the account is true."""

from __future__ import annotations

import pytest
from heritage import HERE, MENTIONED, TO_COME

from keepgraph import errors
from keepgraph.tools.contract import catalogue


def test_all_sixty_are_accounted_for():
    assert len(HERE) + len(TO_COME) == 60
    assert not HERE.keys() & TO_COME.keys()


@pytest.mark.parametrize(("theirs", "ours"), HERE.items())
def test_what_is_here_answers_to_its_own_name(theirs, ours):
    assert catalogue.find(theirs).name == ours


@pytest.mark.parametrize(("theirs", "ours"), TO_COME.items())
def test_what_is_to_come_is_not_here_yet(theirs, ours):
    with pytest.raises(errors.UnknownTool):
        catalogue.find(theirs)
    assert ours not in {tool.name for tool in catalogue.tools()}


def test_every_other_spelling_is_one_of_theirs():
    assert {theirs: ours for theirs, ours in (HERE | MENTIONED).items() if theirs != ours} == catalogue.TOOL_ALIASES
