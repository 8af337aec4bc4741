/* The graph behind a running `kg ui`: tools called by POST /call with the token of this start. */
import { addDays, holds } from "./dates";
import { counted, countKey, isIncoming } from "./wording";
import { Assertion, CallError, Changes, Decisions, Fact, Graph, GraphMap, Marks, Matches, Neighbours, Ref, Row, RowSelection, Selection, Text, Thing, Tool, ToolCall, Week } from "./graph";
import type { Entity, Fact as FactRecord, FullEdge, FullEpisode, ToolAnswers, ToolArguments } from "./tools";

type Relation = ToolAnswers["query_entity_relations"]["facts"][number];

const TOKEN = "keepgraph token";
const WAITS_FOR_TABS = 500; // milliseconds
const MOST_FACTS = 1000; // in one page of a table
const MOST_ASKED = 20; // predicates of which facts are asked for each by itself

/* The token of the address, which then neither shows nor bookmarks it; else that of this tab's storage, or of another open tab. */
export async function takeToken(): Promise<string | null> {
  const match = /^#t=([\w-]+)/.exec(location.hash);
  if (match?.[1]) {
    store(match[1]);
    history.replaceState(null, "", location.pathname);
    return match[1];
  }
  try {
    return sessionStorage.getItem(TOKEN) ?? (await askTabs());
  } catch {
    return askTabs();
  }
}

/* The token of another tab of this server: a channel reaches pages of the same origin only. */
function askTabs(refused?: string): Promise<string | null> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(TOKEN);
    const end = (token: string | null) => {
      channel.close();
      if (token) store(token);
      resolve(token);
    };
    channel.onmessage = ({ data }) => typeof data.token === "string" && data.token !== refused && end(data.token);
    channel.postMessage({ wanted: true });
    window.setTimeout(() => end(null), WAITS_FOR_TABS);
  });
}

export class LiveGraph implements Graph {
  live = true;
  hasReports = true;
  title = "Keepgraph";
  note = null;
  first = "#/today";
  asOf = null;
  private readOnly = false;
  private newest = -1; // the number of the last call that is known
  private readonly own = new Set<number>();
  private marked: Promise<Marks> | null = null;

  constructor(private token: string) {
    const channel = new BroadcastChannel(TOKEN);
    channel.onmessage = ({ data }) => data.wanted && this.token && channel.postMessage({ token: this.token });
  }

  editable(): boolean {
    return !this.readOnly;
  }

  async call<T extends Tool>(tool: T, args: ToolArguments[T]): Promise<ToolAnswers[T]> {
    const request = JSON.stringify({ tool, arguments: args });
    let response = await this.post(request);
    if (response.status === 401) {
      const refused = this.token;
      this.token = "";
      this.token = (await askTabs(refused)) ?? "";
      if (this.token) response = await this.post(request);
    }
    if (response.status === 401) {
      throw new CallError("TOKEN", "This page belongs to an earlier start of kg ui.", "Run kg ui again, and use the page that it opens.");
    }
    const body = await response.json().catch(() => ({ ok: false }));
    if (body.read_only) this.readOnly = true;
    if (body.ok && body.answer.call) this.own.add(body.answer.call);
    if (body.ok) return body.answer;
    throw failureOf(body.error ?? {}, response.status);
  }

  /* The calls of others that changed the graph since this was asked last, newest first; none the first time. */
  async news(): Promise<ToolCall[]> {
    const before = this.newest;
    const { calls } = await this.call("list_calls", { limit: 1 });
    this.newest = Math.max(before, calls[0]?.call ?? 0);
    if (before < 0 || this.newest === before) return [];
    const since = await this.call("list_calls", { limit: Math.min(50, this.newest - before) });
    return since.calls.filter((call) => call.call > before && !this.own.has(call.call));
  }

  async entity(id: string): Promise<Ref> {
    const { entity } = await this.call("recall_entity", { name_or_alias: id });
    if (!entity) throw noEntity();
    return entity;
  }

