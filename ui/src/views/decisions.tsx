/* Decisions: a board with a row for each project and a column for each state, each decision with its evidence. */
import { useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { EntityLink, SourceName } from "../components/entity";
import { Prose, When } from "../components/when";
import type { Ref } from "../graph";
import { parameterOf, type ViewProperties } from "../router";
import type { Decision as DecisionRecord } from "../tools";
import { importNote } from "../wording";

type State = "open" | "followed up" | "superseded";

const STATES: State[] = ["open", "followed up", "superseded"];
const TITLES = { open: "Open", "followed up": "Followed up", superseded: "Superseded" };
const SHOWN = 8;

type Decision = DecisionRecord & { by: Ref | null }; // the decision that superseded it

export function DecisionsView({ graph, here }: ViewProperties) {
  const [filter, setFilter] = parameterOf(here, "filter");
  const waiting = useAnswer(() => graph.decisions(), []);
  return (
    <article class="decisions">
      <div class="title-row">
        <h1>Decisions</h1>
        <input type="search" aria-label="Filter decisions" placeholder="Filter" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </div>
      <Answered waiting={waiting}>
        {(answer) => {
          const decisions = withSuccessors(answer.decisions).filter((decision) => matches(decision, filter));
          const projects = [...new Set(decisions.flatMap(projectsOf))].sort();
          return (
            <>
              {!decisions.length && <p class="quiet">{filter ? "No decision matches." : "No decisions yet."}</p>}
              {projects.map((project) => (
                <Project key={project} name={project} decisions={decisions.filter((decision) => projectsOf(decision).includes(project))} />
              ))}
              {answer.total > answer.decisions.length && <p class="quiet">{answer.total - answer.decisions.length} older decisions are not shown.</p>}
            </>
          );
        }}
      </Answered>
    </article>
  );
}

function Project({ name, decisions }: { name: string; decisions: Decision[] }) {
  return (
    <section aria-label={name || "No project"}>
      <h2>
        {name || "No project"} <span class="quiet">{decisions.length}</span>
      </h2>
      <div class="board">
        {STATES.filter((state) => decisions.some((decision) => stateOf(decision) === state)).map((state) => (
          <Column key={state} state={state} decisions={decisions.filter((decision) => stateOf(decision) === state)} />
        ))}
      </div>
    </section>
  );
}

function Column({ state, decisions }: { state: State; decisions: Decision[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? decisions : decisions.slice(0, SHOWN);
  return (
    <div class="column">
      <h3>
        {TITLES[state]} <span class="quiet">{decisions.length}</span>
      </h3>
      <ul>
        {shown.map((decision, position) => (
          <li key={decision.id || position} class="card">
            <EntityLink entity={decision} />
            <div class="quiet">
              <When at={decision.decided_on} />
              {decision.decided_by.length > 0 && " · "}
              {decision.decided_by.map((who, position) => (
                <>
                  {position > 0 && ", "}
                  <EntityLink entity={who} />
                </>
              ))}
            </div>
            <div class="quiet">{decision.source ? <SourceName name={decision.source} /> : "No source"}</div>
            {decision.imported_at && <div class="quiet"><Prose text={importNote(decision)} /></div>}
            {decision.supersedes && (
              <div class="quiet">
                Supersedes <EntityLink entity={decision.supersedes} />
              </div>
            )}
            {decision.by && (
              <div class="quiet">
                Superseded by <EntityLink entity={decision.by} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {decisions.length > shown.length && (
        <button type="button" class="small" onClick={() => setAll(true)}>
          +{decisions.length - shown.length} more
        </button>
      )}
    </div>
  );
}

function withSuccessors(decisions: DecisionRecord[]): Decision[] {
  const by = new Map<string, Ref>();
  for (const decision of decisions) if (decision.supersedes) by.set(decision.supersedes.id, { id: decision.id, name: decision.name });
  return decisions.map((decision) => ({ ...decision, by: by.get(decision.id) ?? null }));
}

function stateOf(decision: Decision): State {
  if (decision.by) return "superseded";
  return decision.followed_up ? "followed up" : "open";
}

function projectsOf(decision: Decision): string[] {
  return decision.projects?.length ? decision.projects : [""];
}

function matches(decision: Decision, filter: string): boolean {
  const text = [decision.name, decision.source, decision.decided_on, ...decision.decided_by.map((who) => who.name)].join(" ").toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
