"""Decisions: what was decided, when, by whom, and whether it was followed up (ADR 0009).

A decision is an entity of a type of decisions, or the object of a deciding fact. It was made when its deciding and
part-of facts begin to hold, or, without validity, when the first of them was recorded. It belongs to
the projects at the other end of those facts. All tools that show decisions read them here. The roles of the
vocabulary say which predicates decide, and which types are decisions and projects: decided_in has the role "decides",
belongs_to the role "part_of".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from keepgraph import errors, lazy, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import common_words, inflection, normalisation
from keepgraph.lazy import dataclass
from keepgraph.model import Decision, Entity, Fact, Import, NameStyle, Role
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_DECISION_ROLES: tuple[Role, ...] = ("decides", "part_of")
_FOLLOW_UPS_FROM_DECISION: tuple[Role, ...] = ("resolves", "blocks", "reports")
_FOLLOW_UPS_TO_DECISION: tuple[Role, ...] = ("resolves", "depends")
_DECIDABLE_STYLE: NameStyle = "term"
"""Besides decision types, only terms may be decided: not people, titles, tasks or sources."""


@dataclass(frozen=True, slots=True)
class DecisionFilter:
    """Which decisions are wanted.

    Attributes:
        since, until: the first and the last local day, YYYY-MM-DD; empty: no limit.
        topic: in words; empty is any.
        limit: their number; None is all.
    """

    since: str = ""
    until: str = ""
    topic: str = ""
    limit: int | None = None


ANY = DecisionFilter()


def of_project(tx: Tx, project: Entity, wanted: DecisionFilter = ANY) -> tuple[list[Decision], int]:
    """The decisions of a project, newest first, and how many there are without the limit."""
    vocabulary = graph_vocabulary.read(tx)
    facts = _deciding_facts(tx, vocabulary, project)
    return _newest_first(tx, vocabulary, _decisions_in(vocabulary, facts), wanted)


def of_all_projects(tx: Tx, wanted: DecisionFilter = ANY) -> tuple[list[Decision], int]:
    """The decisions of the group, newest first, and how many there are without the limit."""
    vocabulary = graph_vocabulary.read(tx)
    predicates = vocabulary.names_of_role(*_DECISION_ROLES)
    decides, types = vocabulary.names_of_role("decides"), vocabulary.decision_types
    start, end = "", "~"
    if wanted.until:
        end = timestamps.parse(wanted.until, tx.zone, end=True)
    if wanted.since:
        start = timestamps.day_start(timestamps.parse_date(wanted.since), tx.zone)
        deciding = store.facts.recorded_or_valid_between(
            tx, predicates, with_any_ends=decides, end_types=types, since=start, until=end
        )
        decided: list[Entity | Fact] = _decisions_in(vocabulary, deciding)
    else:
        rows = store.listing.facts_without_types(tx, decides, types=types)
        decided = [
            *store.entities.with_facts(tx, of_types=types, predicates=predicates),
            *_decisions_in(vocabulary, store.facts.by_rows(tx, rows)),
        ]
    unlinked = store.entities.without_facts_since(tx, of_types=types, predicates=predicates, since=start, until=end)
    return _newest_first(tx, vocabulary, [*decided, *unlinked], wanted)


def made_between(tx: Tx, project: Entity | None, first: str, last: str) -> list[Decision]:
    """The decisions of a project, or of all, made on these local days or between them, newest first."""
    wanted = DecisionFilter(since=first, until=last)
    return (of_project(tx, project, wanted) if project else of_all_projects(tx, wanted))[0]


def wanting_follow_up(made: Sequence[Decision]) -> list[Decision]:
    """The newest decision of each project, or else of each person who decided, that nobody has acted on.

    A decision with neither has nobody to act on it. Older ones come up once the newest was acted on.

    Args:
        made: newest first.
    """
    newest: dict[str, Decision] = {}
    for decision in made:
        for entity in () if decision.followed_up else decision.projects or decision.decided_by:
            newest.setdefault(entity.id, decision)
    return list({decision.id: decision for decision in newest.values()}.values())


def members(tx: Tx, project: Entity) -> set[int]:
    """The rows of a project, of its direct parts, and of what was decided in it."""
    vocabulary = graph_vocabulary.read(tx)
    facts = _deciding_facts(tx, vocabulary, project)
    parts = {
        fact.subject.row for fact in facts if vocabulary.role(fact.predicate) == "part_of" and fact.object == project
    }
    decided = _decisions_in(vocabulary, facts)
    return {project.row} | parts | {decision.row for decision in decided if isinstance(decision, Entity)}


def _deciding_facts(tx: Tx, vocabulary: Vocabulary, project: Entity) -> list[Fact]:
    """The facts of a project that say what was decided for it, and what is part of it."""
    predicates = vocabulary.names_of_role(*_DECISION_ROLES)
    return store.facts.touching(tx, project, predicates)


def _decisions_in(vocabulary: Vocabulary, facts: Iterable[Fact]) -> list[Entity | Fact]:
    """The decisions in deciding and part-of facts, each once: entities, and facts with a literal decision."""
    decisions: dict[str, Entity | Fact] = {}
    for fact in facts:
        decision = _decision_of_fact(vocabulary, fact)
        if decision is not None:
            decisions[decision.id] = decision
    return list(decisions.values())


def _decision_of_fact(vocabulary: Vocabulary, fact: Fact) -> Entity | Fact | None:
    ends = [end for end in (fact.subject, fact.object) if end is not None]
    for end in ends:
        if end.type in vocabulary.decision_types:
            return end
    if vocabulary.role(fact.predicate) != "decides":
        return None
    if fact.literal is not None and (_is_person(vocabulary, fact.subject) or _is_project(vocabulary, fact.subject)):
        return fact
    return next((end for end in reversed(ends) if vocabulary.style(end.type) == _DECIDABLE_STYLE), None)


def _newest_first(
    tx: Tx, vocabulary: Vocabulary, undated: Sequence[Entity | Fact], wanted: DecisionFilter
) -> tuple[list[Decision], int]:
    entities = [decision for decision in undated if isinstance(decision, Entity)]
    decision_types = vocabulary.decision_types
    rows = [decision.row for decision in entities if decision.type in decision_types]
    began_at = store.facts.began(tx, rows, vocabulary.names_of_role(*_DECISION_ROLES))
    # An entity of another type is a decision only by its deciding facts, so only they date it.
    other_rows = [decision.row for decision in entities if decision.type not in decision_types]
    began_at |= store.facts.began(tx, other_rows, vocabulary.names_of_role("decides"))
    by_id = {
        decision.id: (_decided_at(decision, began_at), decision)
        for decision in undated
        if _is_between(timestamps.local_date(_decided_at(decision, began_at), tx.zone), wanted)
    }
    if wanted.topic:
        about = _on_topic(tx, [decision for _, decision in by_id.values()], wanted.topic)
        by_id = {decision_id: dated for decision_id, dated in by_id.items() if decision_id in about}
    newest = sorted(by_id.values(), key=lambda pair: (pair[0], pair[1].id), reverse=True)
    links: dict[str, list[Fact]] = {}
    described = []
    for moment, decision in newest[: wanted.limit]:
        if isinstance(decision, Fact):
            links[decision.id] = [decision]
            described.append(_describe_literal_decision(tx, vocabulary, decision, moment))
        else:
            facts = _facts_of_decision(tx, vocabulary, decision)
            links[decision.id] = [fact for fact in facts if vocabulary.role(fact.predicate) in _DECISION_ROLES]
            described.append(_describe_decision(tx, vocabulary, decision, moment, facts, links[decision.id]))
    imports = _imports(tx, [decision for _, decision in newest[: wanted.limit]], links)
    return [replace(decision, imported=imports.get(decision.id)) for decision in described], len(newest)


def _is_between(day: str, wanted: DecisionFilter) -> bool:
    return wanted.since <= day and (not wanted.until or day <= wanted.until)


def _decided_at(decision: Entity | Fact, began_at: Mapping[int, str]) -> str:
    if isinstance(decision, Fact):
        return decision.valid_from or decision.recorded_at
    return began_at.get(decision.row, decision.created_at)


def _facts_of_decision(tx: Tx, vocabulary: Vocabulary, decided: Entity) -> list[Fact]:
    """The facts that say what was decided, by whom and for what, and whether it was followed up."""
    predicates = vocabulary.names_of_role(
        *_DECISION_ROLES, *_FOLLOW_UPS_FROM_DECISION, *_FOLLOW_UPS_TO_DECISION, "tags"
    )
    return store.facts.touching(tx, decided, predicates)


def _imports(tx: Tx, decisions: Sequence[Entity | Fact], links: Mapping[str, Sequence[Fact]]) -> dict[str, Import]:
    """The imports of decisions, by id: those with a deciding or part-of fact that came only from a file.

    A decision without such facts counts as imported with its entity.
    """
    linked = {fact.row for facts in links.values() for fact in facts}
    of_facts = store.transfer.of_facts(tx, linked) if linked else {}
    alone = {decision.row: decision.id for decision in decisions if not links[decision.id]}
    of_entities = store.transfer.of_rows(tx, "entity", alone) if alone else {}
    return {alone[row]: imported for row, imported in of_entities.items()} | {
        decision_id: of_facts[fact.row]
        for decision_id, facts in links.items()
        for fact in facts
        if fact.row in of_facts
    }


def _describe_decision(
    tx: Tx, vocabulary: Vocabulary, decided: Entity, decided_at: str, facts: Sequence[Fact], links: Sequence[Fact]
) -> Decision:
    people = {
        fact.subject.id: fact.subject
        for fact in links
        if vocabulary.role(fact.predicate) == "decides"
        and fact.object == decided
        and not _is_project(vocabulary, fact.subject)
        and fact.subject.type not in vocabulary.decision_types
    }
    superseded = (
        fact.subject
        for fact in facts
        if vocabulary.role(fact.predicate) == "resolves"
        and fact.object == decided
        and fact.subject.type in vocabulary.decision_types
    )
    return Decision(
        id=decided.id,
        name=decided.name,
        decided_at=decided_at,
        decided_on=timestamps.local_date(decided_at, tx.zone),
        decided_by=tuple(people.values()),
        source=next((fact.source for fact in links if fact.source), None),
        confidence=min((fact.confidence for fact in links), default=1.0),
        supersedes=next(superseded, None),
        followed_up=any(_follows_up(vocabulary, fact, decided) for fact in facts),
        projects=_projects_of(vocabulary, links),
    )


def _describe_literal_decision(tx: Tx, vocabulary: Vocabulary, fact: Fact, decided_at: str) -> Decision:
    """A decision that is a literal, not an entity: what a person or a project has decided, as a text."""
    return Decision(
        id=fact.id,
        name=fact.literal or "",
        decided_at=decided_at,
        decided_on=timestamps.local_date(decided_at, tx.zone),
        decided_by=(fact.subject,) if _is_person(vocabulary, fact.subject) else (),
        source=fact.source,
        confidence=fact.confidence,
        supersedes=None,
        followed_up=False,
        projects=_projects_of(vocabulary, [fact]),
    )


def _projects_of(vocabulary: Vocabulary, links: Iterable[Fact]) -> tuple[Entity, ...]:
    """The projects at the ends of the facts that connect a decision to something, each once."""
    ends = (end for fact in links for end in (fact.subject, fact.object) if end is not None)
    return tuple({end.id: end for end in ends if _is_project(vocabulary, end)}.values())


def _follows_up(vocabulary: Vocabulary, fact: Fact, decision: Entity) -> bool:
    """Whether a fact follows a decision up: it is resolved, blocked, owned by someone, depended on, or tagged done."""
    role = vocabulary.role(fact.predicate)
    if role == "tags":
        return (fact.literal or "").strip().casefold() in {"done", "implemented", "closed"}
    if fact.subject == decision:
        return role in _FOLLOW_UPS_FROM_DECISION
    return role in _FOLLOW_UPS_TO_DECISION


def _is_person(vocabulary: Vocabulary, entity: Entity) -> bool:
    return vocabulary.style(entity.type) == "person"


def _is_project(vocabulary: Vocabulary, entity: Entity) -> bool:
    return entity.type in vocabulary.project_types


# The topic of a decision: matched by its words, the names beside it, or its meaning.

_MIN_SHARE_OF_WORDS = 0.5
"""A matching decision has at least this share of the words of a topic, and no other has more."""

_MIN_LETTERS_OF_BEGINNING = 4
"""The length from which a word matches longer ones that begin with it: auth, authentication."""

_MIN_COSINE = 0.24
"""Cosine of a decision's name and a short topic by the default model. Chosen on 25 decisions, 24 topics;
of 20 other decisions and 16 other topics (320 pairs), it accepts 15 that fit and 2 that do not, and misses 3."""

_WORD = lazy.compile(r"[^\W_]+")


def _on_topic(tx: Tx, decisions: Sequence[Entity | Fact], topic: str) -> set[str]:
    """The ids of the decisions about a topic.

    A decision matches by the words of its name, its aliases and its neighbours, or by the meaning of its
    name where there are vectors.
    """
    return _by_words(tx, decisions, topic) | _by_meaning(tx, decisions, topic)


def _by_words(tx: Tx, decisions: Sequence[Entity | Fact], topic: str) -> set[str]:
    wanted = _significant_words(topic)
    if not wanted:
        return set()
    texts_beside = store.listing.texts_beside(
        tx,
        [decision.row for decision in decisions if isinstance(decision, Entity)],
    )
    fitting = _FittingWords(wanted)
    counts = {
        decision.id: len(
            frozenset().union(*map(fitting.of_text, _texts_of(decision, texts_beside.get(decision.row, ()))))
        )
        for decision in decisions
    }
    most = max(counts.values(), default=0)
    if most < max(_MIN_SHARE_OF_WORDS * len(wanted), 1):
        return set()
    return {decision_id for decision_id, count in counts.items() if count == most}


def _texts_of(decision: Entity | Fact, beside: Sequence[str]) -> list[str]:
    if isinstance(decision, Entity):
        return [decision.name, *beside]
    return [decision.literal or "", decision.subject.name]


class _FittingWords:
    """Which words of a topic are in a text, inflected or beginning a longer word; each text is read once."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self._wanted = wanted
        self._by_text: dict[str, frozenset[str]] = {}
        self._by_word: dict[str, frozenset[str]] = {}

    def of_text(self, text: str) -> frozenset[str]:
        if text not in self._by_text:
            self._by_text[text] = frozenset().union(*map(self._of_word, _words(text)))
        return self._by_text[text]

    def _of_word(self, word: str) -> frozenset[str]:
        if word not in self._by_word:
            self._by_word[word] = frozenset(one for one in self._wanted if _fits(one, word))
        return self._by_word[word]


def _fits(one: str, other: str) -> bool:
    if one == other or inflection.stem(one) == inflection.stem(other):
        return True
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _MIN_LETTERS_OF_BEGINNING and longer.startswith(shorter)


def _significant_words(topic: str) -> list[str]:
    words = list(dict.fromkeys(_words(topic)))
    return [word for word in words if not common_words.is_stop_word(word)] or words


def _words(text: str) -> list[str]:
    """The words of a text, folded; its characters in a script without spaces."""
    folded = normalisation.Name(text).folded
    return _WORD.findall(normalisation.segment_characters(folded) or folded)


def _by_meaning(tx: Tx, decisions: Sequence[Entity | Fact], topic: str) -> set[str]:
    """The decisions whose names resemble the topic in meaning; none without vectors."""
    of_types = {decision.type for decision in decisions if isinstance(decision, Entity)}
    if not of_types or "embedding" not in tx.settings.steps or vector_backfill.unavailable_reason(tx):
        return set()
    try:
        nearest = vector_backfill.nearest_entities(tx, topic, of_types=of_types)
    except errors.ModelUnavailable:
        return set()
    ids = {decision.id for decision in decisions}
    return {entity.id for entity, _, cosine in nearest if cosine >= _MIN_COSINE and entity.id in ids}
