"""The data model: entities, facts, texts, names and settings as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from keepgraph.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """How names are resolved and texts are found: thresholds from 0 to 1, and the models to use.

    The threshold trades wrong answers against missing ones: below it, resolution abstains (see
    engine/resolution). The benchmark of names in tests/benchmarks measures both.

    Attributes:
        accept: the probability from which a name that is not written exactly is taken to mean an entity.
        model: the embedder: the name of the default one, or the folder of another.
        steps: the steps of resolution to try after exact and alias, in this order.
        cross_encoder: the folder of a reranking model, which reads a question together with a text; None: none.
        traversal: the default graph ranking of hydra_search: bfs, ppr or hybrid.
        entailment_model: the folder of a model that decides contradictions which rules leave open; None: none.
        document_roots: the folders that a tool may ingest files from. The command line may ingest from any folder.
        vault_folders: the folders of notes whose decisions count and whose deleted files are forgotten.
        vault_never: patterns of the files and folders in them that are left out.
        vault_types: the type of the notes in a folder, by the name of the folder.
        count_reads: count the calls that read, by conversation and tool, but nothing of what was asked.
        count_unknown_names: count unknown names that were asked for.
    """

    accept: float = 0.90
    model: str = "all-MiniLM-L6-v2"
    steps: tuple[str, ...] = ("fuzzy", "embedding")
    cross_encoder: str | None = None
    traversal: str = "bfs"
    entailment_model: str | None = None
    document_roots: tuple[str, ...] = ()
    vault_folders: tuple[str, ...] = ()
    vault_never: tuple[str, ...] = ()
    vault_types: Mapping[str, str] = field(default_factory=dict)
    count_reads: bool = False
    count_unknown_names: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """The raw key of an encrypted graph: 64 hexadecimal digits, which are never shown.

    Attributes:
        digits: the key itself.
        origin: where it was read from, in displayable words: "the key file /home/…".
        fingerprint: sixteen digits that identify the key without revealing it.
    """

    digits: str = field(repr=False)
    origin: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class KeySource:
    """The candidate keys for one graph.

    Attributes:
        expected: whether the settings or the caller say that the graph is encrypted; then a plain file is refused.
        fingerprint: that of the right key, if known.
        candidates: yields keys one by one, each only when needed. Raises KeyMissing if there is none.
    """

    expected: bool = False
    fingerprint: str | None = None
    candidates: Callable[[], Iterator[Key]] = lambda: iter(())


@dataclass(frozen=True, slots=True)
class KeyLocation:
    """Where a profile keeps its key, as its settings say.

    Attributes:
        source: file, environment, keyring or passphrase.
        file: the key file, or the file with the wrapped key, for the sources file and passphrase.
        account: the name of the entry in the keyring, for the source keyring.
        encrypted: whether a plain graph is refused; false while the graph is being encrypted or decrypted.
        fingerprint: that of the key.
        former: where the key was before, as `source:where`, until it is deleted there.
        change: encrypt, decrypt or rekey, while one is in progress; after an interruption it stays.
    """

    source: str
    file: str | None = None
    account: str | None = None
    encrypted: bool = True
    fingerprint: str | None = None
    former: str | None = None
    change: str | None = None


@dataclass(frozen=True, slots=True)
class DeclaredVocabulary:
    """The vocabulary that settings declare.

    Attributes:
        sets: the sets to have besides the core; None for those of every new graph.
        types, predicates: the user's own words, as schemas/v1/transfer/vocabulary_set.json describes them.
    """

    sets: tuple[str, ...] | None = None
    types: Mapping[str, Any] = field(default_factory=dict)
    predicates: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is declared."""
        return self.sets is not None or bool(self.types or self.predicates)


