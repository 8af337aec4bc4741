// Bundles ui/src into one file, src/keepgraph/web/view.html, with the hashes of its script and style in its policy.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import subset from "subset-font";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const OUT = "../src/keepgraph/web/view.html";
const MOST_BYTES = 320_000;

/* The licences of the packages of which something is in the page, each text once. */
const { packages } = JSON.parse(readFileSync(here("package-lock.json"), "utf8"));
const licences = {};
for (const path of Object.keys(packages).filter((each) => each && !packages[each].dev)) {
  const file = readdirSync(here(path)).find((name) => name.startsWith("LICENSE"));
  (licences[readFileSync(here(`${path}/${file}`), "utf8")] ??= []).push(path.replace("node_modules/", ""));
}
const credits = Object.entries(licences).map(([text, names]) => `${names.join(", ")}\n${text}`).join("\n");

/* Basic Latin to Latin Extended-A, Romanian, and some punctuation: the rest comes from the fonts of the system. */
const LETTERS = Array.from({ length: 0x160 }, (_, at) => String.fromCodePoint(0x20 + at)).join("") + "ȘșȚț–—‘’“”„•…‹›€→←↑↓−≤≥";
const fonts = {
  name: "fonts",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.woff2$/ }, async ({ path }) => {
      const axes = { opsz: 14, wght: { min: 400, max: 700 } };
      return { contents: await subset(readFileSync(path), LETTERS, { targetFormat: "woff2", variationAxes: axes }), loader: "base64" };
    }),
};

const bundle = await build({
  entryPoints: [here("src/main.tsx")],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"' },
  write: false,
  plugins: [fonts],
});
const style = await build({ entryPoints: [here("src/style.css")], minify: true, charset: "utf8", write: false });

const parts = { script: bundle.outputFiles[0].text.trim(), style: style.outputFiles[0].text.trim() };
if (/<!--|<\/?(script|style)/i.test(parts.script)) throw new Error("the script has a tag that would end or hide it");
if (/\beval\(|new Function\(|new Worker\(|importScripts/.test(parts.script)) throw new Error("the script has code that the policy forbids");

let page = readFileSync(here("template.html"), "utf8");
for (const [name, text] of Object.entries(parts)) {
  page = page.replace(`{${name} hash}`, () => `sha256-${createHash("sha256").update(text).digest("base64")}`);
  page = page.replace(`{${name}}`, () => text);
}
page = page.replace("{credits}", () => credits);
const bytes = Buffer.byteLength(page);
if (bytes > MOST_BYTES) throw new Error(`the page has ${bytes} bytes, more than ${MOST_BYTES}`);

writeFileSync(here(OUT), page);
writeFileSync(here("view.sha256"), `${createHash("sha256").update(page).digest("hex")}  view.html\n`);
console.log(`view.html: ${bytes} bytes`);
