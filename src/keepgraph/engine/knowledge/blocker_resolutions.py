"""Resolutions: which open blockers a resolving fact names, and the end of their facts (ADR 0034).

A blocker is named by the id of its fact, by the blocking entity, by the words that describe it, or by similar words
if only one open blocker can be meant. What is blocked also names its blocker if it has just one. A blocker
that is not clearly named stays open, and is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from keepgraph import errors, store
from keepgraph.engine.knowledge import blockers, decisions, entities, predicates, validity
from keepgraph.engine.knowledge.ends import GivenFact
from keepgraph.engine.knowledge.statements import Statement
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import phrase_matching
from keepgraph.language.normalisation import Name
from keepgraph.language.phrase_matching import Agreement
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Fact, FactRow, Ref
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_OPEN = 20
"""At most this many open blockers are reported."""

_MAX_COMPARED = 2000
_MAX_LISTED_FOR_UNKNOWN = 5
_ID_PREFIX = "fact_"
_ID_LENGTH = 31


@dataclass(frozen=True, slots=True)
class ClosingPlan:
    """What a resolving fact does to open blockers: it has `closed` them, or may mean ones that are still `open`."""

    closed: tuple[Fact, ...] = ()
    open: tuple[Fact, ...] = ()


def read(tx: Tx, given: GivenFact) -> tuple[GivenFact, tuple[Fact, ...]]:
    """Find the blockers that a resolving fact names by their ids, or by the words of a name without a type.

    Returns the fact with an entity where a blocker was named, and these blockers; any other fact unchanged.

    Raises:
        errors.FactNotFound: an id does not belong to a blocking fact.
        errors.Ambiguous: the words may name several blockers.
    """
    subject_id, object_id = _fact_id(given.subject), _fact_id(given.object)
    is_untyped = given.subject.id is None and not given.subject.type
    if not (subject_id or object_id or is_untyped) or not _is_resolving(tx, given.predicate):
        return given, ()
    if subject_id:
        blocker = _find_blocker(tx, subject_id)
        return replace(given, subject=Ref(id=blocker.subject.id)), (blocker,)
    if object_id:
        blocker = _find_blocker(tx, object_id)
        known = _known(tx, given.subject)
        if known is not None and known.row not in (blocker.subject.row, blocker.object.row if blocker.object else 0):
            # Somebody or something settled it: the blocked thing is what they resolved.
            return GivenFact(Ref(id=blocker.subject.id), given.predicate, given.subject), (blocker,)
        target = Ref(id=blocker.object.id) if blocker.object else blocker.literal or ""
        return GivenFact(Ref(id=blocker.subject.id), given.predicate, target), (blocker,)
    if _known(tx, given.subject) is not None:
        return given, ()
    open_ = open_facts(tx)
    named, fitting = choose(tx, open_, given.subject.name or "")
    may_be_meant = (*named, *own_blockers(named, open_)) if named else fitting
    if may_be_meant and may_be_meant != named:
        number = (
            f"{len(may_be_meant)} open blockers" if len(may_be_meant) > 1 else "an open blocker, which is uncertain"
        )
        raise errors.Ambiguous(
            f"“{(given.subject.name or '')[:60]}” may name {number}",
            hint='Name the one you mean by its id, as in {"id": "fact_…"}.',
            candidates=describe(may_be_meant),
        )
    if not named:
        return given, ()
    blocking = named[0].object
    return replace(given, subject=Ref(id=(blocking or named[0].subject).id)), named


def plan(tx: Tx, statement: Statement, named: Sequence[Fact]) -> ClosingPlan:
    """Which open blockers an unrecorded resolving fact closes.

    Args:
        named: the blockers that it names by their ids or words; see `read`.

    Raises:
        errors.Ambiguous: its words name a blocker of something other than its subject.
    """
    open_rows = blockers.open_rows(tx)[:_MAX_COMPARED]
    if named:
        rows = {fact.row for fact in named}
        return ClosingPlan(tuple(_read(tx, [row for row in open_rows if row.row in rows])))
    subject, text = statement.subject, _object_text(statement)
    own = _read(tx, [row for row in open_rows if row.subject == subject.row])
    of_entity = _read(tx, [row for row in open_rows if row.object == subject.row])
    if own:
        return _plan_for_blocked(tx, statement, open_rows, own=own, of_entity=of_entity)
    if of_entity:
        return ClosingPlan(tuple(of_entity))
    open_ = _read(tx, open_rows)
    if subject.type in graph_vocabulary.read(tx).project_types:
        members = decisions.members(tx, subject)
        named_parts, fitting = _choose_by_object(tx, [fact for fact in open_ if fact.subject.row in members], statement)
        if named_parts or fitting:
            return ClosingPlan(named_parts, () if named_parts else fitting)
    named_by_name, fitting = choose(tx, open_, subject.name)
    if subject.type in graph_vocabulary.read(tx).decision_types and named_by_name:
        # A decision that another one replaces is not a blocker merely because they share a word.
        is_same = phrase_matching.compare(subject.name, text_of(named_by_name[0])).agreement is Agreement.EQUAL
        named_by_name, fitting = (named_by_name, fitting) if is_same else ((), ())
    if others := own_blockers(named_by_name, open_):
        named_by_name, fitting = (), (*named_by_name, *others)
    if named_by_name or fitting:
        return ClosingPlan(named_by_name, () if named_by_name else fitting[:MAX_OPEN])
    # What blocks something else: its subject is not what was resolved.
    equal = [fact for fact in open_ if _is_equal(fact, statement, text)]
    is_new = any(entity.row == subject.row for entity in statement.created)
    return ClosingPlan((), tuple(open_[:_MAX_LISTED_FOR_UNKNOWN] if is_new and not equal else equal[:MAX_OPEN]))


def close(tx: Tx, closed: Sequence[Fact], *, at: str | None) -> tuple[Fact, ...]:
    """End the facts of blockers when they were resolved: at a timestamp, or now; returns them as changed."""
    return tuple(validity.change(tx, fact, valid_from=fact.valid_from, valid_to=_end(tx, fact, at)) for fact in closed)


def reopen(tx: Tx, resolution: Fact) -> tuple[Fact, ...]:
    """Reopen the blockers that a fact resolved, now that it is no longer believed; returns them as changed."""
    vocabulary = graph_vocabulary.read(tx)
    if vocabulary.role(resolution.predicate) != "resolves" or resolution.retracted_at is not None:
        return ()
    moments = [moment for _, moment in store.provenance.fact_rows_by_assertion(tx, [resolution.row])]
    changed = store.facts.changed_at(tx, vocabulary.names_of_role("blocks"), moments)
    text = _object_text(resolution)
    about = [pair for pair in changed if _is_about(pair[0], resolution)]
    named = [pair for pair in about if phrase_matching.compare(text, text_of(pair[0])).agreement >= Agreement.SURE]
    return tuple(
        validity.change(tx, fact, valid_from=before.valid_from, valid_to=before.valid_to)
        for fact, before in named or about
        if fact.valid_to is not None and validity.find_duplicate(tx, before) is None
    )


def open_facts(tx: Tx) -> list[Fact]:
    """The facts of the open blockers of the group, newest first."""
    return _read(tx, blockers.open_rows(tx)[:_MAX_COMPARED])


def choose(tx: Tx, candidates: Sequence[Fact], text: str) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """The blockers that a text clearly names, and all that it may name.

    If two blockers may be meant, neither is chosen.
    """
    groups: dict[tuple[int, str], list[Fact]] = {}
    for fact in candidates:
        groups.setdefault(identity(fact), []).append(fact)
    matches = {key: _best_match(tx, facts[0], text) for key, facts in groups.items()}
    fitting = [key for key, match in matches.items() if match.agreement >= Agreement.PARTIAL]
    equal = [key for key in fitting if matches[key].agreement is Agreement.EQUAL]
    if equal:
        chosen = equal if len(equal) == 1 else []
        fitting = equal
    else:
        most = max((matches[key].shared for key in fitting), default=0)
        best = [key for key in fitting if matches[key].shared == most]
        chosen = best if len(best) == 1 and matches[best[0]].agreement is Agreement.SURE else []
    return (
        tuple(fact for key in chosen for fact in groups[key]),
        tuple(fact for key in fitting for fact in groups[key]),
    )


def identity(fact: Fact) -> tuple[int, str]:
    """What identifies a blocker: an entity, whatever it blocks, or equal words about one blocked thing."""
    return (fact.object.row, "") if fact.object is not None else (fact.subject.row, Name(fact.literal or "").key)


def own_blockers(named: Sequence[Fact], candidates: Sequence[Fact]) -> tuple[Fact, ...]:
    """The blockers of these blocking entities: a name of such an entity may mean them too."""
    blocking = {fact.object.row for fact in named if fact.object is not None}
    rows = {fact.row for fact in named}
    return tuple(fact for fact in candidates if fact.subject.row in blocking and fact.row not in rows)


def describe(candidates: Sequence[Fact]) -> list[dict[str, str]]:
    """Blockers as candidates of an error: the ids of their facts, what blocks, and what is blocked."""
    return [{"id": fact.id, "text": f"{fact.subject.name}: {text_of(fact)}"} for fact in candidates[:MAX_OPEN]]


def text_of(fact: Fact) -> str:
    """What blocks, in words: the name of an entity, or a literal."""
    return fact.object.name if fact.object is not None else fact.literal or ""


def _plan_for_blocked(
    tx: Tx, statement: Statement, open_rows: Sequence[FactRow], *, own: Sequence[Fact], of_entity: Sequence[Fact]
) -> ClosingPlan:
    """What a resolution does if its subject is itself blocked.

    Args:
        own: the open blockers of the subject.
        of_entity: the open blockers that the subject is itself.
    """
    text = _object_text(statement)
    equal = [fact for fact in own if _is_equal(fact, statement, text)]
    named, fitting = (tuple(equal), tuple(equal)) if equal else _choose_by_object(tx, own, statement)
    if named:
        return ClosingPlan(named)
    if of_entity:
        # Either its own blocker was settled, or it was, which blocks others: ask about both.
        return ClosingPlan((), (*of_entity, *own)[:MAX_OPEN])
    if len(own) > 1 or blockers.is_other_matter(text, text_of(own[0])):
        return ClosingPlan((), tuple(fitting or own)[:MAX_OPEN])
    if not fitting and statement.literal is not None:
        others = _read(tx, [row for row in open_rows if row.subject != statement.subject.row])
        elsewhere, _ = choose(tx, others, text)
        if elsewhere:
            raise errors.Ambiguous(
                f"{statement.subject.name} is blocked by “{text_of(own[0])}”, but “{text[:60]}” names what blocks "
                f"{elsewhere[0].subject.name}",
                hint='Name the blocker that is resolved by its id, as subject {"id": "fact_…"}.',
                candidates=describe([own[0], *elsewhere]),
            )
    return ClosingPlan(tuple(own))


def _read(tx: Tx, rows: Sequence[FactRow]) -> list[Fact]:
    return store.facts.by_rows(tx, [row.row for row in rows]) if rows else []


def _choose_by_object(
    tx: Tx, candidates: Sequence[Fact], statement: Statement
) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    text = _object_text(statement)
    equal = tuple(fact for fact in candidates if _is_equal(fact, statement, text))
    return (equal, equal) if equal else choose(tx, candidates, text)


def _is_equal(fact: Fact, statement: Statement, text: str) -> bool:
    """Whether the object of a resolution is what blocks: the same entity, or the same words."""
    if fact.object is not None and statement.object is not None:
        return fact.object.row == statement.object.row
    return phrase_matching.compare(text, text_of(fact)).agreement is Agreement.EQUAL


def _best_match(tx: Tx, fact: Fact, text: str) -> phrase_matching.PhraseMatch:
    names = [text_of(fact)]
    if fact.object is not None:
        names += store.entities.aliases(tx, fact.object)
    matches = [phrase_matching.compare(text, name, of=fact.subject.name) for name in names]
    return max(matches, key=lambda match: (match.agreement, match.shared))


def _is_about(blocker: Fact, resolution: Fact) -> bool:
    subject = resolution.subject
    return (
        subject.row in (blocker.subject.row, blocker.object.row if blocker.object else 0)
        or phrase_matching.compare(subject.name, text_of(blocker)).agreement >= Agreement.SURE
    )


def _object_text(statement: Statement | Fact) -> str:
    return statement.object.name if statement.object is not None else statement.literal or ""


def _end(tx: Tx, fact: Fact, at: str | None) -> str:
    """When a blocker resolved at a timestamp ends: after it began, and no later than any known end."""
    now = tx.at
    end = at or now
    if fact.valid_from is not None and end <= fact.valid_from:
        end = now if now > fact.valid_from else timestamps.from_datetime(tx.now + timedelta(milliseconds=1))
    return min(end, fact.valid_to) if fact.valid_to is not None else end


def _fact_id(end: Ref | str) -> str | None:
    """The id of a fact where an entity or a literal is expected."""
    if isinstance(end, Ref) and end.id is not None:
        wanted = end.id.strip().lower()
        return wanted if wanted.startswith(_ID_PREFIX) else None
    text = (end.name if isinstance(end, Ref) else end) or ""
    wanted = text.strip().lower()
    is_id = wanted.startswith(_ID_PREFIX) and len(wanted) == _ID_LENGTH and wanted.removeprefix(_ID_PREFIX).isalnum()
    return wanted if is_id else None


def _find_blocker(tx: Tx, fact_id: str) -> Fact:
    """
    Raises:
        errors.FactNotFound: the fact does not exist, or blocks nothing.
    """
    fact = store.facts.by_id(tx, fact_id)
    if fact is None or fact.retracted_at is not None:
        raise errors.FactNotFound(f"there is no fact {fact_id[:60]!r}")
    if graph_vocabulary.read(tx).role(fact.predicate) != "blocks":
        raise errors.FactNotFound(
            f"{fact.id} says that {fact.subject.name} {fact.predicate} {text_of(fact)[:60]}, which is not a blocker",
            hint="Name the fact of an open blocker; weekly_rollup lists them with their ids.",
        )
    return fact


def _is_resolving(tx: Tx, wording: str) -> bool:
    """Whether a wording means a resolving predicate, its ends as stored."""
    try:
        matches = predicates.find_matches(tx, wording)
    except errors.PredicateUnknown:
        return False
    return matches[0].predicate.role == "resolves" and not matches[0].is_reversed


def _known(tx: Tx, ref: Ref) -> Entity | None:
    """The entity that a caller names exactly, if there is just one."""
    try:
        return entities.find(tx, ref)
    except (errors.EntityNotFound, errors.EntityTypeUnknown, errors.Ambiguous):
        return None
