"""What recall_for answers to messages that were written before it: `python tests/benchmarks/messages.py`.

Two graphs and their messages stand in tests/benchmarks/messages, with what each message names, which facts belong to
it, and which do not. Half of them were looked at while the code was written (`seen`), the others only at its end.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keepgraph

SETS = Path(__file__).with_name("messages")
TYPES = ("person", "project", "concept", "decision", "source")


def sets() -> list[dict[str, Any]]:
    return [json.loads(file.read_text("utf-8")) for file in sorted(SETS.glob("*.json"))]


def build(graph: keepgraph.Graph, given: dict[str, Any]) -> None:
    """Record a set: what holds, what has ended, what was replaced, aliases and what holds in one project."""

    def record(subject: str, predicate: str, object: str, **others: Any) -> Any:
        return graph.call("record_fact", subject=end(subject), predicate=predicate, object=end(object), **others)

    for fact in given["facts"]:
        record(*fact)
    for *fact, since, until in given["ended"]:
        record(*fact, valid_from=since, valid_to=until)
    for *fact, instead in given["superseded"]:
        old = record(*fact)
        record(*fact[:2], instead, supersedes=[old["fact_id"]])
    for entity, alias, project in given["aliases"]:
        record(entity, "tagged", "known")
        within = {"project": project} if project else {}
        graph.call("add_alias", entity=end(entity), alias=alias, **within)
    for *fact, project in given["scoped"]:
        record(*fact, project=project)


def end(text: str) -> dict[str, str]:
    kind, _, name = text.partition(":")
    return {"type": kind, "name": name} if kind in TYPES else {"literal": text}


def faults(answer: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    """What is wrong with an answer."""
    named, expected = {each["name"] for each in answer["named"]}, set(wanted["named"])
    if named != expected:
        yield f"named {sorted(named)}, not {sorted(expected)}"
    lines = [each["text"] for each in (*answer["facts"], *answer["open"])]
    if not expected and lines:
        yield f"names nothing, and got {lines}"
    yield from (f"lacks {each!r}" for each in wanted.get("facts", ()) if not any(each in line for line in lines))
    yield from (f"has {each!r}" for each in wanted.get("not", ()) if any(each in line for line in lines))
    opened = [each["text"] for each in answer["open"]]
    yield from (f"{each!r} is not open" for each in wanted.get("open", ()) if not any(each in line for line in opened))
    unclear = {each["words"] for each in answer["unclear"]}
    yield from (f"{each!r} is not unclear" for each in wanted.get("unclear", ()) if each not in unclear)


def measure(graph: keepgraph.Graph, given: dict[str, Any], counts: dict[str, Counter[str]]) -> list[str]:
    """Count what is right, by half; the faults, a line each."""
    found = []
    for wanted in given["messages"]:
        half = counts["seen" if wanted.get("seen") else "unseen"]
        answer = graph.call("recall_for", message=wanted["m"], scope=wanted.get("scope", []))
        named, expected = {each["name"] for each in answer["named"]}, set(wanted["named"])
        wrong = list(faults(answer, wanted))
        half["messages"] += 1
        half["right"] += not wrong
        half["named rightly"] += len(named & expected)
        half["named"] += len(named)
        half["to be named"] += len(expected)
        found += [f"{wanted['m']!r}: {fault}" for fault in wrong]
    return found


def main() -> None:
    counts: dict[str, Counter[str]] = {"seen": Counter(), "unseen": Counter()}
    for given in sets():
        with tempfile.TemporaryDirectory() as folder, keepgraph.open(Path(folder) / "graph.db") as graph:
            build(graph, given)
            print(*measure(graph, given, counts), sep="\n")
    for half, count in counts.items():
        precision, recall = count["named rightly"] / count["named"], count["named rightly"] / count["to be named"]
        print(f"{half}: {count['right']} of {count['messages']}, precision {precision:.3f}, recall {recall:.3f}")


if __name__ == "__main__":
    sys.exit(main())
