"""Calibrated acceptance: how probable it is that a question means each of its candidates, or none of them.

A conditional logit with the alternative "none" (McFadden 1974): each candidate has a score, a weighted sum of its
evidence (`language.name_features`), and its probability is exp(score) / (1 + the sum of exp(score) over all
candidates). Two that fit equally well have at most one half each, so that neither is accepted. The weights were
learned from cases (`tests/benchmarks/train_names.py`); no library is needed to apply them (ADR 0051).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import exp
from pathlib import Path
from typing import Any, Literal, TypeAlias

from keepgraph import store
from keepgraph.engine.resolution import fuzzy
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import name_features, name_similarity, word_alignment
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Candidate, Entity, NameStyle
from keepgraph.store.transactions import Tx

Weights: TypeAlias = Mapping[str, float]
Step: TypeAlias = Literal["letters", "meaning"]
"""What the candidates were compared by: letters alone, or letters and vectors."""

WEIGHTS_FILE = Path(__file__).with_name("acceptance_weights.json")

_STYLES_OF_COMPANIES: tuple[NameStyle, ...] = ("title", "term")
_MAX_BY_LETTERS = 10
_MAX_BY_MEANING = 6
_MAX_NAMES_COUNTED = 12
_MAX_PROBABILITY = 0.99  # a name that is written differently is never certain
_MAX_PROBABILITY_OF_TIED = 0.5  # two or more fit the rules about equally well
_MAX_PROBABILITY_OF_PROPER_NAME = 0.25  # of 8 organisations and works taken by meaning, on four sets, 2 were right
_MAX_EXPONENT = 30.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against a candidate, by the names of `name_features.DIRECTIONS`."""

    candidate: Candidate
    features: Mapping[str, float]


def judge(
    tx: Tx,
    question: Name,
    by_letters: Sequence[Candidate],
    by_meaning: Sequence[Candidate] | None = None,
    *,
    ruled: Candidate | None,
) -> list[Candidate]:
    """The candidates, each with the probability that it is meant as its score, best first; refused ones have 0.

    Args:
        by_letters: candidates of the fuzzy step, with the scores of its rules.
        by_meaning: candidates of the embedding step, with cosines; None before that step.
        ruled: the candidate that the rules of the step choose. Its probability is at least the share of cases in which
            the rules were right, or exactly that share if their reason is weak; the others divide the rest.
    """
    tied = fuzzy.tied(by_letters)
    step: Step = "letters" if by_meaning is None else "meaning"
    evidence = compare(gather(tx, question, by_letters, by_meaning or ()))
    shares = probabilities([each.features for each in evidence], _model()["weights"][step])
    curve = _model()["calibration"][step]
    ruled_row = ruled.entity.row if ruled is not None else None
    precision = next((_precision(each, step) for each in evidence if each.candidate.entity.row == ruled_row), None)
    judged = []
    for each, share in zip(evidence, shares, strict=True):
        probability = calibrated(share, curve)
        if precision is not None:
            is_ruled = each.candidate.entity.row == ruled_row
            probability = precision.of(probability) if is_ruled else min(probability, 1 - precision.value)
        elif each.candidate.entity.row in tied:
            probability = min(probability, _MAX_PROBABILITY_OF_TIED)
        if step == "meaning":
            probability = min(probability, _max_by_meaning(tx, each.candidate.entity))
        judged.append(replace(each.candidate, score=round(min(probability, _MAX_PROBABILITY), 3)))
    considered = {each.candidate.entity.row for each in evidence}
    refused = [
        replace(candidate, score=0.0)
        for candidate in (*by_letters[:_MAX_BY_LETTERS], *(by_meaning or ())[:_MAX_BY_MEANING])
        if candidate.entity.row not in considered
    ]
    return sorted(judged, key=lambda candidate: (-candidate.score, candidate.entity.row)) + _each_once(refused)


def _max_by_meaning(tx: Tx, entity: Entity) -> float:
    """How probable an entity may be where letters left it open.

    A name near in meaning is often another thing of its kind: a hospice and a nursing home, Bath and Baden. Vectors say
    nothing of people, so what letters did not accept stays open.
    """
    vocabulary = graph_vocabulary.read(tx)
    style = vocabulary.style(entity.type)
    if style == "person":
        return _MAX_PROBABILITY_OF_TIED
    is_project = not vocabulary.with_ancestors(entity.type).isdisjoint(vocabulary.project_types)
    return _MAX_PROBABILITY_OF_PROPER_NAME if style == "title" and not is_project else 1.0


@dataclass(frozen=True, slots=True)
class _Precision:
    """How often the rules were right on the cases where they took a candidate for the same reason."""

    value: float
    is_weak: bool

    def of(self, probability: float) -> float:
        return self.value if self.is_weak else max(probability, self.value)


