/* The week: what was decided, what came in, what is blocked, due and waiting; and where to begin in an empty graph. */
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { EntityLink } from "../components/entity";
import { FirstSteps } from "../components/first_steps";
import { addDays, dayIn, localDay, today } from "../dates";
import type { Answer, Fact, Graph, Week } from "../graph";
import { address } from "../router";
import { edit } from "../toasts";
import { count, importNote } from "../wording";
import type { ViewProperties } from "./list";

export function WeekView({ graph, here }: ViewProperties) {
  const day = dayIn(here.parameters.get("day")) ?? today();
  const now = day >= today();
  const waiting = useAnswer(() => graph.week(now ? null : day), [day]);
  return (
    <Answered waiting={waiting} heading="Week">
      {(week) => (week.isEmpty && graph.live ? <FirstSteps graph={graph} /> : <WeekPage graph={graph} week={week} day={day} now={now} />)}
    </Answered>
  );
}

function WeekPage({ graph, week, day, now }: { graph: Graph; week: Week; day: string; now: boolean }) {
  return (
    <article class="week">
      <div class="title-row">
        <h1>
          {week.period.start} – {week.period.end}
        </h1>
        {graph.live && <OtherWeeks day={day} now={now} />}
      </div>
      {week.summary && <p class="lead">{week.summary}</p>}
      {week.narrative && <blockquote>{week.narrative}</blockquote>}
      <div class="cards">
        <Card title="Decided" total={week.totals.decisions} all={address("decisions")}>
          {week.decisions.slice(0, 8).map((decision: Answer, position: number) => (
            <li key={decision.id || position}>
              <EntityLink entity={{ id: decision.id, name: decision.name }} />
              <div class="quiet">
                {[decision.decided_on, decision.decided_by.map((who: Answer) => who.name).join(", "), decision.source, importNote(decision)].filter(Boolean).join(" · ")}
              </div>
            </li>
          ))}
        </Card>
        <Card title="Blocked" total={week.totals.blockers}>
          {week.blockers.slice(0, 12).map((blocker, position) => (
            <Blocker key={blocker.id || position} graph={graph} fact={blocker} open={now} />
          ))}
        </Card>
        {week.due && (
          <Card title="To do and due" total={week.totals.due}>
            {week.due.actions.slice(0, 8).map((action) => (
              <li key={action.id}>
                <EntityLink entity={action} />
              </li>
            ))}
            {week.due.facts.slice(0, 8).map((fact, position) => (
              <li key={fact.id || position}>
                <EntityLink entity={fact.subject} /> <span class="quiet">{fact.literal ?? fact.object?.name}</span>
              </li>
            ))}
          </Card>
        )}
        {week.due && (week.proposals > 0 || week.followUps.length > 0 || graph.live) && (
          <Card title="Waits for you" total={null}>
            {week.proposals > 0 && (
              <li>
                <a href="#/review">{count(week.proposals, "proposal")} to decide</a>
              </li>
            )}
            {week.followUps.slice(0, 6).map((action) => (
              <li key={action}>
                <a href={address("decisions")}>{action}</a>
              </li>
            ))}
          </Card>
        )}
        <Card title="Came in: facts" total={null}>
          {week.learnt.slice(0, 10).map((fact) => (
            <li key={fact.id}>
              <EntityLink entity={fact.subject} /> <span class="quiet">{fact.predicate.replace(/_/g, " ")}</span>{" "}
              {fact.object ? <EntityLink entity={fact.object} /> : fact.literal}
            </li>
          ))}
        </Card>
        {week.textTotal !== null && (
          <Card title="Newest texts" total={week.textTotal}>
            {week.texts.map((text) => (
              <li key={text.id}>
                <a href={address("text", text.id)}>{text.name}</a> <span class="quiet">{localDay(text.at)}</span>
              </li>
            ))}
          </Card>
        )}
      </div>
    </article>
  );
}

function OtherWeeks({ day, now }: { day: string; now: boolean }) {
  return (
    <nav aria-label="Weeks" class="buttons">
      <a class="button" href={address("week", "", { day: addDays(day, -7) })}>
        ← Week before
      </a>
      {!now && (
        <a class="button" href={addDays(day, 7) >= today() ? address("week") : address("week", "", { day: addDays(day, 7) })}>
          Week after →
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

function Blocker({ graph, fact, open }: { graph: Graph; fact: Fact; open: boolean }) {
  const resolve = () => edit(graph, "resolve_blocker", { blocker: fact.id }, () => `Resolved: ${fact.sentence}.`);
  return (
    <li>
      <EntityLink entity={fact.subject} />: {fact.object ? <EntityLink entity={fact.object} /> : fact.literal}{" "}
      {open && graph.editable() && (
        <button type="button" class="small" onClick={resolve} aria-label={`Resolved: ${fact.sentence}`}>
          Resolved
        </button>
      )}
    </li>
  );
}
