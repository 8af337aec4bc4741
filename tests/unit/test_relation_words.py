"""The words of relations: inflection of wordings, dates and quantities, and the shapes of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import inflection, name_shapes, quantities

TEXTS = st.text(alphabet=st.sampled_from("abdefginorstwy AÉ19-,.'&中\n"), max_size=40)


@pytest.mark.parametrize(
    "wordings",
    [
        ("works for", "worked for", "is working for", "has been working for", "will be working for", "work for"),
        ("lives in", "lived in", "is living in", "now lives in"),
        ("wrote", "has written", "writes", "is writing"),
        ("is a member of", "was the member of", "members of", "member of"),
        ("is married to", "was married to", "married to"),
        ("studies at", "studied at", "studying at"),
        ("uses", "used", "is using"),
        ("plans", "planned", "planning"),
        ("agrees with", "agreed with"),
        ("needs", "needed"),
    ],
)
def test_inflections_of_one_wording_have_one_normal_form(wordings):
    assert len({inflection.normal_form(wording) for wording in wordings}) == 1


@pytest.mark.parametrize(
    ("wording", "other"),
    [
        ("named", "is named"),
        ("founded in", "found in"),
        ("works for", "works with"),
        ("works at", "does not work at"),
        ("works at", "no longer works at"),
        ("works at", "may work at"),
        ("wrote", "written by"),
        ("has member", "is member"),
    ],
)
def test_wordings_of_different_meaning_have_different_forms(wording, other):
    assert inflection.normal_form(wording) != inflection.normal_form(other)


def test_the_voice_of_a_verb_is_in_its_forms():
    assert inflection.verb_forms("sells to") == (("sel", "to"),)
    assert inflection.verb_forms("was sold to") == (("be", "sel", "to"),)
    assert inflection.verb_forms("sold to") == (("sel", "to"), ("be", "sel", "to"))


@pytest.mark.parametrize(
    "wording", ["is", "has been", "was the", "in", "of", "will be", "had", "do", "is a", "currently"]
)
def test_some_wordings_say_nothing(wording):
    assert inflection.says_nothing(wording)
    assert (inflection.normal_form(wording), inflection.verb_forms(wording)) == ((), ())


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("January 16, 1977", "1977-01-16"),
        ("16 January 1977", "1977-01-16"),
        ("Friday, 3rd of Sept. 2001", "2001-09-03"),
        ("December 1985", "1985-12"),
        ("1969", "1969"),
        ("2026-11-22", "2026-11-22"),
        ("2026-11-22T09:30:00+02:00", "2026-11-22T09:30:00+02:00"),
        ("31 February 1999", None),
        ("2026-13", None),
        ("August 6", None),
        ("yesterday", None),
        ("Lisbon", None),
        ("", None),
    ],
)
def test_a_date_is_written_in_iso_as_exactly_as_it_is_known(text, iso):
    assert quantities.date_in_iso(text) == iso


@pytest.mark.parametrize("text", ["1969", "August 6", "the 1920s", "Monday", "2008–2010", "44 BC", "the 19th century"])
def test_times_are_no_names(text):
    assert quantities.is_time(text)
    assert not name_shapes.is_noun_phrase(text)


@pytest.mark.parametrize(
    "text", ["54", "15 kilotons of TNT", "63 TJ", "at least 3 people", "$5", "5.0 and 14 kg", "20%", "14,573 acres"]
)
def test_quantities_are_no_names(text):
    assert quantities.is_quantity(text)
    assert not name_shapes.is_noun_phrase(text)


@pytest.mark.parametrize(
    "name",
    [
        "3M",
        "509th Composite Group",
        "30 Seconds to Mars",
        "2008 elections",
        "7-Eleven",
        "Apollo 11",
        "25 August 2003 bombings",
    ],
)
def test_a_number_may_be_a_part_of_a_name(name):
    assert name_shapes.is_noun_phrase(name)
    assert not quantities.is_quantity(name)


@pytest.mark.parametrize(
    ("name", "is_proper"),
    [
        ("Atlas", True),
        ("the Blitz", True),
        ("northern Ethiopia", True),
        ("van Gogh", True),
        ("iPhone", True),
        ("東京", True),
        ("tropical forests", False),
        ("neighbours at Friedrichsruh", False),
        ("Australia in 1835", False),
        ("him", False),
        ("", False),
    ],
)
def test_proper_names_are_told_from_other_words(name, is_proper):
    assert name_shapes.is_proper(name) == is_proper


def test_where_nothing_has_capitals_small_letters_mean_nothing():
    assert name_shapes.is_proper("acme corporation", is_cased=name_shapes.are_cased(["ana", "acme corporation"]))


@pytest.mark.parametrize(
    ("name", "resembles"),
    [
        ("Ridley Scott", "person"),
        ("Daimanazuru Kenji", "person"),
        ("James Earl Jones", "person"),
        ("James Brown", "person"),
        ("Ana", "person"),
        ("BBC", "group"),
        ("Toei Company", "group"),
        ("Appleton & Jones", "group"),
        ("Federation of Malaya", "group"),
        ("Tebrau River", "group"),
        ("Oxfam", None),
    ],
)
def test_names_of_persons_and_groups_look_different(name, resembles):
    found = (
        "person" if name_shapes.resembles_person(name) else None,
        "group" if name_shapes.resembles_group(name) else None,
    )

    assert [one for one in found if one] == ([resembles] if resembles else [])


@given(TEXTS)
def test_any_text_can_be_examined(text):
    key = " ".join(text.casefold().split())

    assert isinstance(inflection.normal_form(key), tuple)
    iso = quantities.date_in_iso(text)
    assert iso is None or quantities.is_time(text)
    if text.split():
        name_shapes.is_proper(text)
        assert not (name_shapes.resembles_person(text) and name_shapes.resembles_group(text))
