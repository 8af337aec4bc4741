/* Names of types, predicates and tools as words, and counts with their noun. */
import { localDay } from "./dates";
import type { Fact, PredicateCount, Ref } from "./graph";

export function words(name: string): string {
  return name.replace(/_/g, " ").toLowerCase();
}

export function title(name: string): string {
  const text = words(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function count(number: number, one: string, many = one + "s"): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/* That an import brought something, and from which file; empty where it was recorded here. */
export function importNote(of: { imported_at?: string; imported_from?: string }): string {
  if (!of.imported_at) return "";
  return `Imported${of.imported_from ? ` from ${of.imported_from}` : ""} on ${localDay(of.imported_at)}`;
}

/* Who made a call: a conversation, this page, or a command by its name. */
export function caller(call: { session: string | null; tool: string }): string {
  return call.session === "page" ? "this page" : (call.session ?? words(call.tool));
}

/* How a fact reads from one of its ends, and what is at the other. */
export function fromEnd(fact: Fact, id: string): { label: string; incoming: boolean; other: Ref | null; text: string } {
  const incoming = isIncoming(fact, id);
  if (!incoming) return { label: words(fact.predicate), incoming, other: fact.object, text: fact.object?.name ?? fact.literal ?? "" };
  return {
    label: fact.reads ? words(fact.reads) : `← ${words(fact.predicate)}`,
    incoming,
    other: fact.subject,
    text: fact.subject.name,
  };
}

export function isIncoming(fact: Fact, id: string): boolean {
  return fact.object?.id === id && fact.subject.id !== id;
}

/* How many of the facts have each predicate, by direction. */
export function counted(facts: Fact[], id: string): PredicateCount[] {
  const counts = new Map<string, PredicateCount>();
  for (const fact of facts) {
    const incoming = isIncoming(fact, id);
    const key = countKey(fact.predicate, incoming);
    const count = counts.get(key) ?? { predicate: fact.predicate, incoming, total: 0 };
    count.total += 1;
    counts.set(key, count);
  }
  return [...counts.values()];
}

export function countKey(predicate: string, incoming: boolean): string {
  return `${incoming ? "in" : "out"} ${predicate}`;
}

const HUES = [211, 24, 142, 280, 350, 180, 48, 312, 95, 255, 5, 160];

/* One of twelve hues for a type: the same name has the same one everywhere. */
export function hueOf(name: string): number {
  let sum = 3;
  for (let i = 0; i < name.length; i += 1) sum = (Math.imul(sum, 391) + name.charCodeAt(i)) >>> 0;
  return HUES[(sum >>> 7) % HUES.length]!; // these numbers give most of the shipped types a hue of their own
}
