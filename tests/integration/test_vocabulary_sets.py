"""Vocabulary sets: those that come with Keepgraph are what they are."""

from __future__ import annotations

import pytest

from words import rows


@pytest.mark.parametrize("name", ["core", "personal", "research"])
def test_a_set_of_another_content_does_not_take_the_name_of_one_that_comes_with_it(call, path, name):
    before = rows(path, "SELECT name, version FROM vocabulary_set ORDER BY id")
    refused = call("add_vocabulary_set", definition={"name": name, "version": "9", "types": {"yy": {}}})

    assert refused["error"] == "VOCABULARY_CONFLICT"
    assert rows(path, "SELECT name, version FROM vocabulary_set ORDER BY id") == before
    assert rows(path, "SELECT 1 FROM entity_type WHERE name = 'yy'") == []


def test_a_set_that_comes_with_it_may_be_given_as_it_is(call):
    call("remove_vocabulary_set", name="personal")
    definition = {"name": "zoo", "version": "1", "types": {"keeper": {"parents": ["person"]}}}
    added = call("add_vocabulary_set", definition=definition)

    assert added["added"] == ["keeper"]
