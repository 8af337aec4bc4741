/* Files that the page makes: an entity as Markdown, a drawing as SVG or PNG. */
import { lastDay, moment } from "../dates";
import type { Thing } from "../graph";
import { failed } from "../toasts";
import { Menu } from "./menu";
import { pngOf } from "./drawing";

export function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\p{L}\p{N}._-]+/gu, "-");
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveMarkdown({ entity, aliases, summary, facts, texts }: Thing): void {
  const lines = facts.map((fact) => {
    const dates = [fact.from && `since ${moment(fact.from)}`, fact.to && `until ${lastDay(fact.to)}`, fact.assertions[0]?.source];
    return `- ${fact.sentence}${dates.some(Boolean) ? ` (${dates.filter(Boolean).join(", ")})` : ""}`;
  });
  const parts = [`# ${entity.name}`, aliases.length ? `Also called ${aliases.join(", ")}.` : "", summary, lines.join("\n"), ...texts.map((text) => `> ${text.quote.replace(/\n/g, "\n> ")}`)];
  save(`${entity.name}.md`, new Blob([parts.filter(Boolean).join("\n\n") + "\n"], { type: "text/markdown" }));
}

export function SavePicture({ name, draw }: { name: string; draw: () => string }) {
  return (
    <Menu label="Save as picture">
      <button type="button" onClick={() => save(`${name}.svg`, new Blob([draw()], { type: "image/svg+xml" }))}>SVG</button>
      <button type="button" onClick={() => pngOf(draw()).then((blob) => save(`${name}.png`, blob), failed)}>PNG</button>
    </Menu>
  );
}
