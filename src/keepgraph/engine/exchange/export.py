"""Export: the whole graph as JSON lines, one for each word, entity, episode, fact and so on (ADR 0019).

Lines are in the order of public ids. Ids grow with time, so new lines come last. The assertions of a fact stand in
the line of the fact, in order. An import must also restore the order of the assertions of different facts, because it
decides which blockers are open. Timestamps give this order; for equal timestamps the ids of the facts give it. Where
the ids would give a wrong order, because a fact was asserted again at that timestamp, the remaining assertions of the
timestamp follow after the facts, as lines of the kind `provenance`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from keepgraph import store
from keepgraph.engine.exchange import import_state, import_vocabulary
from keepgraph.engine.exchange.import_state import DEFAULT_CONFIDENCE, DEFAULT_GROUP, NO_SCOPE
from keepgraph.formats.records import Entity, Fact, ReadError, Record, Skipped
from keepgraph.language import normalisation
from keepgraph.store.database import Database
from keepgraph.store.review_proposals import ReviewDecision
from keepgraph.store.transactions import Tx
from keepgraph.store.transfer import (
    Assertion,
    AssertionOrder,
    ChunkRow,
    EntityRow,
    EpisodeRow,
    FactExportRow,
    ProposedFactRow,
    Validity,
)

ASSERTIONS_IN_LINE = 50
"""Assertions in the line of their fact, at most; the others follow in lines of their own. It bounds the line length."""

CHARACTERS_IN_LINE = 400_000
"""Characters of an episode in its own line, at most; its other chunks follow in lines of their own."""


_NOT_IN_LINE = {"row": None, "key": None}
"""Columns that lines leave out: positions in this file, and what is derived from a name."""


def stream_lines(database: Database) -> Iterator[dict[str, Any]]:
    """The whole graph as it is at this moment, all groups, as the lines that `kg import` reads; see docs/export.md.

    This is not a tool: an answer is held in memory as a whole, and a graph may be larger than memory. One read
    transaction lasts as long as the stream, so that all lines are of one moment.
    """
    with database.read("export") as tx:
        yield from _generate_lines(tx)


def _generate_lines(tx: Tx) -> Iterator[dict[str, Any]]:
    """The lines of an export in order: header, words, entities, episodes, facts, postponed assertions; all groups."""
    yield {"keepgraph": "graph", "format": import_state.VERSION}
    yield from import_vocabulary.write(tx)
    for group, wording, dismissed_at in store.transfer.dismissed_wordings(tx):
        yield _without_none(
            {
                "kind": "dismissed_wording",
                "group": _none_if_default(group, DEFAULT_GROUP),
                "wording": wording,
                "dismissed_at": dismissed_at,
            }
        )
    for entities in store.transfer.entities(tx):
        rows = [entity.row for entity in entities]
        aliases, former_ids = store.transfer.aliases(tx, rows), store.transfer.former_ids(tx, rows)
        assumed = store.entities.among(tx, rows)
        for entity in entities:
            line = _entity_line(entity, aliases.get(entity.row, ()), former_ids.get(entity.row, ()))
            yield {**line, "assumed_type": True} if entity.row in assumed else line
    for owner, set_at in store.groups.all_groups(tx):
        yield {"kind": "owner", "entity": owner, "set_at": set_at}
    for episode in store.transfer.episodes(tx):
        open_statements = store.provenance.open_statements(tx, episode.row)
        yield from _episode_lines(episode, store.transfer.chunks(tx, episode.row), open_statements)
    for narrative in store.episodes.all_groups(tx):
        yield _without_none({"kind": "narrative", **narrative._asdict()})
    postponed_rows = _postponed_assertion_rows(tx)
    postponed: dict[int, int] = {}
    for facts in store.transfer.facts(tx):
        rows = [fact.row for fact in facts]
        earlier = store.transfer.earlier_validities(tx, rows)
        assertions = store.transfer.assertions(tx, rows)
        for fact in facts:
            of_fact = assertions.get(fact.row, [])
            if postponed_rows and any(row in postponed_rows for row, _ in of_fact):
                postponed |= {row: nth for row, nth in _count_repetitions(of_fact) if row in postponed_rows}
            in_line = [assertion for row, assertion in of_fact if row not in postponed_rows]
            yield _fact_line(fact, earlier.get(fact.row, ()), in_line)
    yield from _provenance_lines(tx, postponed)
    for proposed_fact in store.transfer.proposed_facts(tx):
        yield _proposed_fact_line(proposed_fact)
    for decision in store.review_proposals.all_groups(tx):
        yield _review_decision_line(decision)


def _review_decision_line(decision: ReviewDecision) -> dict[str, Any]:
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in decision._asdict().items()}
    values["group"] = _none_if_default(decision.group, DEFAULT_GROUP)
    return {"kind": "review_decision", **{name: value for name, value in values.items() if value}}


def _entity_line(
    entity: EntityRow, aliases: Sequence[tuple[str, str, str]], former_ids: Sequence[tuple[str]]
) -> dict[str, Any]:
    line = {
        "kind": "entity",
        **entity._asdict(),
        **_NOT_IN_LINE,
        "group": _none_if_default(entity.group, DEFAULT_GROUP),
        "summary": entity.summary or None,
        "properties": json.loads(entity.properties, object_pairs_hook=lambda pairs: dict(sorted(pairs))) or None,
        "aliases": [_alias(*alias, came_with=entity.created_at) for alias in aliases] or None,
        "former_ids": [former_id for (former_id,) in former_ids] or None,
    }
    return _without_none(line)


def _alias(alias: str, at: str, scope: str, *, came_with: str) -> str | dict[str, Any]:
    if at == came_with and scope == NO_SCOPE:
        return alias
    return _without_none({"alias": alias, "created_at": at, "scope": json.loads(scope) or None})


def _episode_lines(
    episode: EpisodeRow, chunks: Sequence[ChunkRow], open_statements: Mapping[int, str | None]
) -> Iterator[dict[str, Any]]:
    """The line of an episode with as many chunks as fit into it, then a line for each other chunk."""
    remaining = CHARACTERS_IN_LINE
    in_line = 0
    while in_line < len(chunks) and remaining > 0:
        remaining -= len(chunks[in_line].text) + len(chunks[in_line].annotations)
        in_line += 1
    line = {
        "kind": "episode",
        "id": episode.id,
        "group": _none_if_default(episode.group, DEFAULT_GROUP),
        "episode_kind": episode.kind,
        "name": episode.name,
        "source": episode.source or None,
        "digest": episode.digest,
        "occurred_at": episode.occurred_at,
        "recorded_at": _none_if_default(episode.recorded_at, episode.occurred_at),
        "session": episode.session,
        "pinned": bool(episode.pinned) or None,
        "open": [_without_none({"statement": one, "waits_for": name}) for one, name in sorted(open_statements.items())]
        or None,
        "chunks": [_chunk_object(chunk) for chunk in chunks[:in_line]] or None,
        "following": len(chunks) - in_line or None,
    }
    yield _without_none(line)
    for place, chunk in enumerate(chunks[in_line:], start=in_line):
        yield {"kind": "chunk", "episode": episode.id, "place": place, **_chunk_object(chunk)}


def _chunk_object(chunk: ChunkRow) -> dict[str, Any]:
    chunk_object = {
        "text": chunk.text,
        "heading": chunk.heading or None,
        "speaker": chunk.speaker,
        "named": json.loads(chunk.annotations) or None,
    }
    return _without_none(chunk_object)


def _fact_line(fact: FactExportRow, earlier: Sequence[Validity], assertions: Sequence[Assertion]) -> dict[str, Any]:
    line = {
        "kind": "fact",
        **fact._asdict(),
        **_NOT_IN_LINE,
        "confidence": _none_if_default(fact.confidence, DEFAULT_CONFIDENCE),
        "scope": json.loads(fact.scope) or None,
        "pinned": bool(fact.pinned) or None,
        "earlier": [_without_none(validity._asdict()) for validity in earlier] or None,
        "provenance": [_assertion_object(assertion, fact) for assertion in assertions] or None,
    }
    return _without_none(line)


def _assertion_object(assertion: Assertion, fact: FactExportRow) -> dict[str, Any]:
    return _without_none(
        {
            **assertion._asdict(),
            "confidence": _none_if_default(assertion.confidence, fact.confidence),
            "recorded_at": _none_if_default(assertion.recorded_at, fact.recorded_at),
        }
    )


def _provenance_lines(tx: Tx, postponed: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """Lines of assertions, given by their rows with their numbers among equal assertions of their fact."""
    for row, fact, assertion in store.transfer.assertions_by_row(tx, postponed) if postponed else ():
        yield _without_none(
            {
                "kind": "provenance",
                "fact": fact,
                **assertion._asdict(),
                "confidence": _none_if_default(assertion.confidence, DEFAULT_CONFIDENCE),
                "nth": _none_if_default(postponed[row], 1),
            }
        )


def _proposed_fact_line(fact: ProposedFactRow) -> dict[str, Any]:
    line = {
        "kind": "proposed_fact",
        **fact._asdict(),
        "group": _none_if_default(fact.group, DEFAULT_GROUP),
        "confidence": _none_if_default(fact.confidence, DEFAULT_CONFIDENCE),
        "evidence": fact.evidence or None,
    }
    return _without_none(line)


def _count_repetitions(assertions: Iterable[tuple[int, Assertion]]) -> Iterator[tuple[int, int]]:
    """The row of each assertion, and its number, from 1, among the equal assertions of the fact."""
    times: Counter[Assertion] = Counter()
    for row, assertion in assertions:
        times[assertion] += 1
        yield row, times[assertion]


def _postponed_assertion_rows(tx: Tx) -> set[int]:
    """The rows of assertions that must follow after the facts.

    That is, at a timestamp, the first assertion that `_breaks_order` and all that were made after it.
    """
    rows: set[int] = set()
    repeated = store.transfer.assertions_at_repeated_timestamps(tx)
    for _, same_timestamp in groupby(repeated, key=lambda assertion: assertion.recorded_at):
        highest_fact, postponing = "", False
        for assertion in same_timestamp:
            postponing = postponing or _breaks_order(assertion, highest_fact)
            highest_fact = max(highest_fact, assertion.fact)
            if postponing:
                rows.add(assertion.row)
    return rows


def _breaks_order(assertion: AssertionOrder, highest_fact: str) -> bool:
    """Whether an assertion cannot stand in the line of its fact.

    It cannot if the line has enough assertions, or if the ids of facts would put it before an assertion of the same
    timestamp that was made earlier. Assertions of one line are in adjacent rows, in whatever order the lines were
    imported; an assertion with a line of its own has a gap before its row.
    """
    if assertion.nth is None or assertion.previous is None:
        return False
    is_adjacent = assertion.row == assertion.previous + 1
    return assertion.nth > ASSERTIONS_IN_LINE or (not is_adjacent and highest_fact > assertion.fact)


def _none_if_default(value: Any, default: Any) -> Any:
    return None if value == default else value


def _without_none(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if value is not None}


# Survey of a file of another program: a first pass that counts its records and collects its types and predicates.


@dataclass(slots=True)
class Survey:
    """What a file contains.

    Attributes:
        counts: records by kind (entities, facts, episodes), and observations and turns within them.
        entity_types, predicates: those of the file, with how often they occur.
        declared_types: the type of a name, by its key, from a record of the entity itself.
        endpoint_keys: the keys of the names that facts connect.
        errors: the first parts that cannot be read.
        error_count: how many cannot be read.
        skipped: parts that are left out on purpose, counted by kind.
    """

    counts: Counter[str] = field(default_factory=Counter)
    entity_types: Counter[str] = field(default_factory=Counter)
    predicates: Counter[str] = field(default_factory=Counter)
    declared_types: dict[str, str] = field(default_factory=dict)
    endpoint_keys: set[str] = field(default_factory=set)
    errors: list[ReadError] = field(default_factory=list)
    error_count: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def undeclared_count(self) -> int:
        """How many names occur only in facts."""
        return len(self.endpoint_keys - self.declared_types.keys())


def survey_records(records: Iterable[Record]) -> Survey:
    """Read all records once, and keep counts and terms, not the records.

    If a thousand cannot be read and none could, the rest of the file is not tried.
    """
    survey = Survey()
    for record in records:
        if isinstance(record, ReadError):
            survey.error_count += 1
            if len(survey.errors) < import_state.MAX_REFUSALS:
                survey.errors.append(ReadError(record.position, record.error))
            if survey.error_count >= import_state.HOPELESS_AFTER and not survey.counts:
                break
        elif isinstance(record, Skipped):
            survey.skipped[record.kind] += record.count
        elif isinstance(record, Entity):
            survey.counts.update(entities=1, observations=len(record.observations))
            survey.entity_types[record.type] += 1
            survey.declared_types.setdefault(normalisation.key(record.name), record.type)
        elif isinstance(record, Fact):
            survey.counts["facts"] += 1
            survey.predicates[record.predicate] += 1
            survey.entity_types.update(
                entity_type for entity_type in (record.subject_type, record.object_type) if entity_type is not None
            )
            survey.endpoint_keys.update(normalisation.key(name) for name in (record.subject, record.object) if name)
        else:
            survey.counts.update(episodes=1, turns=len(record.turns))
            survey.skipped.update(record.skipped)
    return survey
