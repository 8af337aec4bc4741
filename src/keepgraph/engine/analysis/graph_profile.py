"""A profile of the graph: of each label the properties and their values, of each relationship type what it connects.

It is computed once and returned again for as long as nobody writes and no fact begins or ceases to hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from keepgraph import errors, store
from keepgraph.engine.analysis import ontology
from keepgraph.engine.analysis.ontology import Usage
from keepgraph.engine.query import graph_catalogue
from keepgraph.ml import language_identification
from keepgraph.model import Predicate
from keepgraph.store.profiling import PropertyStatistics
from keepgraph.store.transactions import Tx

# The languages of a graph: of the texts in its properties and of its episodes.

_MIN_SHARE = 0.05
"""A language counts for a field from this share of its texts."""


@dataclass(frozen=True, slots=True)
class _LanguageProfile:
    """The languages of a graph.

    Attributes:
        by_field: of each field whose texts are long enough, the most frequent first.
        primary: those of fields and of episodes, by the number of fields, then by the number of texts.
        state: "on", or why no language was identified.
    """

    by_field: Mapping[str, tuple[str, ...]]
    primary: tuple[str, ...]
    state: str

    @property
    def multilingual_fields(self) -> tuple[str, ...]:
        return tuple(field for field, languages in self.by_field.items() if len(languages) > 1)


def _of_texts(texts_by_field: Mapping[str, Sequence[str]], episodes: Sequence[str]) -> _LanguageProfile:
    """The languages of the texts of fields, and of episodes."""
    if reason := language_identification.unavailable_reason():
        return _LanguageProfile({}, (), f"off: {reason}")
    flat = [*(text for texts in texts_by_field.values() for text in texts), *episodes]
    languages = iter(language_identification.identify(flat))
    counts = {field: Counter(next(languages) for _ in texts) for field, texts in texts_by_field.items()}
    by_field = {field: _frequent(of_field) for field, of_field in counts.items()}
    of_episodes = Counter(languages)
    fields = Counter(language for of_field in (*by_field.values(), _frequent(of_episodes)) for language in of_field)
    texts = sum(counts.values(), of_episodes)
    primary = sorted(fields, key=lambda language: (-fields[language], -texts[language], language))
    return _LanguageProfile(
        {field: of_field for field, of_field in by_field.items() if of_field}, tuple(primary), state="on"
    )


def _frequent(counts: Counter[str | None]) -> tuple[str, ...]:
    known = [(language, count) for language, count in counts.items() if language is not None]
    total = sum(count for _, count in known)
    return tuple(
        language
        for language, count in sorted(known, key=lambda counted: (-counted[1], counted[0]))
        if count >= _MIN_SHARE * total
    )


MAX_LABELS = 100
MAX_RELATIONSHIPS = 200
MAX_PROPERTIES = 50
"""Of a label; those that most entities have come first."""

MAX_PATTERNS = 20
MAX_SAMPLE_CHARACTERS = 200

_TOP_VALUES = 10
_MAX_CATEGORIES = 20
_CATEGORICAL_SHARE = 0.1
_MIN_CHARACTERS_IN_AVERAGE = 20
_MIN_AVERAGE_FOR_LANGUAGES = 30
_EPISODES = 20
_EPISODE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class PropertyProfile:
    """A property of the nodes with some label.

    Attributes:
        coverage: the share of the nodes that have a value; null and "" do not count.
        top_values: the most frequent values, where there are so few that they are categories.
        average_length: of texts of more than 20 characters; None without any.
    """

    name: str
    coverage: float
    distinct: int
    sample_values: tuple[str, ...]
    top_values: tuple[tuple[str, int], ...] | None = None
    average_length: int | None = None
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelProfile:
    """The nodes with a label, those of its sublabels among them.

    Attributes:
        failure: why its properties could not be read; None if they were.
        property_total: how many properties there are, some of which may be left out.
    """

    label: str
    count: int
    properties: tuple[PropertyProfile, ...] = ()
    property_total: int = 0
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class PatternProfile:
    """What a relationship type connects; `declared` says whether the ends of the type allow it."""

    source: str
    target: str
    count: int
    declared: bool


@dataclass(frozen=True, slots=True)
class RelationshipProfile:
    """A relationship type: what it connects, most first, how densely, and some paths.

    Attributes:
        sources, targets: the labels that are declared for its ends; none is any.
        pattern_total: how many patterns there are, some of which may be left out.
        average_out_degree: relationships per node that one comes from.
        coverage: the share of the nodes with one of the source labels that one comes from.
    """

    name: str
    count: int
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    patterns: tuple[PatternProfile, ...] = ()
    pattern_total: int = 0
    average_out_degree: float = 0.0
    coverage: float = 0.0
    paths: tuple[tuple[str, str], ...] = ()

    @property
    def is_confirmed(self) -> bool:
        """Whether there is any; a declared type without one is a ghost."""
        return self.count > 0


@dataclass(frozen=True, slots=True)
class GraphProfile:
    """The profile of a graph: labels and relationship types that are used, most used first.

    Attributes:
        ghosts: the relationship types that are declared and have no relationship.
        undeclared: the names of types that connect what they are not declared for.
        label_total, relationship_total: how many are used, some of which may be left out.
    """

    labels: tuple[LabelProfile, ...]
    relationships: tuple[RelationshipProfile, ...]
    ghosts: tuple[RelationshipProfile, ...]
    undeclared: tuple[str, ...]
    label_total: int
    relationship_total: int
    languages: _LanguageProfile


def of_graph(tx: Tx, *, sample_size: int) -> GraphProfile:
    """The profile of the group of the call.

    Args:
        sample_size: how many values of a property, and how many paths of a relationship type, are shown.
    """
    used = ontology.of_graph(tx)
    key = ("profile", used.vocabulary.revision, sample_size)
    return store.graph_statistics.cached(tx, key, lambda: _profile(tx, used, sample_size))


def _profile(tx: Tx, used: Usage, sample_size: int) -> GraphProfile:
    counted = sorted(
        ((used.count_entities(term.name), position, term.name) for position, term in enumerate(used.vocabulary.types)),
        key=lambda counted: (-counted[0], counted[1]),
    )
    in_use = [(count, name) for count, _, name in counted if count]
    read = [_read_label(tx, used, name, count) for count, name in in_use[:MAX_LABELS]]
    if literals := store.profiling.literals(tx, top=_TOP_VALUES, longer_than=_MIN_CHARACTERS_IN_AVERAGE):
        read.append(_Label(graph_catalogue.LITERAL, literals.present, (literals,)))
    languages = _of_texts(
        {
            f"{label.name}.{statistics.key}": [value.text for value in statistics.values if value.is_text]
            for label in read
            for statistics in label.properties
            if (statistics.average_length or 0) > _MIN_AVERAGE_FOR_LANGUAGES
        },
        store.profiling.sample_texts(tx, limit=_EPISODES, characters=_EPISODE_CHARACTERS),
    )
    relationships = sorted(
        (_read_relationship(tx, used, term, sample_size) for term in used.vocabulary.predicates if not term.inverse_of),
        key=lambda profile: -profile.count,
    )
    confirmed = [profile for profile in relationships if profile.is_confirmed]
    return GraphProfile(
        labels=tuple(_describe_label(label, languages, sample_size) for label in read),
        relationships=tuple(confirmed[:MAX_RELATIONSHIPS]),
        # Those added last come first: they were added for this graph.
        ghosts=tuple(profile for profile in reversed(relationships) if not profile.is_confirmed),
        undeclared=tuple(
            profile.name for profile in confirmed if not all(pattern.declared for pattern in profile.patterns)
        ),
        label_total=len(in_use) + bool(literals),
        relationship_total=len(confirmed),
        languages=languages,
    )


# Labels


@dataclass(frozen=True, slots=True)
class _Label:
    """What was read of the nodes with a label."""

    name: str
    count: int
    properties: tuple[PropertyStatistics, ...] = ()
    failure: str | None = None


def _read_label(tx: Tx, used: Usage, entity_type: str, count: int) -> _Label:
    rows = [used.vocabulary.type_by_name[name].row for name in used.vocabulary.with_subtypes([entity_type])]
    label = _Label(graph_catalogue.label(entity_type), count)
    try:
        statistics = store.profiling.properties(tx, rows, top=_TOP_VALUES, longer_than=_MIN_CHARACTERS_IN_AVERAGE)
    except errors.GraphDamaged as error:
        # One label that cannot be read does not take the others with it; the answer says which, and why.
        return replace(label, failure=error.message)
    kept = [each for each in statistics if "embedding" not in each.key.casefold()]
    return replace(label, properties=tuple(kept))


def _describe_label(label: _Label, languages: _LanguageProfile, sample_size: int) -> LabelProfile:
    profiles = [
        _describe_property(
            statistics,
            of=label.count,
            languages=languages.by_field.get(f"{label.name}.{statistics.key}", ()),
            sample_size=sample_size,
        )
        for statistics in label.properties
    ]
    most_covered = sorted(profiles, key=lambda profile: -profile.coverage)[:MAX_PROPERTIES]
    return LabelProfile(
        label.name,
        label.count,
        tuple(profile for profile in profiles if profile in most_covered),
        property_total=len(profiles),
        failure=label.failure,
    )


def _describe_property(
    statistics: PropertyStatistics, *, of: int, languages: Sequence[str], sample_size: int
) -> PropertyProfile:
    oldest = sorted(statistics.values, key=lambda value: value.by_age)
    is_categorical = statistics.distinct < _MAX_CATEGORIES or statistics.distinct / of < _CATEGORICAL_SHARE
    return PropertyProfile(
        statistics.key,
        coverage=_share(statistics.present, of),
        distinct=statistics.distinct,
        sample_values=tuple(_cut(value.text) for value in oldest[:sample_size]),
        top_values=tuple(
            (_cut(value.text), value.count) for value in statistics.values if value.by_count <= _TOP_VALUES
        )
        if is_categorical
        else None,
        average_length=None if statistics.average_length is None else round(statistics.average_length),
        languages=tuple(languages),
    )


# Relationship types


def _read_relationship(tx: Tx, used: Usage, term: Predicate, sample_size: int) -> RelationshipProfile:
    profile = RelationshipProfile(
        graph_catalogue.relationship_type(term.name),
        used.count_facts(term.name),
        tuple(graph_catalogue.label(name) for name in term.sources),
        tuple(graph_catalogue.label(name) for name in term.targets),
    )
    if not profile.count:
        return profile
    patterns, outside = used.patterns[term.name], used.outside_ends(term.name)
    sources = {pattern.source for pattern in patterns}
    return replace(
        profile,
        patterns=tuple(
            PatternProfile(
                graph_catalogue.label(pattern.source),
                graph_catalogue.LITERAL if pattern.target is None else graph_catalogue.label(pattern.target),
                pattern.count,
                declared=pattern not in outside,
            )
            for pattern in patterns[:MAX_PATTERNS]
        ),
        pattern_total=len(patterns),
        average_out_degree=round(profile.count / used.subjects[term.name], 1),
        coverage=_share(used.subjects[term.name], sum(used.entities[name] for name in sources)),
        paths=tuple(
            (_cut(fact.source), _cut(fact.target))
            for fact in store.profiling.sample_facts(tx, term.row, limit=sample_size)
        ),
    )


def _share(part: int, whole: int) -> float:
    """A share with two decimals; less than all is never shown as 1."""
    share = round(part / whole, 2)
    return 0.99 if share == 1.0 and part < whole else share


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SAMPLE_CHARACTERS else f"{text[:MAX_SAMPLE_CHARACTERS]}..."
