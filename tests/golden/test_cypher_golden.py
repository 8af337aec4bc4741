"""Golden files of queries: the SQL that each compiles to, and the rows that it finds in one small graph.

`tests/golden/cypher/NAME.cypher` has a query, `.sql` its statements (a lost index hint is seen there), `.rows` what it
finds. After an intended change, `make golden` writes them anew, and the difference is part of the review.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import keepgraph
from keepgraph.cli.root import kg
from words import Clock, concept, counted, decision, fact, literal, person, project

QUERIES = sorted((Path(__file__).parent / "cypher").glob("*.cypher"))

ADA, GRACE, LINUS, MARIE = map(person, ("Ada Lovelace", "Grace Hopper", "Linus Pauling", "Marie Curie"))
ATLAS, BOREALIS, CIRRUS = map(project, ("Atlas", "Borealis", "Cirrus"))
SQLITE, REST, ENCRYPTED = map(decision, ("Adopt SQLite", "Use REST", "Encrypt SQL backups"))

FACTS = [
    fact(ADA, "decided_in", SQLITE, source="standup", aliases=["AL"], valid_from="2026-04-02"),
    fact(ADA, "decided_in", ENCRYPTED, source="mail", confidence=0.8),
    fact(GRACE, "decided_in", SQLITE, source="standup"),
    fact(GRACE, "decided_in", REST, valid_from="2026-05-03"),
    fact(SQLITE, "belongs_to", ATLAS),
    fact(ENCRYPTED, "belongs_to", ATLAS),
    fact(REST, "belongs_to", BOREALIS),
    fact(GRACE, "reports_to", ADA),
    fact(LINUS, "reports_to", GRACE),
    fact(ATLAS, "depends_on", BOREALIS),
    fact(BOREALIS, "depends_on", CIRRUS),
    fact(ATLAS, "depends_on", CIRRUS),
    fact(CIRRUS, "depends_on", concept("SQLite")),
    fact(ATLAS, "blocked_by", literal("waiting for the licence"), source="standup"),
    fact(BOREALIS, "blocked_by", CIRRUS, valid_from="2026-05-10"),
    fact(ATLAS, "tagged", literal("core")),
    fact(CIRRUS, "tagged", literal("core")),
    fact(CIRRUS, "tagged", literal("infra")),
    fact(MARIE, "tagged", literal("adviser")),
]


@pytest.fixture(scope="module")
def graph_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph that is the same in every run: counted ids, a clock that moves a minute a call."""
    path = tmp_path_factory.mktemp("golden") / "graph.db"
    clock = Clock()
    with keepgraph.open(path, clock=clock, new_id=counted()) as graph:
        for arguments in FACTS:
            graph.call("record_fact", **arguments)
            clock.pass_by(minutes=1)
        wrong = graph.call("record_fact", subject=LINUS, predicate="decided_in", object=REST)
        graph.call("retract_fact", fact_id=wrong["fact_id"])
    return path


def answer(path: Path, *arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(kg, ["--db", str(path), "--json", "query", *arguments])
    assert result.exit_code == 0, result.output
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


def statements(path: Path, query: str) -> str:
    """The statements of a query, behind a line that says what runs it."""
    plan = answer(path, "--explain", query)
    return "\n\n".join([f"-- by {plan['by']}", *(statement["sql"] for statement in plan["statements"])]) + "\n"


def rows(path: Path, query: str) -> str:
    """What a query finds, as JSON: its columns, then a row a line, or the whole of what is no table."""
    found = answer(path, query)
    whole = {name: found[name] for name in ("result", "nodes", "edges", "paths") if name in found}
    lines = found["rows"] if found["type"] == "tabular" else [whole]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in (found["columns"], *lines)) + "\n"


@pytest.mark.parametrize("file", QUERIES, ids=[file.stem for file in QUERIES])
@pytest.mark.parametrize(("ending", "made"), [(".sql", statements), (".rows", rows)], ids=["sql", "rows"])
def test_a_query_compiles_to_the_same_statements_and_finds_the_same_rows(request, graph_file, file, ending, made):
    golden = file.with_suffix(ending)
    actual = made(graph_file, file.read_text(encoding="utf-8").strip())
    if request.config.getoption("--update-golden"):
        golden.write_text(actual, encoding="utf-8")

    assert golden.read_text(encoding="utf-8") == actual


def test_every_golden_file_belongs_to_a_query():
    stems = {file.stem for file in QUERIES}
    strays = [file.name for file in QUERIES[0].parent.iterdir() if file.stem not in stems]

    assert QUERIES
    assert strays == []