  async thing(id: string, limit: number): Promise<Thing> {
    const [recalled, connections, relations, timeline] = await Promise.all([
      this.call("recall_entity", { name_or_alias: id, detail: "full" }),
      this.call("get_entity_connections", { entity_uuid: id, max_connections: limit }),
      this.call("query_entity_relations", { entity_id: id, limit }),
      this.call("get_entity_timeline", { entity_uuid: id, max_episodes: 20, newest_first: true }),
    ]);
    if (!recalled.entity) throw noEntity();
    const types = new Map<string, string>();
    for (const fact of recalled.facts) for (const end of [fact.subject, fact.object]) if (end.id) types.set(end.id, end.type!);
    for (const related of recalled.related_entities) types.set(related.id, related.type);
    // Those of which no fact holds now.
    const ended = connections.facts.flatMap((edge) => [edge.source_node_uuid, edge.target_node_uuid]).filter((end) => end?.startsWith("ent_") && end !== id && !types.has(end));
    if (ended.length) {
      const found = await this.call("run_query", { query: "MATCH (n:Entity) WHERE n.id IN $ended RETURN n.id, labels(n)", parameters: { ended: [...new Set(ended)] }, limit: 1000 });
      for (const [other, labels] of found.rows as [string, string[]][]) types.set(other, typeOf(labels));
    }
    const assertions = new Map(relations.facts.map((fact) => [fact.fact_id, fact.sources]));
    const facts: Fact[] = connections.facts
      .filter((edge) => edge.uuid.startsWith("fact_"))
      .map((edge) => factOfEdge(edge, types, assertions.get(edge.uuid)));
    return {
      entity: recalled.entity,
      aliases: recalled.entity.aliases ?? [],
      summary: recalled.entity.summary ?? "",
      properties: recalled.entity.properties ?? {},
      createdAt: recalled.entity.created_at,
      facts,
      factTotal: connections.total_facts,
      current: await this.current(id, facts, connections.total_facts),
      texts: timeline.episodes.map(textOfEpisode),
      textTotal: timeline.total,
    };
  }

  async facts(id: string, { predicate, incoming, asOf }: Selection, offset: number): Promise<{ facts: Fact[]; total: number }> {
    const of = predicate ? { edge_types: [predicate], direction: sideOf(incoming) } : {};
    const page = { entity_id: id, as_of: asOf ?? new Date().toISOString(), limit: MOST_FACTS, offset };
    const answer = await this.call("query_entity_relations", { ...page, ...of });
    return { facts: answer.facts.map(factOfRelation), total: answer.total };
  }

  private async current(id: string, facts: Fact[], total: number): Promise<Neighbours> {
    const held = facts.filter((fact) => holds(fact.from, fact.to, Date.now()));
    return total > facts.length ? this.completed(id, held) : { facts: held, total: held.length, counts: counted(held, id) };
  }

  /* Where only the first facts of many are known: how many of each predicate hold, and some of those that none is known of. */
  private async completed(id: string, facts: Fact[]): Promise<Neighbours> {
    const answer = await this.call("run_query", {
      query: "MATCH (n {id: $id})-[r]-() RETURN type(r) AS predicate, startNode(r).id <> $id AS incoming, count(*) AS total ORDER BY total DESC",
      parameters: { id },
      limit: 1000,
    });
    const counts = (answer.rows as [string, boolean, number][]).map(([type, incoming, total]) => ({ predicate: type.toLowerCase(), incoming, total }));
    const known = new Set(facts.map((fact) => countKey(fact.predicate, isIncoming(fact, id))));
    const missing = counts.filter((count) => !known.has(countKey(count.predicate, count.incoming))).slice(0, MOST_ASKED);
    const others = await Promise.all(
      missing.map(({ predicate, incoming }) =>
        this.call("query_entity_relations", {
          entity_id: id,
          as_of: new Date().toISOString(),
          edge_types: [predicate],
          direction: sideOf(incoming),
          limit: 60,
        }),
      ),
    );
    const found = others.flatMap((other) => other.facts.map(factOfRelation));
    return { facts: [...facts, ...found], total: counts.reduce((sum, count) => sum + count.total, 0), counts };
  }

  async names(prefix: string, limit: number): Promise<Ref[]> {
    return (await this.call("complete_name", { prefix, limit })).entities;
  }

  async similarNames(query: string, limit: number): Promise<Ref[]> {
    if (query.trim().length < 2) return [];
    const answer = await this.call("search_nodes", { query, max_nodes: limit });
    // A name that is only proposed has no facts yet: it waits in Review.
    const known = answer.nodes.filter((node) => node.uuid.startsWith("ent_"));
    // Whose name has a word of it; others are only connected with what has, and stand for it where there is none.
    const named = known.filter((node) => node.why?.names || node.why?.words);
    return (named.length ? named : known).map((node) => ({ id: node.uuid, name: node.name, type: node.type }));
  }

