/* The rows of a query as a table; nodes are links. */
import { typeOf } from "../live";
import type { Edge, Node } from "../tools";
import { EntityLink } from "./entity";

const SHOWN = 500;

export function ResultTable({ columns, rows }: { columns: string[]; rows: unknown[][] }) {
  if (!rows.length) return <p>No row matches.</p>;
  return (
    <div class="table-frame wide" tabIndex={0} role="region" aria-label="Result">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row, position) => (
            <tr key={position}>
              {row.map((value, column) => (
                <td key={column}><Value value={value} /></td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN && <p class="quiet">and {rows.length - SHOWN} more</p>}
    </div>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span class="quiet">null</span>;
  if (Array.isArray(value)) return <>{value.map((each, position) => <>{position > 0 && ", "}<Value value={each} /></>)}</>;
  if (typeof value !== "object") return <>{String(value)}</>;
  if (isNode(value)) return <EntityLink entity={{ id: value.id.startsWith("ent_") ? value.id : "", name: nameOf(value), type: typeOf(value.labels) }} />;
  if (isRelationship(value)) return <span class="quiet">{String(value.properties.text ?? value.type)}</span>;
  return <>{JSON.stringify(value)}</>;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "labels" in value && "properties" in value;
}

export function isRelationship(value: unknown): value is Edge {
  return typeof value === "object" && value !== null && "src" in value && "dest" in value;
}

export function nameOf({ id, properties }: Node): string {
  return String(properties.name ?? properties.value ?? id);
}
