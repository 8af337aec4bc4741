/* Links to entities with the sign of their type and to what has an id, and the sign of a type alone. */
import type { Ref } from "../graph";
import { ICONS } from "../icons";
import { address, thingAddress } from "../router";
import { hueOf, words } from "../wording";
import { Prose } from "./when";

export function EntityLink({ entity }: { entity: Ref }) {
  // A decision can be a literal: it has the id of its fact, and no page.
  if (!entity.id || entity.id.startsWith("fact_")) return <span>{entity.name}</span>;
  return (
    <a class="entity" href={thingAddress(entity.id)} title={entity.type ? words(entity.type) : undefined}>
      {entity.type && <TypeIcon type={entity.type} />}
      {entity.name}
    </a>
  );
}

export function TypeIcon({ type }: { type: string }) {
  return (
    <svg class="icon" style={{ "--hue": hueOf(type) }} viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[type] ?? "M3.5 1.5h9a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2Z"} />
      {!ICONS[type] && <text x="8" y="11.5" text-anchor="middle">{type.charAt(0).toUpperCase()}</text>}
    </svg>
  );
}

/* Texts and entities have a page of their own; anything else is only its text. */
export function IdLink({ id, text }: { id: string | null; text: string }) {
  if (id?.startsWith("ep_")) return <a href={address("text", id)}>{text}</a>;
  if (id?.startsWith("ent_")) return <a href={thingAddress(id)}>{text}</a>;
  return <>{text}</>;
}

/* Who said it; a fact that was read in a text has its name with its id: “Minutes (ep_…)”. */
export function SourceName({ name }: { name: string }) {
  const text = textNamed(name);
  return text ? <IdLink id={text.id} text={text.name} /> : <Prose text={name} />;
}

export function textNamed(source: string): { name: string; id: string } | null {
  const match = /^(.+) \((ep_\w+)\)$/s.exec(source);
  return match && { name: match[1]!, id: match[2]! };
}
