/* The week: what was decided, what came in, what is blocked, due and waiting; and where to begin in an empty graph. */
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { EntityLink } from "../components/entity";
import { FirstSteps } from "../components/first_steps";
import { addDays, localDay, today } from "../dates";
import type { Answer, Graph } from "../graph";
import { factOfRecord } from "../live";
import { address } from "../router";
import { edit } from "../toasts";
import { count } from "../wording";
import type { ViewProperties } from "./list";

export function WeekView({ graph, here }: ViewProperties) {
  const day = here.parameters.get("day") ?? today();
  const now = day >= today();
  const waiting = useAnswer(() => ask(graph, day, now), [day]);
  return (
    <Answered waiting={waiting} heading="Week">
      {({ week, steps, overview, changes, reviews }) =>
        overview.counts.entities + overview.counts.texts === 0 ? (
          <FirstSteps graph={graph} />
        ) : (
          <article class="week">
            <div class="title-row">
              <h1>
                {week.period.start} – {week.period.end}
              </h1>
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
            </div>
            <p class="lead">{week.summary}</p>
            {week.narrative && <blockquote>{week.narrative.text ?? week.narrative.content ?? ""}</blockquote>}
            <div class="cards">
              <Card title="Decided" total={week.totals.decisions}>
                {week.decisions.slice(0, 8).map((decision: Answer) => (
                  <li key={decision.id}>
                    <EntityLink entity={{ id: decision.id, name: decision.name }} />
                    <div class="quiet">
                      {[decision.decided_on, decision.decided_by.map((who: Answer) => who.name).join(", "), decision.source].filter(Boolean).join(" · ")}
                    </div>
                  </li>
                ))}
              </Card>
              <Card title="Blocked" total={week.totals.blockers}>
                {week.blockers.slice(0, 12).map((blocker: Answer) => (
                  <Blocker key={blocker.id} graph={graph} blocker={blocker} open={now} />
                ))}
              </Card>
              {steps && (
                <Card title="To do and due" total={steps.totals.actions + steps.totals.due + steps.totals.coming}>
                  {steps.actions.slice(0, 8).map((action: Answer) => (
                    <li key={action.id}>{action.id ? <EntityLink entity={action} /> : (action.text ?? action)}</li>
                  ))}
                  {[...steps.due, ...steps.coming].slice(0, 8).map((fact: Answer) => (
                    <li key={fact.id}>
                      <EntityLink entity={fact.subject} /> <span class="quiet">{fact.object.literal ?? fact.object.name}</span>
                    </li>
                  ))}
                </Card>
              )}
              {steps && (
                <Card title="Waits for you" total={null}>
                  {reviews > 0 && (
                    <li>
                      <a href="#/review">{count(reviews, "proposal")} to decide</a>
                    </li>
                  )}
                  {week.next_actions
                    .filter((action: string) => action.startsWith("Follow up"))
                    .slice(0, 6)
                    .map((action: string) => (
                      <li key={action}>{action}</li>
                    ))}
                </Card>
              )}
              <Card title="Came in: facts" total={null}>
                {changes
                  ? changes.learnt.slice(0, 10).map((fact) => (
                      <li key={fact.id}>
                        <EntityLink entity={fact.subject} /> <span class="quiet">{fact.predicate.replace(/_/g, " ")}</span>{" "}
                        {fact.object ? <EntityLink entity={fact.object} /> : fact.literal}
                      </li>
                    ))
                  : overview.latest_facts.map((fact: Answer, position: number) => (
                      <li key={position}>
                        {fact.fact} <span class="quiet">{localDay(fact.recorded_at)}</span>
                      </li>
                    ))}
              </Card>
              {now && (
                <Card title="Came in: texts" total={overview.counts.texts}>
                  {overview.latest_texts.map((text: Answer) => (
                    <li key={text.doc_id}>
                      <a href={address("text", text.doc_id)}>{text.name}</a> <span class="quiet">{localDay(text.occurred_at)}</span>
                    </li>
                  ))}
                </Card>
              )}
            </div>
          </article>
        )
      }
    </Answered>
  );
}

async function ask(graph: Graph, day: string, now: boolean) {
  const [week, steps, overview] = await Promise.all([
    graph.call("weekly_rollup", { detail: "full", ...(!now && { as_of: day }) }),
    now ? graph.call("list_next_steps", {}) : null,
    graph.call("get_overview", {}),
  ]);
  const { start, end } = week.period;
  const changes = await graph.changes(addDays(start, -1), end).catch(() => null);
  const reviews = steps ? steps.totals.proposals + steps.totals.proposed_facts + (steps.totals.other_proposals ?? 0) : 0;
  return { week, steps, overview, changes, reviews };
}

function Card({ title, total, children }: { title: string; total: number | null; children: preact.ComponentChildren }) {
  const rows = (Array.isArray(children) ? children.flat() : [children]).filter(Boolean);
  const more = total === null ? 0 : total - rows.length;
  return (
    <section class="card">
      <h2>
        {title} {total !== null && <span class="quiet">{total.toLocaleString("en")}</span>}
      </h2>
      {rows.length ? <ul>{rows}</ul> : <p class="quiet">Nothing.</p>}
      {rows.length > 0 && more > 0 && <p class="quiet">and {more.toLocaleString("en")} more</p>}
    </section>
  );
}

function Blocker({ graph, blocker, open }: { graph: Graph; blocker: Answer; open: boolean }) {
  const fact = factOfRecord(blocker);
  const resolve = () => edit(graph, "resolve_blocker", { blocker: blocker.id }, () => `Resolved: ${fact.sentence}.`);
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
