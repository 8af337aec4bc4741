"""The nouns of the graph as frozen dataclasses. Knows no SQL, no rules and no JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """How names and texts are found in a profile: what is sure enough, from 0 to 1, and which models know meaning.

    Attributes:
        fuzzy: the likeness of letters from which a name on its own is taken to mean an entity.
        embedding: the cosine of two names from which they are taken to mean the same.
        margin: two entities nearer to each other than this are too close to call.
        model: the default embedder by its name, or the folder of another one.
        rungs: those that are asked after exact and alias.
        cross_encoder: the folder of a model that reads a question together with a text; None is none.
        document_roots: the folders from which a tool may ingest files; a person at the command line may from any.
    """

    fuzzy: float = 0.80
    embedding: float = 0.58
    margin: float = 0.04
    model: str = "all-MiniLM-L6-v2"
    rungs: tuple[str, ...] = ("fuzzy", "embedding")
    cross_encoder: str | None = None
    document_roots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Key:
    """The raw key of an encrypted graph: 64 hexadecimal digits, which nothing ever shows.

    Attributes:
        digits: the key itself.
        origin: where it was found, in words to show: "the key file /home/…".
        fingerprint: sixteen digits that tell one key from another and give nothing of it away.
    """

    digits: str = field(repr=False)
    origin: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where the key of one graph may be found.

    Attributes:
        expected: somebody said that there is a key: a plain graph is then not what was meant.
        fingerprint: that of the right key, where it is known.
        candidates: finds keys one after the other, each only when it is asked for; raises KeyMissing where there
            is none.
    """

    expected: bool = False
    fingerprint: str | None = None
    candidates: Callable[[], Iterator[Key]] = lambda: iter(())


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a profile keeps its key, as its settings say.

    Attributes:
        source: file, environment, keyring or passphrase.
        file: the key file, or the file with the wrapped key, for the sources file and passphrase.
        account: the name under which the keyring has it.
        encrypted: whether a plain graph is refused; false while the graph is being encrypted or decrypted.
        fingerprint: that of the key.
        former: the place where it was before, as `source:where`, until it is forgotten there.
    """

    source: str
    file: str | None = None
    account: str | None = None
    encrypted: bool = True
    fingerprint: str | None = None
    former: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """The settings of a graph, from the file beside it.

    Attributes:
        names: how names are resolved.
        zone: the time zone of local days, by its IANA name; None is the system's.
        group: the partition to work in.
        toolsets: what a server shows; None is the default.
        offline: whether everything that would use a network is refused.
        key: where the key is kept; None for a graph that is not encrypted, or whose settings do not say.
        daily: whether a backup is made once a day, on use.
        keep: how many backups of each kind are kept.
    """

    names: Settings = Settings()
    zone: str | None = None
    group: str = "default"
    toolsets: tuple[str, ...] | None = None
    offline: bool = True
    key: KeyPlace | None = None
    daily: bool = True
    keep: int = 7


@dataclass(frozen=True, slots=True)
class Backup:
    """A checked copy of a graph. `kind` says why it was made: daily, by-hand, or before-something."""

    file: Path
    at: datetime
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class Entity:
    """Something with a type and a name. `row` is its integer key, `id` its public one."""

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
    """Subject, predicate and an object that is an entity or a literal, never both.

    Times are stored stamps (see engine/instants.py); an open end of the validity is None.
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


