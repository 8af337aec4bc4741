"""The tools as methods of `Graph`, with the types of their arguments and answers. Generated from the schemas.

Import the types for type checkers only: `if TYPE_CHECKING: from keepgraph.tool_calls import RecordFact`.
"""

# Written by `make golden`.

from typing import Any, Literal, NotRequired, TypedDict

class AddAlias(TypedDict):
    entity: EntityInFull
    added: bool
    call: int | None

class AddMemory(TypedDict):
    message: str
    uuid: NotRequired[str]
    episode: NotRequired[FoundEpisode]
    deduplicated: NotRequired[bool]
    replaced: NotRequired[bool]
    identical_to: NotRequired[list[dict[str, Any]]]
    chunks: int
    mentions: NotRequired[list[Entity]]
    proposed_entities: NotRequired[list[dict[str, Any]]]
    proposed_facts: NotRequired[list[dict[str, Any]]]
    totals: NotRequired[dict[str, Any]]
    truncated: NotRequired[bool]
    recognised: str
    episodes: NotRequired[list[dict[str, Any]]]
    added: NotRequired[int]
    deduplicated_episodes: NotRequired[int]
    call: int | None
    unread: int

class BuildCommunities(TypedDict):
    call: int | None
    message: str
    community_count: int
    communities: list[dict[str, Any]]
    truncated: bool
    to_name: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    method: Literal["leiden", "label_propagation"]
    dry_run: bool

class Candidate(TypedDict):
    type: str
    id: str
    name: str
    method: str
    score: float

class Change(TypedDict):
    message: str
    changed: list[Literal["name", "type", "summary", "properties", "aliases", "merged", "text", "title"]]
    entity: NotRequired[EntityInFull]
    before: NotRequired[Entity]
    aliases_added: NotRequired[list[str]]
    aliases_removed: NotRequired[list[str]]
    facts_rewritten: NotRequired[int]
    misfits: NotRequired[list[dict[str, Any]]]
    conflicts: NotRequired[list[dict[str, Any]]]
    misfits_total: NotRequired[int]
    possible_duplicates: NotRequired[list[Candidate]]
    merged: NotRequired[dict[str, Any]]
    text: NotRequired[dict[str, Any]]
    dry_run: bool
    call: int | None

class CheckConflict(TypedDict):
    conflict_detected: bool
    conflict: bool
    verdict: Literal["contradiction", "compatible", "undecided"]
    confidence: float
    explanation: str
    pairs: list[dict[str, Any]]
    model: NotRequired[str]
    truncated: bool
    project: str
    session_id: str | None

class ClearGraph(TypedDict):
    message: str
    groups: list[str]
    entities: int
    facts: int
    episodes: NotRequired[int]
    remains: NotRequired[str]
    call: int | None

class CreateRelation(TypedDict):
    created: bool
    note: NotRequired[str]
    aliases: NotRequired[list[str]]
    reason: NotRequired[str]
    relation: NotRequired[dict[str, Any]]
    effect: NotRequired[Literal["recorded", "repeated", "ended", "changed", "nothing_changed"]]
    auto_created_entities: NotRequired[list[Entity]]
    may_have_ended: NotRequired[list[dict[str, Any]]]
    conflicts: NotRequired[list[dict[str, Any]]]
    verification: dict[str, Any]
    project: str
    call: NotRequired[int | None]

class Decision(TypedDict):
    id: str
    name: str
    decided_on: str
    decided_by: list[Entity]
    source: NotRequired[str | None]
    confidence: float
    supersedes: NotRequired[Entity | None]
    followed_up: bool
    projects: NotRequired[list[str]]
    imported_at: NotRequired[str]
    imported_from: NotRequired[str]

class DeleteEntityEdge(TypedDict):
    message: str
    fact: Fact
    remains: NotRequired[str]
    call: int | None
    reopened_blockers: NotRequired[list[dict[str, Any]]]

class DeleteEpisode(TypedDict):
    message: str
    episode: dict[str, Any]
    chunks: int
    assertions: int
    facts: list[dict[str, Any]]
    entities: list[Entity]
    kept: list[dict[str, Any]]
    totals: dict[str, Any]
    truncated: bool
    dry_run: bool
    remains: NotRequired[str]
    call: int | None

DeleteRelation = TypedDict(
    "DeleteRelation",
    {
        "deleted": bool,
        "from": str,
        "to": str,
        "relation_type": str,
        "count": int,
        "facts": list[dict[str, Any]],
        "others": list[dict[str, Any]],
        "resolution": dict[str, Any],
        "message": str,
        "project": str,
        "call": NotRequired[int | None],
    },
)

class Edge(TypedDict):
    id: str
    type: str
    src: str
    dest: str
    properties: dict[str, Any]

class EndFact(TypedDict):
    fact: Fact
    effect: Literal["recorded", "repeated", "ended", "changed", "nothing_changed"]
    validity_before: Validity
    also_ended: list[dict[str, Any]]
    may_have_ended: NotRequired[list[dict[str, Any]]]
    message: str
    call: int | None

class Entity(TypedDict):
    type: str
    id: str
    name: str

class EntityInFull(TypedDict):
    type: str
    id: str
    name: str
    aliases: list[str]
    created_at: str
    summary: NotRequired[str]
    properties: NotRequired[dict[str, Any]]
    more_aliases: NotRequired[int]

class Event(TypedDict):
    at: str
    what: str
    text: str
    tool: str | None
    session: str | None
    source: str | None
    fact_id: str | None
    call: int | None
    change: int | None
    imported_at: NotRequired[str]
    imported_from: NotRequired[str]

class ExpandContext(TypedDict):
    chunks: list[dict[str, Any]]
    context: str
    entities: list[str]
    facts: list[FoundEdge]
    neighbours: list[dict[str, Any]]
    project: str
    session_id: str | None
    embedding: str
    unread: NotRequired[int]
    truncated: bool
    group_id: NotRequired[str]
    about: NotRequired[list[Entity]]
    expanded: list[dict[str, Any]]
    unknown: NotRequired[list[dict[str, Any]]]
    hops: int

class Explain(TypedDict):
    message: str
    kind: Literal["entity", "fact", "text", "call"]
    id: str
    name: str
    type: NotRequired[str]
    state: NotRequired[Literal["holds", "ended", "not_yet", "retracted", "done", "undone"]]
    origins: list[dict[str, Any]]
    objections: list[dict[str, Any]]
    confirmed_by: NotRequired[dict[str, Any]]
    dependents: list[dict[str, Any]]
    changes: list[Event]
    sources: NotRequired[list[dict[str, Any]]]
    undo: NotRequired[dict[str, Any]]
    resolution: NotRequired[Resolution]
    totals: dict[str, Any]
    more_origins: NotRequired[list[str]]
    more_objections: NotRequired[list[str]]
    more_dependents: NotRequired[list[str]]
    more_changes: NotRequired[list[str]]
    more_sources: NotRequired[list[str]]
    truncated: bool
    project: str

