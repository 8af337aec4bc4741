/* The drawing of the map: areas, connections, entities and their names, on a canvas to look at or in SVG to keep. */
import type { GraphMap } from "../graph";
import { isDark } from "../theme";
import { hueOf } from "../wording";
import { escaped, svgFile } from "./drawing";

const MOST_EDGES = 60_000;
const MOST_NAMES = 160;
const MOST_TRIED = 4_000; // entities whose name may be drawn, the best connected first
const LENGTH_OF_NAME = 30;
const LEAST_RADIUS = 2.2; // pixels: what is smaller has no name yet
const CELL = 40; // pixels
const MARGIN = 34; // pixels, for the names at the edge
const QUIET = 140; // milliseconds after a movement, until the connections of a large map are drawn again

/* In a map of more entities, connections between communities would cover everything: those within them are drawn. */
export const MANY = 2_000;

export interface CameraState {
  x: number;
  y: number;
  zoom: number; // 1 where all is in the frame
}

export interface MapDrawing {
  zoom(factor: number): void;
  camera(): CameraState;
  show(area: { x: number; y: number; r: number } | null): void;
  svg(): string;
  end(): void;
}

/* What a picture is drawn on; lengths in pixels. */
interface Surface {
  disc(x: number, y: number, radius: number, fill: string): void;
  lines(ends: number[], stroke: string): void;
  text(x: number, y: number, text: string, size: number, fill: string, bold: boolean): void;
}

type Box = [left: number, top: number, right: number, bottom: number];

