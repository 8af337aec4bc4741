"""Import of the lines of proposed facts, which wait in their own words, and of wordings that were dismissed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine.exchange.export_format import DEFAULT_CONFIDENCE, DEFAULT_GROUP
from keepgraph.engine.exchange.import_assertions import find_episodes
from keepgraph.engine.exchange.import_state import ImportState, Line, LineResult, import_each
from keepgraph.engine.exchange.import_values import list_differences, validate_timestamp
from keepgraph.engine.knowledge import proposed_facts
from keepgraph.model import ProposedFact
from keepgraph.store.transactions import Tx


def import_dismissed_wordings(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Wordings in which no fact is to be proposed again."""

    def import_wording(line: Line) -> LineResult:
        tx_of_group = replace(tx, group=line.get("group", DEFAULT_GROUP))
        key = _wording_key(line["wording"])
        if key in store.proposed_facts.dismissed_wordings(tx_of_group):
            return LineResult()
        dismissed_at = validate_timestamp(line["dismissed_at"])
        store.proposed_facts.insert_dismissed(
            tx_of_group, wording=line["wording"], wording_key=key, dismissed_at=dismissed_at
        )
        return LineResult(created=True)

    return import_each(lines, import_wording, strict=strict)


def import_proposed_facts(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Proposed facts: each waits again, unless the graph has it already."""
    episodes = find_episodes(tx, lines, state)

    def import_fact(line: Line) -> LineResult:
        episode_id = line.get("episode")
        if episode_id is not None and episode_id not in episodes:
            raise errors.EpisodeNotFound(f"{episode_id}, the text that it was read in, is neither here nor in the file")
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
            episode=None if episode_id is None else episodes[episode_id].row,
            session=line.get("session"),
            recorded_at=validate_timestamp(line["recorded_at"]),
            reason=line["reason"],
        )
        group = line.get("group", DEFAULT_GROUP)
        existing = store.proposed_facts.find_any(tx, fact.id)
        if existing is not None:
            _check_same(existing, (group, fact))
            return LineResult()
        tx_of_group = replace(tx, group=group)
        if store.proposed_facts.find_row(tx_of_group, fact) is not None:
            return LineResult()
        store.proposed_facts.insert(tx_of_group, fact)
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
    differences = {
        "group": group != new_group,
        "subject": fact.subject != new_fact.subject,
        "wording": fact.wording != new_fact.wording,
        "object": fact.object != new_fact.object,
        "episode": fact.episode != new_fact.episode,
    }
    if any(differences.values()):
        raise errors.ImportConflict(f"{new_fact.id} has another {list_differences(differences)} in this graph")
