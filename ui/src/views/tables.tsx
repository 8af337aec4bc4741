/* Tables: entities, sorted and filtered, and many of them merged, retyped or tagged at once. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { Answered, Failure } from "../components/answer";
import { BulkEdits } from "../components/bulk_edits";
import { NothingYet } from "../components/empty";
import { EntityLink } from "../components/entity";
import { When } from "../components/when";
import type { Row, RowSelection } from "../graph";
import { parameterOf, type ViewProperties } from "../router";
import { count, title, words } from "../wording";

const ROW_HEIGHT = 37;
const WINDOW = 60; // rows in the document at a time
const FIRST = 500;
const MOST = 10_000; // rows that are asked for

/* Where the table of an address was scrolled to: Back leads there. */
let left = { address: "", top: 0 };

type Column = RowSelection["by"];
const COLUMNS: { name: Column; title: string }[] = [
  { name: "name", title: "Name" },
  { name: "type", title: "Type" },
  { name: "facts", title: "Facts" },
  { name: "since", title: "Added" },
];

export function TablesView({ graph, here }: ViewProperties) {
  const [type, setType] = parameterOf(here, "type");
  const types = useAnswer(() => graph.types(), []);
  const [filter, setFilter] = parameterOf(here, "filter");
  const [order, setOrder] = parameterOf(here, "sort");
  const [limit, setLimit] = useState(FIRST);
  const sort = sortOf(order);
  const waiting = useAnswer(() => graph.rows({ type: type || null, filter, ...sort, limit }), [type, filter, order, limit]);
  return (
    <article>
      <div class="title-row">
        <h1>Things</h1>
        <div class="filters">
          <input type="search" aria-label="Filter by name" placeholder="Filter by name" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        <label>
          Type{" "}
          <select onChange={(event) => setType(event.currentTarget.value)}>
            <option value="" selected={!type}>all types</option>
            {(types.value ?? []).map((each) => (
              <option key={each.name} value={each.name} selected={each.name === type}>
                {words(each.name)} ({each.count})
              </option>
            ))}
          </select>
        </label>
        </div>
      </div>
      {types.error && <Failure error={types.error} />}
      <Answered waiting={waiting}>
        {({ rows, total }) => !total && !type && !filter ? <NothingYet graph={graph} text="There are no entities yet." /> : <Table key={`${type} ${filter} ${order}`} graph={graph} here={here} rows={rows} total={total} busy={waiting.loading} more={() => setLimit(MOST)} sort={sort} setOrder={setOrder} />}
      </Answered>
    </article>
  );
}

interface TableProperties extends ViewProperties {
  rows: Row[];
  total: number;
  busy: boolean;
  more: () => void;
  sort: { by: Column; down: boolean };
  setOrder: (order: string) => void;
}

function Table({ graph, rows, total, busy, more, sort, setOrder }: TableProperties) {
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [top, setTop] = useState(() => (left.address === location.hash ? firstRow(left.top) : 0));
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (left.address === location.hash) frame.current?.scrollTo(0, left.top);
  }, []);
  const chosen = rows.filter((row) => selected.has(row.id));
  const toggle = (ids: string[], on: boolean) => {
    const next = new Set(selected);
    for (const id of ids) on ? next.add(id) : next.delete(id);
    setSelected(next);
  };
  const first = Math.max(0, Math.min(top, rows.length - WINDOW));
  const visible = rows.slice(first, first + WINDOW);
  const columns = COLUMNS.filter((column) => column.name !== "since" || graph.live);
  const editable = graph.editable();
  return (
    <>
      <p class="quiet" role="status">
        {count(total, "entity", "entities")}
        {total > rows.length && `, showing the first ${rows.length.toLocaleString("en")}`}
        {total > rows.length && rows.length < MOST && (
          <>
            {" "}
            <button type="button" class="small" onClick={more}>
              Show more
            </button>
          </>
        )}
      </p>
      {editable && <BulkEdits graph={graph} rows={chosen} done={() => setSelected(new Set())} />}
      <div
        class="table-frame"
        ref={frame}
        tabIndex={0}
        role="region"
        aria-label="Entities"
        aria-busy={busy}
        onScroll={(event) => {
          left = { address: location.hash, top: event.currentTarget.scrollTop };
          setTop(firstRow(left.top));
        }}
      >
        <table class="entities" aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {editable && (
                <th scope="col" class="select">
                  <input
                    type="checkbox"
                    aria-label="Select all that are shown"
                    checked={rows.length > 0 && rows.every((row) => selected.has(row.id))}
                    onChange={(event) => toggle(rows.map((row) => row.id), event.currentTarget.checked)}
                  />
                </th>
              )}
              {columns.map((column) => (
                <th key={column.name} scope="col" class={column.name} aria-sort={sort.by !== column.name ? undefined : sort.down ? "descending" : "ascending"}>
                  <button type="button" class="plain" onClick={() => setOrder((sort.by === column.name && !sort.down ? "-" : "") + column.name)}>
                    {column.title} <span aria-hidden="true">{sort.by !== column.name ? "" : sort.down ? "↓" : "↑"}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} />
            {visible.map((row, position) => (
              <tr key={row.id} aria-rowindex={first + position + 2} class={selected.has(row.id) ? "selected" : ""}>
                {editable && (
                  <td class="select">
                    <input type="checkbox" aria-label={`Select ${row.name}`} checked={selected.has(row.id)} onChange={(event) => toggle([row.id], event.currentTarget.checked)} />
                  </td>
                )}
                <td class="name">
                  <EntityLink entity={row} /> {row.aliases.length > 0 && <span class="quiet">{row.aliases.join(" · ")}</span>}
                </td>
                <td class="type">{title(row.type)}</td>
                <td class="facts">{row.facts}</td>
                {graph.live && <td class="since"><When at={row.since} /></td>}
              </tr>
            ))}
            <Spacer rows={rows.length - first - visible.length} />
          </tbody>
        </table>
      </div>
    </>
  );
}

/* The first row in the document, where the table is scrolled so far; some above it are there too. */
function firstRow(top: number): number {
  return Math.max(0, Math.floor(top / ROW_HEIGHT) - 15);
}

/* Stands for rows that are not in the document. */
function Spacer({ rows }: { rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td ref={(cell) => void (cell && (cell.style.height = `${rows * ROW_HEIGHT}px`))} />
    </tr>
  );
}

/* By the name of a column, upside down behind a minus. */
function sortOf(order: string): { by: Column; down: boolean } {
  const by = COLUMNS.find((column) => column.name === order.replace(/^-/, ""))?.name ?? "name";
  return { by, down: order.startsWith("-") };
}
