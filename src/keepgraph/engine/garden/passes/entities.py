"""Passes over entities: those that fit another type better, duplicates, orphans, and unknown names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.garden.passes import MAX_CANDIDATES, Outcome
from keepgraph.engine.knowledge import entities
from keepgraph.engine.review import sources
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.english import with_article
from keepgraph.language import name_shapes, name_styles, normalisation
from keepgraph.model import Entity
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.garden import UnknownName
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_MAX_OF_PATTERN = 100
_MAX_ASSUMED = 1_000
_MAX_FACTS = 50
_MAX_NAMES = 50_000
_NAMED_SCORE = 0.75
_MIN_ADVISED_FACTS = 2
"""The fewest facts, under predicates with advisory ends, that must agree on another type."""

Usage = tuple[str, str, str]
"""A fact of an entity: its id, its predicate and the side of the entity."""


def propose_retype(tx: Tx, position: int) -> Outcome:
    vocabulary = graph_vocabulary.read(tx)
    misnamed = _misnamed(tx, vocabulary)
    entities = [entity for entity in _entities_to_look_at(tx, vocabulary) if entity.row not in misnamed]
    assumed = store.entities.among(tx, [entity.row for entity in entities])
    proposals = []
    for entity in entities:
        raise_if_cancelled(tx.cancellation)
        usage = store.garden.usage(tx, entity, limit=_MAX_FACTS)
        better = _better_type(tx, vocabulary, entity, usage, is_assumed=entity.row in assumed)
        if better is not None:
            proposals.append(_proposal(vocabulary, entity, better, usage))
    for entity, named in misnamed.values():
        usage = store.garden.usage(tx, entity, limit=_MAX_FACTS)
        if _fits_all(vocabulary, named, _wanted_types(vocabulary, usage)):
            proposals.append(_proposal_of_name(entity, named, usage))
    return Outcome(tuple(proposals[:MAX_CANDIDATES]), considered=len(entities) + len(misnamed))


def _misnamed(tx: Tx, vocabulary: Vocabulary) -> dict[int, tuple[Entity, str]]:
    """People whose name suggests something else: each with the type that it suggests, by row."""
    person_types = vocabulary.types_of_style("person")
    names = store.garden.names_of_types(tx, person_types, limit=_MAX_NAMES)
    suspects = [row for row, name in names if name_shapes.resembles_group(name)]
    misnamed = {}
    for entity in store.entities.by_rows(tx, suspects[:MAX_CANDIDATES]).values():
        raise_if_cancelled(tx.cancellation)
        named = entities.named_in(tx, entity.name)
        if named is not None and vocabulary.is_usable_type(named) and named not in person_types:
            misnamed[entity.row] = (entity, named)
    return misnamed


def _entities_to_look_at(tx: Tx, vocabulary: Vocabulary) -> list[Entity]:
    """Those at an end that their predicate does not allow, and those with an assumed type; newest first."""
    rows: set[int] = set()
    for name, subject_type, object_type, _ in store.graph_statistics.count_named_patterns(tx):
        predicate = vocabulary.predicate_by_name[name]
        for side, allowed, entity_type in (
            ("subject", predicate.sources, subject_type),
            ("object", predicate.targets, object_type),
        ):
            if object_type == "literal" or vocabulary.fits_side(allowed, entity_type):
                continue
            rows |= set(
                store.garden.ends_of_pattern(
                    tx,
                    predicate=name,
                    subject_type=subject_type,
                    object_type=object_type,
                    side=side,
                    limit=_MAX_OF_PATTERN,
                )
            )
        if len(rows) >= MAX_CANDIDATES:
            break
    misfits = store.entities.by_rows(tx, sorted(rows, reverse=True)[:MAX_CANDIDATES])
    assumed = store.garden.with_assumed_type(tx, limit=_MAX_ASSUMED)
    return list({entity.row: entity for entity in [*misfits.values(), *assumed]}.values())


def _better_type(
    tx: Tx, vocabulary: Vocabulary, entity: Entity, usage: Sequence[Usage], *, is_assumed: bool
) -> str | None:
    """The one type that fits all facts of an entity, if its own does not."""
    wanted = _wanted_types(vocabulary, usage)
    if not wanted:
        return None
    if all(vocabulary.fits_side(allowed, entity.type) for allowed in wanted):
        if not is_assumed:
            return None
        named = entities.named_in(tx, entity.name)
        chosen = entities.choose(vocabulary, entity.name, wanted, named=named, is_cased=True)
        return chosen if chosen not in (None, entity.type) and _fits_all(vocabulary, chosen, wanted) else None
    if not _is_binding(vocabulary, entity, usage) and len(wanted) < _MIN_ADVISED_FACTS:
        return None
    votes = Counter(
        one
        for allowed in wanted
        for one in entities.suitable(vocabulary, entity.name, allowed, is_cased=True)
        if _fits_all(vocabulary, one, wanted)
    )
    return _most_general(vocabulary, list(votes))


def _fits_all(vocabulary: Vocabulary, entity_type: str | None, wanted: Sequence[Sequence[str]]) -> bool:
    return entity_type is not None and all(vocabulary.fits_side(allowed, entity_type) for allowed in wanted)


def _most_general(vocabulary: Vocabulary, types: Sequence[str]) -> str | None:
    """The one type whose supertypes are all the others."""
    general = [one for one in types if all(vocabulary.is_kind_of(other, one) for other in types)]
    return general[0] if general else None


def _wanted_types(vocabulary: Vocabulary, usage: Sequence[Usage]) -> list[tuple[str, ...]]:
    """The types that each end of the entity's facts may have; ends that take any type are left out."""
    return [allowed for _, predicate, side in usage if (allowed := _allowed(vocabulary, predicate, side))]


