"""Which names are proposed from notes in eight languages, and with which types.

    python tests/benchmarks/proposed_names.py

Each note is remembered in an empty graph. The notes are in proposed_names.txt with the names in them; the second of
each two lines is counted apart. A name is right if it is proposed as it is marked.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import keepgraph
from keepgraph.language import normalisation

NOTES = Path(__file__).with_suffix(".txt")
NAME = re.compile(r"\[([^\]|]+)\|(.)\]")
TYPES = {
    "P": {"person"},
    "O": {"organisation"},
    "L": {"place"},
    "J": {"project"},
    "T": {"concept", "tool", "product"},
}


def measured() -> Iterator[str]:
    """A line for each language: precision, recall, F1, and the share of right types, on seen and on unseen lines."""
    yield "language   seen: P    R   F1 types   unseen: P    R   F1 types"
    for language, notes in _notes().items():
        yield f"{language:14}" + "          ".join(
            " ".join(f"{figure:.2f}" for figure in _figures(half)) for half in (notes[::2], notes[1::2])
        )


def _notes() -> dict[str, list[str]]:
    notes: dict[str, list[str]] = {}
    language = ""
    for line in NOTES.read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"\[\w\w\]", line):
            language = line.strip("[]")
        elif line and not line.startswith("#"):
            notes.setdefault(language, []).append(line)
    return notes


def _figures(notes: Sequence[str]) -> tuple[float, float, float, float]:
    expected = right = proposed = typed = 0
    for note in notes:
        marked = {normalisation.key(name): kind for name, kind in NAME.findall(note)}
        with tempfile.TemporaryDirectory() as folder, keepgraph.open(Path(folder) / "graph.db") as graph:
            answer = graph.call("remember", text=NAME.sub(r"\1", note))
        types = {normalisation.key(entity["name"]): entity["type"] for entity in answer["proposed_entities"]}
        wanted = {key: kind for key, kind in marked.items() if kind != "-"}
        expected += len(wanted)
        right += len(wanted.keys() & types.keys())
        proposed += len(types.keys() - (marked.keys() - wanted.keys()))
        typed += sum(types.get(key) in TYPES[kind] for key, kind in wanted.items())
    return right / max(proposed, 1), right / expected, 2 * right / (proposed + expected), typed / max(right, 1)


if __name__ == "__main__":
    print("\n".join(measured()))
