/*
The page inside a client that shows MCP Apps: JSON-RPC over postMessage with the window around it (specification of 2026-01-26).

The page asks ui/initialize and says ui/notifications/initialized; the host then hands over the arguments of the call and its
result, or says that it was cancelled.
*/
import { CallError } from "./graph";
import type { Columns } from "./embedded";

type Message = any; // of the host, whatever it may be

const VERSION = "2026-01-26";
const LEAST_HEIGHT = 480;
const MOST_HEIGHT = 800; // the map is as high as its frame, so that without a bound both would grow for ever
const INITIALIZE = 1;

export function insideHost(): boolean {
  return window.parent !== window;
}

/* The structured content of the tool's answer; it waits until the host hands one over, or says why there is none. */
export function toolResult(): Promise<Columns> {
  followLinks();
  return new Promise((resolve, reject) => {
    window.addEventListener("message", (event) => {
      if (event.source !== window.parent || event.data?.jsonrpc !== "2.0") return;
      const { id, method, params, result, error } = event.data;
      if (id === INITIALIZE && !method) {
        if (error) return reject(new CallError("HOST", `The client does not show this page: ${error.message ?? "it refused"}.`, RETRY));
        applyContext(result?.hostContext);
        post({ method: "ui/notifications/initialized", params: {} });
        reportSize();
      } else if (method === "ui/notifications/tool-result") {
        if (params?.structuredContent?.nodes && !params.isError) resolve(params.structuredContent);
        else reject(new CallError("HOST", textOf(params) || "The client handed over no graph.", RETRY));
      } else if (method === "ui/notifications/tool-cancelled") {
        reject(new CallError("HOST", `The call was cancelled${params?.reason ? `: ${params.reason}` : ""}.`, RETRY));
      } else if (method === "ui/notifications/host-context-changed") {
        applyContext(params);
      } else if (method && id !== undefined) {
        answer(id, method);
      }
    });
    const appInfo = { name: "keepgraph", version: "1" };
    const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
    post({ id: INITIALIZE, method: "ui/initialize", params: { protocolVersion: VERSION, appInfo, appCapabilities } });
  });
}

const RETRY = "Ask for show_graph again.";

function answer(id: Message, method: string): void {
  const known = method === "ping" || method === "ui/resource-teardown";
  post(known ? { id, result: {} } : { id, error: { code: -32601, message: `There is no method ${method}.` } });
}

function post(message: Message): void {
  // The page says nothing secret here, and cannot know the host's origin.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function applyContext(context: Message): void {
  if (context?.theme !== "dark" && context?.theme !== "light") return;
  document.documentElement.dataset.theme = context.theme;
  window.dispatchEvent(new Event("themechange"));
}

function textOf(result: Message): string {
  return (result?.content ?? []).map((part: Message) => part.text ?? "").join("\n").slice(0, 500);
}

/* Tells the host how much room the page wants, now and whenever that changes. */
function reportSize(): void {
  let before = 0;
  const report = () => {
    const height = Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, document.getElementById("page")!.scrollHeight));
    if (height === before) return;
    before = height;
    post({ method: "ui/notifications/size-changed", params: { width: window.innerWidth, height } });
  };
  new ResizeObserver(report).observe(document.getElementById("page")!);
}

/* In a document without an address of its own (srcdoc), "#/map" would be an address of the host. */
function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null;
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    location.hash = link.getAttribute("href")!;
  });
}
