// Generated from schemas/ by `make golden`.

export type Beginning = string;

export type Blockers = Array<{ fact_id: string; text: string; valid_to?: string | null }>;

export type Call = number | null;

export type Candidate = { type: string; id: string; name: string; method: string; score: number };

export type Conflicts = Array<{ kind: string; sentence: string; advice?: string; facts: Array<{ fact_id: string; text: string; valid_from?: string | null; valid_to?: string | null }>; settled_by?: { tool: string; arguments: Record<string, unknown> } }>;

export type DatedFacts = Array<{ fact_id: string; valid_from: string | null; valid_to: string | null }>;

export type Decision = { id: string; name: string; decided_on: string; decided_by: Array<Entity>; source?: string | null; confidence: number; supersedes?: Entity | null; followed_up: boolean; projects?: Array<string>; imported_at?: string; imported_from?: string };

export type Detail = "brief" | "full";

export type Edge = { id: string; type: string; src: string; dest: string; properties: Record<string, unknown> };

export type Effect = "recorded" | "repeated" | "ended" | "changed" | "nothing_changed";

export type Ended = Array<string>;

export type Entity = { type: string; id: string; name: string };

export type EntityInFull = { type: string; id: string; name: string; aliases: Array<string>; created_at: string; summary?: string; properties?: Record<string, unknown>; more_aliases?: number };

export type Event = { at: string; what: string; text: string; tool: string | null; session: string | null; source: string | null; fact_id: string | null; call: number | null; change: number | null; imported_at?: string; imported_from?: string };

export type ExtractCommunities = Array<{ name: string; x: number; y: number; r: number }>;

export type ExtractFacts = { subject: Array<number>; predicate: Array<number>; object: Array<number>; literal: Record<string, string>; from: Record<string, string>; to: Record<string, string>; recorded: Array<number>; source: Array<number> };

export type ExtractNodes = { name: Array<string>; type: Array<number>; x: Array<number>; y: Array<number>; community: Array<number>; summary: Record<string, string>; aliases: Record<string, Array<string>> };

export type ExtractTexts = Array<{ name: string; kind: string; at: string; text: string; nodes: Array<number> }>;

export type Fact = { id: string; subject: Entity; predicate: string; object: Target; source?: string | null; confidence: number; recorded_at: string; beginning?: Beginning; valid_from?: string | null; valid_to?: string | null; scope?: Array<string>; reads?: Reading };

export type FoundCommunity = { uuid: string; name: string; summary?: string; member_count: number; created_at?: string; group_id?: string; named_by?: "algorithm" | "caller" | "person"; why?: Why };

export type FoundEdge = { uuid: string; name: string; fact: string; source_node_uuid: string; source_name?: string; target_node_uuid?: string | null; target_name?: string; created_at?: string; beginning?: Beginning; valid_at?: string | null; invalid_at?: string | null; expired_at?: string | null; group_id?: string; confidence?: number; source?: string | null; episodes?: Array<string>; mentioned_with?: Array<string>; reads?: Reading; why?: Why };

export type FoundEpisode = { uuid: string; name: string; content?: string; chunk?: string; source?: string; source_description?: string; valid_at: string; created_at?: string; group_id?: string; why?: Why; content_truncated?: boolean; chunk_truncated?: boolean };

export type FoundNode = { uuid: string; id?: string; name: string; labels?: Array<string>; type: string; summary?: string; created_at?: string; group_id?: string; attributes?: Record<string, unknown>; proposed?: boolean; why?: Why };

export type FullCommunity = FoundCommunity;

export type FullEdge = FoundEdge;

export type FullEpisode = FoundEpisode;

export type FullNode = FoundNode;

export type MayHaveEnded = Array<{ fact_id: string; text: string; valid_from?: string | null; valid_to?: string | null }>;

export type Moment = string;

export type Name = string;

export type Named = { type?: string; name?: Name; id?: string };

export type Narrative = { week: string; text: string; truncated: boolean; doc_id: string; source: string; session?: string; written_at: string };

export type Node = { id: string; labels: Array<string>; properties: Record<string, unknown> };

export type Object = { type?: string; name?: Name; id?: string; literal?: string };

export type OtherGroups = { groups: Array<{ group_id: string; entities: number; episodes: number }>; more: number };

export type Quotation = { doc_id: string; name: string; valid_at: string; quote: string };

export type Reading = { name: string; fact: string };

export type Resolution = { method: "exact" | "alias" | "fuzzy" | "embedding" | "none"; score: number; candidates?: Array<Candidate>; because?: string | null; embedding?: string; hint?: string; ambiguous?: boolean };

