/* The neighbours of an entity, by predicate on both sides of it, at most sixty; "+N more" leads to all of a predicate. */
import type { Neighbours, PredicateCount, Ref } from "../graph";
import { address } from "../router";
import { EntityLink } from "./entity";
import { colourOf, count, countKey, fromEnd, isIncoming, linkOf, words } from "../wording";

const MOST = 60;
const ROW = 22;
const WIDTH = 1040;

interface Group {
  label: string;
  address: string; // of all of them
  shown: { text: string; other: Ref | null }[];
  total: number;
  folded: number; // facts with what is there already, such as at another time
}

export function Neighbourhood({ entity, neighbours, asOf = null }: { entity: Ref; neighbours: Neighbours; asOf?: string | null }) {
  const groups = grouped(entity.id, neighbours, asOf);
  const shown = groups.reduce((sum, group) => sum + group.shown.length + group.folded, 0);
  return (
    <>
      {matchMedia("(max-width: 760px)").matches ? <List groups={groups} /> : <Drawing entity={entity} groups={groups} />}
      <p class="all-neighbours">
        <a href={neighboursAddress(entity.id, null, asOf)}>{neighbours.total > shown ? `All ${count(neighbours.total, "neighbour")} in a table` : "In a table"}</a>
      </p>
    </>
  );
}

export function neighboursAddress(id: string, of: PredicateCount | null, asOf: string | null): string {
  const parameters: Record<string, string> = {};
  if (of) parameters.predicate = of.predicate;
  if (of?.incoming) parameters.direction = "in";
  if (asOf) parameters.as_of = asOf;
  return address("neighbours", id, parameters);
}

function Drawing({ entity, groups }: { entity: Ref; groups: Group[] }) {
  const [left, right] = sides(groups);
  const height = Math.max(rows(left), rows(right), 3) * ROW + 16;
  const centre = height / 2;
  return (
    <div class="neighbourhood-frame" tabIndex={0} role="group" aria-label={`Neighbours of ${entity.name}`}>
      <svg class="neighbourhood" viewBox={`0 0 ${WIDTH} ${height}`} width={WIDTH} height={height} role="presentation">
        <Side groups={left} x={WIDTH / 2 - 90} direction={-1} centre={centre} height={height} />
        <Side groups={right} x={WIDTH / 2 + 90} direction={1} centre={centre} height={height} />
        <rect class="centre-box" x={WIDTH / 2 - 90} y={centre - 17} width={180} height={34} rx={17} />
        <text class="centre" x={WIDTH / 2} y={centre + 5} text-anchor="middle">
          {cut(entity.name, 22)}
          <title>{entity.name}</title>
        </text>
      </svg>
    </div>
  );
}

