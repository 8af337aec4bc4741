"""The figures of link prediction on public sets of triples: popularity, Horn rules and ComplEx at several densities.

    python tests/benchmarks/link_prediction.py FOLDER [--seeds 5]

FOLDER has a folder for each set (umls, kinships, nations) with train.txt, valid.txt and test.txt: a triple a line,
divided by tabs. The package `pykeen` has them in `pykeen/datasets`; they are no part of the project. For each set and
size, triples of train.txt are drawn by the seeds 0, 1, 2 …; what is printed is the mean over the seeds of the filtered
MRR on test.txt, with the range of the seeds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from keepgraph.arrays import horn_rules, link_models
from keepgraph.arrays.link_models import Model, Triples

SIZES = {"umls": (300, 1_000, 3_000, None), "kinships": (300, 1_000, 3_000, None), "nations": (300, None)}
METHODS: dict[str, Callable[[Triples, int], Model]] = {
    "popularity": lambda triples, seed: link_models.fit(triples),
    "horn_rules": lambda triples, seed: horn_rules.fit(triples),
    "complex": lambda triples, seed: link_models.fit_complex(triples, seed=seed),
}


def read(folder: Path) -> tuple[Triples, Triples, Triples]:
    """What to learn from, what to test with, and all that is true."""
    parts = [
        np.array([line.split("\t") for line in (folder / f"{part}.txt").read_text("utf-8").splitlines()])
        for part in ("train", "valid", "test")
    ]
    all_rows = np.concatenate(parts)
    entities, predicates = np.unique(all_rows[:, [0, 2]]), np.unique(all_rows[:, 1])

    def numbered(rows: np.ndarray) -> Triples:
        return Triples(
            np.searchsorted(entities, rows[:, 0]),
            np.searchsorted(predicates, rows[:, 1]),
            np.searchsorted(entities, rows[:, 2]),
            len(entities),
            len(predicates),
        )

    return numbered(parts[0]), numbered(parts[2]), numbered(all_rows)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--seeds", type=int, default=5)
    arguments.add_argument("--sets", nargs="*", default=list(SIZES))
    arguments.add_argument("--methods", nargs="*", default=list(METHODS))
    options = arguments.parse_args()
    for name in options.sets:
        train, test, known = read(options.folder / name)
        for size in SIZES[name]:
            cells = []
            for method in options.methods:
                mrrs, began = [], time.perf_counter()
                for seed in range(options.seeds):
                    chosen = np.random.default_rng(seed).permutation(len(train))[:size]
                    model = METHODS[method](train.take(chosen), seed)
                    mrrs.append(link_models.evaluate(model, test, known=known, seed=seed).mrr)
                seconds = (time.perf_counter() - began) / options.seeds
                cells.append(f"{method} {np.mean(mrrs):.3f} ({min(mrrs):.3f} to {max(mrrs):.3f}; {seconds:.1f} s)")
            density = (size or len(train)) / train.entity_count
            print(f"{name}, {size or len(train)} facts, {density:.1f} an entity: " + ", ".join(cells), flush=True)


if __name__ == "__main__":
    main()
