/* The neighbours of an entity, by predicate on both sides of it, at most forty; of each predicate how many more there are. */
import type { Fact, Ref } from "../graph";
import { EntityLink } from "./entity";
import { colourOf, fromEnd, linkOf } from "../wording";

const MOST = 40;
const ROW = 22;
const WIDTH = 1040;

interface Group {
  label: string;
  incoming: boolean;
  shown: { text: string; other: Ref | null }[];
  total: number;
}

export function Neighbourhood({ entity, facts }: { entity: Ref; facts: Fact[] }) {
  const groups = grouped(entity.id, facts);
  if (matchMedia("(max-width: 760px)").matches) return <List groups={groups} />;
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
            {group.total > group.shown.length && <span class="quiet">+{group.total - group.shown.length} more</span>}
          </dd>
        </div>
      ))}
    </dl>
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
        <text class="more" x={names + direction * 4} y={at + 5} text-anchor={anchor}>
          +{group.total - group.shown.length} more
        </text>,
      );
    }
    y += (lines + 0.4) * ROW;
  }
  return <g>{elements}</g>;
}

function grouped(id: string, facts: Fact[]): Group[] {
  const groups = new Map<string, Group>();
  for (const fact of facts) {
    const { label, incoming, other, text } = fromEnd(fact, id);
    const group = groups.get(label) ?? { label, incoming, shown: [], total: 0 };
    group.total += 1;
    group.shown.push({ text, other });
    groups.set(label, group);
  }
  const all = [...groups.values()].sort((a, b) => b.total - a.total || (a.label < b.label ? -1 : 1));
  // Every predicate has one neighbour before any has its second, and so on, until there are forty.
  const shares = all.map(() => 0);
  for (let left = MOST, before = -1; left > 0 && left !== before; ) {
    before = left;
    all.forEach((group, position) => {
      if (left > 0 && shares[position]! < group.total) {
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
