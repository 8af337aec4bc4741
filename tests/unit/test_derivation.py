"""Derivation: a verb and the noun of its action, as a table."""

from __future__ import annotations

import pytest

from keepgraph.language import inflection

RELATED = """installing installation|expanding expansion|deciding decision|migrating migration|deploy deployment
retiring retirement|certified certification|closing closure|describe description|approved approval|storing storage
analyse analysis|permits permission|replaced replacement|extend extensions|fermenting fermentation"""
UNRELATED = "portal port|mission mit|page pa|moment mom|capital cap|lens lending|station stay"


def pairs_of(table: str) -> list[tuple[str, str]]:
    return [(pair.split()[0], pair.split()[1]) for line in table.splitlines() for pair in line.split("|")]


@pytest.mark.parametrize(("verb", "noun"), pairs_of(RELATED))
def test_a_verb_and_the_noun_of_its_action_are_related(verb, noun):
    """
    In either order.
    """
    assert (inflection.are_related(verb, noun), inflection.are_related(noun, verb)) == (True, True)


@pytest.mark.parametrize(("word", "other"), pairs_of(UNRELATED))
def test_words_that_only_end_so_are_not_related(word, other):
    """
    A short word before the ending is no verb.
    """
    assert not inflection.are_related(word, other)
