/* The graph as the page sees it: one interface, answered by a running server (live.ts) or by what is in the page (embedded.ts). */

import type { Decision, ToolAnswers, ToolArguments } from "./tools";

export interface Ref {
  id: string;
  name: string;
  type?: string;
}

/* One statement of a fact: by whom, when, by which tool. */
export interface Assertion {
  source: string | null;
  at: string | null;
  tool: string | null;
  session: string | null;
  confidence: number | null;
}

export interface Fact {
  id: string;
  subject: Ref;
  predicate: string;
  object: Ref | null;
  literal: string | null;
  from: string | null; // inclusive
  to: string | null; // exclusive
  sentence: string;
  reads: string | null; // the predicate as it reads from the object's end
  assertions: Assertion[];
}

export interface Text {
  id: string | null;
  name: string;
  at: string | null;
  quote: string;
  source: string | null;
}

export interface Thing {
  entity: Ref;
  aliases: string[];
  summary: string;
  properties: Record<string, unknown>;
  createdAt: string | null;
  facts: Fact[];
  factTotal: number;
  current: Neighbours; // what holds now: of every predicate some facts, and how many there are
  texts: Text[];
  textTotal: number;
}

export interface Matches {
  names: (Ref & { why?: string })[];
  texts: Text[];
}

export type GraphMap = ToolAnswers["get_map"];
export type Decisions = Pick<ToolAnswers["recall_decisions"], "decisions" | "total">;
export type ToolCall = ToolAnswers["list_calls"]["calls"][number];

export interface Row {
  id: string;
  name: string;
  type: string;
  aliases: string[];
  facts: number;
  since: string | null;
}

/* Which entities: of a type or of any, that have these words in a name or the summary, in an order, and how many at most. */
export interface RowSelection {
  type: string | null;
  filter: string;
  by: "name" | "type" | "facts" | "since";
  down: boolean;
  limit: number;
}

/* Facts that began, ended and were learnt between two times. */
export interface Changes {
  began: Fact[];
  ended: Fact[];
  learnt: Fact[];
  truncated: boolean;
}

/* The week that ends on a day, as weekly_rollup, list_next_steps and get_overview answer it. */
export interface Week {
  period: { start: string; end: string };
  summary: string;
  narrative: string;
  decisions: Decision[];
  blockers: Fact[];
  unfollowed: number; // decisions that nobody has acted on
  calls: ToolCall[]; // what changed the graph last, newest first; none of a week that is over
  totals: { decisions: number; blockers: number };
  due: { actions: Ref[]; facts: Fact[]; coming: Fact[] } | null; // null of a week that is over
  proposals: number;
  learnt: Fact[]; // where there are no calls
  texts: { name: string; id: string; at: string }[];
  textTotal: number | null; // null of a week that is over
  isEmpty: boolean; // the graph
}

export interface Neighbours {
  facts: Fact[];
  total: number;
  counts: PredicateCount[];
}

/* What a story marks: entities of the types that are decisions, facts with the predicates that block. */
export interface Marks {
  decisions: string[];
  blocking: string[];
}

/* How many facts with a predicate an entity has, as their subject, or as their object (incoming). */
export interface PredicateCount {
  predicate: string;
  incoming: boolean;
  total: number;
}

/* Which facts of an entity: of one predicate and direction, or all where there is none; that hold on a day, or now. */
export interface Selection {
  predicate: string | null;
  incoming: boolean;
  asOf: string | null;
}

export type Tool = keyof ToolArguments;
export type Call = { [T in Tool]: [tool: T, args: ToolArguments[T]] }[Tool];

export interface Graph {
  live: boolean;
  hasReports: boolean; // the week and the decisions
  title: string;
  note: string | null; // when and of what the page was made; null where it is live
  first: string; // address to begin with
  asOf: string | null; // the day of which the page was made, where it is not that of today
  editable(): boolean;
  entity(id: string): Promise<Ref>;
  thing(id: string, limit: number): Promise<Thing>;
  /* A page of the facts that are selected, from a position on. */
  facts(id: string, selection: Selection, offset: number): Promise<{ facts: Fact[]; total: number }>;
  /* Entities whose name or alias begins so: at once. */
  names(prefix: string, limit: number): Promise<Ref[]>;
  /* Those that are meant perhaps: by spelling, words or meaning. */
  similarNames(query: string, limit: number): Promise<Ref[]>;
  search(query: string): Promise<Matches>;
  map(): Promise<GraphMap>;
  changes(since: string, until: string): Promise<Changes>;
  rows(selection: RowSelection): Promise<{ rows: Row[]; total: number }>;
  types(): Promise<{ name: string; count: number }[]>;
  week(day: string | null): Promise<Week>;
  decisions(): Promise<Decisions>;
  marks(): Promise<Marks>;
  news?(): Promise<ToolCall[]>;
  call<T extends Tool>(tool: T, args: ToolArguments[T]): Promise<ToolAnswers[T]>;
}

/* What a tool answered instead: what was wrong, and what to do next. */
export class CallError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}
