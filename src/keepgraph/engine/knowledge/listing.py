"""Lists of one kind of what a graph holds: entities of a type, texts, facts, tags, sources, blockers, words, proposals.

The kind is read as people write it: `people`, `Projects`, `company`, `notes`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from keepgraph import english, errors, store
from keepgraph.engine.knowledge import blockers, decisions
from keepgraph.engine.vocabulary import graph_vocabulary, terms
from keepgraph.english import count_noun, with_article
from keepgraph.model import Decision, Fact, Proposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list.

    Attributes:
        detail: what goes beside the name: a count, a type, a day.
        id: empty if it has none.
    """

    name: str
    detail: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """The first rows of one kind, and how many there are."""

    kind: str
    rows: tuple[Row, ...]
    total: int


_List = Callable[[Tx, int], Section]


def rows_of_kind(tx: Tx, kind: str, *, limit: int) -> list[Section]:
    """The rows of a kind; in two sections if a word means two kinds that are not empty.

    Raises:
        errors.InvalidArguments: there is no such kind.
    """
    key = graph_vocabulary.wording_key(kind)
    sections = [_KINDS[name](tx, limit) for name in _names_of_kinds(key)]
    if entity_type := _find_type(tx, key):
        of_type = _entities_of(tx, entity_type, limit)
        sections = [of_type, *sections] if of_type.total or not sections else sections
    if key in ("everything", "all", "entities", "entity", "names"):
        sections = [_all_entities(tx, limit)]
    if not sections:
        listed = [*_KINDS, *(row.name for row in used_types(tx)[:6])]
        near = terms.similar(tx, store.vocabulary.ENTITY_TYPE, kind)
        raise errors.InvalidArguments(
            f"there is nothing called {english.quoted(kind)} to list",
            hint=f"What can be listed: {', '.join(listed)}, and any other type of the vocabulary.",
            candidates=near,
        )
    return sections


def counts_of_kinds(tx: Tx) -> list[Section]:
    """What can be listed, with counts and no rows: the types in use by their number of entities, then the rest."""
    types = [Section(row.name, (), int(row.detail)) for row in used_types(tx)]
    return [*types, *(Section(name, (), _KINDS[name](tx, 1).total) for name in _KINDS)]


def used_types(tx: Tx) -> list[Row]:
    """The types with entities, most used first; the detail is their number."""
    counts = store.entities.count_by_type(tx)
    used = sorted(((name, count) for name, count in counts.items() if count), key=lambda pair: (-pair[1], pair[0]))
    return [Row(name, str(count)) for name, count in used]


def _names_of_kinds(key: str) -> list[str]:
    """The kind, apart from types, that a word means: by its name, its singular, or another word for it."""
    singular = graph_vocabulary.singular(key)
    wanted = {key, singular, f"{key}s"} - {""}
    return [name for name, others in _OTHER_WORDS.items() if wanted & {name, *others}]


def _find_type(tx: Tx, key: str) -> str | None:
    kind = store.vocabulary.ENTITY_TYPE
    term = graph_vocabulary.find(tx, kind, key) or graph_vocabulary.find(
        tx, kind, graph_vocabulary.singular(key) or key
    )
    return term.name if term else None


def _entities_of(tx: Tx, entity_type: str, limit: int) -> Section:
    """The entities of a type; for decisions with the day, newest first."""
    vocabulary = graph_vocabulary.read(tx)
    if entity_type in vocabulary.decision_types:
        made, total = decisions.of_all_projects(tx, decisions.DecisionFilter(limit=limit))
        return Section(entity_type, tuple(_row_of_decision(decision) for decision in made), total)
    of_types = vocabulary.with_subtypes([entity_type])
    counts = store.entities.count_by_type(tx)
    return _section_of_entities(tx, entity_type, of_types, sum(counts.get(name, 0) for name in of_types), limit)


def _all_entities(tx: Tx, limit: int) -> Section:
    counts = store.entities.count_by_type(tx)
    return _section_of_entities(tx, "entities", list(counts), sum(counts.values()), limit)


def _section_of_entities(tx: Tx, kind: str, of_types: Sequence[str], total: int, limit: int) -> Section:
    rows = [
        Row(
            entity.name,
            ", ".join([*([entity.type] if entity.type != kind else []), count_noun(facts, "fact")]),
            entity.id,
        )
        for entity, facts in store.listing.entities(tx, of_types=of_types, limit=limit)
    ]
    return Section(kind, tuple(rows), total)


def _row_of_decision(decision: Decision) -> Row:
    names = [entity.name for entity in (*decision.decided_by, *decision.projects)]
    return Row(decision.name, ", ".join([decision.decided_on, *names]), decision.id)


def _facts(tx: Tx, limit: int) -> Section:
    facts = store.facts.by_rows(tx, store.listing.newest_facts(tx, limit=limit))
    total = sum(count for *_, count in store.graph_statistics.count_patterns(tx))
    return Section("facts", tuple(_row_of_fact(tx, fact) for fact in facts), total)


