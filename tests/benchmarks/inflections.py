"""How often a note is found by another form of its words, in nine languages: in its text, and in a fact.

    python tests/benchmarks/inflections.py

The notes of all languages are in one graph. A note is found if it is among the first five results. The notes and the
questions are in inflections.txt; the second of each two lines is counted apart.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import keepgraph

NOTES = Path(__file__).with_suffix(".txt")
RESULTS = 5


def measured() -> Iterator[str]:
    """A line for each language: R@5 of texts and of facts, on seen and on unseen lines."""
    notes = _notes()
    columns = [_recall(notes, record) for record in (_remember, _record)]
    yield "language   texts seen, unseen   facts seen, unseen"
    for language in notes:
        yield f"{language:8}" + "".join(
            f"       {seen:.2f}, {unseen:.2f}  " for seen, unseen in (c[language] for c in columns)
        )


def _notes() -> dict[str, list[tuple[str, str]]]:
    notes: dict[str, list[tuple[str, str]]] = {}
    language = ""
    for line in NOTES.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
        elif line and not line.startswith("#"):
            text, _, question = line.partition(" | ")
            notes.setdefault(language, []).append((text.rstrip(".。"), question))
    return notes


def _recall(
    notes: dict[str, list[tuple[str, str]]], record: Callable[[keepgraph.Graph, int, str], object]
) -> dict[str, tuple[float, float]]:
    with tempfile.TemporaryDirectory() as folder, keepgraph.open(Path(folder) / "graph.db") as graph:
        for number, (text, _) in enumerate(pair for pairs in notes.values() for pair in pairs):
            record(graph, number, text)
        found = {
            language: [text in str(graph.call("search", query=question, limit=RESULTS)) for text, question in pairs]
            for language, pairs in notes.items()
        }
    return {key: (sum(hits[::2]) / len(hits[::2]), sum(hits[1::2]) / len(hits[1::2])) for key, hits in found.items()}


def _remember(graph: keepgraph.Graph, _: int, text: str) -> object:
    return graph.call("remember", text=text)


def _record(graph: keepgraph.Graph, number: int, text: str) -> object:
    subject = {"type": "source", "name": f"Note {number}"}
    return graph.call("record_fact", subject=subject, predicate="mentioned_in", object={"type": "source", "name": text})


if __name__ == "__main__":
    print("\n".join(measured()))
