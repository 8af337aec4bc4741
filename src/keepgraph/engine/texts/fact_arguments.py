"""Fact arguments: a fact proposed from a text as arguments of `record_fact`, with its source and its day.

All that offers such a fact takes them from here: the answer of a call that adds a text, and review.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import decision_dates
from keepgraph.model import Episode, Proposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


def of_episode(tx: Tx, proposal: Proposal, episode: Episode) -> Proposal:
    """A proposed fact with the source and the day that its text gives it.

    A decision is dated by its sentence, else by its text: what was decided in a note of March was decided in March. It
    is not dated where that would be today, or later.
    """
    written_on, today = (
        timestamps.local_date(at, tx.zone) for at in (episode.occurred_at, timestamps.from_datetime(tx.now))
    )
    _, decided_on = decision_dates.split(" ".join((proposal.evidence or "").split()), not_after=written_on)
    day = decided_on or written_on
    is_dated = day < today and _decides(graph_vocabulary.read(tx), proposal)
    return replace(proposal, source=f"{episode.name} ({episode.id})", valid_from=day if is_dated else None)


def arguments(
    proposal: Proposal, *, subject: Mapping[str, Any] | None = None, target: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The arguments of `record_fact` for a proposed fact, without its confidence.

    Args:
        subject, target: references to its ends, where they are known by more than their names.
    """
    if proposal.object is None:
        target = {"literal": proposal.literal}
    made: dict[str, Any] = {
        "subject": subject or {"type": proposal.subject_type, "name": proposal.subject},
        "predicate": proposal.predicate,
        "object": target or {"type": proposal.object_type, "name": proposal.object},
    }
    if proposal.valid_from:
        made["valid_from"] = proposal.valid_from
    if proposal.source:
        made["source"] = proposal.source
    return made


def _decides(vocabulary: Vocabulary, proposal: Proposal) -> bool:
    """Whether a proposed fact says that something was decided, or what a decision belongs to."""
    role = vocabulary.role(proposal.predicate or "")
    ends = {proposal.subject_type, proposal.object_type}
    return role == "decides" or (role == "part_of" and not ends.isdisjoint(vocabulary.decision_types))
