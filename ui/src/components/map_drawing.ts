/* The drawing of the map: sigma (WebGL) for entities and connections, with a canvas for areas beneath it and one for names above. */
import GraphModel from "graphology";
import Sigma from "sigma";
import type { CameraState } from "sigma/types";
import { EdgeLineProgram, EdgeRectangleProgram, NodeCircleProgram, NodePointProgram } from "sigma/rendering";
import type { GraphMap } from "../graph";
import { isDark } from "../theme";
import { addLabels, canvasOver } from "./map_labels";

const HUB = 30; // more neighbours than this, and a connection to it is fainter
const MOST_EDGES = 60_000;

/* In a map of more entities, connections between communities would cover everything: those within them are drawn. */
export const MANY = 2_000;

// The same twelve hues as in style.css, light and dark.
export const HUES = [211, 24, 142, 280, 350, 180, 48, 312, 95, 255, 5, 160];

export type { CameraState };

export interface MapDrawing {
  zoom(factor: number): void;
  camera(): CameraState;
  show(area: { x: number; y: number; r: number } | null): void;
  end(): void;
}

export function drawMap(frame: HTMLElement, map: GraphMap, open: (id: string) => void, from: CameraState | null): MapDrawing {
  const dark = isDark();
  const many = map.nodes.length > MANY;
  const model = modelOf(map, dark);
  const sigma = new Sigma(model, frame, {
    renderLabels: false,
    defaultNodeType: many ? "point" : "circle",
    defaultEdgeType: many ? "line" : "rectangle",
    nodeProgramClasses: { point: NodePointProgram, circle: NodeCircleProgram },
    edgeProgramClasses: { line: EdgeLineProgram, rectangle: EdgeRectangleProgram },
    hideEdgesOnMove: map.edges.length > 5_000,
    minCameraRatio: 0.005,
    maxCameraRatio: 3,
    zIndex: false,
    defaultDrawNodeHover: (context, node, settings) => drawHover(context, node, settings, dark),
  });
  sigma.setCustomBBox(bounds(map));
  if (from) sigma.getCamera().setState(from);
  const areas = addAreas(frame, sigma, map, dark);
  const labels = addLabels(frame, sigma, map, dark);
  // Entities are there at once; the connections of a large map follow when they are drawn.
  const later = window.setTimeout(() => sigma.setGraph(withEdges(modelOf(map, dark), map, dark)), many ? 250 : 0);
  sigma.on("clickNode", ({ node }) => open(node));
  sigma.on("enterNode", () => (frame.style.cursor = "pointer"));
  sigma.on("leaveNode", () => (frame.style.cursor = ""));
  return {
    zoom: (factor) => void sigma.getCamera().animate({ ratio: sigma.getCamera().ratio * factor }, { duration: 150 }),
    camera: () => sigma.getCamera().getState(),
    show: (area) => show(sigma, area),
    end: () => {
      window.clearTimeout(later);
      sigma.kill();
      areas.remove();
      labels.remove();
    },
  };
}

function modelOf(map: GraphMap, dark: boolean): GraphModel {
  const model = new GraphModel({ type: "directed", multi: true, allowSelfLoops: true });
  const lightness = dark ? 66 : 44;
  const colours = HUES.map((hue) => hex(hue, 55, lightness));
  for (const [id, x, y, size, community, name] of map.nodes) {
    const color = community < 0 ? (dark ? "#8d9097" : "#85878c") : colours[community % HUES.length];
    model.addNode(id, { x, y, size: radiusOf(size, map.nodes.length), label: name, color });
  }
  return model;
}

function withEdges(model: GraphModel, map: GraphMap, dark: boolean): GraphModel {
  const { nodes, edges } = map;
  const drawn = nodes.length > MANY ? edges.filter(([a, b]) => nodes[a]![4] === nodes[b]![4]).slice(0, MOST_EDGES) : edges;
  const [faint, plain] = dark ? ["#282c33", "#4a505a"] : ["#e9e6df", "#c3bfb5"];
  drawn.forEach(([source, target], position) => {
    const [a, b] = [nodes[source]!, nodes[target]!];
    const isFaint = Math.max(a[3], b[3]) > HUB || (a[4] !== b[4] && nodes.length > 500);
    model.addEdgeWithKey(String(position), a[0], b[0], { size: 0.7, color: isFaint ? faint : plain });
  });
  return model;
}

