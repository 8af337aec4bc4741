/* A text as it is set: headings, lists, quotes, code and emphasis of Markdown, and its mentions as links. Nothing of it becomes HTML. */
import type { ComponentChildren } from "preact";
import type { Ref } from "../graph";
import { thingAddress } from "../router";

const BLOCK = /^(?:(#{1,6})\s+(.*)|([-*+]|\d+[.)])\s+(.*)|>\s?(.*))$/;
const INLINE = "`([^`\\n]+)`|\\*\\*([^*\\n]+)\\*\\*|(?<![\\w*])[*_]([^*_\\n]+)[*_](?!\\w)|\\[([^\\]\\n]+)\\]\\((https?://[^)\\s]+)\\)";

export function Markdown({ text, mentions }: { text: string; mentions: Ref[] }) {
  const inline = inlineOf(mentions);
  const blocks: ComponentChildren[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const taken = (matches: (line: string) => boolean) => {
      const first = at;
      while (at < lines.length && matches(lines[at]!)) at += 1;
      return lines.slice(first, at);
    };
    const [, level, heading, marker, , quote] = BLOCK.exec(line) ?? [];
    if (!line.trim()) at += 1;
    else if (/^\s*(```|~~~)/.test(line)) {
      at += 1;
      blocks.push(<pre>{taken((each) => !/^\s*(```|~~~)/.test(each)).join("\n")}</pre>);
      at += 1;
    } else if (level) {
      const Heading = `h${Math.min(6, level.length + 1)}` as "h2";
      blocks.push(<Heading>{inline(heading!)}</Heading>);
      at += 1;
    } else if (marker) {
      const List = /\d/.test(marker) ? "ol" : "ul";
      const rows = taken((each) => /^\s+\S/.test(each) || Boolean(BLOCK.exec(each)?.[3]));
      blocks.push(<List>{rows.map((row) => <li>{inline(row.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, ""))}</li>)}</List>);
    } else if (quote !== undefined) {
      blocks.push(<blockquote>{inline(taken((each) => each.startsWith(">")).map((each) => each.replace(/^>\s?/, "")).join("\n"))}</blockquote>);
    } else {
      blocks.push(<p>{inline(taken((each) => Boolean(each.trim()) && !BLOCK.test(each) && !/^\s*(```|~~~)/.test(each)).join("\n"))}</p>);
    }
  }
  return <div class="full-text">{blocks}</div>;
}

function inlineOf(mentions: Ref[]): (text: string) => ComponentChildren {
  const named = new Map(mentions.map((entity) => [entity.name.toLowerCase(), entity]));
  const names = [...named.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(INLINE + (names.length ? `|(?<![\\p{L}\\p{N}])(${names.join("|")})(?![\\p{L}\\p{N}])` : "|($^)"), "giu");
  const set = (text: string): ComponentChildren => {
    const parts: ComponentChildren[] = [];
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      const [whole, code, strong, emphasis, link, href, name] = match;
      parts.push(text.slice(end, match.index));
      end = match.index + whole.length;
      if (code) parts.push(<code>{code}</code>);
      else if (strong) parts.push(<strong>{set(strong)}</strong>);
      else if (emphasis) parts.push(<em>{set(emphasis)}</em>);
      else if (href) parts.push(<a href={href} target="_blank" rel="noreferrer noopener">{link}</a>);
      else if (name) parts.push(<a class="mention" href={thingAddress(named.get(name.toLowerCase())!.id)}>{name}</a>);
    }
    return [...parts, text.slice(end)];
  };
  return set;
}
