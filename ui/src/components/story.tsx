/* The story of an entity: a row for each neighbour, its facts on one time axis, and a day to drag, of which the rows show what held. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { addDays, dayIn, dayNumber, dayOf, endOf, holds, inWords, lastDay, moment, today } from "../dates";
import { EndFact, retract } from "../edits";
import type { Fact, Graph, Marks, PredicateCount, Ref, Thing } from "../graph";
import { address, parameterOf, type ViewProperties } from "../router";
import { count, countKey, fromEnd, isIncoming } from "../wording";
import { EntityLink, SourceName } from "./entity";
import { svgOf } from "./drawing";
import { Menu } from "./menu";
import { SavePicture } from "./save";
import { Period } from "./when";
import { Why } from "./why";

const MOST_ROWS = 100;
const TICKS = 8;
const STEPS_OF_PLAY = 90;
const MILLISECONDS_OF_A_STEP = 90;

interface Row {
  other: Ref | null;
  text: string;
  facts: Fact[]; // with one neighbour and one predicate, earliest first
}

interface Group {
  label: string;
  count: PredicateCount;
  rows: Row[];
  hidden: number; // facts that hold now and have no row
}

interface Axis {
  first: number;
  last: number;
  share: (instant: string) => number; // percent
  ticks: { at: number; label: string }[];
}

export function Story({ graph, here, thing, more }: ViewProperties & { thing: Thing; more: ComponentChildren }) {
  const { entity } = thing;
  const now = graph.asOf ?? today();
  const [asked, ask] = parameterOf(here, "day");
  const [day, setDay] = useState(dayIn(asked) ?? now);
  const [playing, setPlaying] = useState(false);
  const marks = useAnswer(() => graph.marks(), []).value;
  const groups = useMemo(() => grouped(thing), [thing]);
  const axis = useMemo(() => axisOf(thing, now), [thing, now]);
  const show = (to: string, isLast: boolean) => {
    setDay(to);
    if (isLast) ask(to === now ? "" : to);
  };
  useEffect(() => {
    if (!playing || !axis) return;
    const step = Math.max(1, Math.round((axis.last - axis.first) / STEPS_OF_PLAY));
    const timer = window.setInterval(() => setDay((before) => {
      const next = addDays(before, step);
      if (next < now) return next;
      setPlaying(false);
      return now;
    }), MILLISECONDS_OF_A_STEP);
    return () => window.clearInterval(timer);
  }, [playing]);
  const play = () => {
    if (!playing && axis) setDay(dayOf(axis.first));
    setPlaying(!playing);
  };
  const at = (of: string) => (of === today() ? Date.now() : endOf(of));
  const held = (row: Row, of: string) => row.facts.some((fact) => holds(fact.from, fact.to, at(of)));
  const rows = groups.flatMap((group) => group.rows);
  // The same elements as long as the facts are the same: a step of dragging marks rows, and draws none of them anew.
  const cells = useMemo(() => new Map(rows.map((row) => [row, cellsOf(graph, row, axis, marks)])), [groups, axis, marks]);
  const gone = rows.filter((row) => held(row, day) && !held(row, now)).length;
  const later = rows.filter((row) => !held(row, day) && held(row, now)).length;
  return (
    <section aria-labelledby="story">
      <div class="title-row">
        <h2 id="story">
          Story <span class="quiet">{count(thing.factTotal, "fact")}</span>
        </h2>
        {axis && (
          <div class="slider">
            <span class="quiet" role="status" data-shown={day}>
              {day === now ? "" : `As it was on ${inWords(day, today(), false)}: ${count(gone, "row")} no longer true, ${later} came later.`}
            </span>
            {day !== now && (
              <button type="button" class="small" onClick={() => (setPlaying(false), show(now, true))}>
                Back to {graph.asOf ? "that day" : "today"}
              </button>
            )}
            <input type="date" aria-label="Day" value={day} onInput={(event) => event.currentTarget.value && show(event.currentTarget.value, true)} />
            <button type="button" class="small" onClick={play}>
              {playing ? "Stop" : "▶ Play"}
            </button>
            <SavePicture name={entity.name} draw={() => svgOf(document.querySelector(".story")!)} />
          </div>
        )}
      </div>
      {!rows.length && <p class="quiet">Nothing is recorded about {entity.name} yet.</p>}
      {rows.length > 0 && (
        <table class={`story${day === now ? "" : " past"}`} style={axis ? { "--day": `${axis.share(day)}%`, "--grid": gridOf(axis) } : {}}>
          <thead>
            <tr>
              <th scope="col"><span class="hidden">Predicate</span></th>
              <th scope="col"><span class="hidden">Name</span></th>
              <th scope="col" class="lane">{axis && <Scale axis={axis} day={day} change={show} />}</th>
              <th scope="col" class="source"><span class="hidden">Source</span></th>
              {graph.live && <th scope="col" class="edits"><span class="hidden">Edits</span></th>}
            </tr>
          </thead>
          {groups.map((group) => (
            <tbody key={countKey(group.count.predicate, group.count.incoming)}>
              {group.rows.map((row, position) => {
                const then = held(row, day);
                const state = then === held(row, now) ? (then ? "" : "ended") : then ? "gone" : "later";
                return (
                  <tr key={row.other?.id ?? row.text} class={then ? state : `away ${state}`}>
                    {position === 0 && (
                      <th scope="rowgroup" rowSpan={group.rows.length}>
                        {group.label}
                        {group.hidden > 0 && <a href={neighboursAddress(entity.id, group.count)}>+{group.hidden.toLocaleString("en")} more</a>}
                      </th>
                    )}
                    {cells.get(row)}
                  </tr>
                );
              })}
            </tbody>
          ))}
          {axis && thing.texts.some((text) => text.at) && (
            <tbody>
              <tr class="texts-row">
                <th scope="rowgroup">texts</th>
                <td class="name quiet">{count(thing.textTotal, "text")}</td>
                <td class="lane">
                  {thing.texts.map((text) => text.at && <a key={text.id} class="tick" href={address("text", text.id ?? "")} aria-label={text.name} title={text.name} style={{ left: `${axis.share(text.at)}%` }} />)}
                </td>
                <td class="source" />
                {graph.live && <td class="edits" />}
              </tr>
            </tbody>
          )}
        </table>
      )}
      <p class="quiet">
        {more} <a href={neighboursAddress(entity.id, null)}>All neighbours in a table</a>
      </p>
    </section>
  );
}

function cellsOf(graph: Graph, row: Row, axis: Axis | null, marks: Marks | null): ComponentChildren {
  return (
    <>
      <td class="name">{row.other ? <EntityLink entity={row.other} /> : row.text}</td>
      <td class="lane">{axis && row.facts.map((fact) => <Bar key={fact.id} fact={fact} axis={axis} kind={kindOf(row, fact, marks)} />)}</td>
      <td class="source">
        <Sources facts={row.facts} />
      </td>
      {graph.live && (
        <td class="edits">
          <RowMenu graph={graph} row={row} />
        </td>
      )}
    </>
  );
}

export function neighboursAddress(id: string, of: PredicateCount | null): string {
  return address("neighbours", id, { ...(of && { predicate: of.predicate }), ...(of?.incoming && { direction: "in" }) });
}

function Scale({ axis, day, change }: { axis: Axis; day: string; change: (day: string, isLast: boolean) => void }) {
  const read = (event: Event) => dayOf(Number((event.currentTarget as HTMLInputElement).value));
  return (
    <>
      {axis.ticks.map((tick) => (
        <span key={tick.at} class="scale" style={{ left: `${tick.at}%` }}>
          {tick.label}
        </span>
      ))}
      <input
        type="range"
        aria-label="Day"
        aria-valuetext={inWords(day, today())}
        min={axis.first}
        max={axis.last}
        value={dayNumber(day)}
        onInput={(event) => change(read(event), false)}
        onChange={(event) => change(read(event), true)}
      />
    </>
  );
}

type Kind = "decision" | "blocker" | "term";

function Bar({ fact, axis, kind }: { fact: Fact; axis: Axis; kind: Kind }) {
  const dates = (
    <span class="hidden">
      <Period from={fact.from} to={fact.to} />
    </span>
  );
  if (!fact.from && !fact.to) return <span class="undated" title={`${fact.sentence}, no dates`} />;
  const from = fact.from ? axis.share(fact.from) : 0;
  const to = fact.to ? axis.share(fact.to) : 100;
  const title = `${fact.sentence}${fact.from ? `, since ${moment(fact.from)}` : ""}${fact.to ? `, until ${lastDay(fact.to)}` : ""}`;
  return (
    <span class={`bar ${kind}${fact.to ? " closed" : ""}`} title={title} style={{ left: `${from}%`, width: `${Math.max(0.4, to - from)}%` }}>
      {dates}
    </span>
  );
}

function kindOf(row: Row, fact: Fact, marks: Marks | null): Kind {
  if (marks?.blocking.includes(fact.predicate)) return "blocker";
  return marks?.decisions.includes(row.other?.type ?? "") ? "decision" : "term";
}

function Sources({ facts }: { facts: Fact[] }) {
  const names = [...new Set(facts.flatMap((fact) => fact.assertions).flatMap(({ source }) => source ?? []))];
  if (!names.length) return null;
  return (
    <span title={names.join("\n")}>
      <SourceName name={names[0]!} />
      {names.length > 1 && ` +${names.length - 1}`}
    </span>
  );
}

/* Why a fact is here, and its edits. */
function RowMenu({ graph, row }: { graph: Graph; row: Row }) {
  const [open, setOpen] = useState<{ what: "why" | "end"; fact: Fact } | null>(null);
  return (
    <>
      <Menu label="⋯" name={`Edit: ${row.facts.at(-1)!.sentence}`}>
        {row.facts.map((fact) => (
          <div key={fact.id}>
            {row.facts.length > 1 && <p class="quiet"><Period from={fact.from} to={fact.to} /></p>}
            <button type="button" onClick={() => setOpen({ what: "why", fact })}>Why</button>
            {graph.editable() && holds(fact.from, fact.to, Date.now()) && <button type="button" onClick={() => setOpen({ what: "end", fact })}>End</button>}
            {graph.editable() && <button type="button" onClick={() => retract(graph, fact)}>Retract</button>}
          </div>
        ))}
      </Menu>
      {open?.what === "why" && <Why graph={graph} fact={open.fact} close={() => setOpen(null)} />}
      {open?.what === "end" && <EndFact graph={graph} fact={open.fact} close={() => setOpen(null)} />}
    </>
  );
}

