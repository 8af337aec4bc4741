/* The names on the map: those of communities, then of entities from the best connected on, each only where nothing stands yet. */
import type Sigma from "sigma";
import type { GraphMap } from "../graph";
import { disc, HUES, radiusOf } from "./map_drawing";

const MOST_NAMES = 160;
const MOST_TRIED = 4_000;
const LENGTH = 26;
const LEAST_RADIUS = 2.2; // pixels: what is smaller has no name yet
const CELL = 40; // pixels

type Box = [left: number, top: number, right: number, bottom: number];

export function addLabels(frame: HTMLElement, sigma: Sigma, map: GraphMap, dark: boolean): HTMLCanvasElement {
  const { canvas, begin } = canvasOver(frame, sigma);
  canvas.style.pointerEvents = "none";
  frame.append(canvas);
  const ranked = [...map.nodes].sort((a, b) => b[3] - a[3]);
  const areas = map.communities.map((community, position) => ({ ...community, position })).sort((a, b) => b.r - a.r);
  const draw = () => {
    const context = begin();
    const { width, height } = sigma.getDimensions();
    const taken = new Boxes();
    context.textAlign = "center";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = dark ? "rgb(31 34 39 / 85%)" : "rgb(255 255 255 / 85%)"; // a rim, so that names are legible on connections
    for (const area of areas) {
      const { x, y, radius } = disc(sigma, area);
      if (radius < 26) break;
      const size = Math.min(16, 10 + radius / 45);
      context.font = `600 ${size}px system-ui, sans-serif`;
      const name = fitted(context, area.name, Math.max(130, radius * 1.8));
      const half = context.measureText(name).width / 2;
      const base = Math.max(size + 2, y - radius - 4);
      if (x + half < 0 || x - half > width || base > height || y + radius < 0) continue;
      if (!taken.add([x - half - 3, base - size, x + half + 3, base + 4])) continue;
      context.fillStyle = `hsl(${HUES[area.position % HUES.length]}, 45%, ${dark ? 74 : 32}%)`;
      context.strokeText(name, x, base);
      context.fillText(name, x, base);
    }
    context.textAlign = "left";
    context.font = "12.5px system-ui, sans-serif";
    context.fillStyle = dark ? "#e8e6e1" : "#22252a";
    const scale = 1 / Math.sqrt(sigma.getCamera().ratio);
    let names = 0;
    for (const [, gx, gy, neighbours, , name] of ranked.slice(0, MOST_TRIED)) {
      if (names >= MOST_NAMES) break;
      const { x, y } = sigma.graphToViewport({ x: gx, y: gy });
      if (x < 0 || x > width || y < 0 || y > height) continue;
      const radius = radiusOf(neighbours, ranked.length) * scale;
      if (radius < LEAST_RADIUS) break;
      const left = x + radius + 3;
      const text = name.length > LENGTH ? name.slice(0, LENGTH - 1) + "…" : name;
      const right = left + text.length * 6.9; // about; measuring each would be slow
      if (!taken.add([left - 1, y - 7, right, y + 8])) continue;
      context.strokeText(text, left, y + 4);
      context.fillText(text, left, y + 4);
      names += 1;
    }
  };
  sigma.on("afterRender", draw);
  return canvas;
}

/* A canvas of the size of the frame; begin clears it and gives its context. */
export function canvasOver(frame: HTMLElement, sigma: Sigma): { canvas: HTMLCanvasElement; begin: () => CanvasRenderingContext2D } {
  const canvas = frame.ownerDocument.createElement("canvas");
  canvas.style.position = "absolute";
  canvas.style.inset = "0";
  const context = canvas.getContext("2d")!;
  const begin = () => {
    const { width, height } = sigma.getDimensions();
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  };
  return { canvas, begin };
}

/* Rectangles in cells, so that one that overlaps is found without looking at all. */
class Boxes {
  private readonly cells = new Map<string, Box[]>();

  add(box: Box): boolean {
    const keys: string[] = [];
    for (let x = Math.floor(box[0] / CELL); x <= Math.floor(box[2] / CELL); x += 1) {
      for (let y = Math.floor(box[1] / CELL); y <= Math.floor(box[3] / CELL); y += 1) keys.push(`${x} ${y}`);
    }
    for (const key of keys) {
      for (const other of this.cells.get(key) ?? []) {
        if (box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]) return false;
      }
    }
    for (const key of keys) this.cells.set(key, [...(this.cells.get(key) ?? []), box]);
    return true;
  }
}

function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  let shown = text;
  while (shown.length > 4 && context.measureText(shown).width > width) shown = shown.slice(0, -2);
  return shown === text ? text : shown.trimEnd() + "…";
}
