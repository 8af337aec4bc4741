"""Prints one table of ratios: the figures of one run on one machine against the goals of the design.

python tests/benchmarks/run.py [--small] [--only PART] [--against REV] [--data FOLDER] [--conversations FILE]

Nothing fails here: a figure says whether it meets its goal, and the exit code is 0 either way.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import ablation
import calls
import cypher
import duplicates
import encrypted
import extraction
import generate
import lookups
import measure
import name_resolution
import questions
import retrieval
import topology
import writers
import writes
from measure import Figure
from sqlcipher3 import dbapi2 as sqlite

from keepgraph import store
from keepgraph.profiles import keys

SMALL_DUPLICATES = (500, 30)
"""Entities and planted duplicates in a small run."""

WITHOUT_VECTORS = ("calls", "topology", "page", "writers", "questions", "cypher")
"""The parts that need no vectors: alone, they begin sooner."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure Keepgraph against its goals.")
    parser.add_argument("--small", action="store_true", help="a hundredth of the graph and fewer rounds")
    parser.add_argument(
        "--only",
        choices=[
            "names",
            "public",
            "calls",
            "lookups",
            "encrypted",
            "writes",
            "topology",
            "serving",
            "page",
            "writers",
            "questions",
            "cypher",
        ],
        help="one part of the table",
    )
    parser.add_argument(
        "--data", type=Path, help="for the part `public`: the folder with locomo10.json, which you fetch"
    )
    parser.add_argument("--conversations", type=Path, help="how well what was said is found again: see retrieval.py")
    parser.add_argument("--extraction", type=Path, help="what becomes of relations read in texts: see extraction.py")
    parser.add_argument("--against", metavar="REV", help="for the part `calls`: a commit to measure by turns with it")
    parser.add_argument("--seed", type=int, default=generate.SEED)
    given = parser.parse_args()
    if given.only == "public":
        files = sorted(given.data.glob("locomo*.json")) if given.data else []
        if not files:
            parser.error("--only public needs --data FOLDER, with a locomo*.json in it")
        for file in files:
            print(f"{file.name}\n" + "\n".join(retrieval.measured(file)))
        return
    if given.conversations:
        print("\n".join(retrieval.measured(given.conversations)))
        return
    if given.extraction:
        print("\n".join(extraction.measured(given.extraction)))
        return
    if given.only in (None, "names"):
        for folder in (name_resolution.TRAIN, name_resolution.TEST):
            print(f"names: {folder.name}\n")
            print("\n".join(name_resolution.table(folder)), end="\n\n")
        if not given.small:
            print("rules of names that carry little\n")
            print("\n".join(ablation.table()), end="\n\n")
        print("duplicates\n")
        print("\n".join(duplicates.table(*(SMALL_DUPLICATES if given.small else ()))), end="\n\n")
        if given.only:
            return
    # An installed package is compiled, and so must be what is measured.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    share = 100 if given.small else 1
    entities, facts = generate.ENTITIES // share, generate.FACTS // share
    big = generate.cached(entities=entities, facts=facts, seed=given.seed, embedded=given.only not in WITHOUT_VECTORS)
    asked = generate.samples(big, count=100 if given.small else 300, seed=given.seed)
    print(
        f"{entities:,} entities, {facts:,} facts, seed {given.seed}; Python {platform.python_version()}, "
        f"SQLite {sqlite.sqlite_version}, {platform.system()} {platform.machine()}\n"
    )
    with tempfile.TemporaryDirectory(dir=generate.CACHE) as name:
        folder = Path(name)
        parts: dict[str, Callable[[], Iterator[Figure]]] = {
            "calls": lambda: calls.figures(
                big, folder, exact=asked.exact[0][0], against=given.against, rounds=9 if given.small else 21
            ),
            "lookups": lambda: lookups.figures(big, asked),
            "encrypted": lambda: encrypted.figures(big, folder, asked, rounds=9 if given.small else 21),
            "writes": lambda: writes.figures(big, folder, rounds=50 if given.small else 300),
            "topology": lambda: topology.figures(
                big, folder, asked, handles=1_000 if given.small else topology.HANDLES
            ),
            "page": lambda: _page(big, folder, asked, small=given.small),
            "writers": lambda: writers.figures(folder, seconds=2 if given.small else 5, rounds=1 if given.small else 3),
            "questions": lambda: _questions(big, folder, rounds=3 if given.small else 10),
            "cypher": lambda: cypher.figures(small=given.small),
            "serving": lambda: _serving(big, folder, asked, rounds=100 if given.small else 400),
        }
        found = [line for part, run in parts.items() if given.only in (None, part) for line in run()]
    print(measure.table(found))


def _questions(big: Path, folder: Path, *, rounds: int) -> Iterator[Figure]:
    """Natural questions in Cypher against SQL by hand, on the graph and on an encrypted copy of it."""
    key, encrypted_copy = keys.new(), folder / "questions.db"
    conn = store.connections.connect(big, "rw")
    try:
        store.copies.copy(conn, encrypted_copy, key=key, was_encrypted=False)
    finally:
        conn.close()
    yield from questions.figures(big, rounds=rounds)
    yield from questions.figures(encrypted_copy, rounds=rounds, key=key)


def _serving(big: Path, folder: Path, asked: generate.Samples, *, rounds: int) -> Iterator[Figure]:
    import serving  # brings in mcp, which the parent of the measured processes does not need before

    names = {"exact": asked.exact[0][0], "mistyped": asked.mistyped[0][0]}
    yield from serving.figures(big, folder, names=names, rounds=rounds)


def _page(big: Path, folder: Path, asked: generate.Samples, *, small: bool) -> Iterator[Figure]:
    import page  # the page drives a browser, which only this part needs

    yield from page.figures(big, folder, asked, small=small)


if __name__ == "__main__":
    main()
