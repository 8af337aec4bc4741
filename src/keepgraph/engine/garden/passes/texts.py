"""Passes over texts and wordings: names and facts read in texts, and words that the vocabulary lacks."""

from __future__ import annotations

from collections.abc import Iterator

from keepgraph import store
from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.resolution import fuzzy
from keepgraph.engine.review import sources
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.verification import flag_evidence
from keepgraph.engine.verification.flag_evidence import SuggestedFlag
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import name_similarity
from keepgraph.language.normalisation import Name
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.garden_candidates import ProposedName
from keepgraph.store.transactions import Tx

COMPARED_IN_A_RUN = 1_000


def propose_texts(tx: Tx, position: int) -> Outcome:
    names = store.garden_candidates.proposed_names(tx, after=position, limit=COMPARED_IN_A_RUN)
    is_last = len(names) < COMPARED_IN_A_RUN
    aliases = [proposal for name in names for proposal in _aliases(tx, name)][:MAX_CANDIDATES]
    proposals = [*aliases, *sources.texts(tx, limit=MAX_CANDIDATES - len(aliases))]
    return Outcome(tuple(proposals), considered=len(names), position=0 if is_last else names[-1].row)


def _aliases(tx: Tx, proposed: ProposedName) -> Iterator[Proposal]:
    """A proposal where exactly one known entity has a similar name."""
    raise_if_cancelled(tx.cancellation)
    related = graph_vocabulary.read(tx).related_types(proposed.type)
    candidates = [
        candidate
        for candidate in fuzzy.rank(tx, Name(proposed.name), of_types=related, include_weak=False)
        if candidate.score >= name_similarity.MATCH_THRESHOLD
    ]
    if len({candidate.entity.row for candidate in candidates}) != 1:
        return
    [candidate, *_] = candidates
    yield Proposal(
        kind="alias",
        key=f"{candidate.entity.id} {Name(proposed.name).key}",
        statement=f"Is “{proposed.name}”, read in a text, another name of {candidate.entity.name}?",
        score=candidate.score * 0.9,
        rests_on=(candidate.entity.id, proposed.episode),
        tool="add_alias",
        arguments={"entity": {"id": candidate.entity.id}, "alias": proposed.name},
        evidence=(candidate.entity.id, f"the name “{proposed.name}” occurs in a text"),
    )


# The vocabulary: wordings that wait for a predicate of their own, and predicate flags that the facts suggest.


def propose_vocabulary(tx: Tx, position: int) -> Outcome:
    wordings = sources.wordings(tx, limit=MAX_CANDIDATES)
    flags = [_proposal(suggested) for suggested in flag_evidence.suggest(tx)]
    return Outcome((*wordings, *flags)[:MAX_CANDIDATES], considered=len(wordings) + len(flags))


def _proposal(suggested: SuggestedFlag) -> Proposal:
    return Proposal(
        kind="functional",
        key=f"{suggested.predicate} {suggested.flag}",
        statement=suggested.statement,
        score=suggested.score,
        rests_on=(f"the facts of {suggested.predicate} keep to {suggested.flag}",),
        tool=suggested.tool,
        arguments=dict(suggested.arguments),
    )
