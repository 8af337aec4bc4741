"""Two names of decisions say the same where the same is done to the same, and only then."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import lexicons, statements
from keepgraph.language.normalisation import Name

pytestmark = pytest.mark.law


def say_the_same(question: str, name: str) -> bool:
    return statements.say_the_same(Name(question).folded, Name(name).folded)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("shut down the office in Lisbon", "Close the Lisbon office"),
        ("push the gala back to spring", "Postpone the gala until spring"),
        ("put the cover price up to £3", "Raise the cover price to £3"),
        ("increase membership dues by 5%", "Raise membership fees by five percent"),
        ("make seat belts compulsory in the minibus", "Require seat belts in the minibus"),
        ("no more printed newsletter", "Stop printing the newsletter"),
        ("hire another hygienist", "Hire a second hygienist"),
        ("recruit an additional conductor", "Hire a second conductor"),
        ("turn tobacco clients away", "Decline tobacco clients"),
        ("switch to Zulip", "Replace Slack with Zulip"),
        ("swap Slack for Zulip", "Replace Slack with Zulip"),
        ("switch to a heat pump", "Replace the boiler for the school with a heat pump"),
        ("moving off Jira to Linear", "Switch from Jira to Linear"),
        ("renting the cathedral", "Rent the cathedral rather than the town hall"),
        ("prefer Kafka over RabbitMQ", "Choose Kafka over RabbitMQ"),
        ("rail, not lorry", "Ship by rail instead of lorry"),
        ("heat pump instead of the boiler", "Replace the boiler with a heat pump"),
        ("shift drill night to Thursday", "Move drill night to Thursdays"),
        ("redo the screen with fewer guides", "Repeat the screen with fewer guides"),
        ("extend the trial from 14 to 30 days", "Prolong the trial from 14 to 30 days"),
    ],
)
def test_the_same_in_other_words_is_the_same(question, name):
    assert say_the_same(question, name)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("switch from Linear to Jira", "Switch from Jira to Linear"),
        ("replace Zulip with Slack", "Replace Slack with Zulip"),
        ("switch to Slack", "Replace Slack with Zulip"),
        ("rent the town hall rather than the cathedral", "Rent the cathedral rather than the town hall"),
        ("start taking cash", "Stop taking cash"),
        ("don't stop taking cash", "Stop taking cash"),
        ("hire a second designer", "Hire a second data engineer"),
        ("hire a full-time archivist", "Hire a part-time archivist"),
        ("ban e-bikes", "Ban e-bikes from club races"),
        ("postpone the phone launch", "Postpone the tablet launch"),
        ("postpone the gala", "Postpone the gala until spring"),
        ("raise the price to £4", "Raise the price to £3"),
        ("raise dues by 5%", "Lower dues by 5%"),
        ("close the Lisbon office", "Open a Lisbon office"),
        ("keep the monorepo", "Split the monorepo"),
        ("the Lisbon office", "Close the Lisbon office"),
        ("move drill night to Tuesdays", "Move drill night to Thursdays"),
        ("buy a new fire engine", "Buy a used fire engine"),
        ("lorry, not rail", "Ship by rail instead of lorry"),
        ("road, not lorry", "Ship by rail instead of lorry"),
        ("give up the lease", "Offer the lease"),
        ("move to Berlin", "Move from Berlin"),
        ("raise the price by £3", "Raise the price to £3"),
        ("import organic wines until 2027", "Import organic wines from 2027"),
        ("open an office in Austria", "Open an office in Australia"),
        ("hire an internal auditor", "Hire an external auditor"),
        ("stop", "Stop"),
        ("no", "Do not sponsor the marathon"),
        ("", ""),
    ],
)
def test_another_action_or_another_object_is_not(question, name):
    assert not say_the_same(question, name)


WORDS = st.sampled_from(
    "we not no more stop adopt switch from to with replace office gala 5 second another the in over instead of put up "
    "push back".split()
)


@given(st.lists(WORDS, max_size=9).map(" ".join))
def test_what_says_something_says_what_it_says(text):
    """
    A name with an action and an object says the same as itself, however it is made; any other says nothing.
    """
    parsed = statements.parse(text)

    assert statements.say_the_same(text, text) == bool(parsed and parsed.objects)


@given(st.lists(WORDS, max_size=6).map(" ".join), st.lists(WORDS, max_size=6).map(" ".join))
def test_what_says_the_same_has_an_action_in_common(question, name):
    if statements.say_the_same(question, name):
        asked, had = statements.parse(question), statements.parse(name)

        assert asked.actions & had.actions
        assert len(asked.objects) == len(had.objects)


def test_every_line_of_the_lexicon_is_an_action_with_verbs():
    for action, verbs in lexicons.pairs("actions", "="):
        assert action.isalpha()
        assert all(verb.strip() for verb in verbs.split(","))
