"""Identifiers: every spelling of one is the same, and another identifier is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import identifiers


@pytest.mark.parametrize(
    "spellings",
    [
        ("10.1145/1327452.1327492", "doi:10.1145/1327452.1327492", "https://dl.acm.org/doi/10.1145/1327452.1327492"),
        ("10.1002/ABC.1", "DOI 10.1002/abc.1", "<http://dx.doi.org/10.1002/abc.1>"),
        ("1706.03762", "arXiv:1706.03762", "https://arxiv.org/pdf/1706.03762v5", "arxiv.org/abs/1706.03762"),
        ("arXiv:hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001v3"),
        ("ISBN 978-1942788812", "isbn 9781942788812", "ISBN-10: 1-942788-81-9", "978-1-942788-81-2"),
        ("https://www.example.org/a/b/", "example.org/a/b", "http://Example.org/a/b?utm_source=x&fbclid=1#top"),
        ("https://example.org/p?id=3", "example.org/p?id=3&utm_medium=mail"),
        (
            "j.silva@example.org",
            "J.Silva@Example.org",
            "mailto:j.silva@example.org",
            "João Silva <j.silva@example.org>",
        ),
        ("+351 912 345 678", "tel:+351-912-345-678", "00351912345678", "+351 (0)912 345 678"),
        ("0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097", "ORCID: 0000-0002-1825-0097"),
        ("git@example.org:ada/notes.git", "https://example.org/ada/notes.git", "ssh://git@example.org/ada/notes"),
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
        ("j.silva@example.org", "j.silva@example.com"),
        ("+351 912 345 678", "+351 912 345 679"),
    ],
)
def test_another_identifier_is_read_otherwise(one, other):
    assert identifiers.canonical(one) != identifiers.canonical(other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Project Atlas",
        "https://example.org",
        "ada@example",
        "12.5",
        "912 345 678",
        "0000-0002-1825-0098",
        "http://[::1",
        "a/b",
    ],
)
def test_what_identifies_nothing_is_no_identifier(text):
    assert identifiers.canonical(text) is None


def test_a_property_says_what_its_number_is():
    assert identifiers.canonical("978-1942788812", key="isbn") == "isbn:9781942788812"
    assert identifiers.canonical("9781942788813") is None  # the check digit is wrong: some other number
    assert identifiers.canonical("912 345 678", key="phone") == "tel:912345678"


@given(st.one_of(st.text(max_size=30), st.from_regex(r"(doi:|tel:|isbn |orcid |mailto:|git@)?[\w./:@+ -]{1,40}")))
def test_the_canonical_spelling_is_its_own_and_passes_the_test_before(text):
    identifier = identifiers.canonical(text)
    if identifier is None:
        return

    assert identifiers.canonical(identifier) == identifier
    assert identifiers.may_be(text)
    assert identifiers.may_be(identifier)
