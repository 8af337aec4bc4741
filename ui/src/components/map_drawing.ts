/* The drawing of the map: sigma (WebGL) for entities and connections, and a canvas beneath it for the areas of communities. */
import GraphModel from "graphology";
import Sigma from "sigma";
import type { GraphMap } from "../graph";
import { isDark } from "../theme";

const HUB = 30; // more neighbours than this, and a connection to it is fainter
const MOST_EDGES = 60_000;

// The same twelve hues as in style.css, light and dark.
const HUES = [211, 24, 142, 280, 350, 180, 48, 312, 95, 255, 5, 160];

export interface MapDrawing {
  zoom(factor: number): void;
  show(area: { x: number; y: number; r: number } | null): void;
  end(): void;
}

export function drawMap(frame: HTMLElement, map: GraphMap, open: (id: string) => void): MapDrawing {
  const dark = isDark();
  const model = modelOf(map, dark);
  const few = map.nodes.length < 150;
  const sigma = new Sigma(model, frame, {
    labelColor: { color: dark ? "#e8e6e1" : "#22252a" },
    labelFont: "system-ui, sans-serif",
    labelSize: 13,
    labelDensity: few ? 3 : 0.6,
    labelGridCellSize: few ? 90 : 130,
    labelRenderedSizeThreshold: few ? 0 : 5,
    defaultEdgeColor: dark ? "#3a3f47" : "#d5d2ca",
    hideEdgesOnMove: map.edges.length > 5_000,
    hideLabelsOnMove: map.nodes.length > 5_000,
    minCameraRatio: 0.005,
    maxCameraRatio: 3,
    zIndex: false,
    defaultDrawNodeHover: (context, node, settings) => drawHover(context, node, settings, dark),
  });
  sigma.setCustomBBox(bounds(map));
  sigma.refresh();
  const areas = areasBelow(frame, sigma, map, dark);
  sigma.on("clickNode", ({ node }) => open(node));
  sigma.on("enterNode", () => (frame.style.cursor = "pointer"));
  sigma.on("leaveNode", () => (frame.style.cursor = ""));
  return {
    zoom: (factor) => void sigma.getCamera().animate({ ratio: sigma.getCamera().ratio * factor }, { duration: 150 }),
    show: (area) => show(sigma, area),
    end: () => {
      sigma.kill();
      areas.remove();
    },
  };
}

function modelOf(map: GraphMap, dark: boolean): GraphModel {
  const model = new GraphModel({ type: "directed", multi: true, allowSelfLoops: true });
  const lightness = dark ? 66 : 44;
  for (const [id, x, y, size, community, name] of map.nodes) {
    const colour = community < 0 ? (dark ? "#8d9097" : "#85878c") : `hsl(${HUES[community % 12]}, 55%, ${lightness}%)`;
    model.addNode(id, { x, y, size: Math.min(22, 2.5 + 1.4 * Math.sqrt(size)), label: name, color: hex(colour) });
  }
  const edges = map.edges.length > MOST_EDGES ? map.edges.filter(([a, b]) => map.nodes[a]![4] === map.nodes[b]![4]).slice(0, MOST_EDGES) : map.edges;
  for (const [source, target] of edges) {
    const [a, b] = [map.nodes[source]!, map.nodes[target]!];
    const faint = Math.max(a[3], b[3]) > HUB || (a[4] !== b[4] && map.nodes.length > 500);
    const colour = dark ? (faint ? "#282c33" : "#4a505a") : faint ? "#e9e6df" : "#c3bfb5";
    model.addEdge(a[0], b[0], { size: 0.7, color: colour });
  }
  return model;
}

/* All places, and all of every area. */
function bounds(map: GraphMap): { x: [number, number]; y: [number, number] } {
  const box = { x: [Infinity, -Infinity] as [number, number], y: [Infinity, -Infinity] as [number, number] };
  const include = (axis: "x" | "y", low: number, high: number) => {
    box[axis] = [Math.min(box[axis][0], low), Math.max(box[axis][1], high)];
  };
  for (const [, x, y] of map.nodes) include("x", x, x), include("y", y, y);
  for (const { x, y, r } of map.communities) include("x", x - r, x + r), include("y", y - r * 1.15, y + r * 1.15);
  return box;
}

/* The discs of communities and their names, redrawn with every frame of sigma. */
function areasBelow(frame: HTMLElement, sigma: Sigma, map: GraphMap, dark: boolean): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.style.position = "absolute";
  canvas.style.inset = "0";
  frame.prepend(canvas);
  const context = canvas.getContext("2d")!;
  const draw = () => {
    const { width, height } = sigma.getDimensions();
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== width * scale || canvas.height !== height * scale) {
      [canvas.width, canvas.height] = [width * scale, height * scale];
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.textAlign = "center";
    map.communities.forEach((community, position) => {
      const centre = sigma.graphToViewport(community);
      const edge = sigma.graphToViewport({ x: community.x + community.r, y: community.y });
      const radius = Math.hypot(edge.x - centre.x, edge.y - centre.y) + 8;
      if (centre.x + radius < 0 || centre.x - radius > width || centre.y + radius < 0 || centre.y - radius > height) return;
      const hue = HUES[position % 12];
      context.beginPath();
      context.arc(centre.x, centre.y, radius, 0, 2 * Math.PI);
      context.fillStyle = `hsla(${hue}, 50%, ${dark ? 60 : 50}%, 0.09)`;
      context.fill();
      if (radius < 34) return;
      const size = Math.min(17, 10 + radius / 40);
      context.font = `600 ${size}px system-ui, sans-serif`;
      const name = fitted(context, community.name, Math.max(110, radius * 1.9));
      context.fillStyle = `hsl(${hue}, 45%, ${dark ? 74 : 32}%)`;
      context.fillText(name, centre.x, centre.y - radius - 4 < 12 ? 14 : centre.y - radius - 4);
    });
  };
  sigma.on("afterRender", draw);
  draw();
  return canvas;
}

function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  let shown = text;
  while (shown.length > 4 && context.measureText(shown).width > width) shown = shown.slice(0, -2);
  return shown === text ? text : shown.trimEnd() + "…";
}

/* The name under the pointer, on a plate that has the colours of the theme. */
function drawHover(
  context: CanvasRenderingContext2D,
  node: { x: number; y: number; size: number; label: string | null; color: string },
  settings: { labelSize: number; labelFont: string },
  dark: boolean,
): void {
  context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
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

/* Sigma reads colours as hex digits or rgb, not as hsl. */
function hex(colour: string): string {
  const match = /^hsl\((\d+), (\d+)%, (\d+)%\)$/.exec(colour);
  if (!match) return colour;
  const [h, s, l] = [Number(match[1]), Number(match[2]) / 100, Number(match[3]) / 100];
  const channel = (n: number) => {
    const k = (n + h / 30) % 12;
    const value = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value).toString(16).padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