class ExploreNode(TypedDict):
    message: str
    center_node: dict[str, Any] | None
    resolution: NotRequired[Resolution]
    nodes: list[dict[str, Any]]
    edges: list[FoundEdge]
    facts: NotRequired[list[FoundEdge]]
    episodes: NotRequired[list[FoundEpisode | str]]
    mentioned_with: NotRequired[list[dict[str, Any]]]
    communities: list[FoundCommunity]
    totals: dict[str, Any]
    ended: NotRequired[list[str]]
    to_come: NotRequired[list[str]]
    complete: bool
    truncated: bool
    unread: NotRequired[int]
    other_groups: NotRequired[OtherGroups]
    more_nodes: NotRequired[list[str]]
    more_facts: NotRequired[list[str]]
    more_edges: NotRequired[list[str]]

class ExploreOntology(TypedDict):
    message: str
    center: dict[str, Any] | None
    candidates: list[dict[str, Any]]
    same_wording: list[dict[str, Any]]
    relationships: dict[str, Any]
    hierarchy: dict[str, Any]
    neighbors: list[dict[str, Any]]
    usage: dict[str, Any] | None
    gaps: list[dict[str, Any]]
    totals: dict[str, Any]
    truncated: bool

class ExtendVocabulary(TypedDict):
    message: str
    types: list[str]
    predicates: list[str]
    existing: list[str]
    overlaps: list[dict[str, Any]]
    mapped: list[dict[str, Any]]
    totals: NotRequired[dict[str, Any]]
    truncated: NotRequired[bool]
    admitted: int
    dismissed: int
    dry_run: bool
    call: int | None

ExtractFacts = TypedDict(
    "ExtractFacts",
    {
        "subject": list[int],
        "predicate": list[int],
        "object": list[int],
        "literal": dict[str, Any],
        "from": dict[str, Any],
        "to": dict[str, Any],
        "recorded": list[int],
        "source": list[int],
    },
)

class ExtractNodes(TypedDict):
    name: list[str]
    type: list[int]
    x: list[float]
    y: list[float]
    community: list[int]
    summary: dict[str, Any]
    aliases: dict[str, Any]

class Fact(TypedDict):
    id: str
    subject: Entity
    predicate: str
    object: Target
    source: NotRequired[str | None]
    confidence: float
    recorded_at: str
    beginning: NotRequired[str]
    valid_from: NotRequired[str | None]
    valid_to: NotRequired[str | None]
    scope: NotRequired[list[str]]
    reads: NotRequired[Reading]

class Forget(TypedDict):
    message: str
    kind: Literal["entity", "fact", "text", "call"]
    forgotten: dict[str, Any]
    facts: NotRequired[list[dict[str, Any]]]
    entities: NotRequired[list[Entity]]
    texts: NotRequired[list[dict[str, Any]]]
    aliases: NotRequired[list[str]]
    kept_texts: NotRequired[list[dict[str, Any]]]
    kept: NotRequired[list[dict[str, Any]]]
    totals: dict[str, Any]
    truncated: bool
    remains: str
    dry_run: bool
    call: int | None
    reopened_blockers: NotRequired[list[dict[str, Any]]]

class FoundCommunity(TypedDict):
    uuid: str
    name: str
    summary: NotRequired[str]
    member_count: int
    created_at: NotRequired[str]
    group_id: NotRequired[str]
    named_by: NotRequired[Literal["algorithm", "caller", "person"]]
    why: NotRequired[dict[str, Any]]

class FoundEdge(TypedDict):
    uuid: str
    name: str
    fact: str
    source_node_uuid: str
    source_name: NotRequired[str]
    target_node_uuid: NotRequired[str | None]
    target_name: NotRequired[str]
    created_at: NotRequired[str]
    beginning: NotRequired[str]
    valid_at: NotRequired[str | None]
    invalid_at: NotRequired[str | None]
    expired_at: NotRequired[str | None]
    group_id: NotRequired[str]
    confidence: NotRequired[float]
    source: NotRequired[str | None]
    episodes: NotRequired[list[str]]
    mentioned_with: NotRequired[list[str]]
    reads: NotRequired[Reading]
    why: NotRequired[dict[str, Any]]

class FoundEpisode(TypedDict):
    uuid: str
    name: str
    content: NotRequired[str]
    chunk: NotRequired[str]
    source: NotRequired[str]
    source_description: NotRequired[str]
    valid_at: str
    created_at: NotRequired[str]
    group_id: NotRequired[str]
    why: NotRequired[dict[str, Any]]
    content_truncated: NotRequired[bool]
    chunk_truncated: NotRequired[bool]

class FoundNode(TypedDict):
    uuid: str
    id: NotRequired[str]
    name: str
    labels: NotRequired[list[str]]
    type: str
    summary: NotRequired[str]
    created_at: NotRequired[str]
    group_id: NotRequired[str]
    attributes: NotRequired[dict[str, Any]]
    proposed: NotRequired[bool]
    why: NotRequired[dict[str, Any]]

class GetEntityConnections(TypedDict):
    message: str
    entity: dict[str, Any] | None
    facts: list[FoundEdge]
    total: int
    total_facts: int
    total_mentions: int
    truncated: bool
    unread: NotRequired[int]

class GetEntityEdge(TypedDict):
    uuid: str
    name: str
    fact: str
    source_node_uuid: str
    source_name: str
    target_node_uuid: str | None
    target_name: str
    created_at: str
    valid_at: str | None
    invalid_at: str | None
    expired_at: str | None
    group_id: str
    confidence: float
    source: str | None
    episodes: list[str]
    mentioned_with: NotRequired[list[str]]
    sources: list[dict[str, Any]]

class GetEntityNeighbors(TypedDict):
    entity_id: str | None
    hops: int
    as_of: str
    neighbours: list[dict[str, Any]]
    entity: dict[str, Any] | None
    resolution: dict[str, Any]
    ended: NotRequired[list[str]]
    to_come: NotRequired[list[str]]
    total: int
    total_is_exact: bool
    truncated: bool
    project: str

class GetEntityTimeline(TypedDict):
    message: str
    entity: dict[str, Any] | None
    episodes: list[FoundEpisode]
    total: int
    truncated: bool
    newest_first: bool
    events: list[dict[str, Any]]
    events_truncated: bool
    unread: NotRequired[int]

class GetEpisodeContext(TypedDict):
    message: str
    episodes: list[dict[str, Any]]
    nodes: list[FoundNode]
    edges: list[FoundEdge]
    proposed_facts: list[dict[str, Any]]
    total_nodes: int
    total_edges: int
    truncated: bool
    unread: int
    total_proposed_facts: int

class GetEpisodes(TypedDict):
    message: str
    episodes: list[dict[str, Any]]
    total: int
    truncated: bool