/* The same for a narrow screen, where the picture has no room. */
function List({ groups }: { groups: Group[] }) {
  return (
    <dl class="neighbour-list">
      {groups.map((group) => (
        <div key={group.label}>
          <dt>{group.label}</dt>
          <dd>
            {group.shown.map(({ text, other }) => (other ? <EntityLink key={other.id} entity={other} /> : <span key={text}>{text}</span>))}
            {group.total > group.shown.length && <More group={group} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function More({ group }: { group: Group }) {
  const hidden = (group.total - group.shown.length).toLocaleString("en");
  return (
    <a href={group.address} aria-label={`${hidden} more: ${group.label}`}>
      +{hidden} more
    </a>
  );
}

function Side({ groups, x, direction, centre, height }: { groups: Group[]; x: number; direction: 1 | -1; centre: number; height: number }) {
  const elements = [];
  let y = (height - rows(groups) * ROW) / 2 + ROW / 2;
  const branch = x + direction * 150;
  const names = branch + direction * 26;
  const anchor = direction === 1 ? "start" : "end";
  for (const group of groups) {
    const lines = linesOf(group);
    const middle = y + ((lines - 1) * ROW) / 2;
    elements.push(
      <path class="branch" d={`M${x},${centre} C${x + direction * 40},${centre} ${x + direction * 10},${middle} ${x + direction * 44},${middle} H${branch}`} />,
      <text class="predicate" x={(x + direction * 44 + branch) / 2} y={middle - 4} text-anchor="middle">
        {cut(group.label, 17)}
        <title>{group.label}</title>
      </text>,
    );
    group.shown.forEach(({ text, other }, position) => {
      const at = y + position * ROW;
      elements.push(
        <path class="branch" d={`M${branch},${middle} C${branch + direction * 16},${middle} ${branch + direction * 6},${at} ${names},${at}`} />,
        other ? (
          <a href={linkOf(other)}>
            <circle class={`dot colour-${colourOf(other.type ?? "")}`} cx={names + direction * 5} cy={at} r={5} />
            <text x={names + direction * 16} y={at + 5} text-anchor={anchor}>
              {cut(text, 28)}
              <title>{text}</title>
            </text>
          </a>
        ) : (
          <text class="literal" x={names + direction * 4} y={at + 5} text-anchor={anchor}>
            {cut(text, 30)}
            <title>{text}</title>
          </text>
        ),
      );
    });
    if (group.total > group.shown.length) {
      const at = y + group.shown.length * ROW;
      elements.push(
        <a href={group.address} aria-label={`${(group.total - group.shown.length).toLocaleString("en")} more: ${group.label}`}>
          <text class="more" x={names + direction * 4} y={at + 5} text-anchor={anchor}>
            +{(group.total - group.shown.length).toLocaleString("en")} more
          </text>
        </a>,
      );
    }
    y += (lines + 0.4) * ROW;
  }
  return <g>{elements}</g>;
}

function grouped(id: string, { facts, counts }: Neighbours, asOf: string | null): Group[] {
  const groups = new Map<string, Group>();
  for (const each of counts) {
    const arrow = each.incoming ? "← " : "";
    const group = { label: arrow + words(each.predicate), address: neighboursAddress(id, each, asOf), shown: [], total: each.total, folded: 0 };
    groups.set(countKey(each.predicate, each.incoming), group);
  }
  for (const fact of facts) {
    const { label, other, text } = fromEnd(fact, id);
    const group = groups.get(countKey(fact.predicate, isIncoming(fact, id)));
    if (!group) continue; // it ended between two answers
    group.label = label;
    if (other && group.shown.some((each) => each.other?.id === other.id)) {
      group.total -= 1;
      group.folded += 1;
      continue;
    }
    group.shown.push({ text, other });
  }
  const all = [...groups.values()].sort((a, b) => b.total - a.total || (a.label < b.label ? -1 : 1));
  // Every predicate has one neighbour before any has its second, and so on, until there are sixty.
  const shares = all.map(() => 0);
  for (let left = MOST, before = -1; left > 0 && left !== before; ) {
    before = left;
    all.forEach((group, position) => {
      if (left > 0 && shares[position]! < group.shown.length) {
        shares[position]! += 1;
        left -= 1;
      }
    });
  }
  all.forEach((group, position) => (group.shown = group.shown.slice(0, shares[position])));
  return all.filter((group) => group.shown.length);
}

/* The groups divided so that both sides are about equally high; a group of more than a side is on both. */
function sides(groups: Group[]): [Group[], Group[]] {
  const left: Group[] = [];
  const right: Group[] = [];
  const half = Math.ceil(rows(groups) / 2);
  const parts = groups.flatMap((group) => {
    if (linesOf(group) <= half + 2) return [group];
    const first = { ...group, shown: group.shown.slice(0, half), total: half };
    return [first, { ...group, shown: group.shown.slice(half), total: group.total - half }];
  });
  for (const group of parts) (rows(right) <= rows(left) ? right : left).push(group);
  return [left, right];
}

function linesOf(group: Group): number {
  return group.shown.length + (group.total > group.shown.length ? 1 : 0);
}

function rows(groups: Group[]): number {
  return groups.reduce((sum, group) => sum + linesOf(group) + 0.4, 0);
}

function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : characters.slice(0, length - 1).join("") + "…";
}