def _row_of_fact(tx: Tx, fact: Fact) -> Row:
    target = fact.object.name if fact.object else f"“{fact.literal}”"
    return Row(
        f"{fact.subject.name} {fact.predicate} {target}", timestamps.local_date(fact.recorded_at, tx.zone), fact.id
    )


def _texts(tx: Tx, limit: int) -> Section:
    rows = [
        Row(episode.name, timestamps.local_date(episode.occurred_at, tx.zone), episode.id)
        for episode in store.episodes.newest(tx, [tx.group], limit=limit)
    ]
    return Section("texts", tuple(rows), store.episodes.count(tx, [tx.group]))


def _blockers(tx: Tx, limit: int) -> Section:
    blocking = blockers.open_blockers(tx)
    facts = store.facts.by_rows(tx, [fact.row for fact in blocking[:limit]])
    return Section("blockers", tuple(_row_of_fact(tx, fact) for fact in facts), len(blocking))


def _tags(tx: Tx, limit: int) -> Section:
    tagging = graph_vocabulary.read(tx).names_of_role("tags")
    counts, total = store.listing.tags(tx, tagging=tagging, limit=limit)
    return Section("tags", tuple(Row(tag, count_noun(count, "fact")) for tag, count in counts), total)


def _sources(tx: Tx, limit: int) -> Section:
    counts, total = store.listing.sources(tx, limit=limit)
    return Section("sources", tuple(Row(source, f"{count:,} ×") for source, count in counts), total)


def _types(tx: Tx, limit: int) -> Section:
    counts = store.entities.count_by_type(tx)
    terms = [(term.name, counts.get(term.name, 0), term.description) for term in graph_vocabulary.read(tx).usable_types]
    return _section_of_words("types", terms, limit)


def _predicates(tx: Tx, limit: int) -> Section:
    counts = store.vocabulary.count_uses(tx, store.vocabulary.PREDICATE)
    terms = [
        (term.name, counts.get(term.row, 0), term.description)
        for term in graph_vocabulary.read(tx).usable_predicates
        if term.inverse_of is None
    ]
    return _section_of_words("predicates", terms, limit)


def _section_of_words(kind: str, terms: Sequence[tuple[str, int, str]], limit: int) -> Section:
    """Words of the vocabulary, the most used first."""
    by_use = sorted(terms, key=lambda term: -term[1])
    rows = [Row(name, f"{count:,}: {description}" if count else description) for name, count, description in by_use]
    return Section(kind, tuple(rows[:limit]), len(rows))


def _groups(tx: Tx, limit: int) -> Section:
    others = store.groups.others(tx, limit=limit)
    own = Row(tx.group, "the group in use")
    counts = [(name, count_noun(entities, "entity"), count_noun(texts, "text")) for name, entities, texts in others]
    rows = [own, *(Row(name, f"{entities}, {texts}") for name, entities, texts in counts)]
    return Section("groups", tuple(rows[:limit]), len(set(store.groups.names(tx)) | {tx.group}))


def _proposals(tx: Tx, limit: int) -> Section:
    """The names and facts that texts propose, newest first: facts before names."""
    counts = store.listing.count_proposals(tx)
    rows: list[Row] = []
    for kind in ("fact", "entity"):
        wanted = store.listing.proposals(tx, kind=kind, limit=limit)
        found = store.proposals.by_rows(tx, wanted)
        rows += [_row_of_proposal(found[row]) for row in wanted]
    return Section("proposals", tuple(rows[:limit]), sum(counts.values()))


def _row_of_proposal(proposal: Proposal) -> Row:
    if proposal.predicate is None:
        return Row(proposal.subject, f"perhaps {with_article(proposal.subject_type)}", proposal.id)
    target = proposal.object or f"“{proposal.literal}”"
    return Row(f"{proposal.subject} {proposal.predicate} {target}", f"{proposal.confidence:.2f}", proposal.id)


_KINDS: Mapping[str, _List] = {
    "facts": _facts,
    "texts": _texts,
    "blockers": _blockers,
    "tags": _tags,
    "sources": _sources,
    "types": _types,
    "predicates": _predicates,
    "groups": _groups,
    "proposals": _proposals,
}
_OTHER_WORDS: Mapping[str, Sequence[str]] = {
    "facts": ("relations", "statements", "edges"),
    "texts": ("notes", "episodes", "memories", "messages", "passages"),
    "blockers": ("blocked", "blocks", "open", "obstacles"),
    "tags": ("labels", "keywords"),
    "sources": ("origins",),
    "types": ("entity types", "classes", "kinds"),
    "predicates": ("relationships", "relation types", "relationship types"),
    "groups": ("partitions",),
    "proposals": ("proposed", "suggestions", "candidates"),
}