class GetFullDocument(TypedDict):
    doc_id: str
    found: bool
    name: str | None
    source: str | None
    kind: str | None
    valid_at: str | None
    text: str
    offset: int
    characters: int
    tokens: int
    truncated: bool
    project: str
    group_id: NotRequired[str]
    note: NotRequired[dict[str, Any]]

class GetGardenStatus(TypedDict):
    message: str
    project: str
    last_run: str | None
    total_runs: int
    relations_proposed: int
    relations_accepted: int
    relations_rejected: int
    session_entries_filtered_repeat_threshold: int
    nodes_pruned: int
    edges_pruned: int
    is_running: bool
    origin: str | None
    waiting: int
    waiting_by_kind: dict[str, Any]
    passes: list[dict[str, Any]]
    sessions: dict[str, Any]

class GetHistory(TypedDict):
    entity: Entity | None
    fact: Fact | None
    resolution: Resolution | None
    events: list[Event]
    truncated: bool

class GetOntologyStructure(TypedDict):
    ontology_graph: str
    sets: list[dict[str, Any]]
    entity_classes: list[dict[str, Any]]
    relationship_classes: list[dict[str, Any]]
    more_classes: NotRequired[dict[str, Any]]
    totals: dict[str, Any]
    truncated: bool
    proposals: NotRequired[dict[str, Any]]

class GetOverview(TypedDict):
    message: str
    group_id: str
    owner: Entity | None
    counts: dict[str, Any]
    projects: list[dict[str, Any]]
    communities: list[dict[str, Any]]
    latest_facts: list[dict[str, Any]]
    latest_texts: list[dict[str, Any]]
    waiting: dict[str, Any]
    other_groups: list[str]
    totals: dict[str, Any]
    truncated: bool

class GetSchema(TypedDict):
    type: Literal["schema"]
    graph_name: str
    domain: str
    node_count: int
    relationship_count: int
    node_labels: dict[str, Any]
    relationship_types: dict[str, Any]
    property_kinds: dict[str, Any]
    unused: NotRequired[dict[str, Any]]
    incomplete: NotRequired[list[str]]
    more_labels: NotRequired[list[str]]
    more_types: NotRequired[list[str]]
    left_out: NotRequired[dict[str, Any]]

class GetStatus(TypedDict):
    status: Literal["ok"]
    message: str
    version: str
    graph: dict[str, Any]
    entities: dict[str, Any]
    facts: int
    last_recorded_at: str | None
    vocabulary: dict[str, Any]
    resolution: dict[str, Any]
    episodes: int
    waiting_for_vectors: dict[str, Any]
    other_groups: NotRequired[OtherGroups]

class HydraSearch(TypedDict):
    chunks: list[dict[str, Any]]
    context: str
    entities: list[str]
    project: str
    session_id: str | None
    embedding: str
    unread: NotRequired[int]
    truncated: bool
    group_id: NotRequired[str]
    about: NotRequired[list[Entity]]
    final_context: str
    verified_relations: list[dict[str, Any]]
    seeds: list[dict[str, Any]]
    filtered: list[str]
    verified: list[str]
    chunks_total: int
    rejected_vector: int
    rejected_srmkg: int
    rejected_vog: int
    avg_vog_score: None
    traversal: Literal["bfs", "ppr", "hybrid"]
    ppr: dict[str, Any] | None
    bm25: dict[str, Any]
    planner: dict[str, Any]
    graph_truncated: NotRequired[bool]

class IngestDirectory(TypedDict):
    call: int | None
    directory: str
    files_processed: int
    added: int
    changed: int
    unchanged: int
    moved: int
    forgotten: int
    chunks_added: int
    chunks_removed: int
    mentions: int
    proposals: int
    unread: int
    entities_added: NotRequired[int]
    facts_added: NotRequired[int]
    missing: list[str]
    skipped: list[dict[str, Any]]
    failed: list[dict[str, Any]]
    remarks: list[dict[str, Any]]
    totals: dict[str, Any]
    calls: list[int]
    truncated: bool
    complete: bool
    project: str
    group_id: str
    about: list[Entity]
    auto_created_entities: NotRequired[list[Entity]]
    possible_duplicates: NotRequired[list[dict[str, Any]]]

class IngestMarkdown(TypedDict):
    call: int | None
    source: str
    file: str
    doc_id: str
    name: str
    status: Literal["added", "changed", "unchanged", "moved"]
    valid_at: str
    chunks: int
    chunks_added: int
    chunks_removed: int
    mentions: int
    proposals: int
    unread: int
    remarks: list[dict[str, Any]]
    project: str
    group_id: str
    about: list[Entity]
    auto_created_entities: NotRequired[list[Entity]]
    possible_duplicates: NotRequired[list[dict[str, Any]]]

class IngestPrechunked(TypedDict):
    source: str
    doc_id: str
    uuid: str
    chunks_added: int
    chunks_removed: int
    chunks_kept: int
    blank_chunks: int
    replaced: bool
    truncated_chunks: int
    entities_added: int
    entities_merged: int
    entities: list[Entity]
    mapped_types: dict[str, Any]
    relations_proposed: int
    relations_accepted: int
    relations_rejected: int
    facts: list[dict[str, Any]]
    facts_withdrawn: list[dict[str, Any]]
    rejected: list[dict[str, Any]]
    truncated_entities: int
    truncated_relations: int
    truncated: bool
    verified: bool
    project: str
    call: int | None
    entities_forgotten: list[Entity]
    unread: int
    relations_waiting: int
    relations_waiting_before: int
    waiting: list[dict[str, Any]]
    possible_duplicates: list[dict[str, Any]]
    totals: dict[str, Any]
    verification: dict[str, Any]
    see: str
    unknown_types: list[dict[str, Any]]
    group_id: str
    about: list[Entity]
    auto_created_entities: NotRequired[list[Entity]]

class Known(TypedDict):
    type: NotRequired[str]
    name: NotRequired[str]
    id: NotRequired[str]

class ListEntities(TypedDict):
    entities: list[dict[str, Any]]
    count: int
    total: int
    truncated: bool
    project: str
    group_id: NotRequired[str]
    about: NotRequired[list[Entity]]

class MergeEntities(TypedDict):
    entity: Entity
    absorbed: Entity
    facts: list[dict[str, Any]]
    moved: int
    folded: int
    retracted: int
    aliases_added: list[str]
    aliases_dropped: list[str]
    truncated: bool
    dry_run: bool
    call: int | None

class Named(TypedDict):
    type: NotRequired[str]
    name: NotRequired[str]
    id: NotRequired[str]

class Narrative(TypedDict):
    week: str
    text: str
    truncated: bool
    doc_id: str
    source: str
    session: NotRequired[str]
    written_at: str

class Node(TypedDict):
    id: str
    labels: list[str]
    properties: dict[str, Any]

class Object(TypedDict):
    type: NotRequired[str]
    name: NotRequired[str]
    id: NotRequired[str]
    literal: NotRequired[str]