/* Rows by predicate and direction. Where there are too many, every predicate has one before any has its second, and so on. */
function grouped({ entity, facts, current }: Thing): Group[] {
  const groups = new Map<string, Group>();
  const all = [...new Map([...facts, ...current.facts].map((fact) => [fact.id, fact])).values()].sort((a, b) => ((a.from ?? "") < (b.from ?? "") ? -1 : 1));
  for (const fact of all) {
    const incoming = isIncoming(fact, entity.id);
    const key = countKey(fact.predicate, incoming);
    const end = fromEnd(fact, entity.id);
    const group = groups.get(key) ?? { label: end.label, count: { predicate: fact.predicate, incoming, total: 0 }, rows: [], hidden: 0 };
    groups.set(key, group);
    const row = group.rows.find((each) => (end.other ? each.other?.id === end.other.id : each.text === end.text));
    if (row) row.facts.push(fact);
    else group.rows.push({ other: end.other, text: end.text, facts: [fact] });
  }
  const ordered = [...groups.values()].sort((a, b) => a.rows.length - b.rows.length || (a.label < b.label ? -1 : 1));
  let [left, most] = [MOST_ROWS, 0];
  for (const [position, group] of ordered.entries()) {
    most = Math.max(1, Math.floor(left / (ordered.length - position)));
    const total = current.counts.find((each) => each.predicate === group.count.predicate && each.incoming === group.count.incoming)?.total ?? 0;
    const loaded = group.rows.flatMap((row) => row.facts);
    group.rows = group.rows.slice(-most);
    const shown = group.rows.flatMap((row) => row.facts).filter((fact) => holds(fact.from, fact.to, Date.now())).length;
    group.hidden = Math.max(total - shown, loaded.length > MOST_ROWS ? 0 : loaded.length - group.rows.flatMap((row) => row.facts).length, 0);
    left -= group.rows.length;
  }
  return ordered;
}

