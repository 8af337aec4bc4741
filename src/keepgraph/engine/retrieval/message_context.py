"""The context of a message: what it names, facts about that, what is always included, and what is open about it.

Nothing is found by meaning: if a message names nothing, everything except the standing facts is empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from keepgraph import store
from keepgraph.engine.knowledge import blockers, next_steps
from keepgraph.engine.knowledge.scopes import Scope
from keepgraph.engine.resolution import message_names
from keepgraph.engine.resolution.message_names import MessageNames
from keepgraph.engine.retrieval import node_lookup, passages
from keepgraph.engine.retrieval.passages import Passage
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Episode, Fact
from keepgraph.store.transactions import Tx

_MAX_ENTITIES = 20
_MAX_FACTS = 60  # of an entity; where only some projects count, ten times as many are looked through
_MAX_TEXTS = 5
_MAX_OPEN = 20
_MAX_PINNED_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class OpenMatter:
    """Something open: a blocker, a deadline, or a question without an answer.

    Attributes:
        kind: blocker, due or question.
        what: the blocking fact, the fact of the deadline, or the question.
    """

    kind: str
    what: Fact | Entity


@dataclass(frozen=True, slots=True)
class MessageContext:
    """What matters for a message; every list best first."""

    names: MessageNames
    facts: tuple[Fact, ...] = ()
    standing: tuple[Fact, ...] = ()
    standing_texts: tuple[tuple[Episode, str], ...] = ()
    open: tuple[OpenMatter, ...] = ()
    texts: tuple[Passage, ...] = ()


def read(tx: Tx, message: str, scope: Scope, *, with_texts: bool) -> MessageContext:
    """The context of a message in a scope, at the instant of the call."""
    names = message_names.find(tx, message, groups=scope.groups, scope=scope.ids, context=scope.projects)
    entities = [named.entity for named in names.named][:_MAX_ENTITIES]
    standing = store.facts.by_rows(tx, store.scopes.pinned_facts(tx, groups=scope.groups))
    standing = [fact for fact in standing if scope.holds(fact.scope)]
    opened = _open(tx, entities, scope) if entities else []
    told = {fact.row for fact in (*standing, *(matter.what for matter in opened)) if isinstance(fact, Fact)}
    facts = [fact for fact in _about(tx, entities, scope) if fact.row not in told]
    return MessageContext(
        names=names,
        facts=tuple(facts),
        standing=tuple(standing),
        standing_texts=tuple(_pinned_texts(tx, scope)),
        open=tuple(opened),
        texts=tuple(_texts(tx, entities, scope)) if with_texts else (),
    )


def _about(tx: Tx, entities: Sequence[Entity], scope: Scope) -> list[Fact]:
    """Facts about the entities: first those that connect two of them, then the newest of each predicate, rarest first.

    So a long list of one kind, such as the members of a project, does not hide single facts.
    """
    blocking = graph_vocabulary.read(tx).names_of_role("blocks")
    named = {entity.row for entity in entities}
    ordered: list[tuple[tuple[int, int, int], Fact]] = []
    for entity in entities:
        held = store.facts.about(tx, entity, at=tx.at, limit=_MAX_FACTS, begun_when_recorded=blocking, within=scope.ids)
        kinds = Counter((fact.predicate, fact.subject.row == entity.row) for fact in held)
        seen: Counter[tuple[str, bool]] = Counter()
        for position, fact in enumerate(held):
            kind = fact.predicate, fact.subject.row == entity.row
            connects = fact.object is not None and {fact.subject.row, fact.object.row} <= named
            ordered.append(((-connects, seen[kind] + (kinds[kind] > 1), position), fact))
            seen[kind] += 1
    return list({fact.row: fact for _, fact in sorted(ordered, key=lambda each: each[0])}.values())


def _open(tx: Tx, entities: Sequence[Entity], scope: Scope) -> list[OpenMatter]:
    rows = {entity.row for entity in entities}
    blocking: list[int] = []
    due: list[Fact] = []
    for group in scope.groups:
        within = replace(tx, group=group)
        blocked = [fact.row for fact in blockers.open_blockers(within, among=rows)]
        around = rows | {
            neighbour.entity.row
            for entity in entities
            for neighbour in store.facts.related(within, entity, limit=_MAX_OPEN)
        }
        due += next_steps.due(within, blocked=rows if blocked else (), members=around)
        blocking += blocked
    vocabulary = graph_vocabulary.read(tx)
    answering = [term for term in vocabulary.predicates if term.role == "answers"]
    questions: list[Entity] = []
    if answering:
        asked = vocabulary.with_subtypes([name for term in answering for name in term.sources])
        questions = store.scopes.open_questions(
            tx,
            sorted(rows),
            groups=scope.groups,
            of_types=asked,
            answering=[term.name for term in answering],
            limit=_MAX_OPEN,
        )
    return [
        *(
            OpenMatter("blocker", fact)
            for fact in store.facts.by_rows(tx, blocking[:_MAX_OPEN])
            if scope.holds(fact.scope)
        ),
        *(OpenMatter("due", fact) for fact in due[:_MAX_OPEN] if scope.holds(fact.scope)),
        *(OpenMatter("question", question) for question in questions),
    ]


def _pinned_texts(tx: Tx, scope: Scope) -> list[tuple[Episode, str]]:
    """The pinned texts of the scope, each with its words, cut where they are very long."""
    rows = _in_scope(tx, store.scopes.pinned_episodes(tx, groups=scope.groups), scope)
    episodes = store.episodes.by_rows(tx, rows) if rows else {}
    return [
        (episodes[row], " ".join(store.episodes.text(tx, episodes[row])[:_MAX_PINNED_CHARACTERS].split()))
        for row in rows
    ]


def _in_scope(tx: Tx, episodes: Sequence[int], scope: Scope) -> list[int]:
    if not scope.ids or not episodes:
        return list(episodes)
    types = graph_vocabulary.read(tx).project_types
    own = {
        Name(name).key for project in scope.projects for name in (project.name, *store.entities.aliases(tx, project))
    }
    about: dict[int, set[bool]] = {}
    for episode, public_id, entity_type, name in store.scopes.subjects_of_episodes(tx, episodes):
        if entity_type in types:
            about.setdefault(episode, set()).add(Name(name or "").key in own)
        elif public_id and (entity := store.entities.by_id(tx, public_id)) and entity.type in types:
            about.setdefault(episode, set()).add(public_id in scope.ids)
    return [row for row in episodes if row not in about or True in about[row]]


def _texts(tx: Tx, entities: Sequence[Entity], scope: Scope) -> list[Passage]:
    """The newest passages about the entities: those that name most of them first."""
    found: dict[tuple[int, str], Passage] = {}
    names: Counter[tuple[int, str]] = Counter()
    for entity in entities:
        for passage in passages.newest(tx, node_lookup.Node(entity, tx.group), until=tx.at, limit=_MAX_TEXTS):
            place = (passage.episode.row, passage.quote)
            found.setdefault(place, passage)
            names[place] += 1
    inside = set(_in_scope(tx, sorted({row for row, _ in found}), scope))
    places = sorted((place for place in found if place[0] in inside), key=lambda place: (-names[place], -place[0]))
    return [found[place] for place in places[:_MAX_TEXTS]]
