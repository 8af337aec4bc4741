"""What becomes of relations that a language model read in texts: at once, as groups that wait, and after decisions.

    python tests/benchmarks/extraction.py FILE [--facts] [--groups]

FILE is a list of passages, [{"text", "entities": [name], "relations": [{"from", "type", "to"}]}], as HippoRAG publishes
them. All are handed to ingest_prechunked in one call, without any types. Then the largest groups of wordings that say
something are decided: each is mapped to the predicate that it stands for already, else to a new one. Whether a fact is
right is for the reader to judge: --facts prints all that were admitted at once, --groups the groups. No such file is
part of the project.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keepgraph
from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.wording_groups import WordingGroup

DECIDED = 20
"""How many groups are decided, the largest first."""


def measured(file: Path, *, with_facts: bool = False, with_groups: bool = False) -> Iterator[str]:
    """The lines of a table about the passages of a file."""
    passages = json.loads(file.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder, keepgraph.open(Path(folder) / "graph.db") as graph:
        started = time.perf_counter()
        answer = _hand_in(graph, passages)
        seconds = time.perf_counter() - started
        given, accepted = answer["relations_proposed"], answer["relations_accepted"]
        distinct = {relation["type"] for passage in passages for relation in passage["relations"]}
        started = time.perf_counter()
        groups = _groups(graph)
        grouping_seconds = time.perf_counter() - started
        yield f"{len(passages)} passages, {given} relations in {len(distinct)} wordings; {seconds:.1f} s"
        yield f"characters of the answer   {len(json.dumps(answer, ensure_ascii=False)):6,}   goal ≤ 8,000"
        yield f"facts at once              {accepted / given:6.1%}   goal ≥ 30 %"
        yield f"waiting                    {answer['relations_waiting'] / given:6.1%}"
        yield f"refused                    {answer['relations_rejected'] / given:6.1%}"
        counted = accepted + answer["relations_waiting"] + answer["relations_rejected"]
        yield f"neither of these           {given - counted:6}   goal 0"
        yield f"groups                     {len(groups):6}   goal ≤ 80; {grouping_seconds:.1f} s"
        if with_facts:
            yield from _facts(graph)
        if with_groups:
            yield from (f"{group.count:4}  {group.nearest or '-'} {group.score:.2f}  {group.text}" for group in groups)
        decided = [group for group in groups if group.reasons.get("wording") and not group.says_nothing][:DECIDED]
        accepted += sum(_decide(graph, group) for group in decided)
        yield f"facts after {len(decided)} decisions    {accepted / given:6.1%}   goal ≥ 60 %"


def _hand_in(graph: keepgraph.Graph, passages: list[dict[str, Any]]) -> dict[str, Any]:
    chunks = [
        {
            "text": passage["text"],
            "entities": [{"name": name} for name in passage["entities"]],
            "relations": passage["relations"],
        }
        for passage in passages
    ]
    return graph.call("ingest_prechunked", source="passages", chunks=chunks)


def _groups(graph: keepgraph.Graph) -> list[WordingGroup]:
    with graph.database.read("benchmark") as tx:
        return knowledge.proposed_facts.group(tx)


def _facts(graph: keepgraph.Graph) -> Iterator[str]:
    with graph.database.read("benchmark") as tx:
        rows = [row for (row,) in tx.conn.execute("SELECT id FROM fact ORDER BY id")]
        facts = store.facts.by_rows(tx, rows)
    for fact in facts:
        ends = f"{fact.subject.type} → {fact.object.type if fact.object else 'literal'}"
        yield f"      {knowledge.facts.sentence(fact)}  [{ends}]"


def _decide(graph: keepgraph.Graph, group: WordingGroup) -> int:
    """Map a group to a predicate; how many relations that made facts of."""
    name = group.nearest if group.score == 1 and group.nearest else graph_vocabulary.spell(group.wordings[0][0])
    answer = graph.call(
        "extend_vocabulary",
        predicates={} if group.score == 1 else {name: {"description": "As the relations say that were handed in."}},
        map_wordings=[{"wordings": [wording for wording, _ in group.wordings], "predicate": name}],
    )
    return sum(mapped["admitted"] for mapped in answer["mapped"]) + int(answer.get("admitted", 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--facts", action="store_true", help="print the facts that were admitted at once")
    parser.add_argument("--groups", action="store_true", help="print the groups of wordings")
    given = parser.parse_args()
    print("\n".join(measured(given.file, with_facts=given.facts, with_groups=given.groups)))


if __name__ == "__main__":
    main()