def _allowed(vocabulary: Vocabulary, predicate: str, side: str) -> tuple[str, ...]:
    term = vocabulary.predicate_by_name[predicate]
    return tuple(term.sources if side == "subject" else term.targets)


def _is_binding(vocabulary: Vocabulary, entity: Entity, usage: Sequence[Usage]) -> bool:
    return any(
        vocabulary.predicate_by_name[predicate].has_binding_ends
        for _, predicate, side in usage
        if not vocabulary.fits_side(_allowed(vocabulary, predicate, side), entity.type)
    )


def _proposal(vocabulary: Vocabulary, entity: Entity, better: str, usage: Sequence[Usage]) -> Proposal:
    agreeing = [fact for fact, predicate, side in usage if _allowed(vocabulary, predicate, side)]
    doubting = name_shapes.resembles_group(entity.name) and vocabulary.style(entity.type) == "person"
    facts = "its one fact fits" if len(agreeing) == 1 else f"its {len(agreeing)} facts fit"
    score = min(0.9, 0.6 + 0.05 * len(agreeing) + (0.1 if doubting else 0))
    return _retype(entity, better, f"{facts} {with_article(better)} better", score=score, facts=agreeing)


def _proposal_of_name(entity: Entity, named: str, usage: Sequence[Usage]) -> Proposal:
    reason = f"its name reads like that of {with_article(named)}"
    return _retype(entity, named, reason, score=_NAMED_SCORE, facts=[fact for fact, _, _ in usage])


def _retype(entity: Entity, better: str, reason: str, *, score: float, facts: Sequence[str]) -> Proposal:
    is_now = f"{entity.name} is {with_article(entity.type)}"
    return Proposal(
        kind="retype",
        key=f"{entity.id} {better}",
        statement=f"{is_now}, and {reason}. Make it {with_article(better)}?",
        score=score,
        rests_on=(entity.id, *facts[:20]),
        tool="update_entity",
        arguments={"entity": {"id": entity.id}, "type": better},
    )


# Duplicates: pairs of entities that may be the same, judged by their names.
#
# Names with the same letters are found in the whole group; the other comparisons are slow, so each run makes some of
# them and the next run continues from there.

COMPARED_IN_A_RUN = 1_000
_SAME_LETTERS_SCORE = 0.9


def propose_duplicates(tx: Tx, position: int) -> Outcome:
    page = store.entities.page(tx, position, limit=COMPARED_IN_A_RUN)
    pairs = {(older.row, newer.row): (older, newer, score) for older, newer, score in _pairs(tx, page)}
    counts = store.garden.count_facts(tx, [row for pair in pairs for row in pair])
    proposals = [_proposal_of_pair(older, newer, score, counts) for older, newer, score in pairs.values()]
    best = sorted(proposals, key=lambda each: (-each.score, each.key))[:MAX_CANDIDATES]
    is_last = len(page) < COMPARED_IN_A_RUN
    return Outcome(tuple(best), considered=len(page), position=0 if is_last else page[-1].row)


