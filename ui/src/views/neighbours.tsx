/* Neighbours: all that one thing is connected with by one predicate, or by any, in a table. */
import { useEffect, useState } from "preact/hooks";
import { asCallError, useAnswer, useEdition } from "../answers";
import { Answered, Failure } from "../components/answer";
import { EntityLink, SourceName } from "../components/entity";
import { Period } from "../components/when";
import { dayIn } from "../dates";
import type { CallError, Fact, Graph, Ref, Selection } from "../graph";
import { parameterOf, thingAddress, type ViewProperties } from "../router";
import { count, fromEnd, words } from "../wording";

export function NeighboursView({ graph, here }: ViewProperties) {
  const id = here.argument;
  const selection: Selection = {
    predicate: here.parameters.get("predicate"),
    incoming: here.parameters.get("direction") === "in",
    asOf: dayIn(here.parameters.get("as_of")),
  };
  const waiting = useAnswer(() => graph.entity(id), [id]);
  return (
    <Answered waiting={waiting} heading="Not found">
      {(entity) => <AllNeighbours key={JSON.stringify(selection)} graph={graph} here={here} entity={entity} selection={selection} />}
    </Answered>
  );
}

function AllNeighbours({ graph, here, entity, selection }: ViewProperties & { entity: Ref; selection: Selection }) {
  const [filter, setFilter] = parameterOf(here, "filter");
  const { facts, total, error, busy, more } = usePages(graph, entity.id, selection);
  const rows = (facts ?? []).map((fact) => ({ fact, ...fromEnd(fact, entity.id) }));
  const wanted = filter.trim().toLowerCase();
  const shown = rows.filter((row) => row.text.toLowerCase().includes(wanted));
  const what = selection.predicate ? (rows[0]?.label ?? words(selection.predicate)) : "Neighbours";
  return (
    <article>
      <div class="title-row">
        <h1>
          {entity.name}: {what}
        </h1>
        <a class="button" href={thingAddress(entity.id)}>
          ← {entity.name}
        </a>
      </div>
      {error && <Failure error={error} />}
      {!facts && !error && <p class="quiet loading" aria-busy="true">Loading …</p>}
      {facts && (
        <>
          <div class="filters">
            <input type="search" aria-label="Filter by name" placeholder="Filter by name" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
            <span class="quiet" role="status">
              {wanted ? `${shown.length.toLocaleString("en")} of ${count(rows.length, "fact")}` : count(total, "fact")}
              {selection.asOf && ` on ${selection.asOf}`}
            </span>
          </div>
          {shown.length > 0 ? <NeighbourTable rows={shown} all={!selection.predicate} /> : <p class="quiet">{wanted ? "No name matches." : "There are none."}</p>}
          {total > rows.length && (
            <p>
              <button type="button" disabled={busy} onClick={more}>
                Show more
              </button>{" "}
              <span class="quiet">
                {rows.length.toLocaleString("en")} of {total.toLocaleString("en")} are shown
              </span>
            </p>
          )}
        </>
      )}
    </article>
  );
}

function NeighbourTable({ rows, all }: { rows: { fact: Fact; label: string; other: Ref | null; text: string }[]; all: boolean }) {
  return (
    <table class="facts neighbours">
      <thead>
        <tr>
          {all && <th scope="col">How</th>}
          <th scope="col">Name</th>
          <th scope="col">When</th>
          <th scope="col">Source</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ fact, label, other, text }) => (
          <tr key={fact.id}>
            {all && <td class="quiet">{label}</td>}
            <td>{other ? <EntityLink entity={other} /> : text}</td>
            <td>{fact.from || fact.to ? <Period from={fact.from} to={fact.to} /> : <span class="quiet">no dates</span>}</td>
            <td>
              <SourceOf fact={fact} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SourceOf({ fact }: { fact: Fact }) {
  const source = fact.assertions.find((each) => each.source)?.source;
  return source ? <SourceName name={source} /> : <span class="quiet">no source</span>;
}

/* The facts page by page; they are read anew after an edit. */
function usePages(graph: Graph, id: string, selection: Selection) {
  const [state, setState] = useState<{ facts: Fact[] | null; total: number; error: CallError | null }>({ facts: null, total: 0, error: null });
  const [busy, setBusy] = useState(false);
  const seen = useEdition();
  const read = async (before: Fact[]) => {
    setBusy(true);
    try {
      const { facts, total } = await graph.facts(id, selection, before.length);
      setState({ facts: [...before, ...facts], total, error: null });
    } catch (error) {
      setState({ facts: before.length ? before : null, total: 0, error: asCallError(error) });
    }
    setBusy(false);
  };
  useEffect(() => void read([]), [seen]);
  return { ...state, busy, more: () => void read(state.facts ?? []) };
}
