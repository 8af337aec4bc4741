/* What is shown as a picture of its own: SVG from the elements of the page, and PNG from SVG. */
import { FONT_FACE } from "../theme";

const LEFT_OUT = "details, button, input, .hidden";
const IN_SVG = ["fill", "stroke", "stroke-width", "stroke-linejoin", "stroke-linecap", "paint-order", "font-family", "font-size", "font-weight"];

/* With the font; sizes in pixels. */
export function svgFile(width: number, height: number, ground: string, parts: string[]): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${tag("style", FONT_FACE)}<rect width="100%" height="100%" fill="${ground}"/>${parts.join("")}</svg>`;
}

/* A tag that does not stand in the script: the policy of the page hashes those of the file. */
function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/* Twice as large, for dense screens. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width * 2, height: image.height * 2 });
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made.")))));
}

/* The grounds, lines, signs and texts of an element, where the browser put them. */
export function svgOf(frame: Element): string {
  const { left, top, width, height } = frame.getBoundingClientRect();
  const parts: string[] = [];
  const place = (x: number, y: number) => `x="${(x - left).toFixed(1)}" y="${(y - top).toFixed(1)}"`;
  const box = (style: CSSStyleDeclaration, x: number, y: number, width: number, height: number) => {
    const turned = style.rotate === "none" ? "" : ` transform="rotate(${parseFloat(style.rotate)} ${x - left + width / 2} ${y - top + height / 2})"`;
    const rest = `opacity="${style.opacity}"${turned}/>`;
    if (plain(style.backgroundColor)) parts.push(`<rect ${place(x, y)} width="${width}" height="${height}" rx="${parseFloat(style.borderRadius)}" fill="${plain(style.backgroundColor)}" ${rest}`);
    if (parseFloat(style.borderTopWidth)) parts.push(`<rect ${place(x, y)} width="${width}" height="1" fill="${plain(style.borderTopColor)}" ${rest}`);
    if (parseFloat(style.borderLeftWidth)) parts.push(`<rect ${place(x, y)} width="1.5" height="${height}" fill="${plain(style.borderLeftColor)}" ${rest}`);
  };
  const visit = (node: Node, right: number) => {
    if (node instanceof Text) return lines(node, right).forEach(([text, x, base]) => {
      const style = getComputedStyle(node.parentElement!);
      parts.push(`<text ${place(x, base)} font-family="Inter, sans-serif" font-size="${parseFloat(style.fontSize)}" font-weight="${style.fontWeight}" fill="${plain(style.color)}">${escaped(text)}</text>`);
    });
    if (!(node instanceof Element) || node.matches(LEFT_OUT)) return;
    const style = getComputedStyle(node);
    const area = node.getBoundingClientRect();
    if (node instanceof SVGElement) return void parts.push(inlined(node, `${place(area.x, area.y)} width="${area.width}" height="${area.height}"`));
    if (node !== frame) box(style, area.x, area.y, area.width, area.height);
    for (const before of ["::before", "::after"]) {
      const drawn = getComputedStyle(node, before);
      if (drawn.position === "absolute") box(drawn, area.x + parseFloat(drawn.left), area.y + parseFloat(drawn.top), parseFloat(drawn.width), parseFloat(drawn.height));
    }
    for (const child of node.childNodes) visit(child, style.overflow === "hidden" ? Math.min(right, area.right) : right);
  };
  visit(frame, left + width);
  return svgFile(Math.ceil(width), Math.ceil(height), plain(getComputedStyle(frame).backgroundColor) || "#fff", parts);
}

/* The lines of a text with their left ends and bases, cut at the right. */
function lines(node: Text, right: number): [text: string, x: number, base: number][] {
  const found: [string, number, number][] = [];
  const range = document.createRange();
  for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.trimEnd().length);
    const area = range.getBoundingClientRect();
    const last = found.at(-1);
    const base = area.bottom - area.height * 0.24;
    if (area.right > right + 1) {
      if (last && !last[0].endsWith("…")) last[0] = `${last[0].trimEnd()}…`;
    } else if (last && Math.abs(last[2] - base) < 2) last[0] += word;
    else if (area.width) found.push([word, area.x, base]);
  }
  return found;
}

/* A drawing with its colours and letters as attributes. */
function inlined(drawing: SVGElement, place: string): string {
  const copy = drawing.cloneNode(true) as SVGElement;
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  for (const [at, element] of [copy, ...copy.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(originals[at]!);
    for (const name of IN_SVG) element.setAttribute(name, /^(fill|stroke)$/.test(name) ? plain(style.getPropertyValue(name)) || "none" : style.getPropertyValue(name));
    element.removeAttribute("class");
  }
  return new XMLSerializer().serializeToString(copy).replace("<svg ", `<svg ${place} `);
}

/* A colour as every program reads it, on the ground of tables; empty where nothing is seen. */
function plain(colour: string): string {
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true })!;
  context.fillStyle = colour === "none" ? "transparent" : colour;
  context.fillRect(0, 0, 1, 1);
  if (!context.getImageData(0, 0, 1, 1).data[3]) return "";
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = getComputedStyle(document.querySelector("header")!).backgroundColor;
  context.fillRect(0, 0, 1, 1);
  return `rgb(${context.getImageData(0, 0, 1, 1).data.slice(0, 3)})`;
}
