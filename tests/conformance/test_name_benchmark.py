"""How well names are found: seldom wrong, more often right than plain scorers, over the cases of the benchmark."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from keepgraph import store
from keepgraph.ml import embedder
from keepgraph.model import Settings

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import ablation  # noqa: E402 (it is found where the line before says)
import name_resolution  # noqa: E402

WRONG_AT_MOST = 0.02
ENTITIES, CASES = name_resolution.read(name_resolution.TRAIN / "working_life.json")
UNAVAILABLE_REASON = embedder.unavailable_reason() or store.vectors.extension_missing()

needs_vectors = pytest.mark.skipif(UNAVAILABLE_REASON is not None, reason=str(UNAVAILABLE_REASON))


def surfaces() -> list[str]:
    return [f"{entity['type']}:{entity['name']}" for entity in ENTITIES]


@pytest.fixture(scope="module")
def embedded_together() -> Iterator[None]:
    """Embeds every name once, and all together, which is quicker."""
    texts = {name for entity in ENTITIES for name in (entity["name"], *entity.get("aliases", ()))}
    texts |= {asked for case in CASES for asked in (case["asked"], case["asked"].partition(":")[2].strip())}
    np = pytest.importorskip("numpy")
    real, every = embedder.embed, sorted(texts)
    known = dict(zip(every, real(every), strict=True))

    def embed(texts: Sequence[str], **more: Any) -> Any:
        if all(text in known for text in texts):
            return np.stack([known[text] for text in texts])
        return real(texts, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedder, "embed", embed)
        yield


@pytest.fixture(scope="module")
def ours(tmp_path_factory, embedded_together) -> Iterator[name_resolution.Score]:
    """The score of Keepgraph with all steps."""
    with name_resolution.graph_of(ENTITIES, tmp_path_factory.mktemp("ours") / "graph.db") as graph:
        yield name_resolution.scored(CASES, name_resolution.ours(graph))[0]


@pytest.fixture(scope="module")
def ours_by_letters(tmp_path_factory) -> Iterator[name_resolution.Score]:
    """The score of Keepgraph without a model."""
    where = tmp_path_factory.mktemp("letters") / "graph.db"
    with name_resolution.graph_of(ENTITIES, where, settings=Settings(steps=("fuzzy",))) as graph:
        yield name_resolution.scored(CASES, name_resolution.ours(graph))[0]


@pytest.fixture(scope="module")
def plain(embedded_together) -> dict[str, name_resolution.Score]:
    """The scores of plain scorers."""
    letters, meaning = name_resolution.by_letters(ENTITIES), name_resolution.by_meaning(ENTITIES)
    ways = {"letters": letters, "meaning": meaning, "both": name_resolution.in_a_row(letters, meaning)}
    return {title: name_resolution.scored(CASES, find)[0] for title, find in ways.items()}


# The cases


def test_every_name_that_is_expected_is_there():
    there = set(surfaces())

    assert [case for case in CASES if case["expect"] is not None and case["expect"] not in there] == []


def test_no_name_is_asked_for_twice():
    asked = Counter(case["asked"].casefold() for case in CASES)

    assert [name for name, times in asked.items() if times > 1] == []


def test_no_entity_is_there_twice():
    assert [name for name, times in Counter(surfaces()).items() if times > 1] == []


def test_every_case_says_what_it_is_and_what_is_expected():
    lacking = [case for case in CASES if not {"asked", "expect", "kind"} <= set(case) or not case["asked"].strip()]

    assert lacking == []


def test_there_are_cases_of_both_sorts_and_as_many_as_the_readme_says():
    readme = (BENCHMARKS / "names" / "README.md").read_text("utf-8")
    wanted = sum(case["expect"] is not None for case in CASES)

    assert f"{len(ENTITIES)} entities" in readme
    assert f"{len(CASES)} names" in readme
    assert f"**{wanted}**" in readme
    assert f"**{len(CASES) - wanted}**" in readme


# The answers


@needs_vectors
def test_an_answer_is_seldom_wrong(ours):
    assert ours.confidently_wrong <= WRONG_AT_MOST, ours.faults


def test_without_a_model_an_answer_is_seldom_wrong(ours_by_letters):
    assert ours_by_letters.confidently_wrong <= WRONG_AT_MOST, ours_by_letters.faults


@needs_vectors
@pytest.mark.parametrize("way", ["letters", "meaning", "both"])
def test_more_answers_are_right_than_of_a_plain_scorer_and_fewer_wrong(ours, plain, way):
    assert ours.right > plain[way].right
    assert ours.confidently_wrong < plain[way].confidently_wrong


@needs_vectors
def test_a_model_makes_more_answers_right(ours, ours_by_letters):
    assert ours.right > ours_by_letters.right


@needs_vectors
def test_a_score_counts_every_case_once(ours, plain):
    for score in (ours, *plain.values()):
        assert score.right + score.wrong + score.false + score.missed + score.abstained == len(CASES)


# The measure


def case(expect: str | None) -> dict[str, Any]:
    return {"asked": "x", "expect": expect, "kind": "exact"}


@pytest.mark.parametrize(
    ("expect", "found", "counted"),
    [
        ("person:Ada", "person:Ada", "right"),
        ("person:Ada", "person:Bo", "wrong"),
        ("person:Ada", None, "missed"),
        (None, "person:Bo", "false"),
        (None, None, "abstained"),
    ],
)
def test_an_answer_is_counted_as_what_it_is(expect, found, counted):
    score = name_resolution.Score()
    score.count(case(expect), found)
    kinds = ("right", "wrong", "missed", "false", "abstained")

    assert [kind for kind in kinds if getattr(score, kind)] == [counted]
    assert score.confidently_wrong == float(counted in ("wrong", "false"))


# The ablation


def test_a_rule_that_is_switched_off_finds_nothing_and_then_as_before():
    rule = next(each for each in ablation.rules() if each.title == "language.given_names.nicknames")
    before = rule.module.nicknames("bob")
    with ablation.switched_off(rule):
        without = rule.module.nicknames("bob")

    assert (without, rule.module.nicknames("bob")) == (frozenset(), before)
    assert "robert" in before


def test_a_rule_carries_the_cases_that_are_right_only_with_it(tmp_path):
    known = [{"type": "person", "name": "Robert Hughes"}, {"type": "concept", "name": "Kubernetes"}]
    asked = [{"asked": "Bob", "expect": "person:Robert Hughes", "kind": "nickname"},
             {"asked": "Kuberntes", "expect": "concept:Kubernetes", "kind": "typo"}]  # fmt: skip
    (tmp_path / "graph.json").write_text(json.dumps({"entities": known, "cases": asked}), encoding="utf-8")
    carried = {each.rule.title: each for each in ablation.carried(tmp_path, max_share=0.5)}

    assert (carried["language.given_names.nicknames"].net, carried["language.given_names.nicknames"].asked,
                         carried["language.given_names.nicknames"].more_false) == (1, 1, 0)  # fmt: skip
    assert carried["language.romanisation.readings"].net == 0
