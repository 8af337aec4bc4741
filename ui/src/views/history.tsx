/* The history: every call that changed the graph, what it did, and the button that takes it back. */
import { useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { localTime } from "../dates";
import type { Graph, ToolCall } from "../graph";
import { address, thingAddress, type ViewProperties } from "../router";
import { undo } from "../toasts";
import type { Event } from "../tools";
import { count, words } from "../wording";

const STEP = 50;

export function HistoryView({ graph }: ViewProperties) {
  const [limit, setLimit] = useState(STEP);
  const waiting = useAnswer(() => graph.call("list_calls", { limit: limit + 1 }), [limit]);
  return (
    <article>
      <h1>History</h1>
      <p class="quiet">Every call that changed the graph, newest first. Undoing one is a call too, and can be undone.</p>
      <Answered waiting={waiting}>
        {({ calls }) => (
          <>
            {!calls.length && <p>Nothing has changed the graph yet.</p>}
            <ol class="calls">
              {calls.slice(0, limit).map((call) => (
                <Call key={call.call} graph={graph} call={call} />
              ))}
            </ol>
            {calls.length > limit && (
              <button type="button" onClick={() => setLimit(limit * 4)}>
                Show older ones
              </button>
            )}
          </>
        )}
      </Answered>
    </article>
  );
}

function Call({ graph, call }: { graph: Graph; call: ToolCall }) {
  const takenBack = call.undone_by !== null;
  return (
    <li class={takenBack ? "taken-back" : ""}>
      <span class="number" aria-label={`Call ${call.call}`}>
        {call.call}
      </span>
      <div>
        <div class="about">{call.undoes && "Undid "}{call.about || words(call.tool)}</div>
        <div class="quiet">
          {localTime(call.at)} · {call.tool}
          {call.session && ` · ${call.session}`} · {count(call.changes, "change")}
          {takenBack && ` · undone by call ${call.undone_by}`}
        </div>
        <ChangeDetails graph={graph} summary="What it did" ask={() => graph.call("get_call", { call: call.call })} />
      </div>
      {graph.editable() && !takenBack && (
        <button type="button" class="small" onClick={() => undo(graph, call.call)} aria-label={`${call.undoes ? "Redo" : "Undo"}: call ${call.call}, ${call.about}`}>
          {call.undoes ? "Redo" : "Undo"}
        </button>
      )}
    </li>
  );
}

/* An event of get_history, or of get_call. */
type ChangeEvent = Pick<Event, "what" | "text"> & Partial<Event> & { entity_id?: string | null };

/* Changes that are asked for only when somebody looks: of get_history or get_call. */
export function ChangeDetails({ graph, summary, ask }: { graph: Graph; summary: string; ask: () => Promise<{ events: ChangeEvent[]; truncated: boolean }> }) {
  const [open, setOpen] = useState(false);
  const waiting = useAnswer(async () => (open ? ask() : null), [open]);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {open && <Answered waiting={waiting}>{(answer) => answer && <ChangeList graph={graph} {...answer} />}</Answered>}
    </details>
  );
}

function ChangeList({ graph, events, truncated }: { graph: Graph; events: ChangeEvent[]; truncated: boolean }) {
  return (
    <>
      <ul class="changes">
        {events.map((event, position) => (
          <li key={event.change ?? position}>
            <span class="what">{event.what}</span> {event.entity_id ? <a href={thingAddress(event.entity_id)}>{event.text}</a> : event.text}{" "}
            <span class="quiet">
              {event.at && localTime(event.at)} {event.tool && `by ${event.tool}`} {event.call && <a href={address("history")}>call {event.call}</a>}
            </span>
            {graph.editable() && event.call && event.tool !== "undo" && (
              <button type="button" class="small" onClick={() => undo(graph, event.call!)} aria-label={`Undo call ${event.call}`}>
                Undo
              </button>
            )}
          </li>
        ))}
      </ul>
      {truncated && <p class="quiet">There are more.</p>}
    </>
  );
}
