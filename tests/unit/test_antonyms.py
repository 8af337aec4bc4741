"""Antonyms: words of which one excludes the other in a name."""

from __future__ import annotations

import pytest

from keepgraph.language import opposites


@pytest.mark.parametrize(
    ("word", "other"),
    [("summer", "winter"), ("autumn", "spring"), ("fall", "winter"), ("spring", "summer"), ("upload", "download")],
)
def test_they_exclude_each_other_whichever_comes_first(word, other):
    assert opposites.differ_by_antonym([word], [other])
    assert opposites.differ_by_antonym([other], [word])


@pytest.mark.parametrize(("word", "other"), [("autumn", "fall"), ("spring", "spring"), ("winter", "month")])
def test_other_words_do_not(word, other):
    assert not opposites.differ_by_antonym([word], [other])
