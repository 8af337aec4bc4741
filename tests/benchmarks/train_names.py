"""Training of the model that accepts or declines candidates of a name (engine/resolution/acceptance).

    python tests/benchmarks/train_names.py            # cross-validate: each graph judged by the others
    python tests/benchmarks/train_names.py --write    # train on everything and write acceptance_weights.json

Trained on names/train, written by hand, on questions generated from the entities there, and on both turned round, so
that it matters little which of two names is asked and which is stored. Every question that has an
answer is also asked with that answer taken away: then none is right. names/test is never read here. Needs scipy.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import name_resolution
import numpy as np
from scipy.optimize import minimize

from keepgraph.engine import vector_backfill
from keepgraph.engine.resolution import acceptance, embedding, fuzzy
from keepgraph.language import name_features
from keepgraph.language.name_similarity import MATCH_THRESHOLD
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Settings

FEATURES = ["bias", *name_features.DIRECTIONS]
PENALTY = 0.0003
"""Of the squared weights, for each question."""
STRENGTH_WITHOUT_ANSWER = 0.3
STRENGTH_GENERATED = 0.3
STRENGTH_TURNED = 0.3
WEIGHT_OF_GRAPH = {"classes": 0.4}
"""Of the graph in which half of the questions are made to deceive, as few are in use."""
SMALLEST_WEIGHT = 0.005
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class Question:
    """One question: the features of its candidates, and which of them is meant (-1: none)."""

    features: np.ndarray
    right: int
    strength: float
    asked: str
    weight: float = 1.0
    ruled: int | None = None
    """The candidate that the rules alone take; None where they take none."""


def main() -> None:
    graphs = {file.stem: questions(file) for file in name_resolution.graphs(name_resolution.TRAIN)}
    learned, weights, curves, rules = {}, {}, {}, {}
    for step in ("letters", "meaning"):
        scores: list[np.ndarray] = []
        for held_out in graphs:
            others = fit([each for name, every in graphs.items() if name != held_out for each in every[step]])
            scores += [each.features @ others for each in graphs[held_out][step]]
        every = [each for name in graphs for each in graphs[name][step]]
        scale, shift = calibrate(every, scores)
        scores = [scale * each + shift for each in scores]
        curves[step] = calibration_curve(every, scores)
        rules[step] = precision_of_rules(every)
        report(f"{step}: each graph by the weights of the others", every, scores, curves[step])
        weights[step] = fit(every) * scale
        weights[step][0] += shift
        learned[step] = len(every)
    if "--write" in sys.argv:
        table = {
            "learned_on": date.today().isoformat(),
            "questions": learned,
            "calibration": curves,
            "precision_of_rules": rules,
            "weights": {
                step: {
                    name: round(float(weight), 3)
                    for name, weight in zip(FEATURES, weights[step], strict=True)
                    if name == "bias" or abs(weight) >= SMALLEST_WEIGHT
                }
                for step in weights
            },
        }
        acceptance.WEIGHTS_FILE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def precision_of_rules(every: Sequence[Question]) -> dict[str, float]:
    """How often the rules alone are right where they take a candidate, by their weak reasons; of cases written by hand.

    For each reason one case more that is right and one that is wrong are counted, so that few cases give about a half.
    """
    verdicts: dict[str, list[bool]] = {reason: [] for reason in ("other", *name_features.WEAK_REASONS)}
    for each in every:
        if each.ruled is not None and each.strength == 1:
            features = dict(zip(FEATURES, each.features[each.ruled], strict=True))
            for reason in name_features.weak_reasons(features) or ["other"]:
                verdicts[reason].append(each.ruled == each.right)
    print("  rules alone:", {reason: f"{sum(right)} of {len(right)}" for reason, right in verdicts.items()})
    return {reason: round((sum(right) + 1) / (len(right) + 2), 3) for reason, right in verdicts.items()}


def calibrate(every: Sequence[Question], scores: Sequence[np.ndarray]) -> tuple[float, float]:
    """The scale and the shift of scores with which the probabilities of cases written by hand are likeliest.

    The scores are of weights that were learned without the graph of the case (Platt 1999).
    """
    written = [
        (each, score) for each, score in zip(every, scores, strict=True) if each.strength == 1 and each.ruled is None
    ]

    def loss(values: np.ndarray) -> float:
        total = 0.0
        for each, score in written:
            shifted = np.clip(values[0] * score + values[1], -30, 30)
            total -= each.weight * ((shifted[each.right] if each.right >= 0 else 0.0) - np.log1p(np.exp(shifted).sum()))
        return total / len(written)

    found = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return float(found[0]), float(found[1])


def questions(file: Path) -> dict[str, list[Question]]:
    """The questions of a graph by step, with those generated from its entities and those without their answer."""
    entities, cases = name_resolution.read(file)
    asked = [(case["asked"], case["expect"], 1.0) for case in cases if case["kind"] not in ("exact", "alias")]
    asked += [(text, expected, STRENGTH_GENERATED) for text, expected in generated(entities)]
    by_step: dict[str, list[Question]] = {"letters": [], "meaning": []}
    for graph in [(entities, asked), *_turned(entities, cases)]:
        for step, made in _by_step(*graph).items():
            by_step[step] += made
    for each in (*by_step["letters"], *by_step["meaning"]):
        each.weight = WEIGHT_OF_GRAPH.get(file.stem, 1.0)
    return by_step


def _turned(
    entities: Sequence[dict[str, Any]], cases: Sequence[dict[str, Any]]
) -> Iterator[tuple[list[dict[str, Any]], list[tuple[str, str | None, float]]]]:
    """Graphs whose entities have the names that they are asked by, with their own names as the questions."""
    asked_by: dict[str, list[str]] = {}
    for case in cases:
        if case["expect"] and case["kind"] not in ("exact", "alias") and ":" not in case["asked"]:
            asked_by.setdefault(case["expect"], []).append(case["asked"])
    for place in range(max(map(len, asked_by.values()))):
        turned, asked = [], []
        for entity in entities:
            own = f"{entity['type']}:{entity['name']}"
            names = asked_by.get(own, [])
            turned.append({"type": entity["type"], "name": names[place] if place < len(names) else entity["name"]})
            if place < len(names):
                asked.append((entity["name"], f"{entity['type']}:{names[place]}", STRENGTH_TURNED))
        yield turned, asked


def _by_step(
    entities: Sequence[dict[str, Any]], asked: Sequence[tuple[str, str | None, float]]
) -> dict[str, list[Question]]:
    by_step: dict[str, list[Question]] = {"letters": [], "meaning": []}
    with (
        tempfile.TemporaryDirectory() as scratch,
        name_resolution.graph_of(entities, Path(scratch) / "g.db", settings=Settings()) as graph,
    ):
        vector_backfill.backfill(graph.database)
        with graph.database.read("train") as tx:
            for text, expected, strength in asked:
                entity_type, _, rest = text.partition(":")
                of_types = (
                    (entity_type,)
                    if rest and entity_type in ("person", "project", "decision", "concept", "source")
                    else None
                )
                name = Name(rest.strip() if of_types else text)
                by_letters = fuzzy.rank(tx, name, of_types=of_types)
                candidates = {"letters": by_letters}
                pools = {"letters": acceptance.gather(tx, name, by_letters, ())}
                rules = {"letters": partial(fuzzy.best)}
                if embedding.is_comparable(tx, name, of_types=of_types):
                    near = embedding.nearest(tx, name.text, of_types=of_types)
                    pools["meaning"] = acceptance.gather(tx, name, by_letters, near)
                    rules["meaning"] = partial(embedding.paraphrase, tx, name)
                    candidates["meaning"] = near
                for step, pool in pools.items():
                    if step == "meaning" and any(each.features["rule_score"] >= MATCH_THRESHOLD for each in pool):
                        continue  # letters have decided
                    by_step[step] += _with_and_without(pool, expected, strength, text, rules[step], candidates[step])
    return by_step


def _with_and_without(
    pool: Sequence[acceptance.Evidence],
    expected: str | None,
    strength: float,
    text: str,
    rule: Callable[[Sequence[Candidate]], Candidate | None],
    candidates: Sequence[Candidate],
) -> Iterator[Question]:
    names = [_named(each.candidate) for each in pool]
    right = names.index(expected) if expected in names else -1
    if pool:
        yield Question(_matrix(pool), right, strength, text, ruled=_ruled(names, rule(candidates)))
    if right >= 0 and len(pool) > 1:
        others = [each for position, each in enumerate(pool) if position != right]
        ruled = _ruled(
            [_named(each.candidate) for each in others], rule([c for c in candidates if _named(c) != expected])
        )
        without = strength * STRENGTH_WITHOUT_ANSWER
        yield Question(_matrix(others), -1, without, f"{text} (without its answer)", ruled=ruled)


def _named(candidate: Candidate) -> str:
    return f"{candidate.entity.type}:{candidate.entity.name}"


def _ruled(names: Sequence[str], taken: Candidate | None) -> int | None:
    return names.index(_named(taken)) if taken is not None and _named(taken) in names else None


def _matrix(pool: Sequence[acceptance.Evidence]) -> np.ndarray:
    return np.array(
        [[1.0, *(each.features.get(name, 0.0) for name in FEATURES[1:])] for each in acceptance.compare(pool)]
    )


def generated(entities: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str | None]]:
    """Questions made from the names: slips, a word more, an author, another number, another word, a person's e-mail."""
    chance = random.Random(7)
    folded = {Name(name).folded for entity in entities for name in (entity["name"], *entity.get("aliases", ()))}
    things = [entity for entity in entities if entity["type"] != "person"]
    words = sorted(
        {word for entity in things for word in Name(entity["name"]).words if len(word) > 3 and word.isalpha()}
    )
    surnames = sorted({Name(entity["name"]).words[-1] for entity in entities if entity["type"] == "person"})
    for entity in entities:
        name, expected = entity["name"], f"{entity['type']}:{entity['name']}"
        own = Name(name).folded.split()
        made: list[tuple[str, str | None]] = []
        if name.isascii() and len(name) > 7:
            made.append((_slip(name, chance), expected))
        if name.isascii() and len(name) > 12:
            made.append((_slip(_slip(name, chance), chance), expected))
        if entity["type"] == "person":
            if len(own) == 2 and name.isascii() and min(map(len, own)) > 2:
                made.append(
                    (f"{own[0].title()} {chance.choice([one for one in surnames if one != own[1]]).title()}", None)
                )
        else:
            long_name = len(own) > 1
            if entity["type"] == "source" and long_name:
                made.append((f"{name} by {chance.choice(surnames).title()}", expected))
            if long_name:
                position = chance.randrange(len(own))
                if own[position].isalpha() and len(own[position]) > 3:
                    other = [*own[:position], chance.choice(words), *own[position + 1 :]]
                    made.append((" ".join(other), None))
                made.append((f"{chance.choice(words)} {own[-1]}", None))
                made.append((f"{name} {chance.choice(words)}", None))
            if any(character.isdigit() for character in name):
                made.append(("".join(str((int(c) + 1) % 10) if c.isdigit() else c for c in name), None))
        for text, answer in made:
            if Name(text).folded not in folded:
                yield text, answer
    for _ in range(len(entities) // 3):
        yield f"{chance.choice(words)} {chance.choice(words)}", None


def _slip(name: str, chance: random.Random) -> str:
    """The name with one letter swapped, left out, doubled or replaced, inside a word."""
    inside = [
        i for i in range(1, len(name) - 1) if name[i].isalpha() and name[i - 1].isalpha() and name[i + 1].isalpha()
    ]
    if not inside:
        return name
    i = chance.choice(inside)
    kind = chance.randrange(4)
    if kind == 0:
        return name[:i] + name[i + 1] + name[i] + name[i + 2 :]
    if kind == 1:
        return name[:i] + name[i + 1 :]
    if kind == 2:
        return name[:i] + name[i] + name[i:]
    return name[:i] + chance.choice(LETTERS) + name[i + 1 :]


def fit(every: Sequence[Question]) -> np.ndarray:
    """The weights with the highest likelihood, each within its direction; the greatest penalised likelihood."""
    rows = np.concatenate([each.features for each in every])
    group = np.repeat(np.arange(len(every)), [len(each.features) for each in every])
    starts = np.concatenate([[0], np.cumsum([len(each.features) for each in every])[:-1]])
    right = np.zeros(len(rows))
    for start, each in zip(starts, every, strict=True):
        if each.right >= 0:
            right[start + each.right] = 1
    strength = np.array([each.strength * each.weight for each in every])
    total = strength.sum()
    penalised = np.ones(rows.shape[1])
    penalised[0] = 0

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.clip(rows @ weights, -30, 30)
        shares = np.exp(scores)
        sums = 1 + np.add.reduceat(shares, starts)
        chosen = np.add.reduceat(scores * right, starts)
        value = -(strength * (chosen - np.log(sums))).sum() / total
        gradient = -(rows * ((right - shares / sums[group]) * strength[group])[:, None]).sum(0) / total
        return value + PENALTY / 10 * (penalised * weights**2).sum(), gradient + PENALTY / 5 * penalised * weights

    bounds = [
        (None, None),
        *((0 if way > 0 else None, 0 if way < 0 else None) for way in name_features.DIRECTIONS.values()),
    ]
    return minimize(
        loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2000}
    ).x


