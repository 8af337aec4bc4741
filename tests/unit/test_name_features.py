"""Name evidence: what is matched, what is left over, what is refused, as tables."""

from __future__ import annotations

import pytest

from keepgraph.language import name_features, name_similarity, word_alignment
from keepgraph.language.normalisation import Name
from keepgraph.ml import frequent_words

needs_words = pytest.mark.skipif(not frequent_words.load(), reason="needs the word list of the model")

ALIGNED = [
    # question, name, style, left of the question, left of the name
    ("Lunar Rover phase II", "Lunar Rover Phase 2", "title", (), ()),
    ("Lunar Rover P2", "Lunar Rover Phase 2", "title", (), ()),
    ("second phase of the lunar rover", "Lunar Rover Phase 2", "title", (), ()),
    ("roadmap '24", "Roadmap 2024", "title", (), ()),
    ("minutes of May 14th 2024", "Minutes 2024-05-14", "reference", (), ()),
    ("no visits after 20:00", "No visits after 8 pm", "statement", (), ()),
    ("open at 12:30 a.m.", "Open at 00:30", "statement", (), ()),
    ("Voyage Estimator 2.0", "Voyage Estimator v2", "title", (), ()),
    ("yearly report", "Annual Report", "reference", (), ()),
    ("user mgmt", "User Management", "title", (), ()),
    ("projct alpha", "Project Alpha", "title", (), ()),
    ("IAM upgrade", "Identity and Access Management Upgrade", "title", (), ()),
    ("CRM replacement", "Customer Relationship Management Replacement", "title", (), ()),
    ("Kafka cluster", "Kafka", "term", ("cluster",), ()),
    ("Lunar Rover", "Lunar Rover Phase 2", "title", (), ("phase", "2")),
    ("import of contacts", "Export of contacts", "title", ("import",), ("export",)),
]

REFUSED = [
    # question, name, style
    ("Series B", "Series A", "title"),
    ("Season 3", "Season 2", "title"),
    ("Season III", "Season II", "title"),
    ("TLS 1", "TLS 1.3", "term"),
    ("Minutes of June 14th 2024", "Minutes 2024-05-14", "reference"),
    ("No visits after 8 am", "No visits after 8 pm", "statement"),
    ("Voyage Estimator 2.1", "Voyage Estimator v2", "title"),
    ("Voyage Estimator 2.0", "Voyage Estimator v3", "title"),
    ("Voyage Estimator 20", "Voyage Estimator 2.0", "title"),
    ("not Atlas", "Atlas", "title"),
    ("close the office", "Open the office", "statement"),
    ("from Jira to Linear", "Switch from Linear to Jira", "statement"),
    ("info@northwind.io", "Northwind", "term"),
    ("Jianguo Li", "Jianhua Li", "person"),
    ("Nora Ekberg Ltd", "Nora Ekberg", "person"),
    ("meeting notes", "Meeting notes 2025-02-11", "reference"),
    ("building instead of buying a mixer", "Buy instead of building a mixer", "statement"),
    ("hire a 3rd gardener", "Hire a second gardener", "statement"),
]

EVIDENCE = [
    # question, name, style, feature
    ("Kafka", "Apache Kafka", "term", "name_qualified"),
    ("Northwind", "Northwind Traders Ltd", "term", "name_qualified"),
    ("Rasm Lindqvist", "Rasmus Lindqvist", "person", "person_clipped"),
    ("Soye Adebayo", "Adesoye Adebayo", "person", "person_clipped"),
    ("Theo Kastellanos", "Theodora Kastellanos", "person", "person_clipped"),
    ("Connie Mbeki", "Consolata Mbeki", "person", "person_clipped"),
    ("Svalbard Global Seed Vault", "Svalbard seed vault", "term", "part_of_several"),
]

WEAK = [
    # question, name, style, reason (None: a strong one)
    ("Nadia Amini", "Nadia El-Amin", "person", "typo_and_word_left"),
    ("Nadia Elamin", "Nadia El-Amin", "person", None),
    ("Rakesh Venkat", "Rajesh Venkat", "person", "word_of_another_name"),
    ("Rajehs Venkat", "Rajesh Venkat", "person", None),
    ("Designing Machine Learning", "Designing Machine Learning Systems", "reference", None),
]


def evidence(
    question: str, name: str, style: str, rarity: word_alignment.Rarity = lambda word: 1
) -> dict[str, float] | None:
    match = name_similarity.compare(Name(question), Name(name), style=style)
    return name_features.of_pair(
        Name(question),
        Name(name),
        style=style,
        type_names=frozenset(),
        rule=0.0 if match.score < name_similarity.MATCH_THRESHOLD else match.score,
        reason=match.reason,
        cosine=None,
        rarity=rarity,
        is_entity_name=lambda word: False,
    )


@pytest.mark.parametrize(("question", "name", "style", "asked_left", "name_left"), ALIGNED)
def test_words_are_matched_however_they_are_written(question, name, style, asked_left, name_left):
    """
    What is left over on each side says what the two do not share.
    """
    types = frozenset(["project"]) if style == "title" else frozenset()
    alignment = word_alignment.align(Name(question), Name(name), style=style, type_names=types)

    assert (asked_left, name_left) == (alignment.question_left, alignment.name_left)


@pytest.mark.parametrize(("question", "name", "style"), REFUSED)
def test_what_contradicts_is_refused_whatever_else_agrees(question, name, style):
    """
    Other numbers, letters, months, opposites, negation, an address, another syllable.
    """
    assert evidence(question, name, style) is None


@needs_words
@pytest.mark.parametrize(
    ("question", "name"), [("Salt Road sound mix", "The Salt Road"), ("opt-out rate", "opt-in rate")]
)
def test_a_longer_question_with_another_head_or_word_is_not_the_name_and_more(question, name):
    assert evidence(question, name, "term")["part_of_several"] == 0


@needs_words
@pytest.mark.parametrize(("question", "name", "style", "feature"), EVIDENCE)
def test_evidence_has_a_feature_whichever_of_the_two_names_is_asked(question, name, style, feature):
    """
    The model weighs what the rules leave open.
    """
    both_ways = [evidence(question, name, style), evidence(name, question, style)]

    assert all(features is not None and features[feature] > 0 for features in both_ways)


@needs_words
@pytest.mark.parametrize(("question", "name", "style", "reason"), WEAK)
def test_what_rules_take_for_a_weak_reason_is_known(question, name, style, reason):
    """
    The rules are right less often for these reasons than else.
    """
    others = {"rakesh", "amrani"}
    features = evidence(question, name, style, rarity=lambda word: int(word in others))

    assert features is not None
    assert name_features.weak_reasons(features) == ([reason] if reason else [])


@pytest.mark.parametrize("style", ["person", "title", "statement", "term", "reference"])
def test_every_feature_has_a_direction(style):
    """
    A feature without a direction would have no weight. What is covered is compared with the other candidates, and a
    weak reason lowers what the rules say.
    """
    features = evidence("Atlas Nord", "Atlas Nord Survey", style)

    assert features is not None
    assert set(features) - {*name_features.DIRECTIONS, *name_features.WEAK_REASONS.values()} == {"covered"}
