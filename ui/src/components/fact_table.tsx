/* Facts as rows: what they say, a bar on a common time axis, who said so, and the edits of each. */
import { useState } from "preact/hooks";
import { dayNumber, dayOf, holds, localTime } from "../dates";
import { EndFact, retract } from "../edits";
import type { Assertion, Fact, Graph } from "../graph";
import { count, fromEnd, words } from "../wording";
import { EntityLink, SourceName, textNamed } from "./entity";
import { Period } from "./when";
import { Why } from "./why";

interface Axis {
  first: number;
  last: number;
}

export function FactTable({ graph, id, facts }: { graph: Graph; id: string; facts: Fact[] }) {
  const [ending, setEnding] = useState<Fact | null>(null);
  const [questioned, setQuestioned] = useState<Fact | null>(null);
  const axis = axisOf(facts);
  const now = Date.now();
  const ordered = [...facts].sort((a, b) => Number(holds(b.from, b.to, now)) - Number(holds(a.from, a.to, now)));
  return (
    <>
      <table class="facts">
        <thead>
          <tr>
            <th scope="col">Fact</th>
            <th scope="col" class="when">
              When
            </th>
            {axis && (
              <th scope="col" class="axis-column">
                <AxisMarks axis={axis} />
              </th>
            )}
            <th scope="col">Source</th>
            {graph.live && (
              <th scope="col">
                <span class="hidden">Why, and edits</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {ordered.map((fact) => {
            const current = holds(fact.from, fact.to, now);
            const end = fromEnd(fact, id);
            return (
              <tr key={fact.id} class={current ? "" : "ended"}>
                <td>
                  <span class="quiet">{end.label}</span> {end.other ? <EntityLink entity={end.other} /> : <span>{end.text}</span>}
                </td>
                <td class="when">{fact.from || fact.to ? <Period from={fact.from} to={fact.to} /> : <span class="quiet">no dates</span>}</td>
                {axis && (
                  <td class="axis-column">
                    <Bar fact={fact} axis={axis} />
                  </td>
                )}
                <td>
                  <Sources fact={fact} />
                </td>
                {graph.live && (
                  <td class="row-edits">
                    <button type="button" class="small" onClick={() => setQuestioned(fact)} aria-label={`Why: ${fact.sentence}`}>
                      Why
                    </button>
                    {graph.editable() && current && (
                      <button type="button" class="small" onClick={() => setEnding(fact)} aria-label={`End: ${fact.sentence}`}>
                        End
                      </button>
                    )}
                    {graph.editable() && (
                      <button type="button" class="small" onClick={() => retract(graph, fact)} aria-label={`Retract: ${fact.sentence}`}>
                        Retract
                      </button>
                    )}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {questioned && <Why graph={graph} fact={questioned} close={() => setQuestioned(null)} />}
      {ending && <EndFact graph={graph} fact={ending} close={() => setEnding(null)} />}
    </>
  );
}

function axisOf(facts: Fact[]): Axis | null {
  const days = facts.flatMap((fact) => [fact.from, fact.to]).flatMap((instant) => (instant ? [dayNumber(instant)] : []));
  if (!days.length) return null;
  const last = Math.max(...days, dayNumber(new Date().toISOString()));
  const first = Math.min(...days);
  const margin = Math.max(1, Math.round((last - first) * 0.03));
  return { first: first - margin, last: last + margin };
}

function AxisMarks({ axis }: { axis: Axis }) {
  return (
    <span class="axis">
      <span>{dayOf(axis.first).slice(0, 7)}</span>
      <span>{dayOf(axis.last).slice(0, 7)}</span>
    </span>
  );
}

function Bar({ fact, axis }: { fact: Fact; axis: Axis }) {
  const share = (day: number) => ((day - axis.first) / (axis.last - axis.first)) * 100;
  const from = fact.from ? share(dayNumber(fact.from)) : 0;
  const to = fact.to ? share(dayNumber(fact.to)) : 100;
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <line x1="0" x2="100" y1="4" y2="4" />
      {(fact.from || fact.to) && <rect x={from} y="1" width={Math.max(0.8, to - from)} height="6" rx="1" />}
      <line class="now" x1={share(dayNumber(new Date().toISOString()))} x2={share(dayNumber(new Date().toISOString()))} y1="0" y2="8" />
    </svg>
  );
}

function Sources({ fact }: { fact: Fact }) {
  const [first] = fact.assertions;
  const name = first?.source ?? (first?.tool ? words(first.tool) : "not named");
  return (
    <details class="sources">
      <summary>
        <span class={first?.source ? "" : "quiet"}>{textNamed(name)?.name ?? name}</span>
        {fact.assertions.length > 1 && <span class="quiet"> +{fact.assertions.length - 1}</span>}
      </summary>
      <ul aria-label={count(fact.assertions.length, "source")}>
        {fact.assertions.map((assertion, position) => (
          <li key={position}>
            {assertion.source ? <SourceName name={assertion.source} /> : "no source named"}
            {described(assertion)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function described(assertion: Assertion): string {
  const parts = [
    assertion.at && `recorded ${localTime(assertion.at)}`,
    assertion.tool && `by ${assertion.tool}`,
    assertion.session && `in ${assertion.session}`,
    assertion.confidence !== null && assertion.confidence < 1 && `confidence ${assertion.confidence}`,
  ];
  return parts.filter(Boolean).map((part) => `, ${part}`).join("");
}