def calibration_curve(every: Sequence[Question], scores: Sequence[np.ndarray]) -> list[tuple[float, float]]:
    """Points of a rising line from the share of the best candidate to how often it was right (Zadrozny, Elkan 2002)."""
    from sklearn.isotonic import IsotonicRegression

    judged = sorted((share, is_right) for share, is_right, _ in _judged(every, scores))
    # Everything right up to 1, and wrong at 0, as if seen once more: no share is certain.
    shares = np.array([0.0, *(share for share, _ in judged), 1.0])
    rights = np.array([0.0, *(float(is_right) for _, is_right in judged), 1.0])
    # Means of neighbours before the isotonic fit, so that the steps become slopes.
    windows = [slice(max(i - 8, 0), i + 9) for i in range(0, len(shares), 4)]
    x = np.array([0.0, *(shares[window].mean() for window in windows), 1.0])
    y = np.array([0.0, *(rights[window].mean() for window in windows), 0.995])
    line = IsotonicRegression(increasing=True).fit(x, y)
    points = [0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0]
    return [(point, round(float(line.predict([point])[0]), 3)) for point in points]


def _judged(every: Sequence[Question], scores: Sequence[np.ndarray]) -> list[tuple[float, bool, str]]:
    """The hand-written cases that the rules leave open: the share of the best candidate, and whether it is right."""
    judged = []
    for each, score in zip(every, scores, strict=True):
        if each.strength == 1 and each.ruled is None:
            shares = np.exp(np.clip(score, -30, 30))
            shares /= 1 + shares.sum()
            judged.append((float(shares.max()), int(shares.argmax()) == each.right, each.asked))
    return judged


def report(
    title: str, every: Sequence[Question], scores: Sequence[np.ndarray], curve: Sequence[tuple[float, float]]
) -> None:
    """Print how many cases are right and wrong from each threshold on, and the worst."""
    print(title)
    judged = [
        (acceptance.calibrated(share, curve), is_right, asked) for share, is_right, asked in _judged(every, scores)
    ]
    print("  curve:", curve)
    for accept in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        accepted = [is_right for share, is_right, _ in judged if share >= accept]
        print(f"  from {accept}: {sum(accepted)} right, {len(accepted) - sum(accepted)} wrong")
    print(
        "  worst:",
        [(asked, round(share, 2)) for share, is_right, asked in sorted(judged, reverse=True) if not is_right][:20],
    )


if __name__ == "__main__":
    main()
