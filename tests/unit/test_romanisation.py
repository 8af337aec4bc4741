"""Which words in Latin letters a name in another script may be, as tables."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import romanisation

WRITTEN = [
    ("محمد الراشدي", "mohammed al rashidi"),
    ("محمد الراشدي", "muhammad rashidi"),
    ("فاطمة الزهراني", "fatima al zahrani"),
    ("يوسف حداد", "youssef haddad"),
    ("عبد الرحمن الخطيب", "abdulrahman al khatib"),
    ("عبد الرحمن الخطيب", "abdul rahman khatib"),
    ("خالد المنصوري", "khaled el mansouri"),
    ("إبراهيم قاسم", "ibrahim qasim"),
    ("عمر شريف", "omar sharif"),
    ("박지훈", "park ji hoon"),
    ("박지훈", "jihoon pak"),
    ("이서연", "lee seo yeon"),
    ("정우성", "jung woo sung"),
    ("김영희", "kim young hee"),
    ("윤석열", "yoon suk yeol"),
    ("류현진", "ryu hyun jin"),
    ("이수", "lee soo"),
]

NOT_WRITTEN = [
    ("أحمد الراشدي", "mohammed al rashidi"),
    ("فاتن الزهراني", "fatima al zahrani"),
    ("محمد الراشدي", "mohammed hassan al rashidi"),
    ("محمد", "mohammed"),
    ("박지현", "park ji hoon"),
    ("김지훈", "park ji hoon"),
    ("이서윤", "lee seo yeon"),
    ("박지훈 팀", "park ji hoon"),
    ("Park Ji-hoon", "park ji hoon"),
    ("", ""),
]


def may_be(name: str, folded: str) -> bool:
    words = romanisation.words_of_name(folded)
    return any(
        len(words) == len(reading)
        and any(
            all(one.accepts(word) and word[0] in one.beginnings for one, word in zip(reading, order, strict=True))
            for order in permutations(words)
        )
        for reading in romanisation.readings(name)
    )


@pytest.mark.parametrize(("name", "folded"), WRITTEN)
def test_a_name_may_be_written_so(name, folded):
    assert may_be(name, folded)


@pytest.mark.parametrize(("name", "folded"), NOT_WRITTEN)
def test_a_name_is_not_written_so(name, folded):
    assert not may_be(name, folded)


@pytest.mark.parametrize(
    ("name", "latin"),
    [
        ("Євгенія Ковальчук", "yevheniia kovalchuk"),
        ("Олександр Гриценко", "oleksandr hrytsenko"),
        ("Юлія Щербак-Яремчук", "yuliia shcherbak yaremchuk"),
        ("Сергій", "serhii"),
        ("Ёлкин", None),
        ("Ivan", None),
        ("محمد", None),
        ("", None),
    ],
)
def test_a_name_is_read_as_ukrainian(name, latin):
    assert latin == romanisation.ukrainian(name)


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_any_text_is_read(text):
    romanisation.ukrainian(text)

    assert all(one.beginnings for reading in romanisation.readings(text) for one in reading)
