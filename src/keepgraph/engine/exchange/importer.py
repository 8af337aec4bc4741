"""Import of an export: each line adds to the graph, is there already, or is refused with a reason (ADR 0019).

An import compares before it writes: a line whose id is in the graph must say the same as the graph. It never edits.
Lines of one kind are imported together: a few queries find what the graph has of all of them, then each line is
compared in memory, then all new rows are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from typing import Any

from keepgraph import english, errors, store
from keepgraph.engine.exchange import import_episodes, import_records, import_vocabulary
from keepgraph.engine.exchange.import_records import find_entities, find_entity, find_episode, find_episodes
from keepgraph.engine.exchange.import_state import (
    DEFAULT_CONFIDENCE,
    DEFAULT_GROUP,
    TOOL,
    ImportState,
    Line,
    LineResult,
    import_each,
    list_differences,
    validate_timestamp,
)
from keepgraph.engine.knowledge import entities, proposed_facts, relations, rollup
from keepgraph.engine.knowledge.relations import Relation
from keepgraph.language import normalisation
from keepgraph.model import ProposedFact
from keepgraph.store.database import Database
from keepgraph.store.review_proposals import ReviewDecision
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

# Import of the lines of proposed facts, which wait in their own words, and of wordings that were dismissed.


def _import_dismissed_wordings(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Wordings in which no fact is to be proposed again."""

    def import_wording(line: Line) -> LineResult:
        tx_of_group = replace(tx, group=line.get("group", DEFAULT_GROUP))
        key = _wording_key(line["wording"])
        if key in store.proposals.dismissed_wordings(tx_of_group):
            return LineResult()
        dismissed_at = validate_timestamp(line["dismissed_at"])
        store.proposals.insert_dismissed(
            tx_of_group, wording=line["wording"], wording_key=key, dismissed_at=dismissed_at
        )
        return LineResult(created=True)

    return import_each(lines, import_wording, strict=strict)