@dataclass(frozen=True, slots=True)
class Profile:
    """The settings of a graph, from the settings file beside it.

    Attributes:
        settings: how names are resolved and texts are found.
        zone: the time zone of local days, by its IANA name; None is the system's.
        group: the group to work in.
        toolsets: the toolsets that a server lists; None is the default.
        offline: whether to refuse everything that would use a network.
        key: where the key is; None for a graph that is not encrypted, or if the settings do not say.
        daily_backups: whether to make a backup once a day when the graph is used.
        backups_kept: how many backups of each kind to keep; older ones are deleted.
        history_days: how many days changes can be undone; None is for ever.
        garden_when_idle: whether a server runs the gardener once a day, when nobody calls.
        vocabulary: the sets and words that the settings declare.
    """

    settings: Settings = Settings()
    zone: str | None = None
    group: str = "default"
    toolsets: tuple[str, ...] | None = None
    offline: bool = True
    key: KeyLocation | None = None
    daily_backups: bool = True
    backups_kept: int = 7
    history_days: int | None = None
    garden_when_idle: bool = True
    vocabulary: DeclaredVocabulary = DeclaredVocabulary()


@dataclass(frozen=True, slots=True)
class Backup:
    """A checked copy of a graph. `kind` says why it was made: daily, by-hand, or before-something. `size`: bytes."""

    file: Path
    at: datetime
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class Entity:
    """Something with a type and a name. `row` is its primary key in the database, `id` its public id (ent_…)."""

    row: int
    id: str
    type: str
    name: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Ref:
    """An entity as a caller names it: by id, or by type and name."""

    id: str | None = None
    type: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """Subject, predicate and an object that is either an entity or a literal.

    Times are stored timestamps (see temporal/timestamps.py). The validity goes from `valid_from` (inclusive) to
    `valid_to` (exclusive); None is an open end. `predicate_sentence` is `Predicate.sentence` of its predicate;
    `scope` has the ids of the only projects in which it holds; empty: everywhere.
    """

    row: int
    id: str
    subject: Entity
    predicate: str
    object: Entity | None
    literal: str | None
    confidence: float
    recorded_at: str
    valid_from: str | None
    valid_to: str | None
    source: str | None = None
    retracted_at: str | None = None
    predicate_sentence: str = ""
    scope: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Episode:
    """A remembered or ingested text: a note, a message, JSON, or a document. Its chunks hold the text.

    Attributes:
        kind: text, message, json, document (a file), or prechunked (cut into chunks by the caller).
        source: its origin, in words or as the path of a file; may be empty.
        digest: the SHA-256 of the text in UTF-8, in hexadecimal digits.
        occurred_at: the timestamp of what the text is about.
        recorded_at: the timestamp when it was stored.
    """

    row: int
    id: str
    kind: str
    name: str
    source: str
    digest: str
    occurred_at: str
    recorded_at: str
    group: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrievable part of an episode. The chunks of an episode, joined by position, are its text.

    Attributes:
        episode: the row of its episode.
        position: its place among the chunks of the episode.
        heading: the path of headings above it, "A › B".
        speaker: who says it, in a turn of a conversation.
        annotations: entities that it is about, given by a wiki link, a tag or a caller and not by its words:
            {"how": "link" | "tag" | "given", "type", "name"} or {"how", "id"}.
    """

    row: int
    episode: int
    position: int
    text: str
    heading: str = ""
    speaker: str | None = None
    annotations: tuple[Mapping[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a chunk that names an entity; `chunk` and `entity` are rows.

    Attributes:
        how: how it was detected, such as by name, by alias, or by an annotation of the chunk.
        start, stop: offsets in characters of the text of the chunk; None for an annotation, which has no words.
    """

    chunk: int
    entity: int
    how: str
    start: int | None = None
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class ProposalDraft:
    """A proposal as inferred from one chunk, before it is stored: an unknown name, or a fact.

    Attributes:
        kind: "entity", which has only the subject, or "fact".
        key: two drafts with the same kind and key are one proposal.
        confidence: from 0 to 1.
        start, stop: the evidence, as offsets in characters of the text of the chunk.
    """

    kind: str
    key: str
    subject_type: str
    subject: str
    predicate: str | None = None
    object_type: str | None = None
    object: str | None = None
    literal: str | None = None
    confidence: float = 0.5
    start: int | None = None
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entity or a fact inferred from a text that nobody has accepted.

    Attributes:
        kind: "entity", which has only the subject, or "fact".
        evidence: the words of one chunk that it was inferred from.
        valid_from: the day from which the fact would hold, if its text says more than when it was recorded.
        source: the text, by name and id, as the source of a fact.
    """

    row: int
    id: str
    kind: str
    subject_type: str
    subject: str
    predicate: str | None
    object_type: str | None
    object: str | None
    literal: str | None
    confidence: float
    created_at: str
    evidence: str | None = None
    valid_from: str | None = None
    source: str | None = None


class FactRow(NamedTuple):
    """A fact with its entities as rows only: small, for rules that read many facts."""

    row: int
    subject: int
    object: int | None
    literal: str | None
    valid_from: str | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a name may mean.

    Attributes:
        matched_name: the name or alias of the entity that matched.
        method: the step of resolution that found it: exact, alias, fuzzy or embedding.
        score: the probability that it is meant, from 0 to 1; within the fuzzy and the embedding step, a similarity.
        reason: in words, what links the name to the entity, if the names alone do not show it.
    """

    entity: Entity
    matched_name: str
    method: str
    score: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """The entity that a name means, if any: abstention is also an answer, with the best candidates.

    Attributes:
        method: the step of resolution that decided.
        score: the probability that it is meant, from 0 to 1.
        candidates: other entities that may be meant, best first.
        reason: in words, what links the name to the entity, if the names alone do not show it.
        embedding_off: why the embedding step could not run, in words.
        names_without_vector: how many names the embedding step could not consider, because they have no vector yet.
        hint: what to do, in words, if there is no entity and something can be done.
        is_ambiguous: whether several entities fit equally well: they are the first candidates.
    """

    entity: Entity | None
    method: str
    score: float
    candidates: tuple[Candidate, ...] = ()
    reason: str | None = None
    embedding_off: str | None = None
    names_without_vector: int = 0
    hint: str | None = None
    is_ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class MappedWord:
    """A wording that a caller gave, and the word of the vocabulary that it was taken for.

    Attributes:
        is_reversed: whether the ends of the fact were swapped, because the wording is an inverse of the word.
    """

    given: str
    word: str
    is_reversed: bool = False