export type Some = Array<string>;

export type Subject = { type?: string; name?: Name; id?: string };

export type Target = { type?: string; id?: string; name?: string; literal?: string };

export type ToCome = Array<string>;

export type Validity = { valid_from: string | null; valid_to: string | null };

export type Why = Record<string, { rank?: number | null; score?: number | null }>;

export interface ToolArguments {
  add_alias: { entity: Named; alias: string; project?: string; group?: string };
  add_entity: { entity: Subject };
  build_communities: { group_ids: Array<string>; names?: Record<string, { name: string; summary?: string }>; seed?: number; dry_run?: boolean };
  complete_name: { prefix: string; type?: string; only_projects?: boolean; limit?: number };
  create_relation: { from_entity: string; to_entity: string; relation_type: string; confidence?: number; verify?: boolean; valid_from?: string; valid_to?: string; from_type?: string; to_type?: string; source?: string; source_text?: string; target_text?: string; session_id?: string; project?: string };
  delete_episode: { uuid: string; dry_run?: boolean };
  delete_relation: { from_entity: string; to_entity: string; relation_type: string; session_id?: string; project?: string };
  end_fact: { fact_id?: string; subject?: Subject; predicate?: string; object?: Object; valid_to?: string; source?: string };
  explain: { what: string; kind?: "entity" | "fact" | "text" | "call"; project?: string; detail?: Detail };
  explore_node: { name?: string; node_name?: string; node_uuid?: string; depth?: number; edge_types?: Some; group_ids?: Some; limit?: number; as_of?: Moment; known_at?: Moment; detail?: Detail };
  extend_vocabulary: { types?: Record<string, { description?: string; parents?: Array<string>; style?: string; alternative?: Array<string>; labels?: Record<string, unknown>; abstract?: boolean; disjoint?: Array<string>; examples?: Array<string>; notation?: string; uri?: string }>; predicates?: Record<string, { description?: string; sources?: Array<string>; targets?: Array<string>; literal?: "text" | "number" | "date" | "url" | "identifier"; alias?: boolean; inverse?: Record<string, unknown> | string; flags?: Array<"symmetric" | "asymmetric" | "irreflexive" | "transitive" | "acyclic" | "functional" | "inverse_functional" | "usually_functional" | "usually_inverse_functional" | "basis" | "rests_on_basis">; role?: "decides" | "part_of" | "blocks" | "resolves" | "depends" | "tags" | "mentions" | "reports" | "answers"; sentence?: string; alternative?: Array<string>; labels?: Record<string, unknown>; examples?: Array<string>; notation?: string; uri?: string }>; map_wordings?: Array<{ wordings: Array<string>; predicate?: string; entity_type?: string }>; dismiss_wordings?: Array<string>; dry_run?: boolean };
  extract_graph: { about?: string; depth?: number; as_of?: Moment; texts?: boolean; limit?: number };
  find_duplicates: { entity: Named };
  forget: { what: string; kind?: "entity" | "fact" | "text" | "call"; dry_run?: boolean };
  get_call: { call: number; limit?: number };
  get_changes: { since: Moment; until: Moment; limit?: number };
  get_community: { community: string; limit: number };
  get_entity: { entity: Named };
  get_entity_connections: { entity_uuid: string; group_ids?: Array<string>; max_connections?: number; offset?: number; since?: string; until?: string };
  get_entity_edge: { uuid: string };
  get_entity_timeline: { entity_uuid: string; group_ids?: Array<string>; max_episodes?: number; newest_first?: boolean; offset?: number; include_events?: boolean; since?: string; until?: string };
  get_episode_context: { episode_uuids: Array<string> };
  get_episodes: { group_ids?: Array<string>; max_episodes?: number };
  get_full_document: { doc_id: string; project?: string; offset?: number; max_characters?: number; session_id?: string };
  get_history: { about: string; limit?: number };
  get_map: { as_of?: Moment; limit?: number };
  get_overview: Record<string, never>;
  get_schema: { exact?: boolean; as_of?: Moment; known_at?: Moment; detail?: Detail };
  get_status: Record<string, never>;
  get_vocabulary: Record<string, never>;
  list_calls: { limit: number };
  list_communities: { limit: number };
  list_duplicates: { after?: number };
  list_entities: { project?: string; type?: string; limit?: number; offset?: number; session_id?: string };
  list_kind: { kind: string; limit?: number };
  list_kinds: Record<string, never>;
  list_next_steps: { project?: string };
  list_proposed_wordings: { limit?: number };
  list_query_words: Record<string, never>;
  list_vocabulary: { set?: string; only_unused?: boolean };
  merge_entities: { keep: Named; absorb: Named; dry_run?: boolean; across_types?: boolean };
  name_community: { community: string; name: string; summary?: string };
  query_entity_relations: { entity_id: string; as_of?: string; direction?: "both" | "outgoing" | "incoming"; project?: string; edge_types?: Array<string>; limit?: number; offset?: number; session_id?: string };
  recall_decisions: { project?: string; topic?: string; since?: string; until?: string; as_of?: Moment; known_at?: Moment; detail?: Detail };
  recall_entity: { name_or_alias: string; context?: Array<string>; as_of?: Moment; known_at?: Moment; detail?: Detail; project?: string };
  record_fact: { subject: Subject; predicate: string; object: Object; source?: string; confidence?: number; valid_from?: string; valid_to?: string; aliases?: Array<Name>; supersedes?: Array<string>; project?: string; group?: string; always?: boolean };
  record_facts: { facts: Array<unknown>; all_or_nothing?: boolean; misfits?: "refuse" | "warn"; idempotency_key?: string; detail?: Detail };
  remember: { text: string; source?: string; project?: string; about?: Array<string>; reference_time?: string; narrative_for?: string; session_id?: string; group?: string; always?: boolean };
  resolve_blocker: { blocker: string; blocked?: Subject; by?: Object; resolved_at?: string; source?: string };
  retract_fact: { fact_id?: string; subject?: Subject; predicate?: string; object?: Object };
  review_proposals: { kinds?: Array<"new_entity" | "new_fact" | "new_word" | "same_as" | "alias" | "contradiction" | "doubtful" | "probably_ended" | "retype" | "functional" | "gap" | "orphan">; limit?: number; decide?: Array<{ id: string; decision: "accept" | "reject" | "edit" | "merge"; arguments?: Record<string, unknown>; into?: Subject }>; wake?: Array<"new_entity" | "new_fact" | "new_word" | "same_as" | "alias" | "contradiction" | "doubtful" | "probably_ended" | "retype" | "functional" | "gap" | "orphan">; group_id?: string };
  run_cypher: { query: string; parameters?: Record<string, unknown>; limit?: number; as_of?: Moment; known_at?: Moment };
  run_query: { query: string; parameters?: Record<string, unknown>; limit?: number; as_of?: Moment; known_at?: Moment };
  search: { query?: string; intent?: "exhaustive" | "precise" | "neighborhood" | "diverse" | "temporal" | "path" | "importance"; search_mode?: "combined" | "nodes" | "edges" | "communities" | "episodes"; entity_types?: Some; edge_types?: Some; reranker?: "rrf" | "mmr" | "cross_encoder" | "node_distance" | "episode_mentions" | "newest"; center_node_uuid?: string; bfs_origin_node_uuids?: Some; valid_at?: Moment; since?: Moment; until?: Moment; group_ids?: Some; limit?: number; rank_texts?: "each" | "whole"; near?: boolean; max_tokens?: number; project?: string; detail?: Detail };
  search_nodes: { query: string; group_ids?: Array<string>; max_nodes?: number; entity_types?: Array<string>; center_node_uuid?: string; project?: string; detail?: Detail };
  set_owner: { person: Named };
  show_graph: { about?: string; depth?: number; as_of?: Moment; limit?: number };
  trace_path: { from_entity: string; to_entity: string; project?: string; k?: number; max_hops?: number; edge_types?: Array<string>; as_of?: string; avoid_hubs?: boolean; session_id?: string };
  undo: { call?: number; change?: number };
  update_entity: { entity: Named; name?: string; type?: string; summary?: string; properties?: Record<string, unknown>; add_aliases?: Array<string>; remove_aliases?: Array<string>; keep_old_name?: boolean };
  weekly_rollup: { project?: string; as_of?: Moment; known_at?: Moment; detail?: Detail };
}

