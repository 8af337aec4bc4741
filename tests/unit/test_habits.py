"""What people are in the habit of calling things, and what follows for how alike two names are."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from keepgraph.language import lexicons, normalisation, similarity

KINDS = ["person", "project", "decision", "concept", "source"]

# Words of which the rules know something: habits, endings, opposites, numbers, kinds, and what only looks like them.
TELLING = """
    bob robert roberta rupert liz elizabeth nathan nathaniel nate martin martina petrov petrova иван ivan ivanov
    юлия muhammad mohammed wei zhang 张伟 o'brien mueller müller jr ii iii xiv smith j k r al li bo jo mo
    symmetric asymmetric sync synchronization login logout pg postgresql k8s kubernetes js c c++ c# f# atlas
    project team plan a b v2 v3 q3 2024 2025 12 21 1 not no from to over the of and decision report colour color
    organisation 👍 👎 100% 東京 京都
""".split()

words = st.sampled_from(TELLING) | st.text("abdeinort", min_size=1, max_size=9) | st.text("0123456789", max_size=4)
spoken = st.lists(words, min_size=1, max_size=5).map(" ".join).map(normalisation.fold).filter(bool)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=60).map(normalisation.fold)
kinds = st.sampled_from(KINDS)


def alike(asked: str, known: str, kind: str = "person") -> similarity.Likeness:
    return similarity.compare(normalisation.fold(asked), normalisation.fold(known), kind=kind)


# The tables


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
    assert name in lexicons.nicknames(short)
    assert lexicons.is_short_for(short, name)
    assert not lexicons.is_short_for(name, short)


@pytest.mark.parametrize(("short", "name"), [("vanya", "ivan"), ("pepito", "jose"), ("lucho", "luis")])
def test_a_name_is_not_short_for_its_nickname_though_it_be_shorter(short, name):
    assert not lexicons.is_short_for(name, short)


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
    assert other not in lexicons.nicknames(one) | lexicons.spellings(one)
    assert one not in lexicons.nicknames(other) | lexicons.spellings(other)


GIVEN = """
    robert bob sasha alexander muhammad mohammed jose pepe katherine kate aleksandr giuseppe dmitri sarah sara ji-hoon
    wei nathaniel martin ursula uschi xavier