FactEffect = Literal["recorded", "repeated", "ended", "changed", "nothing_changed"]
"""What a call that records or ends a fact did to it."""


@dataclass(frozen=True, slots=True)
class RecordedFact:
    """The result of recording one fact.

    Attributes:
        fact: the new fact, or the existing equal one.
        deduplicated: whether the fact existed; then only an assertion was added, or its validity changed.
        effect: what the call did to the fact: recorded, repeated (by another source, for example), ended, changed (its
            validity), or nothing_changed.
        before: the existing fact with its former validity, if that has changed.
        also_ended: other facts that say the same, and ended with it.
        overlapping: other equal facts for a time that overlaps that of a new fact.
        closed_blockers: the blockers that it resolved, as they are now.
        open_blockers: those that it may have been meant to resolve, but did not.
        created: entities that were created for it.
        superseded: facts whose validity it ended.
        mapped_predicate: the predicate that another wording or an inverse was taken for.
        mapped_types: the entity types that other wordings were taken for.
        ends_warning: why its ends or its literal do not fit the predicate, if the fact was accepted all the same.
        alias: the literal, if the fact made it an alias of the subject.
    """

    fact: Fact
    deduplicated: bool
    effect: FactEffect = "recorded"
    before: Fact | None = None
    also_ended: tuple[Fact, ...] = ()
    overlapping: tuple[Fact, ...] = ()
    closed_blockers: tuple[Fact, ...] = ()
    open_blockers: tuple[Fact, ...] = ()
    created: tuple[Entity, ...] = ()
    superseded: tuple[Fact, ...] = ()
    mapped_predicate: MappedWord | None = None
    mapped_types: tuple[MappedWord, ...] = ()
    ends_warning: str | None = None
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One row that a call inserted, updated or deleted: an entry of the journal.

    Attributes:
        call: the call that changed it.
        op: insert, update or delete.
        row: its primary key in `table`.
        before: the previous row; None for an insert.
    """

    id: int
    call: int
    op: str
    table: str
    row: int
    before: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool that changed something.

    Attributes:
        undoes: the call that this one undid.
        undone_by: the call that undid this one.
        row_counts: how many rows of each table it changed, among its first changes.
        change_count: how many changes it made.
    """

    id: int
    at: str
    tool: str
    session: str | None
    undoes: int | None
    undone_by: int | None
    row_counts: Mapping[str, int]
    change_count: int


