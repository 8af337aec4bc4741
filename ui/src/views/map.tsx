/* The map: communities as areas, entities at the places that the server keeps for them; a click leads to one thing. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { changed, useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { NothingYet } from "../components/empty";
import { EntityLink } from "../components/entity";
import { type CameraState, drawMap, MANY, type MapDrawing } from "../components/map_drawing";
import { SavePicture } from "../components/save";
import type { Graph, GraphMap } from "../graph";
import { go, listen, thingAddress, type ViewProperties } from "../router";
import { failed, record } from "../toasts";
import { count } from "../wording";

const LISTED = 12;

interface Community {
  name: string;
  leading: string;
  members: GraphMap["nodes"];
}

/* What was looked at when the map was left: Back leads there. */
let left: { camera: CameraState | null; community: number } = { camera: null, community: -1 };

export function MapView({ graph }: ViewProperties) {
  const waiting = useAnswer(() => graph.map(), []);
  return (
    <article class="map-view">
      <h1 class="hidden">Map</h1>
      <Answered waiting={waiting}>{(map) => (map.nodes.length ? <Drawn graph={graph} map={map} /> : <NothingYet graph={graph} text="There is nothing to show on the map yet." />)}</Answered>
    </article>
  );
}

function Drawn({ graph, map }: { graph: Graph; map: GraphMap }) {
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useRef<MapDrawing | null>(null);
  const [chosen, setChosen] = useState(left.community);
  const communities = useMemo(() => communitiesOf(map), [map]);
  useLayoutEffect(() => {
    const draw = () => {
      leave();
      drawing.current = drawMap(frame.current!, map, communities.map(({ name, leading }) => [name, leading]), (id) => go(thingAddress(id)), left.camera);
    };
    const leave = () => {
      if (drawing.current) left = { ...left, camera: drawing.current.camera() };
      drawing.current?.end();
      drawing.current = null;
    };
    draw();
    const end = listen(["themechange"], draw);
    return () => (end(), leave());
  }, [map]);
  const show = (position: number) => {
    setChosen(position);
    left = { ...left, community: position };
    drawing.current?.show(position < 0 ? null : map.communities[position]!);
  };
  return (
    <div class="map-columns">
      <div class="map-frame">
        <div ref={frame} class="map" aria-hidden="true" />
        <div class="zoom">
          <button type="button" aria-label="Zoom in" onClick={() => drawing.current?.zoom(0.6)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => drawing.current?.zoom(1 / 0.6)}>
            −
          </button>
          <button type="button" onClick={() => show(-1)}>
            All
          </button>
          <SavePicture name="map" draw={() => drawing.current!.svg()} />
        </div>
      </div>
      <Communities graph={graph} map={map} communities={communities} chosen={chosen} show={show} />
    </div>
  );
}

/* The same as the picture, for the keyboard and for screen readers. */
function Communities({ graph, map, communities, chosen, show }: { graph: Graph; map: GraphMap; communities: Community[]; chosen: number; show: (position: number) => void }) {
  const order = [...communities.keys()].sort((a, b) => communities[b]!.members.length - communities[a]!.members.length);
  const build = () => buildCommunities(graph);
  return (
    <aside aria-label="Communities">
      <h2>Communities</h2>
      <p class="quiet">
        {count(map.nodes.length, "entity", "entities")}
        {map.truncated && ` of ${map.total.toLocaleString("en")}`}, {count(map.edges.length, "connection")}
        {map.nodes.length > MANY && "; only those within communities are drawn"}
      </p>
      {!communities.length && <Members nodes={biggest(map.nodes)} />}
      {graph.editable() && map.communities.every((community) => !community.id) && (
        <button type="button" onClick={build}>
          Find and name communities
        </button>
      )}
      <ul class="communities">
        {order.slice(0, 60).map((position) => (
          <li key={position}>
            <button type="button" class="plain" aria-expanded={position === chosen} onClick={() => show(position === chosen ? -1 : position)}>
              <span title={map.communities[position]!.name}>{communities[position]!.name}</span>
            </button>
            {position === chosen && <Members nodes={biggest(communities[position]!.members)} />}
          </li>
        ))}
      </ul>
      {order.length > 60 && <p class="quiet">and {order.length - 60} smaller ones</p>}
    </aside>
  );
}

/* Each community is named after its best connected member, with how many more it has. */
function communitiesOf(map: GraphMap): Community[] {
  const members: GraphMap["nodes"][] = map.communities.map(() => []);
  for (const node of map.nodes) members[node[4]]?.push(node);
  return members.map((nodes, position) => {
    if (!nodes.length) return { name: map.communities[position]!.name, leading: "", members: nodes };
    const leading = nodes.reduce((best, node) => (node[3] > best[3] ? node : best))[5];
    return { name: nodes.length === 1 ? leading : `${leading} and ${(nodes.length - 1).toLocaleString("en")} more`, leading, members: nodes };
  });
}

/* Communities are made from the facts, which stay as they are: there is nothing to take back. */
async function buildCommunities(graph: Graph): Promise<void> {
  try {
    const status = await graph.call("get_status", {});
    const answer = await graph.call("build_communities", { group_ids: [status.graph.group] });
    record(answer.message, []);
  } catch (error) {
    failed(error);
  }
  changed();
}

function Members({ nodes }: { nodes: GraphMap["nodes"] }) {
  return (
    <ul class="short">
      {nodes.map(([id, , , , , name, type]) => (
        <li key={id}>
          <EntityLink entity={{ id, name, type }} />
        </li>
      ))}
    </ul>
  );
}

function biggest(nodes: GraphMap["nodes"]): GraphMap["nodes"] {
  return [...nodes].sort((a, b) => b[3] - a[3]).slice(0, LISTED);
}
