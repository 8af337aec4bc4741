/* Time: one entity as it was on a day, and what began, ended and was learnt between two days. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer, useEdition, asCallError } from "../answers";
import { Answered, Failure } from "../components/answer";
import { EntityLink } from "../components/entity";
import { EntityPicker } from "../components/entity_picker";
import { Neighbourhood } from "../components/neighbourhood";
import { dayIn, dayNumber, dayOf, lastDay, moment, today } from "../dates";
import type { CallError, Changes, Fact, Graph, Neighbours, Ref } from "../graph";
import { address, go, replace } from "../router";
import { count, words } from "../wording";
import type { ViewProperties } from "./list";

interface Range {
  from: string;
  to: string;
}

export function TimeView({ graph, here }: ViewProperties) {
  const range = useAnswer(() => span(graph), []);
  const about = useAnswer(async () => (here.argument ? graph.entity(here.argument) : null), [here.argument]);
  return (
    <article class="time">
      <h1>Time</h1>
      <Answered waiting={range}>
        {([first, last]) => (
          <>
            <section aria-labelledby="as-of">
              <h2 id="as-of">As it was</h2>
              {about.error && <Failure error={about.error} />}
              <AsOf graph={graph} id={here.argument} entity={about.value} first={first} last={last} day={dayIn(here.parameters.get("day")) ?? graph.asOf ?? today()} parameters={here.parameters} />
            </section>
            <section aria-labelledby="changes">
              <h2 id="changes">What changed between two days</h2>
              <Between graph={graph} first={first} last={last} parameters={here.parameters} argument={here.argument} />
            </section>
          </>
        )}
      </Answered>
    </article>
  );
}

interface AsOfProperties {
  graph: Graph;
  id: string;
  entity: Ref | null;
  first: number;
  last: number;
  day: string;
  parameters: URLSearchParams;
}

function AsOf({ graph, id, entity, first, last, day, parameters }: AsOfProperties) {
  const [name, setName] = useState("");
  const { neighbours, error, shown } = useNeighbours(graph, id, day);
  return (
    <>
      <div class="filters">
        <label>
          Of <EntityPicker graph={graph} label="Entity" value={name || (entity?.name ?? "")} change={({ name: typed, entity: chosen }) => {
            setName(chosen ? "" : typed);
            if (chosen) go(address("time", chosen.id, Object.fromEntries(parameters)));
          }} />
        </label>
      </div>
      <Slider label="Day" first={first} last={last} day={day} change={(to) => replace(address("time", id, { ...Object.fromEntries(parameters), day: to }))} />
      {error && entity && <Failure error={error} />}
      {!id && <p class="quiet">Choose a person, a project or anything else, and move the slider.</p>}
      {neighbours && entity && (
        <div aria-live="polite" data-shown={shown}>
          <p>
            On {shown}: <EntityLink entity={entity} /> has {count(neighbours.total, "fact")}.
          </p>
          <Neighbourhood entity={entity} neighbours={neighbours} asOf={shown} />
        </div>
      )}
    </>
  );
}

/* Asks for the newest position of the slider only: while an answer is awaited, those between are left out. */
function useNeighbours(graph: Graph, id: string, day: string) {
  const [state, setState] = useState<{ neighbours: Neighbours | null; error: CallError | null; shown: string }>({ neighbours: null, error: null, shown: "" });
  const wanted = useRef("");
  const busy = useRef(false);
  const seen = useEdition();
  useEffect(() => {
    wanted.current = `${id} ${day}`;
    if (id && !busy.current) void follow();
    async function follow() {
      busy.current = true;
      let asked = "";
      while (asked !== wanted.current) {
        asked = wanted.current;
        const [of = "", on = ""] = asked.split(" ");
        try {
          setState({ neighbours: await graph.neighbours(of, on), error: null, shown: on });
        } catch (error) {
          setState({ neighbours: null, error: asCallError(error), shown: on });
        }
      }
      busy.current = false;
    }
  }, [id, day, seen]);
  return state;
}

