"""Contradiction detection between texts, by rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import contradictions
from laws import examples

PAIRS = Path(__file__).parents[1] / "benchmarks" / "conflicts"


def verdict(first: str, second: str) -> str:
    return contradictions.compare(first, second).verdict


def read_pairs(name: str) -> list[tuple[str, str, str]]:
    lines = (PAIRS / f"{name}.tsv").read_text("utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "least_recall"),
    [("tuning", 0.95), ("untouched", 0.9), ("later", 0.7), ("last", 0.9), ("final", 0.9), ("blind", 0.9)],
)
def test_what_is_called_a_contradiction_is_one(name, least_recall):
    verdicts = [(label, verdict(first, second)) for label, first, second in read_pairs(name)]
    called = [label for label, given_verdict in verdicts if given_verdict == "contradiction"]
    actual = [given_verdict for label, given_verdict in verdicts if label == "contradiction"]

    assert called.count("contradiction") >= 0.95 * len(called)
    assert actual.count("contradiction") >= least_recall * len(actual)
    assert "unrelated" not in called


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("negation", "The lift works.", "The lift does not work."),
        ("quantifier", "All lifts work.", "Some of the lifts do not work."),
        ("opposite", "The lift is empty.", "The lift is full."),
        ("amount", "The lift carries 8 people.", "The lift carries 12 people."),
        ("amount", "Fill in 0.5 l of oil.", "Fill in 900 ml of oil."),
        ("amount", "Applicants must be at least 18 years old.", "Applicants must be at least 21 years old."),
        ("date", "The lift was built in 1950.", "The lift was built in 1975."),
        ("value", "The lift is in Graz.", "The lift is in Linz."),
        ("value", "The owner of the lift is Ada Byron.", "The owner of the lift is Carl Gauss."),
        ("order", "The lift is faster than the stairs.", "The stairs are faster than the lift."),
    ],
)
def test_a_contradiction_says_of_which_kind_it_is(kind, first, second):
    comparison = contradictions.compare(first, second)

    assert ("contradiction", kind) == (comparison.verdict, comparison.pairs[0].kind)
    assert comparison.confidence >= 0.85


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The road is 1.5 km long.", "The road is 1,500 m long."),
        ("The road is 1,000 m long.", "The road is 1.000 m long."),
        ("It costs $4.5M.", "It costs 4,500,000 dollars."),
        ("The road is about 10 km long.", "The road is 10.8 km long."),
        ("Between 20 and 30 guests came.", "25 guests came."),
        ("The shop opens at 7:30 pm.", "The shop opens at 19:30."),
        ("It is 77 °F in the hall.", "It is 25 °C in the hall."),
        ("The film lasts an hour and a half.", "The film lasts 90 minutes."),
        ("The road is not open.", "The road is closed."),
        ("It is not true that the road is closed.", "The road is open."),
        ("Half of the seats are taken.", "50 % of the seats are taken."),
    ],
)
def test_the_same_in_other_words_is_no_contradiction(first, second):
    assert verdict(first, second) != "contradiction"
    assert verdict(second, first) != "contradiction"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Is the road open?", "The road is not open."),
        ("The road might be open.", "The road is not open."),
        ("If it rains, the road is closed.", "The road is open."),
        ("The road was open in 2023.", "The road was not open in 2024."),
        ("Anna used to live in Graz.", "Anna lives in Linz."),
        ("Some doors are open.", "Some doors are closed."),
        ("The road is not very long.", "The road is long."),
        ("Dogs must be on a lead.", "Dogs are not on a lead."),
        ("The office is in Vienna.", "The office is in Austria."),
        ("The chief of Acme is Bob Stone.", "The chief of Acme is Robert Stone."),
        ("A nurse was late.", "A nurse was not late."),
        ("The bus leaves at 8:15.", "The bus leaves at 8:45."),
        ("Ana ran 5 km.", "Ana ran 8 km."),
    ],
)
def test_what_may_both_be_true_is_no_contradiction(first, second):
    assert verdict(first, second) != "contradiction"
    assert verdict(second, first) != "contradiction"


def test_what_is_not_sure_is_undecided_with_confidence_0():
    comparison = contradictions.compare("The road might be open.", "The road is not open.")

    assert (comparison.verdict, comparison.confidence) == ("undecided", 0.0)


def test_a_sentence_that_agrees_elsewhere_contradicts_nothing():
    text = "The dough needs 200 g of butter. For the filling: the dough needs 350 g of butter."

    assert verdict(text, "The dough needs 350 g of butter.") != "contradiction"


def test_two_entities_do_not_contradict_each_other():
    first, second = "It is 40 km long.", "It is 25 km long."

    compared = contradictions.compare(first, second, first_about="Lake Como", second_about="Lake Garda")
    same = contradictions.compare(first, second, first_about="Lake Como", second_about="Lake Como")

    assert (compared.verdict, same.verdict) == ("compatible", "contradiction")


WORDS = "the is not no all some Anna Oslo 5 km 1.5 2019 in May open closed or by was , . ? 's : \n".split(" ")
TEXT = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)


@examples(20, sweep=500)
@given(TEXT, TEXT)
def test_both_orders_of_two_texts_have_one_verdict(first, second):
    assert verdict(first, second) == verdict(second, first)


@examples(20, sweep=500)
@given(st.text(max_size=200))
def test_no_text_contradicts_itself(text):
    assert verdict(text, text) != "contradiction"
