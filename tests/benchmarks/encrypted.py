"""The same questions to the big graph and to an encrypted copy of it, by turns; and the same commands."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import generate
import measure
from generate import Samples
from measure import Figure

import keepgraph
from keepgraph import store
from keepgraph.model import Key
from keepgraph.profiles import keys

GOAL = 1.5


def figures(big: Path, folder: Path, asked: Samples, *, rounds: int) -> Iterator[Figure]:
    key, encrypted = keys.new(), folder / "encrypted.db"
    began = time.perf_counter()
    conn = store.connections.connect(big, "rw")
    try:
        store.copies.copy(conn, encrypted, key=key, was_encrypted=False)
    finally:
        conn.close()
    yield measure.for_information(
        "an encrypted copy, every row compared", time.perf_counter() - began, "s", f"{big.stat().st_size / 1e6:.0f} MB"
    )
    yield from _questions(big, encrypted, key, asked)
    yield from _processes(big, encrypted, key, exact=asked.exact[0][0], rounds=rounds)


def _questions(big: Path, encrypted: Path, key: Key, asked: Samples) -> Iterator[Figure]:
    kinds = {
        "exact": [name for name, _ in asked.exact],
        "alias": [name for name, _ in asked.alias],
        "fuzzy": [name for name, _ in asked.mistyped],
        "by meaning": [f"whatever follows from {name.lower()} in practice" for name, _ in asked.exact],
    }
    with (
        keepgraph.open(big, read_only=True, clock=lambda: generate.ENDED) as plain,
        keepgraph.open(encrypted, read_only=True, key=key.digits, clock=lambda: generate.ENDED) as keyed,
    ):
        for kind, questions in kinds.items():
            for graph in (plain, keyed):
                for name in questions[:20]:
                    graph.call("recall_entity", name_or_alias=name)
            times: dict[keepgraph.Graph, list[float]] = {plain: [], keyed: []}
            for n, name in enumerate(questions):
                # Whoever is asked second finds the words of the question compared already: they take turns.
                for graph in (plain, keyed) if n % 2 else (keyed, plain):
                    ask = partial(graph.call, "recall_entity", name_or_alias=name)
                    times[graph].append(measure.milliseconds(ask))
            one, other = measure.p50(times[plain]), measure.p50(times[keyed])
            yield measure.at_most(
                f"recall_entity, {kind}, encrypted / plain", other / one, GOAL, "×", f"{other:.2f} ms against {one:.2f}"
            )


def _processes(big: Path, encrypted: Path, key: Key, *, exact: str, rounds: int) -> Iterator[Figure]:
    kg = str(Path(sys.executable).with_name("kg"))
    file = encrypted.with_suffix(".key")
    keys.write(file, [key], about="The key of a benchmark.")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}

    def run(graph: Path, **more: str) -> None:
        command = [kg, "--db", str(graph), "recall", exact]
        subprocess.run(command, stdout=subprocess.DEVNULL, env={**plain, **more}, check=True)

    times = measure.by_turns(
        [
            lambda: run(big),
            lambda: run(encrypted, KG_KEY_FILE=str(file)),
            lambda: run(encrypted, KG_KEY=key.digits),
        ],
        rounds=rounds,
    )
    base = measure.p50(times[0])
    for name, taken in zip(("a key file", "KG_KEY"), times[1:], strict=True):
        p50 = measure.p50(taken)
        yield measure.at_most(f"kg recall, key from {name}, / plain", p50 / base, GOAL, "×", f"{p50 - base:+.0f} ms")
