"""A query is answered by SQL as by Python alone, over the tables of a real graph, now and at other moments."""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import note

from graph_tables import Tables
from keepgraph import errors
from keepgraph.cypher import binder, compiler
from keepgraph.cypher.interpret.evaluate import Run
from keepgraph.cypher.table_graph import TableGraph
from keepgraph.engine.query import bounds, graph_catalogue, query_pipeline
from keepgraph.tools.contract import catalogue
from random_cypher import PARAMETERS, TIME_PARAMETERS, PropertyGraph, Query

VIEWS: list[dict[str, str]] = [
    {},
    {"as_of": "2020-06-01"},
    {"as_of": "2021-06-01T00:00:00Z"},
    {"known_at": "2021-06-01"},
    {"known_at": "2020-06-01", "as_of": "2021-06-01"},
    {"known_at": "2022-06-01", "as_of": "2095-06-01"},
]
TIMESTAMP_COLUMNS = ("recorded_at", "valid_from", "valid_to", "created_at")
GIVEN = {**PARAMETERS, **TIME_PARAMETERS}
OURS = [
    *(("q", "confidence"), ("p", "name"), ("m", "summary"), ("s", "name"), ("p", "text"), ("m", "source")),
    *(("s", "valid_from"), ("p", "valid_to"), ("s", "value"), ("p", "aliases"), ("s", "id"), ("q", "group_id")),
]


def agree(tables: Tables, graph: PropertyGraph, query: Query, chance: random.Random) -> None:
    text = query.text
    since, until = chance.choice(TIMESTAMP_COLUMNS), chance.choice(TIMESTAMP_COLUMNS)
    for one, other in [*chance.sample(OURS, chance.randrange(4)), ("since", since), ("until", until)]:
        text = re.sub(rf"(?<=\.){one}\b|(?<=\{{){one}(?=:)", other, text)
    text = text.replace(":B", chance.choice([":B", ":Literal", ":Entity"]), 1)
    view, crowded = chance.choice(VIEWS), chance.random() < 0.5
    note(f"{text} {view} {crowded}")
    tables.load(graph, chance, crowded=crowded)
    with tables.graph.database.read("run_cypher") as tx:
        # What was asked of now must not be taken for what is asked of another moment.
        graph_catalogue.statement_cache(tx)
        tx = catalogue.to(tx, as_of=view.get("as_of"), known_at=view.get("known_at"))
        statements, names = graph_catalogue.statement_cache(tx), graph_catalogue.condition_values(tx)
        execute = query_pipeline.executor(tx, bounds.Bounds(tx, 30))
        try:
            compiled = compiler.compile_text(text, statements.catalogue, binder.infer_types(GIVEN))
        except errors.QueryError:
            return

        def found(*, by_python: bool) -> Any:
            seen = TableGraph(statements, execute, names, lambda: graph_catalogue.cache(tx))
            try:
                if by_python:
                    rows = list(compiled.interpreted_rows(Run(seen, GIVEN, tx.now, lambda _: None)))
                else:
                    rows, _ = compiler.run(compiled, seen, execute, GIVEN, names, now=tx.now, count_work=lambda _: None)
                shown = query_pipeline.hydrate(rows, seen)
            except errors.QueryError as error:
                return error
            assert "'theirs'" not in repr(shown)
            return rows

        real, wanted = found(by_python=False), found(by_python=True)
    if isinstance(wanted, errors.QueryFailed) and not isinstance(real, errors.QueryFailed):
        return
    equal_numbers = any(isinstance(each, float) for _, _, bag in graph.nodes for each in bag.values())
    if query.grouped and (equal_numbers or "1.0" in text or "$f" in text):
        return

    assert comparable(real, query) == comparable(wanted, query)


def comparable(found: Any, query: Query) -> Any:
    """What was found, as far as the query says what that is."""
    if not isinstance(found, list):
        return type(found), found.detail
    if query.cut:
        return len(found)
    written = [repr([plain(value, query) for value in row]) for row in found]
    return written if query.ordered else sorted(written)


def plain(value: Any, query: Query) -> Any:
    if isinstance(value, list):
        inner = [plain(each, query) for each in value]
        return sorted(inner, key=repr) if query.collected else inner
    # Of a sum of floats the last digits depend on the order.
    return float(f"{value:.12g}") + 0.0 if isinstance(value, float) else value