  async search(query: string): Promise<Matches> {
    const [names, similar, texts] = await Promise.all([
      this.names(query, 8),
      this.similarNames(query, 8),
      this.call("search", { query, search_mode: "episodes", limit: 6, detail: "full" }),
    ]);
    return { names: unique([...names, ...similar]).slice(0, 8), texts: (texts.episodes as FullEpisode[]).map(textOfEpisode) };
  }

  async map(): Promise<GraphMap> {
    return this.call("get_map", {});
  }

  async changes(since: string, until: string): Promise<Changes> {
    const answer = await this.call("get_changes", { since, until, limit: 200 });
    return {
      began: answer.began.map(factOfRecord),
      ended: answer.ended.map(factOfRecord),
      learnt: answer.learnt.map(factOfRecord),
      truncated: answer.truncated,
    };
  }

  async rows({ type, filter, by, down, limit }: RowSelection): Promise<{ rows: Row[]; total: number }> {
    const wanted = filter.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const texts = ["n.name", "coalesce(n.summary, '')"].map((text) => `toLower(${text}) CONTAINS word`).join(" OR ");
    const where = wanted.length ? `WHERE all(word IN $wanted WHERE ${texts} OR any(alias IN n.aliases WHERE toLower(alias) CONTAINS word))` : "";
    const match = `MATCH (n:\`${type ? label(type) : "Entity"}\`) ${where}`;
    const key = { name: "toLower(n.name)", type: "labels(n)[0]", facts: "COUNT { (n)--() }", since: "n.created_at" }[by];
    const order = `WITH n, ${key} AS key ORDER BY key ${down ? "DESC" : ""}, toLower(n.name), n.id LIMIT ${limit}`;
    const columns = "n.id, n.name, labels(n), n.aliases, n.created_at, COUNT { (n)--() }";
    const [page, counted] = await Promise.all([
      this.call("run_query", { query: `${match} ${order} RETURN ${columns}`, parameters: { wanted }, limit }),
      this.call("run_query", { query: `${match} RETURN count(n)`, parameters: { wanted } }),
    ]);
    const rows = (page.rows as [string, string, string[], string[] | null, string, number][]).map(([id, name, labels, aliases, since, facts]) => ({
      id,
      name,
      type: typeOf(labels),
      aliases: aliases ?? [],
      facts,
      since,
    }));
    return { rows, total: counted.rows[0]![0] as number };
  }

  async types(): Promise<{ name: string; count: number }[]> {
    const answer = await this.call("run_query", { query: "MATCH (n:Entity) RETURN labels(n)[0] AS type, count(*) AS total ORDER BY total DESC, type", limit: 1000 });
    return (answer.rows as [string, number][]).map(([type, count]) => ({ name: typeOf([type]), count }));
  }

  async week(day: string | null): Promise<Week> {
    const [week, steps, overview, log] = await Promise.all([
      this.call("weekly_rollup", { detail: "full", ...(day && { as_of: day }) }),
      day ? null : this.call("list_next_steps", {}),
      this.call("get_overview", {}),
      day ? { calls: [] } : this.call("list_calls", { limit: 12 }),
    ]);
    const { start, end } = week.period;
    const calls = log.calls.filter((call) => call.undoes === null && call.undone_by === null);
    const { learnt } = calls.length ? { learnt: [] } : await this.changes(addDays(start, -1), end);
    return {
      period: week.period,
      summary: week.summary,
      narrative: week.narrative?.text ?? "",
      decisions: week.decisions,
      blockers: week.blockers.map(factOfRecord),
      unfollowed: steps ? week.next_actions.filter((action: string) => action.startsWith("Follow up")).length : 0,
      calls,
      totals: week.totals,
      due: steps && { actions: steps.actions, facts: steps.due.map(factOfRecord), coming: steps.coming.map(factOfRecord) },
      proposals: steps ? steps.totals.proposals + steps.totals.proposed_facts + (steps.totals.other_proposals ?? 0) : 0,
      learnt,
      texts: day ? [] : overview.latest_texts.map((text) => ({ name: text.name, id: text.doc_id, at: text.occurred_at })),
      textTotal: day ? null : overview.counts.texts,
      isEmpty: overview.counts.entities + overview.counts.texts === 0,
    };
  }