class OtherGroups(TypedDict):
    groups: list[dict[str, Any]]
    more: int

class PrimingContext(TypedDict):
    chunks: list[dict[str, Any]]
    context: str
    entities: list[str]
    facts: list[FoundEdge]
    neighbours: list[dict[str, Any]]
    project: str
    session_id: str | None
    embedding: str
    unread: NotRequired[int]
    truncated: bool
    group_id: NotRequired[str]
    about: NotRequired[list[Entity]]

class ProfileGraph(TypedDict):
    message: str
    entity_profiles: dict[str, Any]
    relationship_profiles: dict[str, Any]
    ghost_relationships: dict[str, Any]
    language_summary: dict[str, Any]
    totals: dict[str, Any]
    truncated: bool

class QueryEntityRelations(TypedDict):
    entity: str | None
    entity_id: str | None
    resolution: dict[str, Any]
    as_of: str
    direction: Literal["both", "outgoing", "incoming"]
    facts: list[dict[str, Any]]
    ended: NotRequired[list[str]]
    to_come: NotRequired[list[str]]
    count: int
    total: int
    truncated: bool
    project: str

class Quotation(TypedDict):
    doc_id: str
    name: str
    valid_at: str
    quote: str

class Reading(TypedDict):
    name: str
    fact: str

class RecallDecisions(TypedDict):
    project: Entity | None
    resolution: NotRequired[Resolution | None]
    decisions: list[Decision]
    truncated: bool
    since: NotRequired[str | None]
    total: int
    more_decisions: NotRequired[list[str]]
    group_id: NotRequired[str]
    hint: NotRequired[str]

class RecallEntity(TypedDict):
    entity: EntityInFull | None
    facts: list[Fact]
    related_entities: list[dict[str, Any]]
    resolution: Resolution
    truncated_facts: bool
    truncated_related_entities: NotRequired[bool]
    other_groups: NotRequired[OtherGroups]
    more_facts: NotRequired[list[str]]
    total_facts: NotRequired[int]
    due: NotRequired[list[str]]
    ended: NotRequired[list[str]]
    to_come: NotRequired[list[str]]
    texts: NotRequired[dict[str, Any]]
    unread: NotRequired[int]

class RecallFor(TypedDict):
    named: list[dict[str, Any]]
    unclear: list[dict[str, Any]]
    facts: list[dict[str, Any]]
    standing: list[dict[str, Any]]
    open: list[dict[str, Any]]
    texts: NotRequired[list[Quotation]]
    message: str
    left_out: NotRequired[int]
    tokens: int

class RecordFact(TypedDict):
    fact_id: str
    recorded_at: str
    subject: Entity
    predicate: str
    object: Target
    deduplicated: bool
    valid_from: NotRequired[str | None]
    valid_to: NotRequired[str | None]
    auto_created_entities: NotRequired[list[Entity]]
    possible_duplicates: NotRequired[list[dict[str, Any]]]
    mapped_predicate: NotRequired[dict[str, Any]]
    mapped_types: NotRequired[list[dict[str, Any]]]
    warning: NotRequired[str]
    call: NotRequired[int | None]
    superseded: NotRequired[list[dict[str, Any]]]
    note: NotRequired[str]
    aliases: NotRequired[list[str]]
    owner: NotRequired[Entity]
    effect: NotRequired[Literal["recorded", "repeated", "ended", "changed", "nothing_changed"]]
    validity_before: NotRequired[Validity]
    also_ended: NotRequired[list[dict[str, Any]]]
    overlapping: NotRequired[list[dict[str, Any]]]
    closed_blockers: NotRequired[list[dict[str, Any]]]
    open_blockers: NotRequired[list[dict[str, Any]]]
    may_have_ended: NotRequired[list[dict[str, Any]]]
    conflicts: NotRequired[list[dict[str, Any]]]
    hint: NotRequired[str]
    not_checked: NotRequired[bool]

class RecordFacts(TypedDict):
    results: list[dict[str, Any]]
    more_results: NotRequired[list[str]]
    truncated: NotRequired[bool]
    recorded: int
    deduplicated: int
    refused: int
    names_not_compared: int
    replayed: bool
    call: NotRequired[int | None]

class Remember(TypedDict):
    message: str
    doc_id: str
    name: str
    source: str
    project: str
    deduplicated: NotRequired[bool]
    chunks_added: int
    entities_added: int
    entities_merged: int
    mentions: NotRequired[list[Entity]]
    proposed_entities: NotRequired[list[dict[str, Any]]]
    proposed_facts: NotRequired[list[dict[str, Any]]]
    identical_to: NotRequired[list[dict[str, Any]]]
    truncated: NotRequired[bool]
    recognised: str
    call: int | None
    unread: NotRequired[int]
    group_id: str
    about: NotRequired[list[Entity]]
    auto_created_entities: NotRequired[list[Entity]]
    possible_duplicates: NotRequired[list[dict[str, Any]]]
    narrative_for: NotRequired[str]

class Resolution(TypedDict):
    method: Literal["exact", "alias", "fuzzy", "embedding", "none"]
    score: float
    candidates: NotRequired[list[Candidate]]
    because: NotRequired[str | None]
    embedding: NotRequired[str]
    hint: NotRequired[str]
    ambiguous: NotRequired[bool]

class ResolveBlocker(TypedDict):
    closed_blockers: list[dict[str, Any]]
    fact_id: str | None
    message: str
    call: int | None

class RetractFact(TypedDict):
    fact: Fact
    retracted_at: str
    already_retracted: bool
    remains: NotRequired[str]
    call: int | None
    reopened_blockers: NotRequired[list[dict[str, Any]]]
    still_said: NotRequired[list[dict[str, Any]]]

class ReviewProposals(TypedDict):
    call: int | None
    message: str
    proposals: list[dict[str, Any]]
    total: int
    counts: dict[str, Any]
    truncated: bool
    waiting: NotRequired[int]
    closed: NotRequired[list[dict[str, Any]]]
    closed_total: NotRequired[int]
    decisions: NotRequired[list[dict[str, Any]]]
    quiet: NotRequired[list[dict[str, Any]]]
    woken: NotRequired[list[str]]
    woken_call: NotRequired[int | None]

class RunCypher(TypedDict):
    query: str
    auto_fixes: list[str]
    type: Literal["scalar", "tabular", "graph", "path"]
    row_count: int
    truncated: bool
    limit_applied: int
    execution_ms: float
    columns: list[str]
    result: NotRequired[str | float | bool | list[Any] | dict[str, Any] | None]
    rows: NotRequired[list[list[Any]]]
    nodes: NotRequired[list[Node]]
    edges: NotRequired[list[Edge]]
    steps: NotRequired[list[list[dict[str, Any]] | None]]
    warnings: NotRequired[list[dict[str, Any]]]

