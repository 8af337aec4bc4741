"""Closing a blocker that a caller names by its words, by the id of its fact, or by what is blocked. Never a guess."""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph import errors, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.knowledge import blocker_resolutions, blockers, decisions, entities, facts
from keepgraph.engine.resolution import resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.model import Fact, Ref
from keepgraph.store.transactions import Tx

MAX_COMPARED_BY_MEANING = 200

_MIN_COSINE = 0.40  # only to list: "we got funding" and "no money" have 0.42


@dataclass(frozen=True, slots=True)
class ClosedBlocker:
    """The facts of a closed blocker, and the fact that says who or what resolved it, if given."""

    facts: tuple[Fact, ...]
    resolution: Fact | None = None


def close(
    tx: Tx,
    blocker: str,
    *,
    blocked: Ref | None = None,
    by: Ref | str | None = None,
    resolved_at: str | None = None,
    source: str | None = None,
) -> ClosedBlocker:
    """Close the open blocker that is meant.

    Args:
        blocker: its words, the id of its fact, or the name of what is blocked, if that has one open blocker.
        blocked: what is blocked; only its blockers and those of its parts are considered.
        by: who or what resolved it; an unknown name without a type is kept as a text.
        resolved_at: when; None for now.
        source: its origin.

    Raises:
        errors.FactNotFound: no open blocker fits; the open ones are candidates.
        errors.Ambiguous: several fit, or `blocked` may mean several entities.
        errors.ValidityInvalid: resolved_at is neither a date nor an instant.
    """
    start, _ = facts.parse_validity(tx, resolved_at, None)
    named = find(tx, blocker, blocked=blocked)
    if by is None:
        ended = blocker_resolutions.close(tx, named, at=start)
        now = tx.at
        for fact in ended if source is not None else ():
            store.provenance.insert(tx, fact.row, source=source, confidence=fact.confidence, recorded_at=now)
        return ClosedBlocker(ended)
    predicates = graph_vocabulary.read(tx).names_of_role("resolves")
    if not predicates:
        raise errors.InvalidArguments(
            "the vocabulary has no predicate that says who resolved something", hint="Leave `by` out."
        )
    closed: list[Fact] = []
    resolution: Fact | None = None
    for fact in named:
        recorded = facts.record(
            tx,
            subject=Ref(id=fact.id),
            predicate=predicates[0],
            object=_known_or_text(tx, by),
            source=source,
            valid_from=resolved_at,
        )
        closed += recorded.closed_blockers
        resolution = resolution or recorded.fact
    return ClosedBlocker(tuple(closed), resolution)


def find(tx: Tx, blocker: str, *, blocked: Ref | None = None) -> tuple[Fact, ...]:
    """The facts of the open blocker that a caller names.

    Raises:
        errors.NameOrAliasRequired: it is empty.
        errors.FactNotFound, errors.Ambiguous: see `close`.
    """
    text = blocker.strip()
    if not Name(text).key:
        raise errors.NameOrAliasRequired("the blocker is empty")
    open_ = _open_of(tx, blocked)
    if text.lower().startswith("fact_"):
        return _find_by_id(tx, text, open_)
    by_words, fitting = blocker_resolutions.choose(tx, open_, text)
    by_entity = _of_entity(tx, text, open_)
    meant = by_words or fitting
    if own := blocker_resolutions.own_blockers(by_words, open_):
        meant, by_words = tuple(dict.fromkeys([*meant, *own])), ()
    if by_entity and {fact.row for fact in by_entity} != {fact.row for fact in meant}:
        meant = tuple(dict.fromkeys([*meant, *by_entity]))
        by_words = (
            () if by_words or len(set(map(blocker_resolutions.identity, by_entity))) > 1 or fitting else by_entity
        )
    if by_words:
        return by_words
    if meant:
        raise errors.Ambiguous(
            f"“{text[:60]}” may mean {len(meant)} open blockers" if len(meant) > 1 else f"“{text[:60]}” is uncertain",
            hint="Name the one you mean by its words or by its id.",
            candidates=blocker_resolutions.describe(meant),
        )
    raise errors.FactNotFound(
        f"no open blocker fits “{text[:60]}”" if open_ else "nothing is blocked",
        hint="Name one of the open ones by its words or by its id." if open_ else "There is no open blocker to close.",
        candidates=blocker_resolutions.describe(open_),
    )


def find_by_meaning(tx: Tx, text: str, *, blocked: Ref | None = None) -> list[tuple[Fact, float]]:
    """The open blockers similar in meaning to a text, with the cosine, nearest first; none without a model.

    A cosine cannot tell a paraphrase from a sibling: no match is certain, so a person has to be asked.
    """
    open_ = [
        fact for fact in _open_of(tx, blocked) if not blockers.is_other_matter(text, blocker_resolutions.text_of(fact))
    ][:MAX_COMPARED_BY_MEANING]
    if not open_ or "embedding" not in tx.settings.steps or vector_backfill.unavailable_reason(tx):
        return []
    from keepgraph.ml import embedder

    try:
        embeddings = embedder.embed([text, *map(blocker_resolutions.text_of, open_)], model=tx.settings.model)
    except errors.ModelUnavailable:
        return []
    cosines = [round(float(cosine), 3) for cosine in embeddings[1:] @ embeddings[0]]
    near = [(fact, cosine) for fact, cosine in zip(open_, cosines, strict=True) if cosine >= _MIN_COSINE]
    return sorted(near, key=lambda pair: (-pair[1], pair[0].row))


def _open_of(tx: Tx, blocked: Ref | None) -> list[Fact]:
    """The open blockers of something and of its parts; with None all, newest first.

    Raises:
        errors.EntityNotFound, errors.Ambiguous: it is unknown, or there are several.
    """
    open_ = blocker_resolutions.open_facts(tx)
    if blocked is None:
        return open_
    entity = entities.find(tx, blocked)
    members = decisions.members(tx, entity)
    return [fact for fact in open_ if fact.subject.row in members]


def _find_by_id(tx: Tx, fact_id: str, open_: list[Fact]) -> tuple[Fact, ...]:
    fact = facts.find(tx, fact_id)
    if any(other.row == fact.row for other in open_):
        same = fact.subject, blocker_resolutions.identity(fact)
        return tuple(other for other in open_ if (other.subject, blocker_resolutions.identity(other)) == same)
    is_blocker = graph_vocabulary.read(tx).role(fact.predicate) == "blocks"
    raise errors.FactNotFound(
        f"{fact.id} is {'not open' if is_blocker else 'not a blocker'}: {facts.sentence(fact)[:120]}",
        hint="Name one of the open ones by its words or by its id." if open_ else "Nothing is blocked.",
        candidates=blocker_resolutions.describe(open_),
    )


def _of_entity(tx: Tx, text: str, open_: list[Fact]) -> tuple[Fact, ...]:
    """The open blockers of and by an entity that a reader means by this name; letters alone decide, no model."""
    entity = resolver.resolve_by_letters(tx, Name(text)).entity
    if entity is None:
        return ()
    return tuple(fact for fact in open_ if entity in (fact.object, fact.subject))


def _known_or_text(tx: Tx, by: Ref | str) -> Ref | str:
    if isinstance(by, str) or by.id is not None or by.type:
        return by
    known = entities.find_named(tx, by.name or "", ())
    return Ref(id=known.id) if known else by.name or ""