@dataclass(frozen=True, slots=True)
class Episode:
    """A text that was remembered or ingested: a note, a message, JSON, or a document. Its chunks hold the text.

    Attributes:
        kind: text, message, json, document (a file), or prechunked (cut and read by a caller).
        source: where it comes from, in words or as the path of a file; may be empty.
        digest: the SHA-256 of the text in UTF-8, in hexadecimal digits.
        occurred_at: the stamp of what it tells of; `recorded_at` is that of its coming here.
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
    """A retrievable part of an episode. All of them, by their places, are its text.

    Attributes:
        heading: the path of headings above it, "A › B".
        speaker: who says it, where it is a turn of a conversation.
        named: what it is about besides its words: {"how": "link" | "tag" | "given", "type", "name"} or {"how", "id"}.
    """

    row: int
    episode: int
    place: int
    text: str
    heading: str = ""
    speaker: str | None = None
    named: tuple[Mapping[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity that a chunk speaks of. `start` and `stop` count characters of its text; None where no word says it."""

    chunk: int
    entity: int
    how: str
    start: int | None = None
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class Inferred:
    """Something that a chunk seems to say: a name that is not known (kind entity: the subject alone), or a fact.

    Attributes:
        key: what makes two of them one.
        start, stop: the evidence, in characters of the chunk's text.
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
    """Something inferred that nobody has accepted. `evidence` is the words of one chunk that it was read in."""

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


@dataclass(frozen=True, slots=True)
class Link:
    """A fact in row numbers alone, for going through many."""

    row: int
    subject: int
    object: int | None
    literal: str | None
    recorded_at: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that was perhaps meant: by which name, found how, and how near (0 to 1)."""

    entity: Entity
    matched: str
    method: str
    score: float
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name turned out to mean. No entity is an answer too; then the candidates say what was near.

    `because` says in words what links the name to the entity, where it is not plain to see. `off` says why the
    embedding rung could not be asked, and `waiting` how many names it did not know yet.
    """

    entity: Entity | None
    method: str
    score: float
    candidates: tuple[Candidate, ...] = ()
    because: str | None = None
    off: str | None = None
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Recorded:
    """What recording one fact did."""

    fact: Fact
    deduplicated: bool
    created: tuple[Entity, ...] = ()
    superseded: tuple[Fact, ...] = ()
    possible_duplicates: tuple[tuple[Entity, Candidate], ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One row that a call inserted, updated or deleted: an entry of the journal. `was` is the row before it."""

    id: int
    call: int
    op: str
    table: str
    row: int
    was: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one tool that changed something, and how many rows of each table it touched."""

    id: int
    at: str
    tool: str
    session: str | None
    undoes: int | None
    undone_by: int | None
    touched: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an entity or a fact. `change` and `call` are what undo takes."""

    at: str
    what: str
    text: str
    change: int | None
    call: int | None
    tool: str | None
    session: str | None
    source: str | None = None
    fact: str | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of one fact in a merge: moved, folded into `other` (another fact), or retracted as a loop."""

    id: str
    effect: str
    was: str
    becomes: str
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge changed, or would change."""

    kept: Entity
    absorbed: Entity
    facts: tuple[Moved, ...]
    aliases_added: tuple[str, ...]
    aliases_dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """A neighbour, with the number of facts it shares."""

    entity: Entity
    facts: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was decided: an entity of type decision, or what a decided_in fact says was decided."""

    id: str
    name: str
    decided_at: str
    decided_on: str
    decided_by: tuple[Entity, ...]
    source: str | None
    confidence: float
    supersedes: Entity | None
    followed_up: bool


@dataclass(frozen=True, slots=True)
class Week:
    """Seven local days, the last of them today: what was decided, what is blocked, what to do next."""

    start: str
    end: str
    decisions: tuple[Decision, ...]
    blockers: tuple[Fact, ...]
    next_actions: tuple[str, ...]
    decision_count: int
    blocker_count: int
    next_action_count: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the vocabulary: an entity type or a predicate."""

    row: int
    kind: str
    name: str
    description: str
    version: str


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node that a query found: an entity, or a literal."""

    id: str
    labels: tuple[str, ...]
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A relationship that a query found, with the ids of the nodes that it leads from and to."""

    id: str
    type: str
    start: str
    end: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphPath:
    """Nodes and relationships by turns."""

    steps: tuple[GraphNode | GraphEdge, ...]