class RunNightGardener(TypedDict):
    call: int | None
    message: str
    status: Literal["done", "stopped", "already_running"]
    stopped: str | None
    dry_run: bool
    project: str
    candidates_proposed: int
    relations_accepted: int
    relations_rejected: int
    sessions_considered: int
    sessions_used: int
    session_entries_considered: int
    session_entries_used: int
    session_entries_filtered_repeat_threshold: int
    nodes_pruned: int
    edges_pruned: int
    last_run: str | None
    passes: list[dict[str, Any]]
    proposals: list[dict[str, Any]]
    truncated: bool
    waiting: int
    sessions: dict[str, Any]

class Search(TypedDict):
    message: str
    nodes: list[FoundNode]
    edges: list[FoundEdge]
    communities: list[FoundCommunity]
    episodes: NotRequired[list[FoundEpisode | str]]
    truncated: NotRequired[dict[str, Any]]
    embedding: NotRequired[str]
    ended: NotRequired[list[str]]
    to_come: NotRequired[list[str]]
    abstained: NotRequired[bool]
    execution_ms: float
    unread: NotRequired[int]
    group_id: NotRequired[str]
    about: NotRequired[list[Entity]]
    other_groups: NotRequired[OtherGroups]
    more_nodes: NotRequired[list[str]]
    more_edges: NotRequired[list[str]]
    more_communities: NotRequired[list[str]]
    hint: NotRequired[str]

class SearchMemoryFacts(TypedDict):
    message: str
    facts: list[FoundEdge]
    ended: NotRequired[list[str]]
    to_come: NotRequired[list[str]]
    truncated: bool
    embedding: str
    unread: NotRequired[int]
    group_id: NotRequired[str]
    about: NotRequired[list[Entity]]
    other_groups: NotRequired[OtherGroups]
    hint: NotRequired[str]
    more_facts: NotRequired[list[str]]

class SearchNodes(TypedDict):
    message: str
    nodes: list[FoundNode]
    ended: NotRequired[list[str]]
    to_come: NotRequired[list[str]]
    truncated: bool
    embedding: str
    unread: NotRequired[int]
    group_id: NotRequired[str]
    about: NotRequired[list[Entity]]
    other_groups: NotRequired[OtherGroups]
    hint: NotRequired[str]
    more_nodes: NotRequired[list[str]]

class SearchOntology(TypedDict):
    message: str
    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    communities: list[dict[str, Any]]
    truncated: dict[str, Any]
    embedding: str

class SetOwner(TypedDict):
    owner: Entity
    previous: Entity | None
    created: bool
    changed: bool
    possible_duplicates: list[Candidate]
    message: str
    call: int | None

class ShowGraph(TypedDict):
    generated_at: str
    as_of: str | None
    title: str
    about: int | None
    resolution: Resolution | None
    types: list[str]
    predicates: list[str]
    sources: list[str]
    nodes: ExtractNodes
    facts: ExtractFacts
    texts: list[dict[str, Any]]
    communities: list[dict[str, Any]]
    truncated: bool

class Subject(TypedDict):
    type: NotRequired[str]
    name: NotRequired[str]
    id: NotRequired[str]

class SubmitSessionExtraction(TypedDict):
    session_id: str | None
    entities_added: int
    entities_merged: int
    entities: list[Entity]
    mapped_types: dict[str, Any]
    relations_proposed: int
    relations_accepted: int
    relations_rejected: int
    facts: list[dict[str, Any]]
    facts_withdrawn: list[dict[str, Any]]
    rejected: list[dict[str, Any]]
    truncated_entities: int
    truncated_relations: int
    truncated: bool
    verified: bool
    project: str
    call: int | None
    entities_forgotten: list[Entity]
    relations_waiting: int
    relations_waiting_before: int
    waiting: list[dict[str, Any]]
    possible_duplicates: list[dict[str, Any]]
    totals: dict[str, Any]
    verification: dict[str, Any]
    see: str
    unknown_types: list[dict[str, Any]]
    group_id: str
    about: list[Entity]
    auto_created_entities: NotRequired[list[Entity]]

class Target(TypedDict):
    type: NotRequired[str]
    id: NotRequired[str]
    name: NotRequired[str]
    literal: NotRequired[str]

TracePath = TypedDict(
    "TracePath",
    {
        "path": list[str],
        "relations": list[str],
        "length": int,
        "found": bool,
        "ended": NotRequired[list[str]],
        "to_come": NotRequired[list[str]],
        "paths": list[dict[str, Any]],
        "from": dict[str, Any] | None,
        "to": dict[str, Any] | None,
        "resolution": dict[str, Any],
        "truncated": bool,
        "max_hops": int,
        "project": str,
    },
)

class TrainGnn(TypedDict):
    call: int | None
    message: str
    method: Literal["horn_rules", "complex", "too_few_facts"]
    project: str
    dry_run: bool
    edges_analysed: int
    held_out: int
    methods: list[dict[str, Any]]
    predicted_facts: list[dict[str, Any]]
    predicted_count: int
    suggested_edges: list[list[str]]
    scores: dict[str, Any]
    suggested_count: int
    doubtful_facts: list[dict[str, Any]]
    rules: list[dict[str, Any]]
    rule_count: int
    offered: NotRequired[dict[str, Any]]
    truncated: bool

class TraversalCollect(TypedDict):
    connection_id: str
    items: list[dict[str, Any]]
    count: int
    total: int
    skipped: int
    truncated: bool
    next_range: dict[str, Any] | None
    dropped: bool

class TraversalEFromType(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]

class TraversalFilterItems(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]

class TraversalInEStep(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]

class TraversalInStep(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]

class TraversalInit(TypedDict):
    connection_id: str
    idle_minutes: int
    max_open: int

class TraversalNFromType(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]

class TraversalNext(TypedDict):
    connection_id: str
    item: dict[str, Any] | None
    position: int
    remaining: int
    skipped: int

class TraversalOutEStep(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]

class TraversalOutStep(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]

class TraversalReset(TypedDict):
    connection_id: str

class TraversalSchemaResource(TypedDict):
    schema: dict[str, Any]
    queries: list[dict[str, Any]]

class TraversalSearchKeyword(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]
    items: list[dict[str, Any]]

class TraversalSearchVector(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]
    items: list[dict[str, Any]]

class TraversalSearchVectorText(TypedDict):
    connection_id: str
    count: int
    kind: str
    first: dict[str, Any] | None
    steps: int
    notes: list[str]
    items: list[dict[str, Any]]

class Traverse(TypedDict):
    items: list[dict[str, Any]]
    count: int
    total: int
    skipped: int
    truncated: bool
    kind: str
    steps: list[dict[str, Any]]

class Undo(TypedDict):
    message: str
    undone_call: int
    tool: str
    at: str
    changes: int
    call: int | None
    about: NotRequired[str]
    purged: NotRequired[int]

