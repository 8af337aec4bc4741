"""Benchmark of name resolution against two plain scorers: the table of `make bench` and of the README.

The cases are in names/train and names/test, a graph in each file (see the README there); each says what a fair-minded
colleague would expect.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import keepgraph

TRAIN, TEST = (Path(__file__).parent / "names" / part for part in ("train", "test"))

Answer = tuple[str | None, str]
"""The entity as `type:name`, or None, and how it was found."""

BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0)
"""The bounds of the probabilities that a row of the table of reliability holds."""


@dataclass
class Score:
    """The results of one scorer: right and wrong answers, and right and wrong abstentions."""

    right: int = 0
    wrong: int = 0
    false: int = 0
    missed: int = 0
    abstained: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Count everything that another score has counted."""
        for name in ("right", "wrong", "false", "missed", "abstained", "faults"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def count(self, case: dict[str, Any], answer: str | None) -> None:
        expected = case["expect"]
        if answer == expected:
            self.right += expected is not None
            self.abstained += expected is None
            return
        if answer is None:
            self.missed += 1
        elif expected is None:
            self.false += 1
        else:
            self.wrong += 1
        self.faults.append(f"{case['kind']:16} {case['asked']!r:42} expected {expected}, got {answer}")

    @property
    def precision(self) -> float:
        answered = self.right + self.wrong + self.false
        return self.right / answered if answered else 1.0

    @property
    def recall(self) -> float:
        return self.right / max(self.right + self.wrong + self.missed, 1)

    @property
    def confidently_wrong(self) -> float:
        """The share of all cases in which a wrong entity came back."""
        every = self.right + self.wrong + self.false + self.missed + self.abstained
        return (self.wrong + self.false) / max(every, 1)


def graphs(folder: Path) -> list[Path]:
    """The files of a folder, each with the entities of one graph and cases."""
    return sorted(folder.glob("*.json"))


def read(file: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The entities and the cases in a file."""
    content = json.loads(file.read_text(encoding="utf-8"))
    return content["entities"], content["cases"]


def graph_of(entities: Sequence[dict[str, Any]], path: Path, **options: Any) -> keepgraph.Graph:
    """A graph with these entities, and nothing said of them but a tag."""
    graph = keepgraph.open(path, **options)
    facts = [
        {
            "subject": {"type": entity["type"], "name": entity["name"]},
            "predicate": "tagged",
            "object": {"literal": "known"},
            "aliases": entity.get("aliases", []),
        }
        for entity in entities
    ]
    answer = graph.call("record_facts", facts=facts)
    assert answer["refused"] == 0, answer
    for entity in entities:
        if properties := entity.get("properties"):
            named = {"type": entity["type"], "name": entity["name"]}
            graph.call("update_entity", entity=named, properties=properties)
    return graph


def ours(graph: keepgraph.Graph) -> Callable[[str], Answer]:
    def find(asked: str) -> Answer:
        answer = graph.call("recall_entity", name_or_alias=asked)
        entity = answer["entity"]
        return (f"{entity['type']}:{entity['name']}" if entity else None), answer["resolution"]["method"]

    return find


def judged(graph: keepgraph.Graph, cases: Sequence[dict[str, Any]]) -> list[tuple[float, bool]]:
    """The probability that the best candidate of each case was given, and whether it is right.

    Names that are written exactly so have no probability, and are left out.
    """
    found: list[tuple[float, bool]] = []
    for case in cases:
        answer = graph.call("recall_entity", name_or_alias=case["asked"])
        resolution = answer["resolution"]
        candidates = resolution.get("candidates", [])
        if resolution["method"] in ("exact", "alias") or not (answer["entity"] or candidates):
            continue
        best = answer["entity"] or candidates[0]
        score = resolution["score"] if answer["entity"] else candidates[0]["score"]
        found.append((score, f"{best['type']}:{best['name']}" == case["expect"]))
    return found


def reliability(judged: Sequence[tuple[float, bool]]) -> list[str]:
    """How often the best candidate is right, by the probability that it was given (a reliability diagram)."""
    lines = ["| probability of the best candidate | cases | mean probability | right |", "|---|---|---|---|"]
    for low, high in pairwise(BINS):
        within = [each for each in judged if low <= each[0] < high or (high == 1 and each[0] == 1)]
        if within:
            mean, right = sum(score for score, _ in within) / len(within), sum(is_right for _, is_right in within)
            lines.append(f"| {low:.2f} to {high:.2f} | {len(within)} | {mean:.2f} | {right / len(within):.2f} |")
    return lines


def by_letters(entities: Sequence[dict[str, Any]], threshold: float = 75) -> Callable[[str], Answer]:
    """Plain WRatio over every name and alias."""
    from rapidfuzz import fuzz, process

    names = _surfaces(entities)

    def find(asked: str) -> Answer:
        best = process.extractOne(asked, [name for name, _ in names], scorer=fuzz.WRatio, score_cutoff=threshold)
        return (names[best[2]][1], "fuzzy") if best else (None, "none")

    return find


def by_meaning(entities: Sequence[dict[str, Any]], threshold: float = 0.82) -> Callable[[str], Answer]:
    """Plain cosine over every name and alias."""
    from keepgraph.ml import embedder

    names = _surfaces(entities)
    known = embedder.embed([name for name, _ in names])

    def find(asked: str) -> Answer:
        near = known @ embedder.embed([asked])[0]
        best = int(near.argmax())
        return (names[best][1], "embedding") if near[best] >= threshold else (None, "none")

    return find


def in_a_row(*ways: Callable[[str], Answer]) -> Callable[[str], Answer]:
    def find(asked: str) -> Answer:
        return next((answer for answer in (way(asked) for way in ways) if answer[0]), (None, "none"))

    return find


def scored(
    cases: Sequence[dict[str, Any]], find: Callable[[str], Answer]
) -> tuple[Score, dict[str, Score], dict[str, Score]]:
    """The score over all cases, by the kind of case, and by the step that answered."""
    overall, by_kind, by_step = Score(), defaultdict(Score), defaultdict(Score)
    for case in cases:
        answer, step = find(case["asked"])
        overall.count(case, answer)
        by_kind[case["kind"]].count(case, answer)
        by_step[step].count(case, answer)
    return overall, dict(by_kind), dict(by_step)


def table(folder: Path, *, faults: bool = False) -> list[str]:
    """The lines of the table for the graphs in a folder together."""
    totals: dict[str, Score] = defaultdict(Score)
    by_graph: dict[str, Score] = {}
    by_kind: dict[str, Score] = defaultdict(Score)
    by_step: dict[str, Score] = defaultdict(Score)
    sizes: Counter[str] = Counter()
    probabilities: list[tuple[float, bool]] = []
    for file in graphs(folder):
        entities, cases = read(file)
        sizes.update(case["kind"] for case in cases)
        with tempfile.TemporaryDirectory() as scratch, graph_of(entities, Path(scratch) / "names.db") as graph:
            overall, kinds, steps = scored(cases, ours(graph))
            probabilities += judged(graph, cases)
        by_graph[file.stem] = overall
        for every, of_graph in ((by_kind, kinds), (by_step, steps)):
            for name, score in of_graph.items():
                every[name].add(score)
        letters, meaning = by_letters(entities), by_meaning(entities)
        plain = {"WRatio ≥ 75": letters, "cosine ≥ 0.82": meaning, "both in a row": in_a_row(letters, meaning)}
        totals["Keepgraph"].add(overall)
        for title, way in plain.items():
            totals[title].add(scored(cases, way)[0])
    ours_in_all = totals["Keepgraph"]
    wanted = ours_in_all.right + ours_in_all.wrong + ours_in_all.missed
    lines = [
        f"{len(by_graph)} graphs, {wanted} names to be found, {sizes.total() - wanted} that must not be",
        "",
        "| | right | wrong entity | found, must not be | precision | recall | confidently wrong |",
        "|---|---|---|---|---|---|---|",
        *(_row(title, score) for title, score in totals.items()),
        *(_row(title, score) for title, score in by_graph.items()),
        "",
        "| step that answered | right | wrong | precision |",
        "|---|---|---|---|",
    ]
    for step in ("exact", "alias", "fuzzy", "embedding"):
        score = by_step[step]
        lines.append(f"| {step} | {score.right} | {score.wrong + score.false} | {score.precision:.2f} |")
    none = by_step["none"]
    lines += [f"| none (abstained) | {none.abstained} | {none.missed} missed | |", "", *reliability(probabilities)]
    lines += ["", "| kind | right | of |", "|---|---|---|"]
    lines += [f"| {kind} | {by_kind[kind].right + by_kind[kind].abstained} | {size} |" for kind, size in sizes.items()]
    return lines + (["", *ours_in_all.faults] if faults else [])


def _row(title: str, score: Score) -> str:
    return (
        f"| {title} | {score.right} | {score.wrong} | {score.false} | {score.precision:.2f} | {score.recall:.2f} "
        f"| {score.confidently_wrong:.1%} |"
    )


def _surfaces(entities: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (name, f"{entity['type']}:{entity['name']}")
        for entity in entities
        for name in (entity["name"], *entity.get("aliases", ()))
    ]


if __name__ == "__main__":
    import sys

    folders = [Path(given) for given in sys.argv[1:] if not given.startswith("--")]
    for folder in folders or (TRAIN, TEST):
        print("\n".join(table(folder, faults="--faults" in sys.argv)), end="\n\n")
