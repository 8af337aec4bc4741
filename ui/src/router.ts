/* Addresses: #/view/argument?parameter=value, so that the browser's Back and bookmarks work. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { Graph } from "./graph";

export interface Address {
  view: string;
  argument: string;
  parameters: URLSearchParams;
}

export interface ViewProperties {
  graph: Graph;
  here: Address;
}

export function read(hash: string): Address {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", ...rest] = path.split("/");
  return { view, argument: decode(rest.join("/")), parameters: new URLSearchParams(query) };
}

export function address(view: string, argument = "", parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${view}${argument ? "/" + encodeURIComponent(argument) : ""}${query ? "?" + query : ""}`;
}

export function thingAddress(id: string): string {
  return address("thing", id);
}

export function go(to: string): void {
  location.hash = to;
}

/* Changes the address without a step of Back: for sliders and filters. */
export function replace(to: string): void {
  // Whole, because the base of a document without an address of its own is that of the page around it.
  history.replaceState(history.state, "", location.href.replace(/#.*/, "") + to);
  window.dispatchEvent(new Event("addresschange"));
}

/* A parameter of the address, and what changes it without a step of Back: what a view was asked for is there again after Back. */
export function parameterOf({ view, argument, parameters }: Address, name: string): [string, (text: string) => void] {
  const change = (text: string) => {
    const next = new URLSearchParams(parameters);
    if (text) next.set(name, text);
    else next.delete(name);
    replace(address(view, argument, Object.fromEntries(next)));
  };
  return [parameters.get(name) ?? "", change];
}

export function useAddress(): Address {
  const [hash, setHash] = useState(location.hash);
  useLayoutEffect(() => {
    const update = () => setHash(location.hash);
    update(); // it may have changed since the page was drawn
    return listen(["hashchange", "addresschange"], update);
  }, []);
  return read(hash);
}

/* Hears events of the window until the function that it returns is called. */
export function listen(events: string[], heard: () => void): () => void {
  for (const event of events) window.addEventListener(event, heard, { passive: true });
  return () => events.forEach((event) => window.removeEventListener(event, heard));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a % that is no escape
  }
}