class UpdateEntity(TypedDict):
    entity: EntityInFull
    before: Entity
    changed: list[Literal["name", "type", "summary", "properties", "aliases"]]
    aliases_added: list[str]
    aliases_removed: list[str]
    facts_rewritten: int
    misfits: list[dict[str, Any]]
    conflicts: NotRequired[list[dict[str, Any]]]
    misfits_total: int
    possible_duplicates: list[Candidate]
    call: int | None

class Validity(TypedDict):
    valid_from: str | None
    valid_to: str | None

VerifyRelation = TypedDict(
    "VerifyRelation",
    {
        "accepted": bool,
        "level": Literal["known", "contradicted", "grounded", "supported", "unverified"],
        "srmkg_score": float,
        "vog_score": float | None,
        "reasons": list[dict[str, Any]],
        "evidence": list[dict[str, Any]],
        "conflicts": list[dict[str, Any]],
        "from": Entity | None,
        "to": Entity | None,
        "predicate": str | None,
        "resolution": dict[str, Any],
        "relation_type": str,
        "project": str,
    },
)

class WeeklyRollup(TypedDict):
    project: Entity | None
    resolution: NotRequired[Resolution | None]
    period: dict[str, Any]
    summary: str
    narrative: NotRequired[Narrative | None]
    decisions: list[Decision]
    blockers: list[Fact]
    next_actions: list[str]
    to_review: NotRequired[dict[str, Any]]
    totals: dict[str, Any]
    truncated: NotRequired[bool]
    generated_at: str
    more_decisions: NotRequired[list[str]]
    more_blockers: NotRequired[list[str]]
    group_id: NotRequired[str]
    hint: NotRequired[str]