def _precision(evidence: Evidence, step: Step) -> _Precision:
    table = _model()["precision_of_rules"][step]
    weak = [table[reason] for reason in name_features.weak_reasons(evidence.features)]
    return _Precision(min(weak), is_weak=True) if weak else _Precision(table["other"], is_weak=False)


def _each_once(candidates: Sequence[Candidate]) -> list[Candidate]:
    return list({candidate.entity.row: candidate for candidate in candidates}.values())


def gather(tx: Tx, question: Name, by_letters: Sequence[Candidate], by_meaning: Sequence[Candidate]) -> list[Evidence]:
    """The evidence for each candidate by itself; refused candidates have none."""
    if not by_letters and not by_meaning:
        return []
    vocabulary = graph_vocabulary.read(tx)
    projects = vocabulary.default_types.intersection(vocabulary.project_types)
    cosines = {candidate.entity.row: candidate for candidate in by_meaning}
    merged = {candidate.entity.row: candidate for candidate in by_letters[:_MAX_BY_LETTERS]}
    for candidate in by_meaning[:_MAX_BY_MEANING]:
        merged.setdefault(candidate.entity.row, candidate)
    names = {row: _as_written(candidate) for row, candidate in merged.items()}
    words = {word for name in (question, *names.values()) for word in (*name.words, *word_alignment.tokens(name))}
    counts = store.word_references.entity_counts(tx, words, at_most=_MAX_NAMES_COUNTED)

    def rarity(word: str) -> int:
        if word not in counts:
            counts.update(store.word_references.entity_counts(tx, [word], at_most=_MAX_NAMES_COUNTED))
        return counts[word]

    @cache
    def is_entity_name(word: str) -> bool:
        return bool(store.entities.by_key(tx, word))

    gathered = []
    for row, candidate in merged.items():
        name = names[row]
        near = cosines.get(row)
        style, types = vocabulary.style(candidate.entity.type), vocabulary.with_ancestors(candidate.entity.type)
        rule, reason = candidate.score, candidate.reason
        if candidate.method == "embedding":
            match = name_similarity.compare(question, name, style=style, type_names=types)
            rule, reason = match.score, match.reason
        features = name_features.of_pair(
            question,
            name,
            style=style,
            type_names=types,
            rule=rule,
            reason=reason,
            cosine=near.score if near else None,
            rarity=rarity,
            is_entity_name=is_entity_name,
            may_be_company=style in _STYLES_OF_COMPANIES and types.isdisjoint(projects),
        )
        if features is not None:
            gathered.append(Evidence(candidate, {**features, "rule_score": rule}))
    return gathered


def _as_written(candidate: Candidate) -> Name:
    """The name that matched, with its capitals if it is the name of the entity."""
    if candidate.method == "fuzzy" and Name(candidate.entity.name).folded == candidate.matched_name:
        return Name(candidate.entity.name)
    return Name(candidate.matched_name)


def compare(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence, and what a comparison of each candidate with the best of the others adds."""
    compared = []
    for each in evidence:
        others = [other.features for other in evidence if other is not each]
        own = each.features
        lead = {
            name: own.get(name, 0.0) - max((least, *(other.get(name, 0.0) for other in others)))
            for name, least in (("rule_score", 0.0), ("covered", 0.0), ("cosine", name_features.MIN_COSINE))
        }
        compared.append(
            replace(
                each,
                features={
                    **own,
                    "rival_covered": max(0.0, -lead["covered"]),
                    "leads_cosine": min(max(0.0, lead["cosine"]) * 4, 1.0),
                    "leads_covered": max(0.0, lead["covered"]),
                    "leads_rule": min(max(0.0, lead["rule_score"]) * 4, 1.0),
                },
            )
        )
    return compared


def probabilities(candidates: Sequence[Mapping[str, float]], weights: Weights) -> list[float]:
    """The share of each candidate beside the others and beside "none", 0 to 1."""
    scores = [
        weights["bias"] + sum(weight * features.get(name, 0.0) for name, weight in weights.items())
        for features in candidates
    ]
    shares = [exp(max(-_MAX_EXPONENT, min(score, _MAX_EXPONENT))) for score in scores]
    return [share / (1 + sum(shares)) for share in shares]


def calibrated(share: float, curve: Sequence[Sequence[float]]) -> float:
    """How often a candidate with this share was right, between the two nearest points of a rising line."""
    for (low, low_right), (high, high_right) in pairwise(curve):
        if share <= high:
            return low_right + (high_right - low_right) * (share - low) / (high - low)
    return curve[-1][1]


@cache
def _model() -> Mapping[str, Any]:
    """The learned weights, and the calibration of the shares, by step."""
    return json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