/* In pixels, while all of the map is seen: the more entities there are, the smaller each is. */
export function radiusOf(neighbours: number, entities: number): number {
  return Math.min(22, 2.5 + 1.4 * Math.sqrt(neighbours)) * Math.min(1, Math.max(0.2, 16 / Math.sqrt(entities)));
}

/* All places, and all of every area. */
function bounds(map: GraphMap): { x: [number, number]; y: [number, number] } {
  const box = { x: [Infinity, -Infinity] as [number, number], y: [Infinity, -Infinity] as [number, number] };
  const include = (axis: "x" | "y", low: number, high: number) => {
    box[axis] = [Math.min(box[axis][0], low), Math.max(box[axis][1], high)];
  };
  for (const [, x, y] of map.nodes) {
    include("x", x, x);
    include("y", y, y);
  }
  for (const { x, y, r } of map.communities) {
    include("x", x - r, x + r);
    include("y", y - r * 1.1, y + r * 1.1);
  }
  return box;
}

/* The discs of communities, redrawn with every frame of sigma. */
function addAreas(frame: HTMLElement, sigma: Sigma, map: GraphMap, dark: boolean): HTMLCanvasElement {
  const { canvas, begin } = canvasOver(frame, sigma);
  frame.prepend(canvas);
  const draw = () => {
    const context = begin();
    const { width, height } = sigma.getDimensions();
    map.communities.forEach((community, position) => {
      const { x, y, radius } = disc(sigma, community);
      if (x + radius < 0 || x - radius > width || y + radius < 0 || y - radius > height) return;
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = `hsla(${HUES[position % HUES.length]}, 50%, ${dark ? 60 : 50}%, 0.1)`;
      context.fill();
    });
  };
  sigma.on("afterRender", draw);
  return canvas;
}

export function disc(sigma: Sigma, area: { x: number; y: number; r: number }): { x: number; y: number; radius: number } {
  const { x, y } = sigma.graphToViewport(area);
  const edge = sigma.graphToViewport({ x: area.x + area.r, y: area.y });
  return { x, y, radius: Math.hypot(edge.x - x, edge.y - y) + 2 };
}

/* The name under the pointer, on a plate that has the colours of the theme. */
function drawHover(
  context: CanvasRenderingContext2D,
  node: { x: number; y: number; size: number; label: string | null; color: string },
  settings: { labelSize: number },
  dark: boolean,
): void {
  context.font = `600 ${settings.labelSize}px system-ui, sans-serif`;
  const text = node.label ?? "";
  const width = context.measureText(text).width;
  context.fillStyle = dark ? "#24272d" : "#ffffff";
  context.strokeStyle = node.color;
  context.beginPath();
  context.roundRect(node.x + node.size + 2, node.y - 12, width + 14, 24, 6);
  context.fill();
  context.stroke();
  context.beginPath();
  context.arc(node.x, node.y, node.size + 2, 0, 2 * Math.PI);
  context.stroke();
  context.fillStyle = dark ? "#f2f0eb" : "#16181c";
  context.fillText(text, node.x + node.size + 9, node.y + 4);
}

function show(sigma: Sigma, area: { x: number; y: number; r: number } | null): void {
  const camera = sigma.getCamera();
  if (!area) return void camera.animatedReset({ duration: 200 });
  const centre = sigma.viewportToFramedGraph(sigma.graphToViewport(area));
  const edge = sigma.viewportToFramedGraph(sigma.graphToViewport({ x: area.x + area.r, y: area.y }));
  const radius = Math.hypot(edge.x - centre.x, edge.y - centre.y);
  void camera.animate({ x: centre.x, y: centre.y, ratio: Math.max(0.02, radius * 2.6) }, { duration: 250 });
}

/* Sigma reads colours as hex digits, not as hsl. */
function hex(hue: number, saturation: number, lightness: number): string {
  const [s, l] = [saturation / 100, lightness / 100];
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    const value = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