def _pairs(tx: Tx, page: Iterable[Entity]) -> Iterator[tuple[Entity, Entity, float]]:
    """Each pair once: the older entity, the newer one, and how alike their names are."""
    vocabulary = graph_vocabulary.read(tx)
    for pair in knowledge.merges.possible_duplicates(tx, page):
        yield pair.older, pair.newer, pair.score
    rows = store.garden.spelled_alike(tx, limit=MAX_CANDIDATES)
    by_row = store.entities.by_rows(tx, [row for pair in rows for row in pair])
    for older_row, newer_row in rows:
        older, newer = by_row[older_row], by_row[newer_row]
        if newer.type in vocabulary.related_types(older.type):
            yield older, newer, _SAME_LETTERS_SCORE


def _proposal_of_pair(older: Entity, newer: Entity, score: float, counts: Mapping[int, int]) -> Proposal:
    """The question whether a pair is one entity; the one with more facts would stay, else the older one."""
    is_newer_larger = counts.get(newer.row, 0) > counts.get(older.row, 0)
    keep, absorb = (newer, older) if is_newer_larger else (older, newer)
    return sources.of_pair(keep, absorb, score=score)


# Orphans: entities about which nothing is known, proposed for deletion.

_MIN_AGE = timedelta(days=1)
"""A younger entity may still be getting its facts."""

_ORPHAN_SCORE = 0.5


def propose_orphans(tx: Tx, position: int) -> Outcome:
    before = timestamps.from_datetime(tx.now - _MIN_AGE)
    empty = store.garden.without_anything(tx, after=position, before=before, limit=MAX_CANDIDATES)
    vocabulary = graph_vocabulary.read(tx)
    # The name of a decision is informative by itself.
    orphans = [entity for entity in empty if vocabulary.style(entity.type) != "statement"]
    return Outcome(
        tuple(_proposal_of_orphan(tx, entity) for entity in orphans), considered=len(empty), position=_next(empty)
    )


def _next(empty: Sequence[Entity]) -> int:
    """Where the next run continues: after the last of these, if there may be more."""
    return empty[-1].row if len(empty) == MAX_CANDIDATES else 0


def _proposal_of_orphan(tx: Tx, entity: Entity) -> Proposal:
    created_on = timestamps.local_date(entity.created_at, tx.zone)
    return Proposal(
        kind="orphan",
        key=entity.id,
        statement=f"Nothing is known about {entity.name} ({entity.type}), added on {created_on}. Forget it?",
        score=_ORPHAN_SCORE,
        rests_on=(entity.id,),
        tool="forget",
        arguments={"what": entity.id, "kind": "entity"},
    )


# Unknown names that were asked for, proposed as entities. Counted only where the settings say so.

_MIN_TIMES = 3


def propose_unknown_names(tx: Tx, position: int) -> Outcome:
    if not tx.settings.count_unknown_names:
        note = "Unknown names are not counted; to count them, set unknown_names in [garden] of the settings."
        return Outcome((), note=note)
    names = store.garden.unknown_names(tx, at_least=_MIN_TIMES, limit=MAX_CANDIDATES)
    return Outcome(tuple(_proposal_of_unknown(tx, name) for name in names), considered=len(names))


def _proposal_of_unknown(tx: Tx, name: UnknownName) -> Proposal:
    entity_type = graph_vocabulary.read(tx).default_type(name_styles.guess(name.name))
    asked = f"“{name.name}” was asked for {name.times} times, and is not known"
    return Proposal(
        kind="new_entity",
        key=normalisation.key(name.name),
        statement=f"{asked}. Add it as {with_article(entity_type)}?",
        score=min(0.9, 0.4 + 0.05 * name.times),
        rests_on=(f"the name “{name.name}” was asked for",),
        tool="add_entity",
        arguments={"entity": {"type": entity_type, "name": name.name}},
    )
