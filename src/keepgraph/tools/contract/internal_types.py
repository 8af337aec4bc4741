"""Types of the arguments and answers of the internal tools: `make golden` writes their schemas from them.

Of an `Annotated`, a text is the description, and a `Field` has other keywords. At run time nothing needs this, so that
it is not loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

Shape = dict[str, Any]


class Field(dict[str, Any]):
    """Keywords of JSON Schema, and `example`, of an argument; `ref` names a definition of common.json."""

    __hash__ = object.__hash__  # type: ignore[assignment]


Count = Annotated[int, Field(minimum=0)]
CommunityRow = Annotated[
    Shape,
    Field(ref="full_community", type="object", required=["named_by", "members"]),
    Field(properties={"members": {"type": "array", "items": {"type": "string"}}}),
]
Decision = Annotated[Shape, Field(ref="decision")]
Entity = Annotated[Shape, Field(ref="entity")]
Fact = Annotated[Shape, Field(ref="fact")]
Resolution = Annotated[Shape, Field(ref="resolution")]
Kind = Annotated[str, Field(enum=["entity_type", "predicate"])]
WordKind = Annotated[Kind, "Which of the two, if a word is both."]

# Arguments

Text = Annotated[str, Field(minLength=1, maxLength=200)]
Named = Annotated[Mapping[str, Any], Field(ref="named", example={"type": "person", "name": "Priya"})]
Subject = Annotated[Mapping[str, Any], Field(ref="subject", example={"type": "person", "name": "Priya"})]
NAME_CODES = Field(x_code={"maxLength": "NAME_OR_ALIAS_TOO_LONG", "*": "NAME_OR_ALIAS_REQUIRED"})
Moment = Annotated[str, Field(ref="moment")]
AsOf = Annotated[Moment, "What held at this time."]
KnownAt = Annotated[Moment, "What was known at this time."]
CallNumber = Annotated[int, Field(minimum=1, maximum=2**63 - 1, example=12), "The number of the call."]
Limit = Annotated[int, Field(minimum=1, maximum=10_000, example=20), "At most this many."]
NodeLimit = Annotated[Limit, Field(maximum=50_000)]
RowLimit = Annotated[Limit, "At most this many rows, if there is no LIMIT; default 200."]
CommunityName = Annotated[Text, Field(maxLength=500, example="Storage team"), "A uuid, or a name."]
Query = Annotated[Text, Field(maxLength=100_000, example="MATCH (p:Person) RETURN p.name"), "The query, in Cypher."]
Parameters = Annotated[Mapping[str, Any], "Values for $names in the query."]
Word = Annotated[Text, Field(example="person"), "The word, or another wording of it."]
WordToRetire = Annotated[Word, Field(example="organisation"), "The word to stop using."]
WordToRemove = Annotated[Word, Field(example="mentors"), "The word to delete."]
RetiredWord = Annotated[Word, Field(example="organisation"), "The retired word."]
AbsorbedWord = Annotated[Word, Field(example="team"), "The word to merge away."]
KeptWord = Annotated[Word, Field(example="organisation"), "The word to keep."]
SetName = Annotated[Text, Field(example="personal"), "The name of the set."]
SetDefinition = Annotated[
    Mapping[str, Any],
    Field(x_code="VOCABULARY_INVALID"),
    "A set as schemas/v1/transfer/vocabulary_set.json describes it.",
]
WordValues = Annotated[
    Mapping[str, Any],
    Field(x_code="VOCABULARY_INVALID", example={"alternative": ["contact"]}),
    "As in a vocabulary set; null removes a value.",
]
RemovedLabels = Annotated[
    Sequence[str], Field(maxItems=500, x_code="VOCABULARY_INVALID"), "Wordings that no longer mean it."
]
DryRun = Annotated[bool, "Show what would change, without changing it."]

# Answers of the toolset internal


class Vocabulary(TypedDict):
    entity_types: list[VocabularyWord]
    predicates: list[VocabularyWord]


class VocabularyWord(TypedDict):
    name: str
    description: str
    version: str


class CommonWords(TypedDict):
    names: list[str]
    total: Count


class CommonWordsByKind(TypedDict):
    entity_type: CommonWords
    predicate: CommonWords


class Blockers(TypedDict):
    blockers: list[Blocker]


class Blocker(TypedDict):
    fact_id: str
    text: str
    score: float


class EntityCount(TypedDict):
    count: Count


class Counts(TypedDict):
    entity_types: dict[str, Count]
    predicates: dict[str, PredicateCounts]


class PredicateCounts(TypedDict):
    count: Count
    patterns: list[Pattern]


class Pattern(TypedDict):
    subject: str
    object: str | None
    count: Count


class Descriptions(TypedDict):
    descriptions: dict[str, str]


class IsGroup(TypedDict):
    is_group: bool


class Entities(TypedDict):
    entities: list[Entity]


class PreviousOwner(TypedDict):
    previous: Annotated[Entity | None, "The previous owner."]


class WholeEntity(TypedDict):
    entity: Annotated[Shape, Field(ref="entity_in_full")]


class WholeText(TypedDict):
    id: str
    name: str
    kind: str
    content: str


class Calls(TypedDict):
    calls: list[Call]


class Call(TypedDict):
    call: Count
    at: str
    tool: str
    session: str | None
    about: Annotated[str, "What it was about; empty if nothing of it is left."]
    touched: dict[str, Count]
    changes: Annotated[Count, "How many rows it changed; touched counts the first thousands."]
    undoes: int | None
    undone_by: int | None


class AddedEntity(TypedDict):
    entity: Entity
    created: bool
    possible_duplicates: list[Shape]


class Kinds(TypedDict):
    kinds: list[KindCount]
    aliases: Count


class KindCount(TypedDict):
    kind: str
    count: Count


class Sections(TypedDict):
    sections: list[Section]


class Section(TypedDict):
    kind: str
    rows: list[Row]
    total: Count
    truncated: bool


class Row(TypedDict):
    name: str
    detail: str
    id: str | None


class NextSteps(TypedDict):
    project: Entity | None
    resolution: Resolution | None
    group_id: NotRequired[Annotated[str, "The group, if project was given; the whole group, if project is its id."]]
    hint: NotRequired[Annotated[str, "How to name a project that has the same name as a group."]]
    today: str
    blockers: list[Fact]
    actions: list[Entity]
    due: list[Fact]
    coming: list[Fact]
    follow_ups: Annotated[list[Decision], "The decisions of the last seven days that nobody has acted on."]
    totals: NextStepTotals


class NextStepTotals(TypedDict):
    blockers: Count
    actions: Count
    due: Count
    coming: Count
    follow_ups: Count
    proposals: Count
    proposed_facts: Count
    other_proposals: Count


class Pairs(TypedDict):
    pairs: list[Pair]


class PairBatch(Pairs):
    compared: Count
    next: int | None


class Pair(TypedDict):
    entity: Entity
    duplicate: Entity
    score: float
    reason: NotRequired[str]


class Communities(TypedDict):
    communities: list[CommunityRow]
    total: Count


class Community(TypedDict):
    community: CommunityRow | None
    facts: list[str]
    history: list[PastCommunity]


class PastCommunity(TypedDict):
    until: str
    name: str
    named_by: str
    member_count: Count
    call: int


class NamedCommunity(TypedDict):
    community: Annotated[Shape, Field(ref="full_community")] | None


# Answers of the toolset page

Degree = Count
Position = Annotated[int, Field(minimum=-1)]


class Map(TypedDict):
    nodes: Annotated[
        list[tuple[str, float, float, Degree, Position, str, str]],
        "id, x, y, number of neighbours, position in communities or -1, name, type.",
    ]
    edges: Annotated[list[tuple[Count, Count, str]], "Positions of subject and object in nodes, and the predicate."]
    communities: list[Area]
    total: Count
    truncated: bool


class Area(TypedDict):
    id: str
    name: str
    x: float
    y: float
    r: Annotated[float, Field(minimum=0)]


class Changes(TypedDict):
    began: list[Fact]
    ended: list[Fact]
    learnt: list[Fact]
    truncated: bool


class CallEvents(TypedDict):
    call: int
    events: list[Event]
    total: Count
    truncated: bool


class Event(TypedDict):
    what: str
    text: str
    entity_id: str | None
    fact_id: str | None


class Extract(TypedDict):
    generated_at: str
    as_of: str | None
    title: str
    about: Count | None
    resolution: Resolution | None
    types: list[str]
    predicates: list[str]
    sources: list[str]
    nodes: Annotated[Shape, Field(ref="extract_nodes")]
    facts: Annotated[Shape, Field(ref="extract_facts")]
    texts: Annotated[Shape, Field(ref="extract_texts")]
    communities: Annotated[Shape, Field(ref="extract_communities")]
    truncated: bool
    decisions: Annotated[list[Decision], "The decisions in it, newest first; ids are positions of nodes, or empty."]
    decision_total: Count
    week: Annotated[Week, "The week that ends at the instant of the extract."]


class Week(TypedDict):
    period: Period
    summary: str
    narrative: str
    decisions: list[Decision]
    blockers: list[Fact]
    next_actions: list[str]
    steps: Steps | None


class Period(TypedDict):
    start: str
    end: str


class Steps(TypedDict):
    actions: list[Entity]
    due: list[Fact]
    coming: list[Fact]


# Answers of the toolset query_command


class QueryRows(TypedDict):
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    auto_fixes: list[str]
    warnings: list[str]
    execution_ms: Annotated[float, Field(minimum=0)]


class QueryPlan(TypedDict):
    query: str
    auto_fixes: list[str]
    by: str
    statements: list[Statement]


class Statement(TypedDict):
    sql: str
    plan: list[PlanStep]


class PlanStep(TypedDict):
    step: int
    under: int
    what: str


class RepairedQuery(TypedDict):
    query: str


class QueryWords(TypedDict):
    labels: list[str]
    types: list[str]
    properties: list[str]
    functions: list[str]
    keywords: list[str]


# Answers of the toolset vocabulary_command


class WordLists(TypedDict):
    entity_types: list[TypeRow]
    predicates: list[PredicateRow]


class WordRow(TypedDict):
    name: str
    description: str
    set: str
    retired: bool
    replaced_by: str | None
    count: Count


class TypeRow(WordRow):
    style: str
    parents: list[str]
    abstract: bool


class PredicateRow(WordRow):
    sources: list[str]
    targets: list[str]
    literal: str | None
    role: str | None
    flags: list[str]
    inverse_of: str | None


class TypeDetails(TypedDict, total=False):
    style: str | None
    abstract: bool
    parents: list[str]
    ancestors: list[str]
    subtypes: list[str]
    disjoint: list[str]
    as_source_of: list[str]
    as_target_of: list[str]


class PredicateDetails(TypedDict, total=False):
    role: str | None
    sources: list[str]
    targets: list[str]
    literal: str | None
    flags: list[str]
    inverse_of: str | None
    inverses: list[str]
    sentence: str | None
    patterns: list[Pattern]
    outside_ends: Count


class WordDetails(WordRow, TypeDetails, PredicateDetails):
    kind: Kind
    version: str
    labels: list[WordLabel]
    examples: list[str]
    notation: str | None
    uri: str | None
    uses: list[str]


class WordLabel(TypedDict):
    language: str
    status: str
    label: str
    added: bool


class WordChange(TypedDict):
    kind: Kind
    name: str
    fields: list[str]
    added: list[str]
    outside_ends: Count
    admitted: Annotated[Count, "How many waiting relations became facts."]
    message: str
    dry_run: bool


class WordRemoval(TypedDict):
    kind: Kind
    removed: Annotated[list[str], "The word, and its inverses."]
    proposed_facts: Annotated[Count, "How many proposed facts that waited for its wordings were deleted."]
    message: str
    dry_run: bool


class WordMerge(TypedDict):
    kind: Kind
    keep: str
    absorbed: str
    moved: Count
    folded: Count
    reversed: bool
    merged_names: list[str]
    outside_ends: Count
    labels: list[str]
    message: str
    dry_run: bool


class VocabularySets(TypedDict):
    sets: list[VocabularySet]


class VocabularySet(TypedDict):
    name: str
    version: str
    uri: str
    added: bool
    retired: bool
    shipped: bool
    description: str
    types: Count
    predicates: Count


class SetChange(TypedDict):
    name: str
    added: list[str]
    revived: list[str]
    deleted: list[str]
    retired: list[str]
    existing: list[str]
    admitted: Annotated[Count, "How many waiting relations became facts."]
    message: str
    dry_run: bool


class SetDocument(TypedDict):
    definition: Shape


class WordingGroups(TypedDict):
    groups: list[WordingGroup]
    total: Count
    elsewhere: Annotated[list[WaitingElsewhere], "How many facts wait in other projects."]
    truncated: bool


class WordingGroup(TypedDict):
    count: Count
    wordings: list[Wording]
    subject_types: list[str]
    object_types: list[str]
    nearest: str | None
    score: float | None
    reasons: list[str]
    examples: list[str]


class Wording(TypedDict):
    wording: str
    count: Count


class WaitingElsewhere(TypedDict):
    project: str
    count: Count


class Pinned(TypedDict):
    """What was pinned: the id and the words of a fact or a text, and whether that changed anything."""

    id: str
    text: str
    pinned: bool
    changed: bool
