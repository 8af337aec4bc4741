/*
The graph that is in the page: written by `kg view`, or handed over by a host that shows the answer of show_graph.

Columns, as the schema of extract_graph describes them, with positions instead of ids: ten thousand nodes must fit in 600 kB.
The id of an entity is its position, as a text. An answer of show_graph has neither decisions nor a week.
*/
import { CallError, Changes, Decisions, Fact, Graph, GraphMap, Marks, Matches, Neighbours, Ref, Row, RowSelection, Selection, Text, Thing, Tool, Week } from "./graph";
import { addDays, endOf, holds, localTime, moment } from "./dates";
import { factOfRecord } from "./live";
import { address, thingAddress } from "./router";
import type { ExtractTexts, ToolAnswers } from "./tools";
import { counted, isIncoming, words } from "./wording";

export type Columns = ToolAnswers["show_graph"] & Partial<ToolAnswers["extract_graph"]>;

/* The element's JSON is {"deflate": base64}: inflated without a request. */
export async function inflate(element: Element): Promise<Columns> {
  const { deflate } = JSON.parse(element.textContent ?? "{}");
  const bytes = Uint8Array.from(atob(deflate), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

export class EmbeddedGraph implements Graph {
  live = false;
  hasReports: boolean;
  title: string;
  note: string;
  first: string;
  asOf: string | null;
  private readonly factsOf: number[][];
  private readonly folded: string[];

  constructor(private readonly columns: Columns) {
    this.title = columns.title;
    this.hasReports = Boolean(columns.week);
    this.asOf = columns.as_of ? columns.as_of.slice(0, 10) : null;
    const of = columns.as_of ? `, as of ${moment(columns.as_of)}` : "";
    const part = columns.truncated ? "; a part of the graph" : "";
    this.note = `Made ${localTime(columns.generated_at)}${of}${part}`;
    this.first = columns.about === null || columns.about === undefined ? address("map") : thingAddress(String(columns.about));
    this.factsOf = columns.nodes.name.map(() => []);
    columns.facts.subject.forEach((subject, fact) => {
      this.factsOf[subject]?.push(fact);
      const object = columns.facts.object[fact]!;
      if (object >= 0 && object !== subject) this.factsOf[object]?.push(fact);
    });
    this.folded = columns.nodes.name.map((name: string, node: number) => fold([name, ...(columns.nodes.aliases[node] ?? [])].join("\n")));
  }

  editable(): boolean {
    return false;
  }

  async call(tool: Tool): Promise<never> {
    throw new CallError("NOT_LIVE", `${tool} needs a running graph.`, "Start kg ui.");
  }

  async entity(id: string): Promise<Ref> {
    if (!(Number(id) in this.factsOf)) throw new CallError("ENTITY_NOT_FOUND", "This page does not hold that entity.", "Search for its name.");
    return this.ref(Number(id));
  }

  async thing(id: string, limit: number): Promise<Thing> {
    await this.entity(id);
    const node = Number(id);
    const { nodes, texts } = this.columns;
    const facts = this.factsOf[node] ?? [];
    const about = texts.filter((text) => text.nodes.includes(node));
    return {
      entity: this.ref(node),
      aliases: nodes.aliases[node] ?? [],
      summary: nodes.summary[node] ?? "",
      properties: {},
      createdAt: null,
      facts: facts.slice(0, limit).map((fact) => this.fact(fact)),
      factTotal: facts.length,
      current: this.held(id, Date.now()),
      texts: about.slice(0, 20).map((text) => textOf(text, texts.indexOf(text))),
      textTotal: about.length,
    };
  }

  async facts(id: string, { predicate, incoming, asOf }: Selection): Promise<{ facts: Fact[]; total: number }> {
    const day = asOf ?? this.columns.as_of;
    const at = day ? endOf(day) : Date.now();
    const { facts } = this.held(id, at);
    const selected = facts.filter((fact) => !predicate || (fact.predicate === predicate && isIncoming(fact, id) === incoming));
    return { facts: selected, total: selected.length };
  }

  private held(id: string, at: number): Neighbours {
    const facts = (this.factsOf[Number(id)] ?? []).map((fact) => this.fact(fact)).filter((fact) => holds(fact.from, fact.to, at));
    return { facts, total: facts.length, counts: counted(facts, id) };
  }

  async names(prefix: string, limit: number): Promise<Ref[]> {
    const wanted = fold(prefix.trim());
    const begins: number[] = [];
    const contains: number[] = [];
    this.folded.forEach((names, node) => {
      const at = names.indexOf(wanted);
      if (at < 0) return;
      if (at === 0 || names[at - 1] === "\n") begins.push(node);
      else contains.push(node);
    });
    return [...begins, ...contains].slice(0, limit).map((node) => this.ref(node));
  }

  async similarNames(query: string, limit: number): Promise<Ref[]> {
    return this.names(query, limit);
  }

  async search(query: string): Promise<Matches> {
    const wanted = fold(query.trim()).split(/\s+/);
    const texts: Text[] = [];
    this.columns.texts.forEach((text, position) => {
      const folded = fold(`${text.name}\n${text.text}`);
      if (texts.length < 6 && wanted.every((word) => folded.includes(word))) texts.push(textOf(text, position, wanted[0]));
    });
    return { names: await this.names(query, 8), texts };
  }

  async text(id: string): Promise<ExtractTexts[number] | undefined> {
    return this.columns.texts[Number(id)];
  }

  async map(): Promise<GraphMap> {
    const { nodes, facts, communities, types, predicates, truncated } = this.columns;
    const degree: number[] = nodes.name.map(() => 0);
    const edges: GraphMap["edges"] = [];
    facts.subject.forEach((subject, fact) => {
      const object = facts.object[fact]!;
      if (object < 0 || !holds(facts.from[fact] ?? null, facts.to[fact] ?? null, Date.now())) return;
      edges.push([subject, object, predicates[facts.predicate[fact]!]!]);
      degree[subject]! += 1;
      degree[object]! += 1;
    });
    return {
      nodes: nodes.name.map((name, node) => [
        String(node), nodes.x[node]!, nodes.y[node]!, degree[node]!, nodes.community[node]!, name, types[nodes.type[node]!]!,
      ]),
      edges,
      communities: communities.map((community, position) => ({ id: String(position), ...community })),
      truncated,
      total: nodes.name.length,
    };
  }

  async changes(since: string, until: string): Promise<Changes> {
    const [after, before] = [Date.parse(since), endOf(until)];
    const within = (instant: string | null) => instant !== null && Date.parse(instant) > after && Date.parse(instant) <= before;
    const changes: Changes = { began: [], ended: [], learnt: [], truncated: false };
    this.columns.facts.subject.forEach((_: number, position: number) => {
      const { from, to, recorded } = this.columns.facts;
      const add = (list: Fact[]) => (list.length < 200 ? list.push(this.fact(position)) : (changes.truncated = true));
      if (within(from[position] ?? null)) add(changes.began);
      if (within(to[position] ?? null)) add(changes.ended);
      const learnt = recorded[position]! * 1000;
      if (learnt > after && learnt <= before) add(changes.learnt);
    });
    return changes;
  }

  async rows({ type, filter, by, down, limit }: RowSelection): Promise<{ rows: Row[]; total: number }> {
    const { nodes } = this.columns;
    const wanted = fold(filter.trim()).split(/\s+/);
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    const order = (a: Row, b: Row) => (by === "facts" ? a.facts - b.facts : compare(a[by] ?? "", b[by] ?? "")) * (down ? -1 : 1) || compare(a.name, b.name);
    const rows: Row[] = [];
    nodes.name.forEach((_: string, node: number) => {
      const ref = this.ref(node);
      const text = `${this.folded[node]}\n${fold(nodes.summary[node] ?? "")}`;
      if ((type && ref.type !== type) || !wanted.every((word) => text.includes(word))) return;
      const aliases = nodes.aliases[node] ?? [];
      rows.push({ ...ref, type: ref.type ?? "", aliases, facts: this.factsOf[node]!.length, since: null });
    });
    return { rows: rows.sort(order).slice(0, limit), total: rows.length };
  }

  async types(): Promise<{ name: string; count: number }[]> {
    const counts = new Map<number, number>();
    for (const type of this.columns.nodes.type) counts.set(type, (counts.get(type) ?? 0) + 1);
    return [...counts].map(([type, count]) => ({ name: this.columns.types[type]!, count })).sort((a, b) => b.count - a.count);
  }

  /* The only week that is in the page: the one that ends on the day of which it was made. */
  async week(): Promise<Week> {
    const { texts, nodes } = this.columns;
    const week = this.columns.week!;
    const { start, end } = week.period;
    const { learnt } = await this.changes(addDays(start, -1), end);
    const due = week.steps && { actions: week.steps.actions, facts: week.steps.due.map(factOfRecord), coming: week.steps.coming.map(factOfRecord) };
    return {
      period: week.period,
      summary: week.summary,
      narrative: week.narrative,
      decisions: week.decisions,
      blockers: week.blockers.map(factOfRecord),
      unfollowed: 0,
      calls: [],
      totals: { decisions: week.decisions.length, blockers: week.blockers.length },
      due,
      proposals: 0,
      learnt,
      texts: texts.slice(0, 10).map((text, position) => ({ name: text.name, id: String(position), at: text.at })),
      textTotal: texts.length,
      isEmpty: nodes.name.length === 0,
    };
  }

  async decisions(): Promise<Decisions> {
    return { decisions: this.columns.decisions!, total: this.columns.decision_total! };
  }

  async marks(): Promise<Marks> {
    const { decisions = [], week } = this.columns;
    const types = decisions.flatMap(({ id }: Ref) => (Number(id) in this.factsOf ? this.ref(Number(id)).type! : []));
    return { decisions: [...new Set<string>(types)], blocking: [...new Set<string>((week?.blockers ?? []).map((each) => each.predicate))] };
  }

  private ref(node: number): Ref {
    const { nodes, types } = this.columns;
    return { id: String(node), name: nodes.name[node]!, type: types[nodes.type[node]!] };
  }

  private fact(position: number): Fact {
    const { facts, predicates, sources } = this.columns;
    const subject = this.ref(facts.subject[position]!);
    const object = facts.object[position]! >= 0 ? this.ref(facts.object[position]!) : null;
    const literal: string | null = facts.literal[position] ?? null;
    const predicate: string = predicates[facts.predicate[position]!]!;
    return {
      id: `fact ${position}`,
      subject,
      predicate,
      object,
      literal,
      from: facts.from[position] ?? null,
      to: facts.to[position] ?? null,
      sentence: `${subject.name} ${words(predicate)} ${object?.name ?? literal}`,
      reads: null,
      assertions: [
        {
          source: sources[facts.source[position]!] ?? null,
          at: new Date(facts.recorded[position]! * 1000).toISOString(),
          tool: null,
          session: null,
          confidence: null,
        },
      ],
    };
  }
}

function textOf(text: ExtractTexts[number], position: number, word = ""): Text {
  const at = word ? Math.max(0, fold(text.text).indexOf(word) - 60) : 0;
  return { id: String(position), name: text.name, at: text.at, quote: text.text.slice(at, at + 240), source: text.kind };
}

/* Comparison without case and accents. */
function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
