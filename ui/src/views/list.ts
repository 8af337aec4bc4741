/* The views of the page, in the order of the navigation; a page with its data in it has those that need no running graph. */
import type { FunctionComponent } from "preact";
import type { Graph } from "../graph";
import type { Address } from "../router";
import { DecisionsView } from "./decisions";
import { HistoryView } from "./history";
import { MapView } from "./map";
import { NeighboursView } from "./neighbours";
import { QueryView } from "./query";
import { ReviewView } from "./review";
import { TablesView } from "./tables";
import { TextView } from "./text";
import { ThingView } from "./thing";
import { TimeView } from "./time";
import { WeekView } from "./week";

export interface ViewProperties {
  graph: Graph;
  here: Address;
}

export interface View {
  name: string;
  title: string;
  component: FunctionComponent<ViewProperties>;
  needs: "running" | "reports" | "nothing"; // what of a graph: that it runs; that it has the week and the decisions
  listed: boolean; // in the navigation
}

const VIEWS: View[] = [
  { name: "week", title: "Week", component: WeekView, needs: "reports", listed: true },
  { name: "review", title: "Review", component: ReviewView, needs: "running", listed: true },
  { name: "decisions", title: "Decisions", component: DecisionsView, needs: "reports", listed: true },
  { name: "map", title: "Map", component: MapView, needs: "nothing", listed: true },
  { name: "time", title: "Time", component: TimeView, needs: "nothing", listed: true },
  { name: "tables", title: "Tables", component: TablesView, needs: "nothing", listed: true },
  { name: "query", title: "Query", component: QueryView, needs: "running", listed: true },
  { name: "history", title: "History", component: HistoryView, needs: "running", listed: true },
  { name: "thing", title: "One thing", component: ThingView, needs: "nothing", listed: false },
  { name: "neighbours", title: "Neighbours", component: NeighboursView, needs: "nothing", listed: false },
  { name: "text", title: "Text", component: TextView, needs: "nothing", listed: false },
];

export function viewsOf(graph: Graph): View[] {
  return VIEWS.filter((view) => graph.live || view.needs === "nothing" || (view.needs === "reports" && graph.hasReports));
}

/* The names of the views that only a running graph has. */
export function viewsOfRunningGraphs(): string[] {
  return VIEWS.filter((view) => view.needs === "running").map((view) => view.title);
}
