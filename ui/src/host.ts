/*
The page inside a client that shows MCP Apps: JSON-RPC over postMessage with the window around it (specification of 2026-01-26).

ui/initialize, ui/notifications/initialized, then ui/notifications/tool-result with the answer of show_graph.
*/
import type { Answer } from "./graph";

const VERSION = "2026-01-26";

export function insideHost(): boolean {
  return window.parent !== window;
}

/* The structured content of the tool's answer; it waits until the host hands one over. */
export function toolResult(): Promise<Answer> {
  return new Promise((resolve) => {
    window.addEventListener("message", (event) => {
      if (event.source !== window.parent) return;
      const message = event.data ?? {};
      if (message.jsonrpc !== "2.0") return;
      if (message.id === 1 && message.result) {
        theme(message.result.hostContext);
        post({ method: "ui/notifications/initialized", params: {} });
      } else if (message.method === "ui/notifications/tool-result") {
        if (message.params?.structuredContent) resolve(message.params.structuredContent);
      } else if (message.method === "ui/notifications/host-context-changed") {
        theme(message.params);
      } else if (message.method && message.id !== undefined) {
        post({ id: message.id, result: {} });
      }
    });
    const appInfo = { name: "keepgraph", version: "1" };
    post({ id: 1, method: "ui/initialize", params: { protocolVersion: VERSION, appInfo, appCapabilities: {} } });
    const size = () => post({ method: "ui/notifications/size-changed", params: { height: Math.max(480, document.body.scrollHeight) } });
    window.setTimeout(size, 300);
  });
}

function post(message: Answer): void {
  // The page says nothing secret here, and cannot know the host's origin.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function theme(context: Answer): void {
  if (context?.theme === "dark" || context?.theme === "light") document.documentElement.dataset.theme = context.theme;
}
