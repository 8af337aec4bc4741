"""Identifiers of documents: every spelling of one is the same, and another identifier is not."""

from __future__ import annotations

import pytest

from keepgraph.language import identifiers


@pytest.mark.parametrize(
    "spellings",
    [
        ("10.1145/1327452.1327492", "doi:10.1145/1327452.1327492", "https://dl.acm.org/doi/10.1145/1327452.1327492"),
        ("10.1002/ABC.1", "DOI 10.1002/abc.1", "<http://dx.doi.org/10.1002/abc.1>"),
        ("1706.03762", "arXiv:1706.03762", "https://arxiv.org/pdf/1706.03762v5", "arxiv.org/abs/1706.03762"),
        ("arXiv:hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001v3"),
        ("ISBN 978-1942788812", "isbn 9781942788812", "ISBN-10: 1-942788-81-9"),
        ("https://www.example.org/a/b/", "example.org/a/b", "http://Example.org/a/b?utm_source=x&fbclid=1#top"),
        ("https://example.org/p?id=3", "example.org/p?id=3&utm_medium=mail"),
    ],
)
def test_every_spelling_of_an_identifier_is_read_alike(spellings):
    read = {identifiers.canonical(spelling) for spelling in spellings}

    assert len(read) == 1
    assert None not in read
    core = identifiers.letters(read.pop())
    assert all(core in spelling.casefold().replace("-", "") for spelling in spellings)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("arXiv:1706.03762", "arXiv:1706.03763"),
        ("https://example.org/p?id=3", "https://example.org/p?id=4"),
        ("https://example.org/a", "https://example.org/a/b"),
        ("ISBN 9781942788812", "ISBN 9781942788829"),
    ],
)
def test_another_identifier_is_read_otherwise(one, other):
    assert identifiers.canonical(one) != identifiers.canonical(other)


@pytest.mark.parametrize(
    "text", ["", "Project Atlas", "https://example.org", "ada@example.org", "12.5", "http://[::1", "a/b"]
)
def test_what_identifies_no_document_is_no_identifier(text):
    assert identifiers.canonical(text) is None


def test_a_property_says_what_its_number_is():
    assert identifiers.canonical("978-1942788812", key="isbn") == "isbn:9781942788812"
    assert identifiers.canonical("978-1942788812") is None
