"""Lexicons: nicknames, spellings of given names, abbreviations and place names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from keepgraph.language import abbreviations, given_names, lexicons, normalisation

FILES = sorted(Path(lexicons.__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_lexicon_opens_with_what_it_is_and_its_licence(file):
    purpose, licence = [line for line in file.read_text("utf-8").splitlines() if line.startswith("# ")][-2:]

    assert purpose
    assert licence == "# Compiled for Keepgraph; MIT licence."


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_the_words_of_a_lexicon_are_in_small_letters_without_accents(file):
    text = "\n".join(lexicons.lines(file.stem))

    # These are compared with words as they are written, in several languages.
    assert text.isascii() or file.stem in ("function_words", "institution_words")
    assert text == text.lower()


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("bob", "robert"),
        ("bill", "william"),
        ("peggy", "margaret"),
        ("paco", "francisco"),
        ("pepe", "jose"),
        ("beppe", "giuseppe"),
        ("sepp", "josef"),
        ("fritz", "friedrich"),
        ("dima", "dmitri"),
        ("gosia", "malgorzata"),
        ("sasha", "alexander"),
        ("sasha", "alexandra"),
        ("venky", "venkatesh"),
    ],
)
def test_a_nickname_is_short_for_a_name_and_not_the_name_for_it(short, name):
    assert name in given_names.nicknames(short)
    assert given_names.is_short_for(short, name)
    assert not given_names.is_short_for(name, short)


@pytest.mark.parametrize(("short", "name"), [("vanya", "ivan"), ("pepito", "jose"), ("lucho", "luis")])
def test_a_name_is_not_short_for_its_nickname_even_if_it_is_shorter(short, name):
    assert not given_names.is_short_for(name, short)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("nathan", "nathaniel"),
        ("martin", "martina"),
        ("robert", "roberta"),
        ("ted", "robert"),
        ("pepe", "francisco"),
        ("michael", "michelle"),
        ("daniel", "daniela"),
        ("christian", "christina"),
        ("alexander", "alexandra"),
        ("julia", "julian"),
        ("bob", "bill"),
        ("jack", "joan"),
    ],
)
def test_these_are_the_names_of_two_people(one, other):
    assert other not in given_names.nicknames(one) | given_names.spellings(one)
    assert one not in given_names.nicknames(other) | given_names.spellings(other)


GIVEN_NAMES = """
    robert bob sasha alexander muhammad mohammed jose pepe katherine kate aleksandr giuseppe dmitri sarah sara ji-hoon
    wei nathaniel martin ursula uschi xavier
""".split()


@pytest.mark.parametrize("name", GIVEN_NAMES)
def test_a_name_is_no_nickname_and_no_spelling_of_itself(name):
    assert name not in given_names.nicknames(name)
    assert name not in given_names.spellings(name)


@pytest.mark.parametrize("name", GIVEN_NAMES)
def test_other_spellings_are_spellings_of_each_other(name):
    group = given_names.spellings(name) | {name}

    assert {name: group - {name} for name in group} == {name: given_names.spellings(name) for name in group}


@pytest.mark.parametrize("name", GIVEN_NAMES)
def test_nicknames_and_spellings_are_folded(name):
    related = given_names.nicknames(name) | given_names.spellings(name)

    assert related == {normalisation.Name(word).folded for word in related}


@pytest.mark.parametrize(
    ("short", "full"),
    [("pg", "postgresql"), ("k8s", "kubernetes"), ("nyc", "new york city"), ("ml", "machine learning"), ("cpp", "c++")],
)
def test_an_abbreviation_is_found_from_both_forms(short, full):
    assert full in abbreviations.expand(short)
    assert short in abbreviations.abbreviate(full)


@given(st.text(max_size=12))
def test_a_word_that_is_no_given_name_has_no_nicknames(word):
    assume(not given_names.contains(word))

    assert given_names.nicknames(word) == given_names.spellings(word) == frozenset()
