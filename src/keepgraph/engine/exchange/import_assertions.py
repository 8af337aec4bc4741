"""Import of assertions: those in the line of their fact, and those with a line of their own (kind `provenance`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.exchange.export_format import DEFAULT_CONFIDENCE
from keepgraph.engine.exchange.import_state import ImportState, Line, LineResult, import_each
from keepgraph.engine.exchange.import_values import validate_timestamp
from keepgraph.store.exchange_rows import Assertion, EpisodeRow
from keepgraph.store.transactions import Tx


def import_assertions(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Assertions with a line of their own, after all facts."""
    facts = store.imports.facts_by_id(tx, (line["fact"] for line in lines))
    fact_rows = {fact.id: fact.row for fact in facts.values()} | {
        line["fact"]: state.same_facts[line["fact"]] for line in lines if line["fact"] in state.same_facts
    }
    episodes = find_episodes(tx, lines, state)
    inserts = AssertionInserts(tx, fact_rows.values(), {episode.id: episode for episode in episodes.values()})

    def import_assertion(line: Line) -> LineResult:
        if line["fact"] in state.refused_ids:
            raise errors.ImportConflict(f"{line['fact']} is something else in this graph: its line was refused")
        if line["fact"] not in fact_rows:
            raise errors.FactNotFound(f"there is no fact {line['fact']}, in this graph or in the file")
        assertion = parse_assertion(
            line, episodes, state, confidence=DEFAULT_CONFIDENCE, recorded_at=line["recorded_at"]
        )
        created = inserts.add(fact_rows[line["fact"]], assertion, nth=line.get("nth", 1), leave_gap=True)
        return LineResult(created=created)

    results = import_each(lines, import_assertion, strict=strict)
    inserts.write()
    return results


class AssertionInserts:
    """The assertions that some facts have, and those to write.

    Args:
        facts: the rows of the facts that are in the graph.
        episodes: the episodes that assertions may come from, by their ids in the graph.
    """

    def __init__(self, tx: Tx, facts: Iterable[int], episodes: Mapping[str, EpisodeRow]) -> None:
        self._tx, self._episodes = tx, episodes
        self._counts = {
            fact: Counter(assertion for _, assertion in assertions)
            for fact, assertions in store.exchange_rows.assertions(tx, facts).items()
        }
        self._next_row = store.journal.unused_row(tx, "provenance")
        self._rows: list[tuple[Any, ...]] = []

    def add(self, fact: int, assertion: Assertion, *, nth: int, leave_gap: bool = False) -> bool:
        """Add an assertion unless its fact has `nth` equal ones; whether it was added.

        With `leave_gap` a row number stays unused before it. By this gap the next export knows that the assertion
        needs a line of its own (ADR 0019).
        """
        counts = self._counts.setdefault(fact, Counter())
        if counts[assertion] >= nth:
            return False
        counts[assertion] += 1
        self._next_row += leave_gap
        episode = self._episodes[assertion.episode].row if assertion.episode else None
        self._rows.append((self._next_row, fact, *assertion[:-1], episode))
        self._next_row += 1
        return True

    def write(self) -> None:
        store.provenance.insert_many(self._tx, self._rows)


def find_episodes(tx: Tx, assertions: Iterable[Line], state: ImportState) -> dict[str, EpisodeRow]:
    """The episodes that assertions come from, by their ids in the file."""
    ids = {assertion["episode"] for assertion in assertions if "episode" in assertion}
    return store.imports.episodes_by_id(tx, ids) | {
        public_id: state.same_episodes[public_id] for public_id in ids & state.same_episodes.keys()
    }


def parse_assertion(
    line: Line, episodes: Mapping[str, EpisodeRow], state: ImportState, *, confidence: float, recorded_at: str
) -> Assertion:
    """An assertion with checked values; `confidence` and `recorded_at` hold where it gives none.

    Raises:
        errors.EpisodeNotFound: it comes from an episode that is neither in the graph nor in the file.
        errors.ImportConflict: the line of that episode was refused.
    """
    episode = line.get("episode")
    if episode in state.refused_ids:
        raise errors.ImportConflict(f"{episode} is another text in this graph: its line was refused")
    if episode is not None and episode not in episodes:
        raise errors.EpisodeNotFound(
            f"there is no episode {episode}, in this graph or in the file", hint="Import the line of it as well."
        )
    return Assertion(
        line.get("source"),
        float(line.get("confidence", confidence)),
        validate_timestamp(line.get("recorded_at", recorded_at)),
        line.get("session"),
        line["tool"],
        episodes[episode].id if episode else None,
    )
