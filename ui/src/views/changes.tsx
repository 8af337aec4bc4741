/* Changes: what began, ended and was learnt between two days. */
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { EntityLink } from "../components/entity";
import { When } from "../components/when";
import { addDays, dayIn, lastDay, today } from "../dates";
import type { Changes, Fact } from "../graph";
import { parameterOf, type ViewProperties } from "../router";
import { words } from "../wording";

export function ChangesView({ graph, here }: ViewProperties) {
  const [from, setFrom] = parameterOf(here, "from");
  const [to, setTo] = parameterOf(here, "to");
  const until = dayIn(to) ?? graph.asOf ?? today();
  const since = dayIn(from) ?? addDays(until, -30);
  const waiting = useAnswer(() => graph.changes(since, until), [since, until]);
  const day = (label: string, value: string, set: (day: string) => void) => (
    <label>
      {label} <input type="date" value={value} onInput={(event) => event.currentTarget.value && set(event.currentTarget.value)} />
    </label>
  );
  return (
    <article>
      <div class="title-row">
        <h1>Changes</h1>
        <div class="filters">
          {day("from", since, setFrom)}
          {day("to", until, setTo)}
        </div>
      </div>
      <Answered waiting={waiting}>{(changes) => <Columns changes={changes} />}</Answered>
    </article>
  );
}

function Columns({ changes }: { changes: Changes }) {
  const columns: [string, Fact[], (fact: Fact) => string | null][] = [
    ["Began", changes.began, (fact) => fact.from],
    ["Ended", changes.ended, (fact) => fact.to && lastDay(fact.to)],
    ["Learnt", changes.learnt, (fact) => fact.assertions[0]?.at ?? null],
  ];
  return (
    <>
      <div class="board">
        {columns.map(([name, facts, when]) => (
          <div key={name} class="column">
            <h2>
              {name} <span class="quiet">{facts.length}</span>
            </h2>
            <ul>
              {facts.map((fact) => (
                <li key={fact.id}>
                  <EntityLink entity={fact.subject} /> <span class="quiet">{words(fact.predicate)}</span>{" "}
                  {fact.object ? <EntityLink entity={fact.object} /> : fact.literal}{" "}
                  <span class="quiet">
                    <When at={when(fact)} />
                  </span>
                </li>
              ))}
            </ul>
            {!facts.length && <p class="quiet">Nothing.</p>}
          </div>
        ))}
      </div>
      {changes.truncated && <p class="quiet">There are more. Choose a shorter period.</p>}
    </>
  );
}