/* With names for each community, in the order of the map: the first of them that there is room for is drawn. */
export function drawMap(frame: HTMLElement, map: GraphMap, names: string[][], open: (id: string) => void, from: CameraState | null): MapDrawing {
  const canvas = frame.ownerDocument.createElement("canvas");
  canvas.style.touchAction = "none";
  frame.append(canvas);
  const context = canvas.getContext("2d")!;
  const measured = () => ({ width: frame.clientWidth || 1, height: frame.clientHeight || 1 });
  const size = measured(); // before the first frame, so that a picture saved then has it
  const all = bounds(map);
  const camera: CameraState = from ?? { x: all.x, y: all.y, zoom: 1 };
  const dark = isDark();
  const ranked = map.nodes.map((_, position) => position).sort((a, b) => map.nodes[b]![3] - map.nodes[a]![3]);
  const large = map.nodes.length > MANY;
  const edges = (large ? map.edges.filter(([a, b]) => map.nodes[a]![4] === map.nodes[b]![4]) : map.edges).slice(0, MOST_EDGES);
  let hovered = -1;
  let moving = 0;
  let frameAsked = 0;

  const scale = () => camera.zoom * Math.min((size.width - 2 * MARGIN) / all.width, (size.height - 2 * MARGIN) / all.height);
  const placeOf = (x: number, y: number): [number, number] => [size.width / 2 + (x - camera.x) * scale(), size.height / 2 - (y - camera.y) * scale()];
  const radiusOf = (position: number) => (2 + 1.4 * Math.sqrt(map.nodes[position]![3])) * Math.min(1, Math.max(0.2, 16 / Math.sqrt(map.nodes.length))) * Math.min(1, size.width / 800) * Math.sqrt(camera.zoom);
  const seen = ([x, y]: [number, number]) => x > -20 && x < size.width + 20 && y > -20 && y < size.height + 20;

  const paint = (surface: Surface, withEdges: boolean) => {
    const k = scale();
    const places = map.nodes.map(([, x, y]) => placeOf(x, y));
    for (const { x, y, r } of map.communities) surface.disc(...placeOf(x, y), r * k + 4, dark ? "rgb(255 255 255 / 4%)" : "rgb(0 0 0 / 3.5%)");
    if (withEdges) {
      const ends: number[] = [];
      for (const [a, b] of edges) if (seen(places[a]!) || seen(places[b]!)) ends.push(...places[a]!, ...places[b]!);
      surface.lines(ends, dark ? (large ? "#2b3037" : "#454b55") : large ? "#e6e3dc" : "#cfcbc2");
    }
    const taken = new Boxes();
    for (const position of [...ranked].reverse()) {
      const place = places[position]!;
      if (!seen(place)) continue;
      const radius = radiusOf(position);
      surface.disc(...place, radius, colour(hueOf(map.nodes[position]![6]), dark));
      if (radius >= LEAST_RADIUS || !large) taken.add([place[0] - radius, place[1] - radius, place[0] + radius, place[1] + radius], true);
    }
    paintCommunities(surface, taken, k);
    paintNames(surface, taken, places);
  };

  const paintCommunities = (surface: Surface, taken: Boxes, k: number) => {
    const order = map.communities.map((_, position) => position).sort((a, b) => map.communities[b]!.r - map.communities[a]!.r);
    for (const position of order) {
      const area = map.communities[position]!;
      const [x, y] = placeOf(area.x, area.y);
      const radius = area.r * k + 4;
      if (radius < 26) break;
      if (x + radius < 0 || x - radius > size.width || y + radius < 0 || y - radius > size.height) continue;
      names[position]!.some((name) => {
        const half = widthOf(name, 13, true) / 2;
        // Above the area, or below it where that is not free; within the frame.
        const left = Math.min(Math.max(x - half, 4), size.width - 2 * half - 4);
        return [Math.max(16, y - radius - 4), Math.min(size.height - 6, y + radius + 14)].some((base) => {
          const isFree = taken.add([left - 4, base - 13, left + 2 * half + 4, base + 5]);
          if (isFree) surface.text(left, base, name, 13, dark ? "#e8e6e1" : "#22252a", true);
          return isFree;
        });
      });
    }
  };

  const paintNames = (surface: Surface, taken: Boxes, places: [number, number][]) => {
    let drawn = 0;
    for (const position of ranked.slice(0, MOST_TRIED)) {
      const [x, y] = places[position]!;
      const radius = radiusOf(position);
      if (drawn >= MOST_NAMES || radius < LEAST_RADIUS) break;
      if (!seen([x, y])) continue;
      const name = map.nodes[position]![5];
      const text = name.length > LENGTH_OF_NAME ? name.slice(0, LENGTH_OF_NAME - 1) + "…" : name;
      const width = widthOf(text, 12, false);
      const tries: [number, number][] = [[x + radius + 4, y + 4], [x - radius - 4 - width, y + 4], [x - width / 2, y - radius - 5], [x - width / 2, y + radius + 14]];
      for (const [left, base] of tries) {
        if (left < 3 || left + width > size.width - 3 || base < 12 || base > size.height - 3) continue;
        if (!taken.add([left - 2, base - 11, left + width + 2, base + 4])) continue;
        surface.text(left, base, text, 12, dark ? "#c9c7c2" : "#43474d", false);
        drawn += 1;
        break;
      }
    }
  };

  const widthOf = (text: string, pixels: number, bold: boolean) => {
    context.font = fontOf(pixels, bold);
    return context.measureText(text).width;
  };

  const draw = () => {
    frameAsked = 0;
    const pixels = window.devicePixelRatio || 1;
    Object.assign(size, measured());
    if (canvas.width !== Math.round(size.width * pixels) || canvas.height !== Math.round(size.height * pixels)) {
      Object.assign(canvas, { width: Math.round(size.width * pixels), height: Math.round(size.height * pixels) });
      Object.assign(canvas.style, { width: `${size.width}px`, height: `${size.height}px` });
    }
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const surface = onCanvas(context, dark);
    paint(surface, !moving || !large);
    if (hovered < 0) return;
    const [, x, y, , , name] = map.nodes[hovered]!;
    const [left, top] = placeOf(x, y);
    const at = Math.min(left + radiusOf(hovered) + 6, size.width - widthOf(name, 13, true) - 10);
    context.fillStyle = dark ? "#24272d" : "#ffffff";
    context.fillRect(at - 5, top - 12, widthOf(name, 13, true) + 10, 24);
    surface.text(at, top + 4, name, 13, dark ? "#f2f0eb" : "#16181c", true);
  };
  const ask = () => (frameAsked ||= requestAnimationFrame(draw));
  const move = () => {
    window.clearTimeout(moving);
    moving = window.setTimeout(() => ((moving = 0), ask()), QUIET);
    ask();
  };
  const zoomAt = (factor: number, x: number, y: number) => {
    const zoom = Math.min(200, Math.max(0.4, camera.zoom * factor));
    const before = scale();
    camera.x += (x - size.width / 2) / before;
    camera.y -= (y - size.height / 2) / before;
    camera.zoom = zoom;
    camera.x -= (x - size.width / 2) / scale();
    camera.y += (y - size.height / 2) / scale();
    move();
  };
  const nodeAt = (x: number, y: number) => ranked.findIndex((position) => {
    const [nx, ny] = placeOf(map.nodes[position]![1], map.nodes[position]![2]);
    return Math.hypot(nx - x, ny - y) <= Math.max(5, radiusOf(position) + 2);
  });

  let grabbed: { x: number; y: number; moved: boolean } | null = null;
  canvas.onpointerdown = (event) => {
    grabbed = { x: event.offsetX, y: event.offsetY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (!grabbed) {
      const found = nodeAt(event.offsetX, event.offsetY);
      const position = found < 0 ? -1 : ranked[found]!;
      canvas.style.cursor = position < 0 ? "grab" : "pointer";
      if (position !== hovered) ask();
      hovered = position;
      return;
    }
    const [dx, dy] = [event.offsetX - grabbed.x, event.offsetY - grabbed.y];
    if (!grabbed.moved && Math.hypot(dx, dy) < 4) return;
    camera.x -= dx / scale();
    camera.y += dy / scale();
    grabbed = { x: event.offsetX, y: event.offsetY, moved: true };
    move();
  };
  canvas.onpointerup = (event) => {
    const found = grabbed && !grabbed.moved ? nodeAt(event.offsetX, event.offsetY) : -1;
    grabbed = null;
    if (found >= 0) open(map.nodes[ranked[found]!]![0]);
  };
  canvas.onpointercancel = () => void (grabbed = null);
  canvas.onwheel = (event) => {
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
  };
  const watch = new ResizeObserver(ask);
  watch.observe(frame);
  return {
    zoom: (factor) => zoomAt(1 / factor, size.width / 2, size.height / 2),
    camera: () => ({ ...camera }),
    show: (area) => {
      const fits = area ? Math.min(all.width, all.height) / (2.6 * Math.max(area.r, 1e-9)) : 1;
      Object.assign(camera, area ? { x: area.x, y: area.y, zoom: Math.max(1, Math.min(50, fits)) } : { x: all.x, y: all.y, zoom: 1 });
      move();
    },
    svg: () => {
      const surface = inSvg();
      paint(surface, true);
      return svgFile(size.width, size.height, dark ? "#1f2227" : "#ffffff", surface.parts);
    },
    end: () => {
      window.clearTimeout(moving);
      cancelAnimationFrame(frameAsked);
      watch.disconnect();
      canvas.remove();
    },
  };
}

function onCanvas(context: CanvasRenderingContext2D, dark: boolean): Surface {
  context.lineJoin = "round";
  return {
    disc: (x, y, radius, fill) => {
      context.fillStyle = fill;
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    },
    lines: (ends, stroke) => {
      context.strokeStyle = stroke;
      context.lineWidth = 1;
      // In parts: one long path is slow to stroke.
      for (let first = 0; first < ends.length; first += 1_200) {
        context.beginPath();
        for (let at = first; at < Math.min(first + 1_200, ends.length); at += 4) {
          context.moveTo(ends[at]!, ends[at + 1]!);
          context.lineTo(ends[at + 2]!, ends[at + 3]!);
        }
        context.stroke();
      }
    },
    text: (x, y, text, size, fill, bold) => {
      context.font = fontOf(size, bold);
      context.lineWidth = 3;
      context.strokeStyle = dark ? "rgb(31 34 39 / 85%)" : "rgb(255 255 255 / 85%)"; // a rim, so that names are legible on connections
      context.strokeText(text, x, y);
      context.fillStyle = fill;
      context.fillText(text, x, y);
    },
  };
}

function inSvg(): Surface & { parts: string[] } {
  const parts: string[] = [];
  const r = (value: number) => value.toFixed(1);
  return {
    parts,
    disc: (x, y, radius, fill) => void parts.push(`<circle cx="${r(x)}" cy="${r(y)}" r="${r(radius)}" fill="${fill}"/>`),
    lines: (ends, stroke) => {
      const path: string[] = [];
      for (let at = 0; at < ends.length; at += 4) path.push(`M${r(ends[at]!)} ${r(ends[at + 1]!)}L${r(ends[at + 2]!)} ${r(ends[at + 3]!)}`);
      parts.push(`<path d="${path.join("")}" stroke="${stroke}" fill="none"/>`);
    },
    text: (x, y, text, size, fill, bold) =>
      void parts.push(`<text x="${r(x)}" y="${r(y)}" font-family="Inter, sans-serif" font-size="${size}"${bold ? ' font-weight="600"' : ""} fill="${fill}">${escaped(text)}</text>`),
  };
}

function fontOf(size: number, bold: boolean): string {
  return `${bold ? "600 " : ""}${size}px Inter, system-ui, sans-serif`;
}

function colour(hue: number, dark: boolean): string {
  return `hsl(${hue} 55% ${dark ? 66 : 44}%)`;
}

/* The middle and the size of all places, and of all of every area. */
function bounds(map: GraphMap): { x: number; y: number; width: number; height: number } {
  const [xs, ys] = [[Infinity, -Infinity], [Infinity, -Infinity]] as [[number, number], [number, number]];
  const include = (range: [number, number], low: number, high: number) => {
    range[0] = Math.min(range[0], low);
    range[1] = Math.max(range[1], high);
  };
  for (const [x, y, r] of [...map.nodes.map(([, x, y]) => [x, y, 0] as const), ...map.communities.map(({ x, y, r }) => [x, y, r] as const)]) {
    include(xs, x - r, x + r);
    include(ys, y - r, y + r);
  }
  return { x: (xs[0] + xs[1]) / 2, y: (ys[0] + ys[1]) / 2, width: Math.max(1e-6, xs[1] - xs[0]), height: Math.max(1e-6, ys[1] - ys[0]) };
}

/* Rectangles in cells, so that one that overlaps is found without looking at all. */
class Boxes {
  private readonly cells = new Map<number, Box[]>();

  /* Takes a place, if it is free or must be taken. */
  add(box: Box, always = false): boolean {
    const keys: number[] = [];
    for (let x = Math.floor(box[0] / CELL); x <= Math.floor(box[2] / CELL); x += 1) {
      for (let y = Math.floor(box[1] / CELL); y <= Math.floor(box[3] / CELL); y += 1) keys.push(x * 4096 + y);
    }
    const overlaps = (other: Box) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
    if (!always && keys.some((key) => this.cells.get(key)?.some(overlaps))) return false;
    for (const key of keys) {
      const cell = this.cells.get(key);
      if (cell) cell.push(box);
      else this.cells.set(key, [box]);
    }
    return true;
  }
}
