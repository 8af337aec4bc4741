/* The frame of every view: navigation, search, theme, and the messages at the foot. */
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from "preact/hooks";
import { asCallError, changed } from "./answers";
import { Failure } from "./components/answer";
import { Menu } from "./components/menu";
import { Note, RecordDecision, RecordFact } from "./edits";
import type { Graph } from "./graph";
import { Address, go, read, replace, useAddress } from "./router";
import { noteScrolling, scrollAsBefore } from "./scroll";
import { type Action, Search } from "./search";
import { switchTheme } from "./theme";
import { failed, record, Toasts, undoNewest } from "./toasts";
import { View, viewsOf, viewsOfRunningGraphs } from "./views/list";
import { count } from "./wording";

const SECONDS_BETWEEN_LOOKS = 5;

type Open = "search" | "note" | "fact" | "decision" | null;

export function Shell({ graph }: { graph: Graph }) {
  const here = useAddress();
  const [open, setOpen] = useState<Open>(null);
  const main = useRef<HTMLElement>(null);
  const views = viewsOf(graph);
  const view = views.find((each) => each.name === here.view) ?? null;
  const close = () => setOpen(null);
  useEffect(() => {
    if (!views.some((each) => each.name === read(location.hash).view)) replace(graph.first);
  }, [here.view]);
  useEffect(noteScrolling, []);
  useEffect(() => followOthers(graph), []);
  useShortcuts(graph, setOpen);
  useEffect(() => {
    document.title = view ? `${view.title} · ${graph.title}` : graph.title;
    if (main.current) scrollAsBefore(main.current);
  }, [here.view, here.argument]);
  const linkTo = (each: View) => (
    <a key={each.name} href={`#/${each.name}`} aria-current={each.name === here.view ? "page" : undefined}>
      {each.title}
    </a>
  );
  const more = views.filter((each) => each.listed === "more");
  const actions: Action[] = [
    ...(graph.editable()
      ? [
          { name: "Write a note", key: "N", run: () => setOpen("note") },
          { name: "Record a fact", run: () => setOpen("fact") },
          { name: "Record a decision", run: () => setOpen("decision") },
          { name: "Undo the last change", key: "U", run: () => undoNewest(graph) },
        ]
      : []),
    ...views.filter((each) => each.listed).map((each) => ({ name: `Go to ${each.title}`, run: () => go(`#/${each.name}`) })),
    { name: "Switch between dark and light", run: switchTheme },
  ];
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href={graph.first}>
          {graph.title}
        </a>
        <nav aria-label="Views">
          {views.filter((each) => each.listed === "first").map(linkTo)}
          <Menu label={more.includes(view!) ? view!.title : "More"}>{more.map(linkTo)}</Menu>
        </nav>
        <div class="tools">
          <button type="button" class="search-button" onClick={() => setOpen("search")} aria-keyshortcuts="Meta+K Control+K">
            Search <kbd>{/Mac/.test(navigator.platform) ? "⌘" : "Ctrl"} K</kbd>
          </button>
          {graph.editable() && (
            <Menu label="New">
              {actions.slice(0, 3).map(({ name, key, run }) => (
                <button key={name} type="button" onClick={run}>
                  {name} {key && <kbd>{key}</kbd>}
                </button>
              ))}
            </Menu>
          )}
          <button type="button" class="plain" onClick={switchTheme} aria-label="Switch between dark and light" title="Dark or light">
            ◐
          </button>
        </div>
      </header>
      {graph.note && (
        <p class="note">
          {graph.note}. {new Intl.ListFormat("en").format(viewsOfRunningGraphs())} need a running graph: <code>kg ui</code>
        </p>
      )}
      <main id="main" tabIndex={-1} ref={main}>
        {view && <Shown key={`${view.name}/${here.argument}`} view={view} graph={graph} here={here} />}
      </main>
      <Toasts graph={graph} />
      {open === "search" && <Search graph={graph} actions={actions} close={close} />}
      {open === "note" && <Note graph={graph} close={close} />}
      {open === "fact" && <RecordFact graph={graph} subject={null} close={close} />}
      {open === "decision" && <RecordDecision graph={graph} close={close} />}
    </>
  );
}

function Shown({ view, graph, here }: { view: View; graph: Graph; here: Address }) {
  const Component = view.component;
  const [error] = useErrorBoundary();
  if (error) return <Failure error={{ message: `This view could not be drawn: ${asCallError(error).message}`, hint: "Reload the page, or go to another view." }} />;
  return <Component graph={graph} here={here} />;
}

/* While the page is visible: what others change is shown, and the server, which is asked, does not end for want of use. */
function followOthers(graph: Graph): () => void {
  let lost = false;
  const look = async () => {
    if (document.visibilityState !== "visible" || !graph.news) return;
    try {
      const news = await graph.news();
      lost = false;
      if (news.length) changed();
      const calls = news.filter((call) => call.session !== "page"); // another tab says itself what it does
      const by = [...new Set(calls.map((call) => call.session ?? "another program"))].join(", ");
      if (calls.length) record(`${count(calls.length, "new change")} by ${by}: ${calls[0]!.about}`, []);
    } catch (error) {
      if (!lost) failed(error);
      lost = true;
    }
  };
  void look();
  const timer = window.setInterval(look, SECONDS_BETWEEN_LOOKS * 1000);
  document.addEventListener("visibilitychange", look);
  return () => {
    window.clearInterval(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

/* ⌘K, Ctrl K and / search; N writes a note; U takes back the newest edit. */
function useShortcuts(graph: Graph, open: (what: Open) => void): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open("search");
      } else if (typing || event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) {
        return;
      } else if (event.key === "/") {
        event.preventDefault();
        open("search");
      } else if (event.key.toLowerCase() === "n" && graph.editable()) {
        event.preventDefault();
        open("note");
      } else if (event.key.toLowerCase() === "u") {
        undoNewest(graph);
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}