class ToolCalls:
    def get_schema(
        self,
        *,
        exact: bool | None = ...,
        as_of: str | None = ...,
        known_at: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> GetSchema: ...
    def get_status(self) -> GetStatus: ...
    def get_overview(self) -> GetOverview: ...
    def profile_graph(self, *, sample_size: int | None = ...) -> ProfileGraph: ...
    def build_communities(
        self,
        *,
        group_ids: list[str],
        names: dict[str, Any] | None = ...,
        seed: int | None = ...,
        dry_run: bool | None = ...,
    ) -> BuildCommunities: ...
    def explore_node(
        self,
        *,
        name: str | None = ...,
        node_name: str | None = ...,
        node_uuid: str | None = ...,
        depth: int | None = ...,
        edge_types: list[str] | None = ...,
        group_ids: list[str] | None = ...,
        limit: int | None = ...,
        as_of: str | None = ...,
        known_at: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> ExploreNode: ...
    def get_entity_connections(
        self,
        *,
        entity_uuid: str,
        group_ids: list[str] | None = ...,
        max_connections: int | None = ...,
        offset: int | None = ...,
        since: str | None = ...,
        until: str | None = ...,
    ) -> GetEntityConnections: ...
    def get_entity_timeline(
        self,
        *,
        entity_uuid: str,
        group_ids: list[str] | None = ...,
        max_episodes: int | None = ...,
        newest_first: bool | None = ...,
        offset: int | None = ...,
        include_events: bool | None = ...,
        since: str | None = ...,
        until: str | None = ...,
    ) -> GetEntityTimeline: ...
    def get_entity_edge(self, *, uuid: str) -> GetEntityEdge: ...
    def list_entities(
        self,
        *,
        project: str | None = ...,
        type: str | None = ...,
        limit: int | None = ...,
        offset: int | None = ...,
        session_id: str | None = ...,
    ) -> ListEntities: ...
    def search_nodes(
        self,
        *,
        query: str,
        group_ids: list[str] | None = ...,
        max_nodes: int | None = ...,
        entity_types: list[str] | None = ...,
        center_node_uuid: str | None = ...,
        project: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> SearchNodes: ...
    def search_memory_facts(
        self,
        *,
        query: str,
        group_ids: list[str] | None = ...,
        max_facts: int | None = ...,
        center_node_uuid: str | None = ...,
        edge_types: list[str] | None = ...,
        valid_at: str | None = ...,
        project: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> SearchMemoryFacts: ...
    def trace_path(
        self,
        *,
        from_entity: str,
        to_entity: str,
        project: str | None = ...,
        k: int | None = ...,
        max_hops: int | None = ...,
        edge_types: list[str] | None = ...,
        as_of: str | None = ...,
        avoid_hubs: bool | None = ...,
        session_id: str | None = ...,
    ) -> TracePath: ...
    def get_entity_neighbors(
        self,
        *,
        entity_id: str,
        hops: int | None = ...,
        as_of: str | None = ...,
        project: str | None = ...,
        edge_types: list[str] | None = ...,
        limit: int | None = ...,
        session_id: str | None = ...,
    ) -> GetEntityNeighbors: ...
    def query_entity_relations(
        self,
        *,
        entity_id: str,
        as_of: str | None = ...,
        direction: Literal["both", "outgoing", "incoming"] | None = ...,
        project: str | None = ...,
        edge_types: list[str] | None = ...,
        limit: int | None = ...,
        offset: int | None = ...,
        session_id: str | None = ...,
    ) -> QueryEntityRelations: ...
    def priming_context(
        self, *, query: str, k: int | None = ..., project: str | None = ..., session_id: str | None = ...
    ) -> PrimingContext: ...
    def expand_context(
        self,
        *,
        entity_ids: list[str],
        hops: int | None = ...,
        project: str | None = ...,
        session_id: str | None = ...,
        max_tokens: int | None = ...,
    ) -> ExpandContext: ...
    def hydra_search(
        self,
        *,
        query: str,
        k: int | None = ...,
        hops: int | None = ...,
        project: str | None = ...,
        session_id: str | None = ...,
        traversal: Literal["", "bfs", "ppr", "hybrid"] | None = ...,
        strategy_override: Literal["", "factoid", "multi_hop", "temporal", "comparative"] | None = ...,
    ) -> HydraSearch: ...
    def add_alias(
        self, *, entity: Named, alias: str, project: str | None = ..., group: str | None = ...
    ) -> AddAlias: ...
    def set_owner(self, *, person: Named) -> SetOwner: ...
    def update_entity(
        self,
        *,
        entity: Named,
        name: str | None = ...,
        type: str | None = ...,
        summary: str | None = ...,
        properties: dict[str, Any] | None = ...,
        add_aliases: list[str] | None = ...,
        remove_aliases: list[str] | None = ...,
        keep_old_name: bool | None = ...,
    ) -> UpdateEntity: ...
    def merge_entities(
        self, *, keep: Named, absorb: Named, dry_run: bool | None = ..., across_types: bool | None = ...
    ) -> MergeEntities: ...
    def retract_fact(
        self,
        *,
        fact_id: str | None = ...,
        subject: Subject | None = ...,
        predicate: str | None = ...,
        object: Object | None = ...,
    ) -> RetractFact: ...
    def end_fact(
        self,
        *,
        fact_id: str | None = ...,
        subject: Subject | None = ...,
        predicate: str | None = ...,
        object: Object | None = ...,
        valid_to: str | None = ...,
        source: str | None = ...,
    ) -> EndFact: ...
    def resolve_blocker(
        self,
        *,
        blocker: str,
        blocked: Subject | None = ...,
        by: Object | None = ...,
        resolved_at: str | None = ...,
        source: str | None = ...,
    ) -> ResolveBlocker: ...
    def delete_entity_edge(self, *, uuid: str) -> DeleteEntityEdge: ...
    def clear_graph(
        self, *, group_ids: list[str] | None = ..., everything: bool | None = ..., confirm: bool | None = ...
    ) -> ClearGraph: ...
    def get_history(self, *, about: str, limit: int | None = ...) -> GetHistory: ...
    def run_cypher(
        self,
        *,
        query: str,
        parameters: dict[str, Any] | None = ...,
        limit: int | None = ...,
        as_of: str | None = ...,
        known_at: str | None = ...,
    ) -> RunCypher: ...
    def search(
        self,
        *,
        query: str | None = ...,
        intent: Literal["exhaustive", "precise", "neighborhood", "diverse", "temporal", "path", "importance"]
        | None = ...,
        search_mode: Literal["combined", "nodes", "edges", "communities", "episodes"] | None = ...,
        entity_types: list[str] | None = ...,
        edge_types: list[str] | None = ...,
        reranker: Literal["rrf", "mmr", "cross_encoder", "node_distance", "episode_mentions", "newest"] | None = ...,
        center_node_uuid: str | None = ...,
        bfs_origin_node_uuids: list[str] | None = ...,
        valid_at: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        group_ids: list[str] | None = ...,
        limit: int | None = ...,
        rank_texts: Literal["each", "whole"] | None = ...,
        near: bool | None = ...,
        max_tokens: int | None = ...,
        project: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> Search: ...
    def ingest_markdown(
        self, *, file_path: str, project: str | None = ..., session_id: str | None = ...
    ) -> IngestMarkdown: ...
    def ingest_directory(
        self,
        *,
        directory: str,
        recursive: bool | None = ...,
        project: str | None = ...,
        forget_missing: bool | None = ...,
        dry_run: bool | None = ...,
        session_id: str | None = ...,
    ) -> IngestDirectory: ...
    def get_full_document(
        self,
        *,
        doc_id: str,
        project: str | None = ...,
        offset: int | None = ...,
        max_characters: int | None = ...,
        session_id: str | None = ...,
    ) -> GetFullDocument: ...
    def ingest_prechunked(
        self,
        *,
        source: str,
        chunks: list[dict[str, Any]],
        doc_id: str | None = ...,
        project: str | None = ...,
        session_id: str | None = ...,
    ) -> IngestPrechunked: ...
    def submit_session_extraction(
        self, *, entities: list[Any], relations: list[Any], session_id: str | None = ..., project: str | None = ...
    ) -> SubmitSessionExtraction: ...
    def add_memory(
        self,
        *,
        name: str | None = ...,
        episode_body: str | dict[str, Any] | list[Any] | None = ...,
        group_id: str | None = ...,
        source: Literal["text", "json", "message"] | None = ...,
        source_description: str | None = ...,
        reference_time: str | None = ...,
        uuid: str | None = ...,
        episodes: list[dict[str, Any]] | None = ...,
        sync: bool | None = ...,
    ) -> AddMemory: ...
    def get_episodes(self, *, group_ids: list[str] | None = ..., max_episodes: int | None = ...) -> GetEpisodes: ...
    def get_episode_context(self, *, episode_uuids: list[str]) -> GetEpisodeContext: ...
    def delete_episode(self, *, uuid: str, dry_run: bool | None = ...) -> DeleteEpisode: ...
    def run_night_gardener(
        self,
        *,
        project: str | None = ...,
        session_id: str | None = ...,
        passes: list[
            Literal[
                "conflicts",
                "duplicates",
                "texts",
                "ended",
                "retype",
                "gaps",
                "vocabulary",
                "unknown_names",
                "orphans",
                "links",
            ]
        ]
        | None = ...,
        dry_run: bool | None = ...,
        origin: Literal["call", "timer", "idle"] | None = ...,
    ) -> RunNightGardener: ...
    def get_garden_status(self, *, project: str | None = ..., session_id: str | None = ...) -> GetGardenStatus: ...
    def review_proposals(
        self,
        *,
        kinds: list[
            Literal[
                "new_entity",
                "new_fact",
                "new_word",
                "same_as",
                "alias",
                "contradiction",
                "doubtful",
                "probably_ended",
                "retype",
                "functional",
                "gap",
                "orphan",
            ]
        ]
        | None = ...,
        limit: int | None = ...,
        decide: list[dict[str, Any]] | None = ...,
        wake: list[
            Literal[
                "new_entity",
                "new_fact",
                "new_word",
                "same_as",
                "alias",
                "contradiction",
                "doubtful",
                "probably_ended",
                "retype",
                "functional",
                "gap",
                "orphan",
            ]
        ]
        | None = ...,
        group_id: str | None = ...,
    ) -> ReviewProposals: ...
    def train_gnn(
        self,
        *,
        project: str | None = ...,
        session_id: str | None = ...,
        dry_run: bool | None = ...,
        threshold: float | None = ...,
        seed: int | None = ...,
    ) -> TrainGnn: ...
    def recall_for(
        self,
        *,
        message: str,
        scope: list[str] | None = ...,
        budget: int | None = ...,
        texts: bool | None = ...,
        as_of: str | None = ...,
    ) -> RecallFor: ...
    def recall_entity(
        self,
        *,
        name_or_alias: str,
        context: list[str] | None = ...,
        as_of: str | None = ...,
        known_at: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
        project: str | None = ...,
    ) -> RecallEntity: ...
    def record_fact(
        self,
        *,
        subject: Subject,
        predicate: str,
        object: Object,
        source: str | None = ...,
        confidence: float | None = ...,
        valid_from: str | None = ...,
        valid_to: str | None = ...,
        aliases: list[str] | None = ...,
        supersedes: list[str] | None = ...,
        project: str | None = ...,
        group: str | None = ...,
        always: bool | None = ...,
    ) -> RecordFact: ...
    def record_facts(
        self,
        *,
        facts: list[Any],
        all_or_nothing: bool | None = ...,
        misfits: Literal["refuse", "warn"] | None = ...,
        idempotency_key: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> RecordFacts: ...
    def recall_decisions(
        self,
        *,
        project: str | None = ...,
        topic: str | None = ...,
        since: str | None = ...,
        until: str | None = ...,
        as_of: str | None = ...,
        known_at: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> RecallDecisions: ...
    def weekly_rollup(
        self,
        *,
        project: str | None = ...,
        as_of: str | None = ...,
        known_at: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> WeeklyRollup: ...
    def remember(
        self,
        *,
        text: str,
        source: str | None = ...,
        project: str | None = ...,
        about: list[str] | None = ...,
        reference_time: str | None = ...,
        narrative_for: str | None = ...,
        session_id: str | None = ...,
        group: str | None = ...,
        always: bool | None = ...,
    ) -> Remember: ...
    def forget(
        self, *, what: str, kind: Literal["entity", "fact", "text", "call"] | None = ..., dry_run: bool | None = ...
    ) -> Forget: ...
    def change(
        self,
        *,
        entity: Known | None = ...,
        name: str | None = ...,
        type: str | None = ...,
        summary: str | None = ...,
        properties: dict[str, Any] | None = ...,
        add_aliases: list[str] | None = ...,
        remove_aliases: list[str] | None = ...,
        merge: Known | None = ...,
        text: str | None = ...,
        old: str | None = ...,
        new: str | None = ...,
        dry_run: bool | None = ...,
    ) -> Change: ...
    def undo(self, *, call: int | None = ..., change: int | None = ...) -> Undo: ...
    def show_graph(
        self, *, about: str | None = ..., depth: int | None = ..., as_of: str | None = ..., limit: int | None = ...
    ) -> ShowGraph: ...
    def traversal_init(self) -> TraversalInit: ...
    def traversal_next(self, *, connection_id: str, include_vector: bool | None = ...) -> TraversalNext: ...
    def traversal_collect(
        self,
        *,
        connection_id: str,
        range: dict[str, Any] | None = ...,
        drop: bool | None = ...,
        include_vector: bool | None = ...,
    ) -> TraversalCollect: ...
    def traversal_reset(self, *, connection_id: str) -> TraversalReset: ...
    def traversal_schema_resource(self, *, connection_id: str) -> TraversalSchemaResource: ...
    def traversal_n_from_type(
        self, *, connection_id: str, data: dict[str, Any] | None = ..., node_type: str | None = ...
    ) -> TraversalNFromType: ...
    def traversal_e_from_type(
        self, *, connection_id: str, data: dict[str, Any] | None = ..., edge_type: str | None = ...
    ) -> TraversalEFromType: ...
    def traversal_out_step(
        self,
        *,
        connection_id: str,
        data: dict[str, Any] | None = ...,
        edge_type: str | None = ...,
        edge_label: str | None = ...,
        filter: dict[str, Any] | list[Any] | None = ...,
    ) -> TraversalOutStep: ...
    def traversal_out_e_step(
        self,
        *,
        connection_id: str,
        data: dict[str, Any] | None = ...,
        edge_label: str | None = ...,
        filter: dict[str, Any] | list[Any] | None = ...,
    ) -> TraversalOutEStep: ...
    def traversal_in_step(
        self,
        *,
        connection_id: str,
        data: dict[str, Any] | None = ...,
        edge_type: str | None = ...,
        edge_label: str | None = ...,
        filter: dict[str, Any] | list[Any] | None = ...,
    ) -> TraversalInStep: ...
    def traversal_in_e_step(
        self,
        *,
        connection_id: str,
        data: dict[str, Any] | None = ...,
        edge_label: str | None = ...,
        filter: dict[str, Any] | list[Any] | None = ...,
    ) -> TraversalInEStep: ...
    def traversal_filter_items(
        self, *, connection_id: str, data: dict[str, Any] | None = ..., filter: dict[str, Any] | list[Any] | None = ...
    ) -> TraversalFilterItems: ...
    def traversal_search_vector(
        self,
        *,
        connection_id: str,
        data: dict[str, Any] | None = ...,
        vector: list[Any] | None = ...,
        k: int | None = ...,
        min_score: float | None = ...,
    ) -> TraversalSearchVector: ...
    def traversal_search_vector_text(
        self,
        *,
        connection_id: str,
        data: dict[str, Any] | None = ...,
        query: str | None = ...,
        label: str | None = ...,
        k: int | None = ...,
    ) -> TraversalSearchVectorText: ...
    def traversal_search_keyword(
        self,
        *,
        connection_id: str,
        data: dict[str, Any] | None = ...,
        query: str | None = ...,
        label: str | None = ...,
        limit: int | None = ...,
    ) -> TraversalSearchKeyword: ...
    def traverse(
        self, *, steps: list[dict[str, Any]], limit: int | None = ..., offset: int | None = ...
    ) -> Traverse: ...
    def verify_relation(
        self,
        *,
        from_entity: str,
        to_entity: str,
        relation_type: str,
        source_text: str | None = ...,
        target_text: str | None = ...,
        confidence: float | None = ...,
        session_id: str | None = ...,
        project: str | None = ...,
    ) -> VerifyRelation: ...
    def check_conflict(
        self,
        *,
        text_a: str,
        text_b: str,
        entity_a: str | None = ...,
        entity_b: str | None = ...,
        session_id: str | None = ...,
        project: str | None = ...,
    ) -> CheckConflict: ...
    def create_relation(
        self,
        *,
        from_entity: str,
        to_entity: str,
        relation_type: str,
        confidence: float | None = ...,
        verify: bool | None = ...,
        valid_from: str | None = ...,
        valid_to: str | None = ...,
        from_type: str | None = ...,
        to_type: str | None = ...,
        source: str | None = ...,
        source_text: str | None = ...,
        target_text: str | None = ...,
        session_id: str | None = ...,
        project: str | None = ...,
    ) -> CreateRelation: ...
    def delete_relation(
        self,
        *,
        from_entity: str,
        to_entity: str,
        relation_type: str,
        session_id: str | None = ...,
        project: str | None = ...,
    ) -> DeleteRelation: ...
    def explain(
        self,
        *,
        what: str,
        kind: Literal["entity", "fact", "text", "call"] | None = ...,
        project: str | None = ...,
        detail: Literal["brief", "full"] | None = ...,
    ) -> Explain: ...
    def get_ontology_structure(
        self, *, query: str | None = ..., set: str | None = ..., only_used: bool | None = ..., limit: int | None = ...
    ) -> GetOntologyStructure: ...
    def search_ontology(
        self,
        *,
        query: str,
        search_mode: Literal["combined", "nodes", "edges", "communities"] | None = ...,
        reranker: Literal["rrf", "mmr", "cross_encoder"] | None = ...,
        limit: int | None = ...,
    ) -> SearchOntology: ...
    def explore_ontology(
        self,
        *,
        name: str | None = ...,
        node_name: str | None = ...,
        node_uuid: str | None = ...,
        depth: int | None = ...,
        limit: int | None = ...,
    ) -> ExploreOntology: ...
    def extend_vocabulary(
        self,
        *,
        types: dict[str, Any] | None = ...,
        predicates: dict[str, Any] | None = ...,
        map_wordings: list[dict[str, Any]] | None = ...,
        dismiss_wordings: list[str] | None = ...,
        dry_run: bool | None = ...,
    ) -> ExtendVocabulary: ...
