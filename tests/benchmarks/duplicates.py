"""Benchmark of duplicates: planted pairs among other entities, recorded in either order, found by `list_duplicates`.

python tests/benchmarks/duplicates.py [ENTITIES] [PLANTED]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import generate

import keepgraph
from keepgraph import Graph
from keepgraph.language import given_names, normalisation

ENTITIES = 5_000
PLANTED = 300

Named = tuple[str, str]
"""The type and the name of an entity."""

Planted = tuple[str, Named, str]
"""How the duplicate is written, the entity, and the duplicate's name."""

_SHARES = {"person": 5, "project": 2, "decision": 2, "concept": 3, "source": 2}


def main() -> None:
    given = [int(each) for each in sys.argv[1:]]
    entities, count = (*given, *(ENTITIES, PLANTED)[len(given) :])
    print("\n".join(table(entities, count)))


def table(entities: int = ENTITIES, count: int = PLANTED) -> list[str]:
    """The lines of the table: recall and precision of the proposed pairs, by which of the two was recorded first."""
    lines = ["| recorded first | found | of | recall | proposed | precision | CPU s |", "|---|---|---|---|---|---|---|"]
    by_kind: list[str] = []
    for order in ("name", "duplicate"):
        names = _names(random.Random("doubles"), entities)
        duplicates = planted(random.Random("planted"), names, count)
        with tempfile.TemporaryDirectory() as folder, keepgraph.open(Path(folder) / "g.db") as graph:
            _record(graph, names, duplicates, duplicate_first=order == "duplicate")
            started = time.process_time()
            pairs = proposed(graph)
            seconds = time.process_time() - started
        expected = {frozenset([entity[1], duplicate]): kind for kind, entity, duplicate in duplicates}
        right = [pair for pair in pairs if pair in expected]
        lines.append(
            f"| {order} | {len(right)} | {len(expected)} | {len(right) / len(expected):.3f} | {len(pairs)} "
            f"| {len(right) / max(len(pairs), 1):.3f} | {seconds:.1f} |"
        )
        sizes, found = Counter(expected.values()), Counter(expected[pair] for pair in right)
        by_kind.append(
            f"{order} first: " + ", ".join(f"{kind} {found[kind]} of {sizes[kind]}" for kind in sorted(sizes))
        )
    return [*lines, "", *by_kind]


def proposed(graph: Graph) -> list[frozenset[str]]:
    """The names of each pair that is proposed, the likeliest of each batch first."""
    pairs: list[frozenset[str]] = []
    after: int | None = 0
    while after is not None:
        batch = graph.call("list_duplicates", after=after)
        pairs += [frozenset([pair["entity"]["name"], pair["duplicate"]["name"]]) for pair in batch["pairs"]]
        after = batch["next"]
    return list(dict.fromkeys(pairs))


def planted(rng: random.Random, names: Sequence[Named], count: int) -> list[Planted]:
    """Doubles of names, each written in one of the ways in which people write a name anew."""
    taken = {normalisation.key(name) for _, name in names}
    ways: dict[str, Callable[[Named, random.Random], str | None]] = {
        "typo": lambda named, rng: generate.slip(named[1], rng),
        "nickname": _nickname,
        "initial": _initial,
        "order": _order,
        "accents": _accents,
        "joined": _joined,
        "type word": _type_word,
        "legal form": lambda named, rng: f"{named[1]} Ltd" if named[0] == "concept" else None,
        "author": lambda named, rng: f"{named[1]} by Robert Martin" if named[0] == "source" else None,
        "article": lambda named, rng: f"the {named[1]}" if named[0] in ("project", "source") else None,
    }
    duplicates: list[Planted] = []
    originals = rng.sample(list(names), len(names))
    for turn, entity in enumerate(originals * 3):
        if len(duplicates) == count:
            break
        kind = list(ways)[turn % len(ways)]
        duplicate = ways[kind](entity, rng)
        if duplicate and normalisation.key(duplicate) not in taken and entity not in {one for _, one, _ in duplicates}:
            taken.add(normalisation.key(duplicate))
            duplicates.append((kind, entity, duplicate))
    return duplicates


def _names(rng: random.Random, count: int) -> list[Named]:
    fresh = generate.new_names(rng)
    kinds = rng.choices(list(_SHARES), list(_SHARES.values()), k=count)
    taken: set[str] = set()
    return list(_distinct(((kind, next(fresh[kind])) for kind in kinds), taken))


def _distinct(names: Iterator[Named], taken: set[str]) -> Iterator[Named]:
    for kind, name in names:
        if (key := normalisation.key(name)) not in taken:
            taken.add(key)
            yield kind, name


def _record(graph: Graph, names: Sequence[Named], duplicates: Sequence[Planted], *, duplicate_first: bool) -> None:
    second = [(entity[0], duplicate) for _, entity, duplicate in duplicates]
    every = [*second, *names] if duplicate_first else [*names, *second]
    for start in range(0, len(every), 100):
        facts = [
            {"subject": {"type": kind, "name": name}, "predicate": "tagged", "object": {"literal": "known"}}
            for kind, name in every[start : start + 100]
        ]
        answer = graph.call("record_facts", facts=facts)
        assert answer["refused"] == 0, answer


def _nickname(named: Named, rng: random.Random) -> str | None:
    kind, name = named
    first, _, rest = name.partition(" ")
    short = sorted(one for one in given_names.nicknames(normalisation.Name(first).folded) if len(one) < len(first))
    return f"{rng.choice(short).title()} {rest}" if kind == "person" and rest and short else None


def _initial(named: Named, rng: random.Random) -> str | None:
    first, _, rest = named[1].partition(" ")
    return f"{first[0]}. {rest}" if named[0] == "person" and rest else None


def _order(named: Named, rng: random.Random) -> str | None:
    words = named[1].split()
    return f"{words[-1]}, {' '.join(words[:-1])}" if named[0] == "person" and len(words) > 1 else None


def _accents(named: Named, rng: random.Random) -> str | None:
    folded = normalisation.Name(named[1]).folded
    return None if named[1].isascii() else folded.title()


def _joined(named: Named, rng: random.Random) -> str | None:
    words = named[1].split()
    return "".join(words) if named[0] in ("project", "concept") and len(words) == 2 else None


def _type_word(named: Named, rng: random.Random) -> str | None:
    return f"{named[1]} project" if named[0] == "project" and "project" not in named[1].casefold() else None


if __name__ == "__main__":
    main()
