/* Today: what is overdue and due, what is blocked, what came in and from whom, what waits; and the weeks before. */
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { EntityLink, SourceName } from "../components/entity";
import { FirstSteps } from "../components/first_steps";
import { When, Prose } from "../components/when";
import { addDays, dayIn, dayNumber, range, today } from "../dates";
import { predicatesOf } from "../edits";
import type { Fact, Graph, Ref, Week } from "../graph";
import { address, type ViewProperties } from "../router";
import { edit, failed } from "../toasts";
import { caller, count, importNote, words } from "../wording";

export function TodayView({ graph, here }: ViewProperties) {
  const day = dayIn(here.parameters.get("day")) ?? today();
  const now = day >= today();
  const waiting = useAnswer(() => graph.week(now ? null : day), [day]);
  return (
    <Answered waiting={waiting} heading="Today">
      {(week) => (week.isEmpty && graph.live ? <FirstSteps graph={graph} /> : <TodayPage graph={graph} week={week} day={day} now={now} />)}
    </Answered>
  );
}

function TodayPage({ graph, week, day, now }: { graph: Graph; week: Week; day: string; now: boolean }) {
  const period = range(week.period.start, week.period.end);
  return (
    <article class="today">
      <div class="title-row">
        <h1>{now && graph.live ? "Today" : period}</h1>
        {graph.live && <OtherWeeks day={day} now={now} />}
      </div>
      {!now && <p class="lead"><Prose text={week.summary} /></p>}
      {week.narrative && <blockquote>{week.narrative}</blockquote>}
      <div class="cards">
        {week.due && <Tasks graph={graph} due={week.due} on={graph.asOf ?? day} />}
        <Card title="Blocked" total={week.totals.blockers}>
          {week.blockers.slice(0, 12).map((blocker, position) => (
            <Blocker key={blocker.id || position} graph={graph} fact={blocker} day={day} open={now} />
          ))}
        </Card>
        {week.due && graph.live && (
          <Card title="Waiting for you" total={null}>
            {week.proposals > 0 && (
              <li>
                <a href="#/review">{count(week.proposals, "proposal")}</a> to decide
              </li>
            )}
            {week.unfollowed > 0 && (
              <li>
                <a href={address("decisions")}>{count(week.unfollowed, "decision")}</a> without a follow-up
              </li>
            )}
          </Card>
        )}
        <Card title={now ? "Decided in the past week" : "Decided"} total={week.totals.decisions} all={address("decisions")}>
          {week.decisions.slice(0, 8).map((decision, position) => (
            <li key={decision.id || position}>
              <EntityLink entity={{ id: decision.id, name: decision.name }} />
              <div class="quiet">
                <When at={decision.decided_on} />{decision.decided_by.map((who) => `, ${who.name}`)} <Prose text={importNote(decision)} />
                {decision.source && <div><SourceName name={decision.source} /></div>}
              </div>
            </li>
          ))}
        </Card>
        <Card title="Recent activity" total={null}>
          {week.calls.map((call) => (
            <li key={call.call}>
              <Prose text={call.about || words(call.tool)} />
              <div class="quiet">
                <When at={call.at} />, {caller(call)}
              </div>
            </li>
          ))}
          {!week.calls.length && week.learnt.slice(0, 10).map((fact) => (
            <li key={fact.id}>
              <EntityLink entity={fact.subject} /> <span class="quiet">{words(fact.predicate)}</span> {fact.object ? <EntityLink entity={fact.object} /> : fact.literal}
            </li>
          ))}
        </Card>
        {week.textTotal !== null && (
          <Card title="Newest texts" total={week.textTotal}>
            {week.texts.map((text) => (
              <li key={text.id}>
                <a href={address("text", text.id)}>{text.name}</a> <span class="quiet"><When at={text.at} /></span>
              </li>
            ))}
          </Card>
        )}
      </div>
    </article>
  );
}

interface Task {
  entity: Ref;
  day: string | null;
}