  async decisions(): Promise<Decisions> {
    return this.call("recall_decisions", { detail: "full" });
  }

  marks(): Promise<Marks> {
    this.marked ??= this.call("list_vocabulary", {}).then(({ predicates }) => ({
      decisions: predicates.filter((each) => each.role === "decides").flatMap((each) => each.targets),
      blocking: predicates.filter((each) => each.role === "blocks").map((each) => each.name),
    }));
    return this.marked;
  }

  private async post(body: string): Promise<Response> {
    try {
      return await fetch("/call", {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.token}` },
        body,
      });
    } catch {
      throw new CallError("ENDED", "kg ui has ended.", "Run kg ui again, and use the page that it opens.");
    }
  }
}

function sideOf(incoming: boolean): "incoming" | "outgoing" {
  return incoming ? "incoming" : "outgoing";
}

function noEntity(): CallError {
  return new CallError("ENTITY_NOT_FOUND", "This entity does not exist, or no longer does.", "It may have been forgotten or merged. See History.");
}

/* Errors of queries have their parts one level deeper. */
function failureOf(error: any, status: number): CallError {
  const query = typeof error.error === "object" ? error.error : {};
  const message = error.message ?? query.explanation ?? `The server answered ${status}.`;
  return new CallError(error.code ?? error.error ?? "HTTP", message, error.hint ?? query.suggestion ?? "");
}

/* A fact as recall_entity, weekly_rollup and get_changes answer it. */
export function factOfRecord(record: FactRecord): Fact {
  const object = record.object;
  const text = object.literal ?? object.name;
  return {
    id: record.id,
    subject: record.subject,
    predicate: record.predicate,
    object: object.id ? (object as Entity) : null,
    literal: object.literal ?? null,
    from: record.valid_from ?? null,
    to: record.valid_to ?? null,
    sentence: `${record.subject.name} ${record.predicate.replace(/_/g, " ")} ${text}`,
    reads: record.reads?.name ?? null,
    assertions: [{ source: record.source ?? null, at: record.recorded_at, tool: null, session: null, confidence: record.confidence }],
  };
}

function factOfEdge(edge: FullEdge, types: Map<string, string>, sources?: Relation["sources"]): Fact {
  const [target, end] = [edge.target_node_uuid, edge.target_name!];
  return {
    id: edge.uuid,
    subject: { id: edge.source_node_uuid, name: edge.source_name!, type: types.get(edge.source_node_uuid) },
    predicate: edge.name,
    object: target ? { id: target, name: end, type: types.get(target) } : null,
    literal: target ? null : end,
    from: edge.valid_at ?? null,
    to: edge.invalid_at ?? null,
    sentence: edge.fact,
    reads: edge.reads?.name ?? null,
    assertions: (sources ?? [{ source: edge.source, recorded_at: edge.created_at }]).map(assertionOf),
  };
}

/* A fact as query_entity_relations answers it. */
function factOfRelation(relation: Relation): Fact {
  return {
    id: relation.fact_id,
    subject: { id: relation.from_id, name: relation.from },
    predicate: relation.relation_type,
    object: relation.to_id ? { id: relation.to_id, name: relation.to } : null,
    literal: relation.to_id ? null : relation.to,
    from: relation.valid_from,
    to: relation.valid_to,
    sentence: relation.sentence,
    reads: null,
    assertions: relation.sources.map(assertionOf),
  };
}

function assertionOf(source: Relation["sources"][number]): Assertion {
  return {
    source: source.source ?? null,
    at: source.recorded_at ?? null,
    tool: source.tool ?? null,
    session: source.session ?? null,
    confidence: source.confidence ?? null,
  };
}

function textOfEpisode(episode: FullEpisode): Text {
  return {
    id: episode.uuid,
    name: episode.name,
    at: episode.valid_at,
    quote: episode.chunk ?? episode.content ?? "",
    source: episode.source_description ?? null,
  };
}

function unique(refs: Ref[]): Ref[] {
  return [...new Map(refs.map((ref) => [ref.id, ref])).values()];
}

/* Person, of the type person: labels of Cypher are written so. */
export function label(type: string): string {
  return type
    .split("_")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}

export function typeOf(labels: string[]): string {
  return (labels[0] ?? "").replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase();
}

function store(token: string): void {
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // no storage: a reload asks for a new start
  }
}
