/* The nodes and relationships of a result, drawn by forces, at most 150 nodes. */
import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import { useMemo } from "preact/hooks";
import { typeOf } from "../live";
import { thingAddress } from "../router";
import { hueOf, words } from "../wording";
import { isNode, isRelationship, nameOf } from "./result_table";

const MOST = 150;
const TICKS = 200;

interface Node extends SimulationNodeDatum {
  id: string;
  name: string;
  type: string;
}

interface Edge {
  id: string;
  source: string | Node;
  target: string | Node;
  label: string;
}

export interface PictureContent {
  nodes: Node[];
  edges: Edge[];
}

/* Null where the rows have no node. */
export function pictureOf(rows: unknown[][]): PictureContent | null {
  const nodes = new Map<string, Node>();
  const edges = new Map<string, Edge>();
  const visit = (value: unknown) => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) nodes.size < MOST && nodes.set(value.id, { id: value.id, name: nameOf(value), type: typeOf(value.labels) });
    else if (isRelationship(value)) edges.set(value.id, { id: value.id, source: value.src, target: value.dest, label: words(value.type) });
  };
  rows.forEach(visit);
  if (!nodes.size) return null;
  return { nodes: [...nodes.values()], edges: [...edges.values()].filter((edge) => nodes.has(edge.source as string) && nodes.has(edge.target as string)) };
}

export function Picture({ picture }: { picture: PictureContent }) {
  const { nodes, edges } = useMemo(() => placed(picture), [picture]);
  const margin = 80;
  const xs = nodes.map((node) => node.x!);
  const ys = nodes.map((node) => node.y!);
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - 30];
  const [width, height] = [Math.max(...xs) - left + margin + 140, Math.max(...ys) - top + 30];
  return (
    <div class="picture-frame">
      <svg class="picture" viewBox={`${left} ${top} ${width} ${height}`} role="group" aria-label="The result as a picture">
        {edges.map((edge) => {
          const [a, b] = [edge.source as Node, edge.target as Node];
          return (
            <g key={edge.id}>
              <line x1={a.x} y1={a.y} x2={b.x} y2={b.y} />
              {edges.length <= 40 && (
                <text class="predicate" x={(a.x! + b.x!) / 2} y={(a.y! + b.y!) / 2} text-anchor="middle">
                  {edge.label}
                </text>
              )}
            </g>
          );
        })}
        {nodes.map((node) => {
          const drawn = (
            <>
              <circle class="dot" style={{ "--hue": hueOf(node.type) }} cx={node.x} cy={node.y} r={7} />
              <text x={node.x! + 10} y={node.y! + 4}>
                {node.name.length > 26 ? node.name.slice(0, 25) + "…" : node.name}
                <title>{node.name}</title>
              </text>
            </>
          );
          return node.id.startsWith("ent_") ? (
            <a key={node.id} href={thingAddress(node.id)}>
              {drawn}
            </a>
          ) : (
            <g key={node.id}>{drawn}</g>
          );
        })}
      </svg>
    </div>
  );
}

function placed({ nodes, edges }: PictureContent): PictureContent {
  const copies = nodes.map((node) => ({ ...node }));
  const links = edges.map((edge) => ({ ...edge }));
  forceSimulation(copies)
    .force("link", forceLink<Node, Edge>(links).id((node) => node.id).distance(110))
    .force("charge", forceManyBody().strength(-260))
    .force("collide", forceCollide(34))
    .force("x", forceX().strength(0.04))
    .force("y", forceY().strength(0.07))
    .force("centre", forceCenter())
    .stop()
    .tick(TICKS);
  for (const node of copies) node.x! *= 1.4; // names are wide
  return { nodes: copies, edges: links };
}