function Between({ graph, first, last, parameters, argument }: { graph: Graph; first: number; last: number; parameters: URLSearchParams; argument: string }) {
  const [chosen, setChosen] = useState({ from: dayIn(parameters.get("from")) ?? dayOf(Math.max(first, last - 30)), to: dayIn(parameters.get("to")) ?? dayOf(last) });
  const timer = useRef(0);
  const [asked, setAsked] = useState(chosen);
  const change = (next: Range) => {
    setChosen(next);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      setAsked(next);
      replace(address("time", argument, { ...Object.fromEntries(parameters), ...next }));
    }, 120);
  };
  const waiting = useAnswer(() => graph.changes(asked.from, asked.to), [asked.from, asked.to]);
  return (
    <>
      <Handles first={first} last={last} chosen={chosen} change={change} />
      <Answered waiting={waiting}>{(changes) => <ChangeColumns changes={changes} />}</Answered>
    </>
  );
}

function ChangeColumns({ changes }: { changes: Changes }) {
  const columns: [string, Fact[], (fact: Fact) => string][] = [
    ["Began", changes.began, (fact) => moment(fact.from)],
    ["Ended", changes.ended, (fact) => (fact.to ? lastDay(fact.to) : "")],
    ["Learnt", changes.learnt, (fact) => moment(fact.assertions[0]?.at ?? null)],
  ];
  return (
    <>
      <div class="board">
        {columns.map(([name, facts, when]) => (
          <div key={name} class="column">
            <h3>
              {name} <span class="quiet">{facts.length}</span>
            </h3>
            <ul>
              {facts.map((fact) => (
                <li key={fact.id}>
                  <EntityLink entity={fact.subject} /> <span class="quiet">{words(fact.predicate)}</span>{" "}
                  {fact.object ? <EntityLink entity={fact.object} /> : fact.literal} <span class="quiet">{when(fact)}</span>
                </li>
              ))}
            </ul>
            {!facts.length && <p class="quiet">Nothing.</p>}
          </div>
        ))}
      </div>
      {changes.truncated && <p class="quiet">There are more; choose a shorter time.</p>}
    </>
  );
}

function Slider({ label, first, last, day, change }: { label: string; first: number; last: number; day: string; change: (day: string) => void }) {
  return (
    <div class="slider">
      <label>
        <span>{label}</span>
        <input
          type="range"
          min={first}
          max={last}
          value={dayNumber(day)}
          aria-valuetext={day}
          onInput={(event) => change(dayOf(Number(event.currentTarget.value)))}
        />
      </label>
      <input
        type="date"
        aria-label={`${label}, as a date`}
        value={day}
        onInput={(event) => event.currentTarget.value && change(event.currentTarget.value)}
      />
    </div>
  );
}

/* Two handles on one axis; neither passes the other. */
function Handles({ first, last, chosen, change }: { first: number; last: number; chosen: Range; change: (range: Range) => void }) {
  const from = (day: string) => change({ from: day, to: day > chosen.to ? day : chosen.to });
  const to = (day: string) => change({ to: day, from: day < chosen.from ? day : chosen.from });
  const handle = (label: string, day: string, move: (day: string) => void) => (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={day}
      min={first}
      max={last}
      value={dayNumber(day)}
      onInput={(event) => move(dayOf(Number(event.currentTarget.value)))}
    />
  );
  const date = (label: string, day: string, move: (day: string) => void) => (
    <input type="date" aria-label={label} value={day} onInput={(event) => event.currentTarget.value && move(event.currentTarget.value)} />
  );
  return (
    <div class="slider">
      {date("From, as a date", chosen.from, from)}
      <div class="handles">
        {handle("From", chosen.from, from)}
        {handle("To", chosen.to, to)}
      </div>
      {date("To, as a date", chosen.to, to)}
    </div>
  );
}

/* From the first day that a fact names to today, or to the day of which the page was made. */
async function span(graph: Graph): Promise<[number, number]> {
  const last = dayNumber(graph.asOf ?? today());
  const earliest = await graph.earliest();
  const first = earliest ? dayNumber(earliest) : last - 365;
  return [Math.min(first, last - 30), last];
}