/* Each task once, with its first day. */
function Tasks({ graph, due, on }: { graph: Graph; due: NonNullable<Week["due"]>; on: string }) {
  const tasks = new Map<string, Task>();
  for (const fact of due.facts) if (!tasks.has(fact.subject.id)) tasks.set(fact.subject.id, { entity: fact.subject, day: fact.literal ?? fact.from });
  for (const entity of due.actions) if (!tasks.has(entity.id)) tasks.set(entity.id, { entity, day: null });
  const days = (task: Task) => (task.day ? dayNumber(task.day) - dayNumber(on) : Infinity);
  const groups: [string, (days: number) => boolean][] = [
    ["Overdue", (left) => left < 0],
    ["Today", (left) => left === 0],
    ["Next 7 days", (left) => left > 0 && left <= 7],
    ["Later", (left) => left > 7 && left < Infinity],
    ["No date", (left) => left === Infinity || Number.isNaN(left)],
  ];
  return (
    <section class="card" aria-label="To do">
      {groups.map(([name, belongs]) => {
        const rows = [...tasks.values()].filter((task) => belongs(days(task)));
        return rows.length ? (
          <div key={name} class={name === "Overdue" ? "overdue" : ""}>
            <h2>
              {name} <span class="quiet">{rows.length}</span>
            </h2>
            <ul>{rows.map((task) => <TaskRow key={task.entity.id} graph={graph} task={task} />)}</ul>
          </div>
        ) : null;
      })}
      {due.coming.length > 0 && (
        <div>
          <h2>
            Coming up <span class="quiet">{due.coming.length}</span>
          </h2>
          <ul>
            {due.coming.slice(0, 12).map((fact) => (
              <li key={fact.id}>
                <EntityLink entity={fact.subject} /> <span class="quiet">{words(fact.predicate)}: <When at={fact.literal} /></span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {!tasks.size && !due.coming.length && (
        <>
          <h2>To do</h2>
          <p class="quiet">Nothing is due.</p>
        </>
      )}
    </section>
  );
}

function TaskRow({ graph, task: { entity, day } }: { graph: Graph; task: Task }) {
  // As `kg next` reads it: a task is open until it is tagged done.
  const done = async () => {
    const predicates = await predicatesOf(graph, "tags").catch(failed);
    if (predicates) await edit(graph, "record_fact", { subject: { id: entity.id }, predicate: predicates[0].name, object: { literal: "done" }, valid_from: today() }, () => `Done: ${entity.name}.`);
  };
  return (
    <li class="task">
      {graph.editable() && <input type="checkbox" aria-label={`Done: ${entity.name}`} onChange={done} />}
      <span>
        <EntityLink entity={entity} /> <span class="quiet when"><When at={day} /></span>
      </span>
    </li>
  );
}

function OtherWeeks({ day, now }: { day: string; now: boolean }) {
  return (
    <nav aria-label="Weeks" class="buttons">
      <a class="button" href={address("today", "", { day: addDays(day, -7) })}>
        ← Previous week
      </a>
      {!now && (
        <a class="button" href={addDays(day, 7) >= today() ? address("today") : address("today", "", { day: addDays(day, 7) })}>
          Next week →
        </a>
      )}
    </nav>
  );
}

function Card({ title, total, all, children }: { title: string; total: number | null; all?: string; children: preact.ComponentChildren }) {
  const rows = (Array.isArray(children) ? children.flat() : [children]).filter(Boolean);
  const more = total === null ? 0 : total - rows.length;
  return (
    <section class="card">
      <h2>
        {title} {total !== null && <span class="quiet">{total.toLocaleString("en")}</span>}
      </h2>
      {rows.length ? <ul>{rows}</ul> : <p class="quiet">Nothing.</p>}
      {rows.length > 0 && more > 0 && <p class="quiet">{all ? <a href={all}>and {more.toLocaleString("en")} more</a> : `and ${more.toLocaleString("en")} more`}</p>}
    </section>
  );
}

function Blocker({ graph, fact, day, open }: { graph: Graph; fact: Fact; day: string; open: boolean }) {
  const resolve = () => edit(graph, "resolve_blocker", { blocker: fact.id }, () => `Resolved: ${fact.sentence}.`);
  const since = fact.from ?? fact.assertions[0]?.at;
  return (
    <li>
      <EntityLink entity={fact.subject} />: {fact.object ? <EntityLink entity={fact.object} /> : fact.literal}{" "}
      {since && <span class="quiet age">for {count(Math.max(0, dayNumber(day) - dayNumber(since)), "day")}</span>}{" "}
      {open && graph.editable() && (
        <button type="button" class="small" onClick={resolve} aria-label={`Resolved: ${fact.sentence}`}>
          Resolved
        </button>
      )}
    </li>
  );
}