export interface ToolAnswers {
  add_alias: { entity: EntityInFull; added: boolean; call: Call };
  add_entity: { entity: Entity; created: boolean; possible_duplicates: Array<Record<string, unknown>>; call: Call };
  build_communities: { call: Call; message: string; community_count: number; communities: Array<{ members: Array<string>; is_new: boolean }>; truncated: boolean; to_name: Array<{ uuid: string; name: string; facts: Array<string> }>; groups: Array<{ group_id: string; call: Call; community_count: number; kept: number; new: number; dissolved: Array<{ uuid: string; name: string; named_by: string }>; dissolved_count: number; entities: number; connections: number; method: "leiden" | "label_propagation"; modularity: number }>; method: "leiden" | "label_propagation"; dry_run: boolean };
  complete_name: { entities: Array<Entity> };
  create_relation: { created: boolean; note?: string; aliases?: Array<string>; reason?: string; relation?: { from: string; to: string; relation_type: string; confidence: number; valid_from: string | null; valid_to: string | null; fact_id: string; text: string; recorded_at: string }; effect?: Effect; auto_created_entities?: Array<Entity>; may_have_ended?: MayHaveEnded; conflicts?: Conflicts; verification: { accepted: boolean; level: "known" | "contradicted" | "grounded" | "supported" | "unverified"; srmkg_score: number; vog_score: number | null; reasons: Array<{ judge: "known" | "vocabulary" | "rules" | "text" | "structure"; verdict: string; sentence: string }>; evidence: Array<{ kind: string; text: string; fact_id?: string; source?: string | null; doc_id?: string }>; conflicts: Conflicts }; project: string; call?: Call };
  delete_episode: { message: string; episode: Record<string, unknown>; chunks: number; assertions: number; facts: Array<{ id: string; name: string }>; entities: Array<Entity>; kept: Array<{ id: string; name: string; why: string }>; totals: Record<string, unknown>; truncated: boolean; dry_run: boolean; remains?: string; call: Call };
  delete_relation: { deleted: boolean; from: string; to: string; relation_type: string; count: number; facts: Array<{ fact_id: string; text: string; valid_from: string | null; valid_to: string | null }>; others: Array<{ fact_id: string; text: string; valid_from: string | null; valid_to: string | null }>; resolution: { from: Record<string, unknown>; to: Record<string, unknown> }; message: string; project: string; call?: Call };
  end_fact: { fact: Fact; effect: Effect; validity_before: Validity; also_ended: DatedFacts; may_have_ended?: MayHaveEnded; message: string; call: Call };
  explain: { message: string; kind: "entity" | "fact" | "text" | "call"; id: string; name: string; type?: string; state?: "holds" | "ended" | "not_yet" | "retracted" | "done" | "undone"; origins: Array<{ what: string; at: string; tool: string | null; call: number | null; session: string | null; ends_in: "text" | "named_source" | "call" | "conversation" | "tool"; source?: string; confidence?: number; text?: { doc_id: string; name: string; quote: string; names: "both" | "one" | "none"; valid_at: string; source?: string; speaker?: string; heading?: string; part?: number; parts?: number }; decisions?: Array<{ decision: string; proposal: string; rested_on: Array<string> }>; note?: string; imported_at?: string; imported_from?: string }>; objections: Array<{ kind: string; sentence: string; facts?: Array<{ fact_id: string; text: string; valid_from: string | null; valid_to: string | null }>; doc_id?: string; settled_by?: { tool: string; arguments: Record<string, unknown> } }>; confirmed_by?: { sentence: string; doc_id?: string }; dependents: Array<{ kind: string; id: string | null; text: string; effect: string }>; changes: Array<Event>; sources?: Array<{ source: string; facts: number }>; undo?: { possible: boolean | null; note: string }; resolution?: Resolution; totals: Record<string, number>; more_origins?: Array<string>; more_objections?: Array<string>; more_dependents?: Array<string>; more_changes?: Array<string>; more_sources?: Array<string>; truncated: boolean; project: string };
  explore_node: { message: string; center_node: { uuid: string; id?: string; name: string; labels?: Array<string>; type: string; summary?: string; created_at?: string; group_id?: string; attributes?: Record<string, unknown>; proposed?: boolean; aliases?: Array<string>; more_aliases?: number } | null; resolution?: Resolution; nodes: Array<{ uuid: string; id?: string; name: string; labels?: Array<string>; type: string; summary?: string; created_at?: string; group_id?: string; attributes?: Record<string, unknown>; proposed?: boolean; distance: number; degree: number; via: { edge?: string; from?: string; path: string } | null }>; edges: Array<FoundEdge>; facts?: Array<FoundEdge>; episodes?: Array<FoundEpisode | string>; mentioned_with?: Array<{ uuid: string; name: string; type: string; texts: number; proposed?: boolean }>; communities: Array<FoundCommunity>; totals: { depth: number; by_distance: Array<{ distance: number; nodes: number; exact: boolean }>; edges: number; facts: number; episodes: number }; ended?: Ended; to_come?: ToCome; complete: boolean; truncated: boolean; unread?: number; other_groups?: OtherGroups; more_nodes?: Array<string>; more_facts?: Array<string>; more_edges?: Array<string> };
  extend_vocabulary: { message: string; types: Array<string>; predicates: Array<string>; existing: Array<string>; overlaps: Array<{ name: string; existing: string }>; mapped: Array<{ wordings: Array<string>; word: string; kind: "entity_type" | "predicate"; admitted: number; waiting: number; more_wordings?: number }>; totals?: { types?: number; predicates?: number; existing?: number; overlaps?: number; mapped?: number }; truncated?: boolean; admitted: number; dismissed: number; dry_run: boolean; call: Call };
  extract_graph: { generated_at: string; as_of: string | null; title: string; about: number | null; resolution: Resolution | null; types: Array<string>; predicates: Array<string>; sources: Array<string>; nodes: ExtractNodes; facts: ExtractFacts; texts: ExtractTexts; communities: ExtractCommunities; truncated: boolean; decisions: Array<Decision>; decision_total: number; week: { period: { start: string; end: string }; summary: string; narrative: string; decisions: Array<Decision>; blockers: Array<Fact>; next_actions: Array<string>; steps: { actions: Array<Entity>; due: Array<Fact>; coming: Array<Fact> } | null } };
  find_duplicates: { pairs: Array<{ entity: Entity; duplicate: Entity; score: number; reason?: string }> };
  forget: { message: string; kind: "entity" | "fact" | "text" | "call"; forgotten: { id: string; name: string; type?: string }; facts?: Array<{ id: string; name: string }>; entities?: Array<Entity>; texts?: Array<{ id: string; name: string }>; aliases?: Array<string>; kept_texts?: Array<{ id: string; name: string }>; kept?: Array<{ id: string; name: string; why: string }>; totals: Record<string, number>; truncated: boolean; remains: string; dry_run: boolean; call: Call; reopened_blockers?: Array<{ id: string; name: string }> };
  get_call: { call: number; events: Array<{ what: string; text: string; entity_id: string | null; fact_id: string | null }>; total: number; truncated: boolean };
  get_changes: { began: Array<Fact>; ended: Array<Fact>; learnt: Array<Fact>; truncated: boolean };
  get_community: { community: FullCommunity | null; facts: Array<string>; history: Array<{ until: string; name: string; named_by: string; member_count: number; call: number }> };
  get_entity: { entity: EntityInFull };
  get_entity_connections: { message: string; entity: { uuid: string; id: string; name: string; type: string; group_id: string; proposed?: boolean } | null; facts: Array<FullEdge>; total: number; total_facts: number; total_mentions: number; truncated: boolean; unread?: number };
  get_entity_edge: { uuid: string; name: string; fact: string; source_node_uuid: string; source_name: string; target_node_uuid: string | null; target_name: string; created_at: string; valid_at: string | null; invalid_at: string | null; expired_at: string | null; group_id: string; confidence: number; source: string | null; episodes: Array<string>; mentioned_with?: Array<string>; sources: Array<{ source: string | null; confidence: number; recorded_at: string; session: string | null; tool: string; episode: string | null; imported_at?: string; imported_from?: string }> };
  get_entity_timeline: { message: string; entity: { uuid: string; id: string; name: string; type: string; group_id: string; proposed?: boolean } | null; episodes: Array<FullEpisode>; total: number; truncated: boolean; newest_first: boolean; events: Array<{ at: string; what: "began" | "ended"; fact: string; uuid: string }>; events_truncated: boolean; unread?: number };
  get_episode_context: { message: string; episodes: Array<{ uuid: string; name: string; group_id: string }>; nodes: Array<FullNode>; edges: Array<FullEdge>; proposed_facts: Array<{ id: string; arguments: Record<string, unknown>; evidence: string }>; total_nodes: number; total_edges: number; truncated: boolean; unread: number; total_proposed_facts: number };
  get_episodes: { message: string; episodes: Array<{ content_truncated: boolean }>; total: number; truncated: boolean };
  get_full_document: { doc_id: string; found: boolean; name: string | null; source: string | null; kind: string | null; valid_at: string | null; text: string; offset: number; characters: number; tokens: number; truncated: boolean; project: string; group_id?: string; note?: { entity: Entity; links: Array<{ target: string; entity: Entity }>; file?: string; obsidian: string } };
  get_history: { entity: Entity | null; fact: Fact | null; resolution: Resolution | null; events: Array<Event>; truncated: boolean };
  get_map: { nodes: Array<[string, number, number, number, number, string, string]>; edges: Array<[number, number, string]>; communities: Array<{ id: string; name: string; x: number; y: number; r: number }>; total: number; truncated: boolean };
  get_overview: { message: string; group_id: string; owner: Entity | null; counts: { entities: number; facts: number; texts: number; by_type: Record<string, number> }; projects: Array<{ type: string; name: string; latest: { fact: string; recorded_at: string } | null }>; communities: Array<{ name: string; members: number }>; latest_facts: Array<{ fact: string; recorded_at: string }>; latest_texts: Array<{ doc_id: string; name: string; source: string; occurred_at: string }>; waiting: { blockers: Array<{ fact_id: string; fact: string; recorded_at: string }>; blocker_count: number; next_actions: Array<{ type: string; name: string }>; next_action_count: number; at_least: Array<"blocker_count" | "next_action_count">; proposed_facts: number; proposed_names: number; other_proposals?: number; unread_texts: number; vectors: Record<string, number> }; other_groups: Array<string>; totals: { projects: number; types: number; communities: number }; truncated: boolean };
  get_schema: { type: "schema"; graph_name: string; domain: string; node_count: number; relationship_count: number; node_labels: Record<string, { count: number; properties: Array<string>; sampled: boolean; ancestors?: Array<string>; description?: string }>; relationship_types: Record<string, { count: number; patterns: Array<Array<string>>; pattern_counts?: Array<number>; properties?: Array<string>; meant_sources?: Array<string>; meant_targets?: Array<string>; description?: string; inverse?: Array<string>; symmetric?: boolean; transitive?: boolean }>; property_kinds: { nodes: Record<string, string>; relationships: Record<string, string> }; unused?: { labels: Array<string>; types: Array<string>; more: number }; incomplete?: Array<string>; more_labels?: Array<string>; more_types?: Array<string>; left_out?: { labels?: number; types?: number } };
  get_status: { status: "ok"; message: string; version: string; graph: { schema: number; group: string }; entities: Record<string, number>; facts: number; last_recorded_at: string | null; vocabulary: { entity_types: Array<string>; predicates: Array<string>; truncated?: boolean }; resolution: Record<string, string>; episodes: number; waiting_for_vectors: { names: number; texts: number; facts: number }; other_groups?: OtherGroups };
  get_vocabulary: { entity_types: Array<{ name: string; description: string; version: string }>; predicates: Array<{ name: string; description: string; version: string }> };
  list_calls: { calls: Array<{ call: number; at: string; tool: string; session: string | null; about: string; touched: Record<string, number>; changes: number; undoes: number | null; undone_by: number | null }> };
  list_communities: { communities: Array<FullCommunity>; total: number };
  list_duplicates: { pairs: Array<{ entity: Entity; duplicate: Entity; score: number; reason?: string }>; compared: number; next: number | null };
  list_entities: { entities: Array<{ uuid: string; type: string; id: string; name: string }>; count: number; total: number; truncated: boolean; project: string; group_id?: string; about?: Array<Entity> };
  list_kind: { sections: Array<{ kind: string; rows: Array<{ name: string; detail: string; id: string | null }>; total: number; truncated: boolean }> };
  list_kinds: { kinds: Array<{ kind: string; count: number }>; aliases: number };
  list_next_steps: { project: Entity | null; resolution: Resolution | null; group_id?: string; hint?: string; today: string; blockers: Array<Fact>; actions: Array<Entity>; due: Array<Fact>; coming: Array<Fact>; follow_ups: Array<Decision>; totals: { blockers: number; actions: number; due: number; coming: number; follow_ups: number; proposals: number; proposed_facts: number; other_proposals: number } };
  list_proposed_wordings: { groups: Array<{ count: number; wordings: Array<{ wording: string; count: number }>; subject_types: Array<string>; object_types: Array<string>; nearest: string | null; score: number | null; reasons: Array<string>; examples: Array<string> }>; total: number; elsewhere: Array<{ project: string; count: number }>; truncated: boolean };
  list_query_words: { labels: Array<string>; types: Array<string>; properties: Array<string>; functions: Array<string>; keywords: Array<string> };
  list_vocabulary: { entity_types: Array<{ name: string; description: string; set: string; retired: boolean; replaced_by: string | null; count: number; style: string; parents: Array<string>; abstract: boolean }>; predicates: Array<{ name: string; description: string; set: string; retired: boolean; replaced_by: string | null; count: number; sources: Array<string>; targets: Array<string>; literal: string | null; role: string | null; flags: Array<string>; inverse_of: string | null }> };
  merge_entities: { entity: Entity; absorbed: Entity; facts: Array<{ id: string; effect: "moved" | "folded" | "retracted"; was: string; becomes: string; into: string | null }>; moved: number; folded: number; retracted: number; aliases_added: Array<string>; aliases_dropped: Array<string>; truncated: boolean; dry_run: boolean; call: Call };
  name_community: { community: FullCommunity | null; call: Call };
  query_entity_relations: { entity: string | null; entity_id: string | null; resolution: Record<string, unknown>; as_of: string; direction: "both" | "outgoing" | "incoming"; facts: Array<{ from: string; to: string; relation_type: string; confidence: number; beginning?: Beginning; valid_from: string | null; valid_to: string | null; verifier: string; current: boolean; fact_id: string; sentence: string; source: string | null; sources: Array<{ source?: string | null; confidence?: number; recorded_at?: string; session?: string | null; tool?: string | null; episode?: string | null }>; from_id: string; to_id: string | null }>; ended?: Ended; to_come?: ToCome; count: number; total: number; truncated: boolean; project: string };
  recall_decisions: { project: Entity | null; resolution?: Resolution | null; decisions: Array<Decision>; truncated: boolean; since?: string | null; total: number; more_decisions?: Array<string>; group_id?: string; hint?: string };
  recall_entity: { entity: EntityInFull | null; facts: Array<Fact>; related_entities: Array<{ type: string; id: string; name: string; co_occurrence_count: number }>; resolution: Resolution; truncated_facts: boolean; truncated_related_entities?: boolean; other_groups?: OtherGroups; more_facts?: Array<string>; total_facts?: number; due?: Array<string>; ended?: Ended; to_come?: ToCome; texts?: { total: number; newest: Array<Quotation | string> }; unread?: number };
  record_fact: { fact_id: string; recorded_at: string; subject: Entity; predicate: string; object: Target; deduplicated: boolean; valid_from?: string | null; valid_to?: string | null; auto_created_entities?: Array<Entity>; possible_duplicates?: Array<{ new: Entity; type: string; id: string; name: string; method: string; score: number; hint?: string }>; mapped_predicate?: { given: string; predicate: string; reversed?: boolean }; mapped_types?: Array<{ given: string; type: string }>; warning?: string; call?: Call; superseded?: Array<{ fact_id: string; valid_to: string | null }>; note?: string; aliases?: Array<string>; owner?: Entity; effect?: Effect; validity_before?: Validity; also_ended?: DatedFacts; overlapping?: DatedFacts; closed_blockers?: Blockers; open_blockers?: Blockers; may_have_ended?: MayHaveEnded; conflicts?: Conflicts; hint?: string; not_checked?: boolean };
  record_facts: { results: Array<{ index: number; fact_id?: string; recorded_at?: string; subject?: Entity; predicate?: string; object?: Target; deduplicated?: boolean; valid_from?: string | null; valid_to?: string | null; auto_created_entities?: Array<Entity>; possible_duplicates?: Array<{ new: Entity; type: string; id: string; name: string; method: string; score: number; hint?: string }>; mapped_predicate?: { given: string; predicate: string; reversed?: boolean }; mapped_types?: Array<{ given: string; type: string }>; warning?: string; superseded?: Array<{ fact_id: string; valid_to: string | null }>; note?: string; aliases?: Array<string>; owner?: Entity; effect?: Effect; validity_before?: Validity; also_ended?: DatedFacts; overlapping?: DatedFacts; closed_blockers?: Blockers; open_blockers?: Blockers; may_have_ended?: MayHaveEnded; conflicts?: Conflicts; hint?: string; error?: string; message?: string; example?: Record<string, unknown>; candidates?: Array<unknown> }>; more_results?: Array<string>; truncated?: boolean; recorded: number; deduplicated: number; refused: number; names_not_compared: number; replayed: boolean; call?: Call };
  remember: { message: string; doc_id: string; name: string; source: string; project: string; deduplicated?: boolean; chunks_added: number; entities_added: number; entities_merged: number; mentions?: Array<Entity>; proposed_entities?: Array<{ id: string; name: string; type: string; confidence: number; evidence: string }>; proposed_facts?: Array<{ id: string; arguments: Record<string, unknown>; evidence: string }>; identical_to?: Array<{ id: string; name: string }>; truncated?: boolean; recognised: string; call: Call; unread?: number; group_id: string; about?: Array<Entity>; auto_created_entities?: Array<Entity>; possible_duplicates?: Array<Record<string, unknown>>; narrative_for?: string };
  resolve_blocker: { closed_blockers: Blockers; fact_id: string | null; message: string; call: Call };
  retract_fact: { fact: Fact; retracted_at: string; already_retracted: boolean; remains?: string; call: Call; reopened_blockers?: Array<{ id: string; name: string }>; still_said?: Array<{ id: string; name: string }> };
  review_proposals: { call: Call; message: string; proposals: Array<{ id: string; kind: string; statement: string; score: number; rests_on: Array<{ id: string | null; text: string }>; rests_on_total: number; call: { tool: string; arguments: Record<string, unknown> }; effect?: string; needs?: Array<string>; offered_at: string }>; total: number; counts: Record<string, number>; truncated: boolean; waiting?: number; closed?: Array<{ id: string; statement: string; reason: string }>; closed_total?: number; decisions?: Array<{ id: string; decision: "accept" | "reject" | "edit" | "merge"; done: boolean; message: string; call: number | null; error?: string; hint?: string }>; quiet?: Array<{ kind: string; decided: number; accepted: number }>; woken?: Array<string>; woken_call?: number | null };
  run_cypher: { query: string; auto_fixes: Array<string>; type: "scalar" | "tabular" | "graph" | "path"; row_count: number; truncated: boolean; limit_applied: number; execution_ms: number; columns: Array<string>; result?: string | number | boolean | Array<unknown> | Record<string, unknown> | null; rows?: Array<Array<unknown>>; nodes?: Array<Node>; edges?: Array<Edge>; steps?: Array<Array<Record<string, unknown>> | null>; warnings?: Array<{ kind: "unknown_label" | "unknown_type" | "unknown_property" | "no_such_direction" | "failing_condition" | "nulls_first"; written: string; message: string; near: Array<string> }> };
  run_query: { columns: Array<string>; rows: Array<Array<unknown>>; truncated: boolean; auto_fixes: Array<string>; warnings: Array<string>; execution_ms: number };
  search: { message: string; nodes: Array<FoundNode>; edges: Array<FoundEdge>; communities: Array<FoundCommunity>; episodes?: Array<FoundEpisode | string>; truncated?: { nodes?: boolean; edges?: boolean; communities?: boolean; episodes?: boolean }; embedding?: string; ended?: Ended; to_come?: ToCome; abstained?: boolean; execution_ms: number; unread?: number; group_id?: string; about?: Array<Entity>; other_groups?: OtherGroups; more_nodes?: Array<string>; more_edges?: Array<string>; more_communities?: Array<string>; hint?: string };
  search_nodes: { message: string; nodes: Array<FullNode>; ended?: Ended; to_come?: ToCome; truncated: boolean; embedding: string; unread?: number; group_id?: string; about?: Array<Entity>; other_groups?: OtherGroups; hint?: string; more_nodes?: Array<string> };
  set_owner: { owner: Entity; previous: Entity | null; created: boolean; changed: boolean; possible_duplicates: Array<Candidate>; message: string; call: Call };
  show_graph: { generated_at: string; as_of: string | null; title: string; about: number | null; resolution: null | Resolution; types: Array<string>; predicates: Array<string>; sources: Array<string>; nodes: ExtractNodes; facts: ExtractFacts; texts: ExtractTexts; communities: ExtractCommunities; truncated: boolean };
  trace_path: { path: Array<string>; relations: Array<string>; length: number; found: boolean; ended?: Ended; to_come?: ToCome; paths: Array<{ length: number; nodes: Array<{ type?: string; id?: string; name?: string; tag?: string }>; steps: Array<{ from: string; to: string; predicate: string; direction: "out" | "in"; fact_id: string; sentence: string; source: string | null; confidence: number; others: number }>; surprise: number; through_hub: boolean }>; from: { type: string; id: string; name: string }; to: { type: string; id: string; name: string }; resolution: { from: Record<string, unknown>; to: Record<string, unknown> }; truncated: boolean; max_hops: number; project: string };
  undo: { message: string; undone_call: number; tool: string; at: string; changes: number; call: Call; about?: string; purged?: number };
  update_entity: { entity: EntityInFull; before: Entity; changed: Array<"name" | "type" | "summary" | "properties" | "aliases">; aliases_added: Array<string>; aliases_removed: Array<string>; facts_rewritten: number; misfits: Array<{ id: string; text: string }>; conflicts?: Conflicts; misfits_total: number; possible_duplicates: Array<Candidate>; call: Call };
  weekly_rollup: { project: Entity | null; resolution?: Resolution | null; period: { start: string; end: string }; summary: string; narrative?: Narrative | null; decisions: Array<Decision>; blockers: Array<Fact>; next_actions: Array<string>; to_review?: { total: number; first: Array<string> }; totals: { decisions: number; blockers: number; next_actions: number }; truncated?: boolean; generated_at: string; more_decisions?: Array<string>; more_blockers?: Array<string>; group_id?: string; hint?: string };
}
