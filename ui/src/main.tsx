/* The start: finds out where the graph is (in the page, in a host, behind a server) and draws the page. */
import { render } from "preact";
import { Failure } from "./components/answer";
import { EmbeddedGraph, inflate } from "./embedded";
import { CallError, Graph } from "./graph";
import { insideHost, toolResult } from "./host";
import { LiveGraph, takeToken } from "./live";
import { replace } from "./router";
import { Shell } from "./shell";
import { applyFont, applyTheme } from "./theme";

async function findGraph(): Promise<Graph> {
  const inPage = document.getElementById("graph");
  if (inPage) return new EmbeddedGraph(await inflate(inPage));
  if (insideHost()) return new EmbeddedGraph(await toolResult());
  const token = await takeToken();
  if (token) return new LiveGraph(token);
  throw new CallError("TOKEN", "This page was opened without its token, and no other tab of it is open.", "Run kg ui, and use the page that it opens.");
}

applyTheme();
applyFont();
const root = document.getElementById("page")!;
findGraph()
  .then(async (graph) => {
    if (graph.live) await graph.call("get_status", {}); // says whether it is read-only
    if (!location.hash) replace(graph.first);
    render(<Shell graph={graph} />, root);
  })
  .catch((error) => render(<main><Failure error={error} /></main>, root));