def _import_proposed_facts(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Proposed facts: each waits again, unless the graph has it already."""
    episodes = find_episodes(tx, lines, state)

    def import_fact(line: Line) -> LineResult:
        episode_id = line.get("episode")
        fact = ProposedFact(
            row=0,
            id=line["id"],
            subject=line["subject"],
            subject_type=line.get("subject_type"),
            wording=line["wording"],
            wording_key=_wording_key(line["wording"]),
            object=line["object"],
            object_type=line.get("object_type"),
            confidence=float(line.get("confidence", DEFAULT_CONFIDENCE)),
            source=line.get("source"),
            evidence=line.get("evidence", ""),
            episode=None if episode_id is None else find_episode(episode_id, episodes, state).row,
            session=line.get("session"),
            recorded_at=validate_timestamp(line["recorded_at"]),
            reason=line["reason"],
        )
        group = line.get("group", DEFAULT_GROUP)
        existing = store.proposals.find_any(tx, fact.id)
        if existing is not None:
            _check_same(existing, (group, fact))
            return LineResult()
        tx_of_group = replace(tx, group=group)
        if store.proposals.find_row(tx_of_group, fact) is not None:
            return LineResult()
        store.proposals.insert(tx_of_group, fact)
        return LineResult(created=True)

    return import_each(lines, import_fact, strict=strict)


def _wording_key(wording: str) -> str:
    """
    Raises:
        errors.InvalidArguments: the wording is blank.
    """
    key = proposed_facts.wording_key(wording)
    if not key:
        raise errors.InvalidArguments(f"the wording {wording[:60]!r} is blank")
    return key


def _check_same(existing: tuple[str, ProposedFact], new: tuple[str, ProposedFact]) -> None:
    """
    Raises:
        errors.ImportConflict: the proposed fact with this id says something else.
    """
    (group, fact), (new_group, new_fact) = existing, new
    fields = ("subject", "wording", "object", "episode")
    differences = {name: getattr(fact, name) != getattr(new_fact, name) for name in fields} | {
        "group": group != new_group
    }
    if any(differences.values()):
        raise errors.ImportConflict(f"{new_fact.id} has different {list_differences(differences)} in this graph")


# Import of the lines of decisions on proposals, so that what was rejected is not proposed again.


def _import_decisions(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Decisions, in the order in which they were made; one that the graph has already is left as it is."""

    def import_decision(line: Line) -> LineResult:
        decision = ReviewDecision(
            group=line.get("group", DEFAULT_GROUP),
            proposal_kind=line["proposal_kind"],
            key=line.get("key", ""),
            rests_on=tuple(line.get("rests_on", ())),
            evidence=tuple(line.get("evidence", ())),
            decision=line["decision"],
            statement=line.get("statement", ""),
            decided_at=validate_timestamp(line["decided_at"]),
        )
        if store.review_proposals.exists(tx, decision):
            return LineResult()
        store.review_proposals.insert_decision(tx, decision)
        return LineResult(created=True)

    return import_each(lines, import_decision, strict=strict)


# Import of owner lines, which say whose graph it is, and of narrative lines, which say what week a text is about.


def _import_owners(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """The owners of groups: one is refused where the group has another."""
    entities = find_entities(tx, {line["entity"] for line in lines})

    def import_owner(line: Line) -> LineResult:
        entity = find_entity(line["entity"], entities, state)
        owner = store.groups.find(replace(tx, group=entity.group))
        if owner is not None and owner.row != entity.row:
            raise errors.ImportConflict(
                f"the owner of this graph is {english.quoted(owner.name)}, not {english.quoted(entity.name)}",
                hint="Set the owner with `kg me NAME`.",
            )
        set_at = validate_timestamp(line["set_at"])
        if owner is not None:
            return LineResult()
        store.groups.put(tx, entity.row, group=entity.group, at=set_at)
        return LineResult(created=True)

    return import_each(lines, import_owner, strict=strict)


def _import_narratives(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Which texts are about which weeks. Of two lines of the same week and instant, the later counts."""
    entities = find_entities(tx, {project for line in lines if (project := line.get("project"))})
    episodes = find_episodes(tx, lines, state)

    def import_narrative(line: Line) -> LineResult:
        episode = find_episode(line["episode"], episodes, state).row
        project = line.get("project")
        project_row = find_entity(project, entities, state).row if project else None
        rollup.check_week(line["week"])
        recorded_at = validate_timestamp(line["recorded_at"])
        if store.episodes.exists(tx, episode, week=line["week"], project=project_row, recorded_at=recorded_at):
            return LineResult()
        store.episodes.insert_narrative(tx, episode, week=line["week"], project=project_row, recorded_at=recorded_at)
        return LineResult(created=True)

    return import_each(lines, import_narrative, strict=strict)


def import_batch(
    database: Database, lines: Sequence[Line], *, state: ImportState, file: str | None = None, strict: bool = False
) -> list[LineResult]:
    """Import lines that fit their schemas, in one call; returns their results in order.

    Args:
        file: the name of the file; None is standard input.
        strict: the first error ends it: nothing of that line is imported, and the result of that line is the last.
    """
    with database.write(TOOL) as tx:
        tx = store.journal.begin_call(tx)
        results = import_lines(tx, lines, state, strict=strict)
        store.transfer.note(tx, file=file)
    return results


def import_lines(tx: Tx, lines: Sequence[Line], state: ImportState, *, strict: bool = False) -> list[LineResult]:
    """Import lines within a call, as `import_batch` does."""
    results: list[LineResult] = []
    for kind, of_kind in groupby(lines, key=lambda line: str(line["kind"])):
        results += _import_lines(tx, kind, list(of_kind), state, strict=strict)
        if strict and results[-1].error:
            break
    return results


@contextmanager
def noting(tx: Tx, *, file: str | None) -> Iterator[Tx]:
    """Mark what is recorded inside as imported from a file; None is standard input."""
    yield tx
    store.transfer.note(tx, file=file)


def _import_lines(tx: Tx, kind: str, lines: Sequence[Line], state: ImportState, *, strict: bool) -> list[LineResult]:
    """Import lines of one kind, without those that say that something was recorded in the future."""
    latest = timestamps.from_datetime(tx.now + _CLOCK_TOLERANCE)
    refused = {place: error for place, line in enumerate(lines) if (error := _find_future_instant(line, latest))}
    if strict and refused:
        lines = lines[: min(refused) + 1]
    accepted = [line for place, line in enumerate(lines) if place not in refused]
    results = iter(_IMPORT_BY_KIND[kind](tx, accepted, state, strict))
    merged: list[LineResult] = []
    for place in range(len(lines)):
        result = LineResult(error=refused[place]) if place in refused else next(results, None)
        if result is None:
            break  # with `strict`, an error before this line
        merged.append(result)
    return merged


def _find_future_instant(line: Line, latest: str) -> errors.InvalidArguments | None:
    """Why a line is refused: its history lies in the future. A validity may."""
    for name, value in line.items():
        if name in _RECORDING_INSTANTS and isinstance(value, str) and value > latest and value[:1].isdigit():
            return errors.InvalidArguments(
                f"{name} is {value[:40]!r}, which is in the future",
                hint="If the clock of this machine is wrong, set it; otherwise correct the line.",
            )
        if isinstance(value, list):
            for part in value:
                if isinstance(part, dict) and (error := _find_future_instant(part, latest)):
                    return error
    return None


_CLOCK_TOLERANCE = timedelta(days=1)
"""Files are carried between machines whose clocks differ."""

_RECORDING_INSTANTS = frozenset(
    (
        *("created_at", "recorded_at", "retracted_at", "retired_at", "set_at", "decided_at", "dismissed_at"),
        *("known_from", "known_to"),
    )
)

_IMPORT_BY_KIND = {
    "set": import_vocabulary.import_sets,
    "word": import_vocabulary.import_words,
    "label": import_vocabulary.import_labels,
    "dismissed_wording": _import_dismissed_wordings,
    "entity": import_records.import_entities,
    "owner": _import_owners,
    "episode": import_episodes.import_episodes,
    "chunk": import_episodes.import_chunks,
    "narrative": _import_narratives,
    "fact": import_records.import_facts,
    "provenance": import_records.import_assertions,
    "proposed_fact": _import_proposed_facts,
    "review_decision": _import_decisions,
}
KINDS = tuple(_IMPORT_BY_KIND)


# Import of lines in words that are not in the vocabulary: they wait as proposed facts, each with its line.

WAITING_CODES = (errors.PredicateUnknown.code, errors.EntityTypeUnknown.code)
"""The refusals that may be resolved once the vocabulary has the word."""


def propose(database: Database, lines: Sequence[tuple[Any, str]]) -> list[bool]:
    """Let lines that were refused wait, in one call; returns which of them do.

    Args:
        lines: the arguments of `record_fact`, and the code of the refusal.
    """
    with database.write(TOOL) as tx:
        tx = store.journal.begin_call(tx)
        dismissed = store.proposals.dismissed_wordings(tx)
        return [_propose(tx, value, code, dismissed) for value, code in lines]


def _propose(tx: Tx, value: Any, code: str, dismissed: Mapping[str, str]) -> bool:
    relation = _relation(tx, value)
    if relation is None or proposed_facts.wording_key(relation.wording) in dismissed:
        return False
    reason = relations.WORDING if code == errors.PredicateUnknown.code else relations.ENDS
    proposed_facts.propose(replace(tx, episode=None), relation, reason)
    return True


def _relation(tx: Tx, value: Any) -> Relation | None:
    """A line as a relation between names; None if it has none."""
    subject, target, wording = value.get("subject"), value.get("object"), value.get("predicate")
    if not (isinstance(subject, dict) and isinstance(target, dict) and isinstance(wording, str)):
        return None
    name, object_name = subject.get("name"), target.get("name", target.get("literal"))
    if not (isinstance(name, str) and isinstance(object_name, str)):
        return None
    is_short = len(name) <= proposed_facts.MAX_NAME and len(object_name) <= proposed_facts.MAX_OBJECT
    if not (is_short and normalisation.key(name) and normalisation.clean(object_name) and wording.strip()):
        return None
    confidence, source = value.get("confidence", 1.0), value.get("source")
    return Relation(
        subject=name,
        wording=wording,
        object=object_name,
        subject_type=_type(tx, subject.get("type")),
        object_type=_type(tx, target.get("type")),
        confidence=float(confidence) if isinstance(confidence, int | float) and 0 <= confidence <= 1 else 1.0,
        source=source if isinstance(source, str) and source else None,
        evidence=json.dumps(value, ensure_ascii=False),
    )


def _type(tx: Tx, given: Any) -> str | None:
    """The type of the vocabulary, else the word as it was given: then the fact waits for it."""
    if not isinstance(given, str) or not given:
        return None
    try:
        return entities.assumed_type(tx, given).name
    except errors.EntityTypeUnknown:
        return given