""".split()


@pytest.mark.parametrize("name", GIVEN)
def test_nobody_is_a_nickname_or_a_spelling_of_themselves(name):
    assert name not in lexicons.nicknames(name)
    assert name not in lexicons.spellings(name)


@pytest.mark.parametrize("name", GIVEN)
def test_other_spellings_are_spellings_of_each_other(name):
    group = lexicons.spellings(name) | {name}

    assert {name: group - {name} for name in group} == {name: lexicons.spellings(name) for name in group}


@pytest.mark.parametrize("name", GIVEN)
def test_what_a_name_is_called_is_folded(name):
    called = lexicons.nicknames(name) | lexicons.spellings(name)

    assert called == {normalisation.fold(each) for each in called}


@pytest.mark.parametrize(
    ("short", "full"),
    [("pg", "postgresql"), ("k8s", "kubernetes"), ("nyc", "new york city"), ("ml", "machine learning"), ("cpp", "c++")],
)
def test_an_abbreviation_is_known_from_both_ends(short, full):
    assert full in lexicons.spelled_out(short)
    assert short in lexicons.abbreviated(full)


def test_a_place_is_known_from_both_ends():
    assert lexicons.elsewhere("munchen") == ("munich",)
    assert "munchen" in lexicons.elsewhere("munich")


@given(st.text(max_size=12))
def test_of_a_word_nobody_knows_nothing_is_said(word):
    assume(not lexicons.is_given_name(word))

    assert lexicons.nicknames(word) == lexicons.spellings(word) == frozenset()


# Laws of likeness


@given(spoken | anything, spoken | anything, kinds)
def test_likeness_is_a_number_from_0_to_1(asked, known, kind):
    found = similarity.compare(asked, known, kind=kind)

    assert 0.0 <= found.score <= 1.0


@given(spoken | anything, kinds)
def test_the_same_name_is_sure(name, kind):
    assume(len(name) > 1)

    assert similarity.compare(name, name, kind=kind).score >= similarity.SURE


@given(spoken, spoken, kinds)
def test_nothing_is_as_sure_as_the_same_name(asked, known, kind):
    assume(asked != known and len(asked) > 1)
    found = similarity.compare(asked, known, kind=kind)

    assert found.score < similarity.compare(asked, asked, kind=kind).score


@given(spoken, spoken, kinds)
def test_a_number_that_is_asked_for_must_be_there(asked, known, kind):
    ours, theirs = (set(re.findall(r"\d+", name)) for name in (asked, known))
    assume(not ours <= theirs)

    assert similarity.compare(asked, known, kind=kind).score < similarity.SURE


@given(spoken, spoken, kinds)
def test_a_reason_is_given_only_for_what_is_alike(asked, known, kind):
    found = similarity.compare(asked, known, kind=kind)

    assert found.because is None or found.score > 0


@given(st.lists(st.sampled_from(TELLING[:30]), min_size=1, max_size=4, unique=True).flatmap(
    lambda told: st.tuples(st.just(told), st.permutations(told))
))  # fmt: skip
def test_the_names_of_a_person_may_come_in_any_order(both):
    told, shuffled = (normalisation.fold(" ".join(each)) for each in both)
    assume(len(told) > 1)

    assert similarity.compare(told, shuffled, kind="person").score >= similarity.SURE


# Reasons


@pytest.mark.parametrize(
    ("asked", "known", "because"),
    [
        ("Bob", "Robert Hughes", "“bob” is short for “robert”"),
        ("Robert", "Bob Hughes", "“bob” is short for “robert”"),
        ("Muhammad Ali", "Mohammed Ali", "“muhammad” is another spelling of “mohammed”"),
        ("J. Smith", "John Smith", "“j” is an initial of “john”"),
        ("John Smith", "J. Smith", "“j” is an initial of “john”"),
        ("Kuznecow, D.", "Dmitri Kuznecow", "“d” is an initial of “dmitri”"),
        ("Schroeder", "Anneliese Schröder", "“schroeder” is spelled as “schroder” elsewhere"),
        ("Bob Yusuf", "Robert Youssef", "“bob” is short for “robert”; “yusuf” is another spelling of “youssef”"),
    ],
)
def test_a_reason_names_the_words_it_is_about(asked, known, because):
    found = alike(asked, known)

    assert (because, True) == (found.because, found.score >= similarity.SURE)


@pytest.mark.parametrize(("asked", "known"), [("Robert Hughes", "Robert Hughes"), ("Robret Hughes", "Robert Hughes")])
def test_what_anybody_can_see_needs_no_reason(asked, known):
    assert alike(asked, known).because is None


def test_the_name_itself_is_surer_than_a_spelling_and_that_than_a_nickname_and_that_than_an_initial():
    asked = ["Muhammad Ali", "Mohammed Ali", "Mo Ali", "M. Ali"]
    scores = [alike(name, "Muhammad Ali").score for name in asked]

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


@pytest.mark.parametrize(
    ("asked", "turned", "known"),
    [
        ("J. Mueller", "Mueller, J.", "Jürgen Müller"),
        ("M. Yusuf", "Yusuf, M.", "Mohammed Youssef"),
        ("S. Kuznetzov", "Kuznetzov, S.", "Sergey Kuznetsov"),
    ],
)
def test_an_initial_counts_on_either_side_of_another_spelling(asked, turned, known):
    assert alike(asked, known).score == alike(turned, known).score > 0


# Traps


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("Nathan Cole", "Nathaniel Cole"),
        ("Martina Keller", "Martin Keller"),
        ("Irina Petrov", "Irina Petrova"),
        ("Ivan Petrova", "Ivan Petrov"),
        ("Александра Волкова", "Александр Волков"),
        ("Bob Moore", "Elizabeth Moore"),
        ("Bob Moore", "Robert Hughes"),
        ("K. Hughes", "Robert Hughes"),
        ("R. Moore", "Robert Hughes"),
        ("R. H.", "Robert Hughes"),
        ("Robert Hughes II", "Robert Hughes"),
        ("Robert Hughes", "Robert Hughes Jr."),
        ("the Hugheses", "Robert Hughes"),
        ("Bob", "Robertson"),
        ("Jon Robert", "Robert Hughes"),
        ("Al", "Albany Trask"),
    ],
)
def test_it_is_somebody_else(asked, known):
    assert alike(asked, known).score < similarity.SURE


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("Robert K. Hughes", "Robert J. Hughes"),
        ("Robert K. Hughes", "Robert James Hughes"),
        ("R. K. Hughes", "R. J. Hughes"),
    ],
)
def test_another_middle_initial_is_somebody_else(asked, known):
    assert alike(asked, known).score < similarity.SURE


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("John Wicks", "John Weeks"),
        ("Tom Finney", "Tom Feeney"),
        ("Clyfford Still", "Clyfford Steel"),
        ("Charlie Shinn", "Charlie Sheen"),
    ],
)
def test_another_vowel_makes_another_family(asked, known):
    assert alike(asked, known).score < similarity.SURE


@pytest.mark.parametrize(
    ("asked", "known"), [("Nathan", "Jonathan Ives"), ("Julie", "Julia Roy"), ("Mary", "Maria Roy")]
)
def test_a_full_name_of_its_own_is_no_short_form(asked, known):
    assert alike(asked, known).score < similarity.SURE


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("symmetric keys", "asymmetric keys"),
        ("asymmetric", "symmetric"),
        ("Team A", "Team B"),
        ("Team AB", "Team A"),
        ("Version 2", "Version 3"),
        ("v2 of the API", "v1 of the API"),
        ("Budget 2024", "Budget 2025"),
        ("Budget '24", "Budget 2025"),
        ("kipi 2", "kipi-system"),
        ("web", "kipi-web"),
        ("JavaScript", "Java"),
        ("who", "World Health Organization"),
        ("postgres 15", "PostgreSQL 16"),
        ("k9s", "Kubernetes"),
    ],
)
@pytest.mark.parametrize("kind", ["project", "concept", "source"])
def test_it_is_something_else(asked, known, kind):
    assert alike(asked, known, kind).score < similarity.SURE


@pytest.mark.parametrize(
    ("asked", "known"),
    [("SQLite", "Adopt SQLite for storage"), ("Kubernetes", "Run everything on Kubernetes"), ("Berlin", "Open Berlin")],
)
def test_a_word_out_of_a_decision_is_not_the_decision(asked, known):
    assert alike(asked, known, "decision").score < similarity.SURE


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("PostgreSQL", "Use PostgreSQL"),
        ("Internationalization", "Internationalization now"),
        ("Kubernetes", "Go Kubernetes"),
    ],
)
def test_a_long_word_out_of_a_short_decision_is_not_the_decision_either(asked, known):
    assert alike(asked, known, "decision").score < similarity.SURE