/* From the first day that a fact or a text names to the last, or a little beyond the day of the page. Null without any. */
function axisOf({ facts, current, texts }: Thing, now: string): Axis | null {
  const instants = [...[...facts, ...current.facts].flatMap((fact) => [fact.from, fact.to]), ...texts.map((text) => text.at)].filter((each) => each !== null);
  const days = instants.map(dayNumber).filter((day) => !Number.isNaN(day));
  if (!days.length) return null;
  const ends = [Math.min(...days), Math.max(...days, dayNumber(now))] as const;
  const margin = Math.max(3, Math.round((ends[1] - ends[0]) * 0.03));
  const [first, last] = [ends[0] - margin, ends[1] + margin];
  const share = (instant: string) => Math.min(100, Math.max(0, ((dayNumber(instant) - first) / (last - first)) * 100));
  return { first, last, share, ticks: ticksOf(first, last).map(([day, label]) => ({ at: share(day), label })) };
}

/* The first days of months or years, at most some. */
function ticksOf(first: number, last: number): [day: string, label: string][] {
  const months = (last - first) / 30.4;
  const step = [1, 2, 3, 6, 12, 24, 60, 120, 600].find((each) => months / each <= TICKS) ?? 1200;
  const found: [string, string][] = [];
  const [year, month] = dayOf(first).split("-").map(Number) as [number, number];
  for (let at = year * 12 + month - 1; ; at += 1) {
    const day = new Date(Date.UTC(Math.floor(at / 12), at % 12, 1)).toISOString().slice(0, 10);
    if (dayNumber(day) > last) return found;
    if (at % step || dayNumber(day) < first) continue;
    found.push([day, at % 12 ? new Date(day).toLocaleDateString("en-GB", { month: "short", timeZone: "UTC" }) : day.slice(0, 4)]);
  }
}

function gridOf({ ticks }: Axis): string {
  return ticks.map(({ at }) => `linear-gradient(var(--line), var(--line)) ${at}% 0 / 1px 100% no-repeat`).join(", ") || "none";
}
