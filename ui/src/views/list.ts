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
  live: boolean; // needs a running graph
  listed: boolean; // in the navigation
}

const VIEWS: View[] = [
  { name: "week", title: "Week", component: WeekView, live: true, listed: true },
  { name: "review", title: "Review", component: ReviewView, live: true, listed: true },
  { name: "decisions", title: "Decisions", component: DecisionsView, live: true, listed: true },
  { name: "map", title: "Map", component: MapView, live: false, listed: true },
  { name: "time", title: "Time", component: TimeView, live: false, listed: true },
  { name: "tables", title: "Tables", component: TablesView, live: false, listed: true },
  { name: "query", title: "Query", component: QueryView, live: true, listed: true },
  { name: "history", title: "History", component: HistoryView, live: true, listed: true },
  { name: "thing", title: "One thing", component: ThingView, live: false, listed: false },
  { name: "neighbours", title: "Neighbours", component: NeighboursView, live: false, listed: false },
  { name: "text", title: "Text", component: TextView, live: false, listed: false },
];

export function viewsOf(graph: Graph): View[] {
  return VIEWS.filter((view) => graph.live || !view.live);
}
