/* The views of the page, in the order of the navigation; a page with its data in it has those that need no running graph. */
import type { FunctionComponent } from "preact";
import type { Graph } from "../graph";
import type { ViewProperties } from "../router";
import { ChangesView } from "./changes";
import { DecisionsView } from "./decisions";
import { HistoryView } from "./history";
import { MapView } from "./map";
import { NeighboursView } from "./neighbours";
import { QueryView } from "./query";
import { ReviewView } from "./review";
import { TablesView } from "./tables";
import { TextView } from "./text";
import { ThingView } from "./thing";
import { TodayView } from "./today";

export interface View {
  name: string;
  title: string;
  component: FunctionComponent<ViewProperties>;
  needs: "running" | "reports" | "nothing"; // what of a graph: that it runs; that it has the week and the decisions
  listed: "first" | "more" | ""; // in the navigation
}

const VIEWS: View[] = [
  { name: "today", title: "Today", component: TodayView, needs: "reports", listed: "first" },
  { name: "tables", title: "Things", component: TablesView, needs: "nothing", listed: "first" },
  { name: "decisions", title: "Decisions", component: DecisionsView, needs: "reports", listed: "first" },
  { name: "review", title: "Review", component: ReviewView, needs: "running", listed: "first" },
  { name: "map", title: "Map", component: MapView, needs: "nothing", listed: "more" },
  { name: "changes", title: "Changes", component: ChangesView, needs: "nothing", listed: "more" },
  { name: "query", title: "Query", component: QueryView, needs: "running", listed: "more" },
  { name: "history", title: "History", component: HistoryView, needs: "running", listed: "more" },
  { name: "thing", title: "Thing", component: ThingView, needs: "nothing", listed: "" },
  { name: "neighbours", title: "Neighbours", component: NeighboursView, needs: "nothing", listed: "" },
  { name: "text", title: "Text", component: TextView, needs: "nothing", listed: "" },
];

export function viewsOf(graph: Graph): View[] {
  return VIEWS.filter((view) => graph.live || view.needs === "nothing" || (view.needs === "reports" && graph.hasReports));
}

/* The names of the views that only a running graph has. */
export function viewsOfRunningGraphs(): string[] {
  return VIEWS.filter((view) => view.needs === "running").map((view) => view.title);
}