@dataclass(frozen=True, slots=True)
class Import:
    """The import that brought something: the timestamp, and the name of the file; None for standard input."""

    at: str
    file: str | None


@dataclass(frozen=True, slots=True)
class Event:
    """An event in the history of an entity or a fact. `change` and `call` are the numbers that undo takes.

    Attributes:
        imported: the import that brought it; then `at`, `tool` and `session` come from its file.
    """

    at: str
    kind: str
    text: str
    change: int | None
    call: int | None
    tool: str | None
    session: str | None
    source: str | None = None
    fact: str | None = None
    imported: Import | None = None


@dataclass(frozen=True, slots=True)
class MergedFact:
    """What a merge of two entities did to one fact.

    Attributes:
        id: the id of the fact, or of the deleted one of two.
        effect: moved; folded (`merged_into` an equal fact); or retracted (it linked the two).
        before, after: the fact as a sentence.
        merged_into: the id of the other fact.
    """

    id: str
    effect: str
    before: str
    after: str
    merged_into: str | None = None


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What a merge of two entities changed, or would change."""

    entity: Entity
    absorbed: Entity
    facts: tuple[MergedFact, ...]
    aliases_added: tuple[str, ...]
    aliases_dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A neighbour of an entity, with the number of facts between the two."""

    entity: Entity
    shared_facts: int


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: an entity of that type, or the object of a decided_in fact (see engine/knowledge/decisions.py).

    Attributes:
        imported: the import that brought this, if nobody has recorded the same in this graph.
    """

    id: str
    name: str
    decided_at: str
    decided_on: str
    decided_by: tuple[Entity, ...]
    source: str | None
    confidence: float
    supersedes: Entity | None
    followed_up: bool
    projects: tuple[Entity, ...] = ()
    imported: Import | None = None


@dataclass(frozen=True, slots=True)
class Week:
    """The weekly rollup: the decisions of seven local days, and what is blocked and to be done next at their end.

    The lists are cut to a maximum length; the counts are of all.
    """

    start: str
    end: str
    decisions: tuple[Decision, ...] = ()
    blockers: tuple[Fact, ...] = ()
    next_actions: tuple[str, ...] = ()
    decision_count: int = 0
    blocker_count: int = 0
    next_action_count: int = 0


NameStyle = Literal["person", "title", "statement", "term", "reference"]
"""How the names of a type are made, and so compared: Priya Raman; Atlas; Adopt SQLite; full-text search; a document."""

Role = Literal["decides", "part_of", "blocks", "resolves", "depends", "tags", "mentions", "reports", "answers"]
"""What a predicate means to the tools that use meanings: decisions, blockers, the week, texts."""


@dataclass(frozen=True, slots=True)
class VocabularySet:
    """A named version of a list of words, which was added to the graph and may be retired."""

    row: int
    name: str
    version: str
    uri: str
    added_at: str
    retired_at: str | None


@dataclass(frozen=True, slots=True)
class VocabularyTerm:
    """An entity type or a predicate of the vocabulary; `kind` says which.

    Attributes:
        version: that of its set.
        set: the name of its set.
        retired_at: since when it is no longer to be used; what was recorded with it stays.
        replaced_by: the word to use instead.
    """

    row: int
    kind: str
    name: str
    description: str
    version: str
    set: str = ""
    retired_at: str | None = None
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True)
class EntityType(VocabularyTerm):
    """An entity type.

    Attributes:
        style: how its names are formed; None for that of its parents.
        parents: its supertypes.
        disjoint: types that share no entity with this type.
        is_abstract: whether entities are only of its subtypes.
    """

    style: NameStyle | None = None
    parents: tuple[str, ...] = ()
    disjoint: tuple[str, ...] = ()
    is_abstract: bool = False


@dataclass(frozen=True, slots=True)
class Predicate(VocabularyTerm):
    """A predicate.

    Attributes:
        role: what it means to the tools that use meanings.
        sources, targets: the types at its two ends, with their subtypes; none means any.
        inverse_of: the predicate that its facts are stored under, with their ends swapped.
        flags: of `PREDICATE_FLAGS`.
        literal_kind: text, number, date, url or identifier, if its object is a literal; None if it is an entity,
            or may be either.
        has_binding_ends: whether a fact between other types is refused; False if `sources` and `targets` are advice.
        is_alias: whether its literal is another name of the subject.
        sentence: how a fact is read aloud: `{subject} works at {object}`; empty for the default.
    """

    role: Role | None = None
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    inverse_of: str | None = None
    flags: frozenset[str] = frozenset()
    literal_kind: str | None = None
    sentence: str = ""
    has_binding_ends: bool = True
    is_alias: bool = False


PREDICATE_FLAGS = (
    "symmetric",
    "asymmetric",
    "irreflexive",
    "transitive",
    "acyclic",
    "functional",
    "inverse_functional",
    "usually_functional",
    "usually_inverse_functional",
    "basis",
    "rests_on_basis",
)

ADVISORY_FLAGS = PREDICATE_FLAGS[-4:]
"""The flags that detect a change without putting facts in conflict."""


@dataclass(frozen=True, slots=True)
class VocabularyLabel:
    """A wording of a word of the vocabulary.

    Attributes:
        language: a tag of BCP 47, such as `en` or `pt-BR`; empty for none.
        status: "preferred", "alternative" or "hidden" (found, not shown), as in SKOS.
        is_added: whether it was given to the word later, rather than with it.
    """

    kind: str
    term: int
    language: str
    status: str
    label: str
    is_added: bool = False


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node in the result of a query: an entity, or a literal."""

    id: str
    labels: tuple[str, ...]
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A relationship in the result of a query; `start` and `end` are the ids of its nodes."""

    id: str
    type: str
    start: str
    end: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A path in the result of a query: alternating nodes and relationships, from node to node."""

    steps: tuple[GraphNode | GraphEdge, ...]


@dataclass(frozen=True, slots=True)
class ProposedFact:
    """A relation that somebody else read in a text, in its own words; it is no fact until its wording is accepted.

    Attributes:
        subject, object: names, or the text of a literal.
        subject_type, object_type: the entity types that came with them; None if not given.
        wording: the relation in its own words; `wording_key` is its form for comparison.
        evidence: the sentence of the text with both ends; empty if there is none.
        episode: the row of the episode that states it.
        reason: what it waits for: "wording" (no predicate is known for it), "ends" (they do not fit the predicate), or
            "name" (a name means several entities).
    """

    row: int
    id: str
    subject: str
    subject_type: str | None
    wording: str
    wording_key: str
    object: str
    object_type: str | None
    confidence: float
    source: str | None
    evidence: str
    episode: int | None
    session: str | None
    recorded_at: str
    reason: str
