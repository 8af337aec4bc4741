"""Import of lines in words that are not in the vocabulary: they wait as proposed facts, each with its line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.knowledge import entity_types, proposed_facts, relations
from keepgraph.engine.knowledge.relations import Relation
from keepgraph.language import normalisation
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx

WAITING_CODES = (errors.PredicateUnknown.code, errors.EntityTypeUnknown.code)
"""The refusals of what can wait until the vocabulary has the word."""

_TOOL = "import"


def propose(database: Database, lines: Sequence[tuple[Any, str]]) -> list[bool]:
    """Let lines that were refused wait, in one call; returns which of them do.

    Args:
        lines: the arguments of `record_fact`, and the code of the refusal.
    """
    with database.write(_TOOL) as tx:
        tx = store.journal.begin_call(tx)
        dismissed = store.proposed_facts.dismissed_wordings(tx)
        return [_propose(tx, value, code, dismissed) for value, code in lines]


def _propose(tx: Tx, value: Any, code: str, dismissed: Mapping[str, str]) -> bool:
    relation = _relation(tx, value)
    if relation is None or proposed_facts.wording_key(relation.wording) in dismissed:
        return False
    reason = relations.WORDING if code == errors.PredicateUnknown.code else relations.ENDS
    proposed_facts.propose(replace(tx, episode=None), relation, reason)
    return True


def _relation(tx: Tx, value: Any) -> Relation | None:
    """A line as a relation between names; None where it has none."""
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
        return entity_types.find(tx, given).name
    except errors.EntityTypeUnknown:
        return given
