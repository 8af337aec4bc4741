/* The rows of a query as a table; nodes are links. */
import type { Answer } from "../graph";
import { typeOf } from "../live";
import { EntityLink } from "./entity";

const SHOWN = 500;

export function ResultTable({ columns, rows }: { columns: string[]; rows: Answer[][] }) {
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

function Value({ value }: { value: Answer }) {
  if (value === null || value === undefined) return <span class="quiet">null</span>;
  if (Array.isArray(value)) return <>{value.map((each, position) => <>{position > 0 && ", "}<Value value={each} /></>)}</>;
  if (typeof value !== "object") return <>{String(value)}</>;
  if (isNode(value)) return <EntityLink entity={{ id: value.id.startsWith("ent_") ? value.id : "", name: nameOf(value), type: typeOf(value.labels) }} />;
  if (isRelationship(value)) return <span class="quiet">{value.properties?.text ?? value.type}</span>;
  return <>{JSON.stringify(value)}</>;
}

export function isNode(value: Answer): boolean {
  return Boolean(value && typeof value === "object" && Array.isArray(value.labels) && typeof value.id === "string");
}

export function isRelationship(value: Answer): boolean {
  return Boolean(value && typeof value === "object" && typeof value.src === "string" && typeof value.dest === "string");
}

export function nameOf(node: Answer): string {
  return node.properties?.name ?? node.properties?.value ?? node.id;
}
