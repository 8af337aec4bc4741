/* What an edit did, with a button that takes it back by the number of its call. */
import { useEffect, useState } from "preact/hooks";
import { asCallError, changed } from "./answers";
import type { Call, CallError, Graph, Tool } from "./graph";
import type { ToolAnswers, ToolArguments } from "./tools";
import { count } from "./wording";

interface Toast {
  id: number;
  text: string;
  hint: string;
  code: string; // of a failure
  calls: number[]; // to be taken back, the last one first
  again: boolean; // taking them back does the edit again
  undone?: string; // what is true after that
  failed: boolean;
}

const STAYS = 15_000;
let toasts: Toast[] = [];
let done: Toast[] = []; // all that was done on this page and can be taken back
let next = 1;
let draw: () => void = () => {};

/* Calls a tool that writes; what it did, or why not, becomes a toast. Null where it failed. */
export async function edit<T extends Tool>(graph: Graph, tool: T, args: ToolArguments[T], text: (answer: ToolAnswers[T]) => string, undone?: string): Promise<ToolAnswers[T] | null> {
  try {
    const answer = await graph.call(tool, args);
    add({ text: text(answer), hint: "", code: "", calls: callsOf(answer), again: tool === "undo", failed: false, undone });
    changed();
    return answer;
  } catch (error) {
    failed(error);
    return null;
  }
}

/* Several calls whose toast takes all of them back. True where none failed; it ends at the first that does. */
export async function editTogether(graph: Graph, text: string, calls: Call[]): Promise<boolean> {
  const done: number[] = [];
  let failure: CallError | null = null;
  for (const call of calls) {
    try {
      done.push(...callsOf(await graph.call<Tool>(call[0], call[1])));
    } catch (error) {
      failure = asCallError(error);
      break;
    }
  }
  const said = failure ? `${done.length} of ${calls.length} done.` : text;
  if (done.length || !failure) add({ text: said, hint: "", code: "", calls: done, again: calls[0]?.[0] === "undo", failed: false });
  if (failure) failed(failure);
  changed();
  return failure === null;
}

/* Two calls whose toast takes back both; where the second is refused, the first is taken back at once. */
export async function editBoth<T extends Tool>(graph: Graph, first: Call, second: [tool: T, args: ToolArguments[T]], text: (answer: ToolAnswers[T]) => string): Promise<boolean> {
  let before: number[] = [];
  try {
    before = callsOf(await graph.call<Tool>(first[0], first[1]));
    const answer = await graph.call(...second);
    record(text(answer), [...before, ...callsOf(answer)]);
    changed();
    return true;
  } catch (error) {
    for (const call of before) await graph.call("undo", { call }).catch(failed); // then it stays in the history
    failed(error);
    return false;
  }
}

export function undo(graph: Graph, call: number, text?: string): Promise<unknown> {
  return edit(graph, "undo", { call }, (answer) => text ?? answer.message);
}

/* The number of the call that an answer is of, if it changed something. */
function callsOf(answer: object): number[] {
  return "call" in answer && typeof answer.call === "number" ? [answer.call] : [];
}

export function failed(error: unknown): void {
  const { message, hint, code } = asCallError(error);
  add({ text: message, hint, code, calls: [], again: false, failed: true });
}

/* What was done already, with the calls that take it back. */
export function record(text: string, calls: number[]): void {
  add({ text, hint: "", code: "", calls, again: false, failed: false });
}

/* The newest edit of this page, for the key U: pressed again, it takes back the one before, and does nothing anew. */
export function undoNewest(graph: Graph): void {
  const newest = done.at(-1);
  if (newest) takeBack(graph, newest);
  else record("There is nothing to undo on this page. History can undo earlier changes.", []);
}

/* The newest failure, which is then no toast any more: a dialog shows it, because it covers the toasts. */
export function takeFailure(): Pick<CallError, "message" | "hint" | "code"> | null {
  const toast = toasts.findLast((each) => each.failed);
  if (!toast) return null;
  close(toast.id);
  return { message: toast.text, hint: toast.hint, code: toast.code };
}

function add(toast: Omit<Toast, "id">): void {
  const id = next++;
  toasts = [...toasts.filter((each) => each.calls.length > 0 || each.text !== toast.text).slice(-3), { ...toast, id }];
  if (toast.calls.length && !toast.again) done.push({ ...toast, id });
  draw();
  window.setTimeout(() => expire(id), STAYS);
}

function expire(id: number): void {
  // A toast that is pointed at or focused stays.
  if (document.querySelector(`.toast[data-id="${id}"]:is(:hover, :focus-within)`)) window.setTimeout(() => expire(id), 3_000);
  else close(id);
}

function close(id: number): void {
  toasts = toasts.filter((each) => each.id !== id);
  draw();
}

function takeBack(graph: Graph, toast: Toast): void {
  close(toast.id);
  done = done.filter((each) => each.id !== toast.id);
  const [call] = toast.calls;
  if (toast.calls.length === 1 && call) return void undo(graph, call, toast.undone);
  const undos = [...toast.calls].reverse().map((each): Call => ["undo", { call: each }]);
  void editTogether(graph, toast.again ? "Redone." : `Undid ${count(toast.calls.length, "change")}.`, undos);
}

export function Toasts({ graph }: { graph: Graph }) {
  const [, redraw] = useState(0);
  useEffect(() => {
    draw = () => redraw((before) => before + 1);
  }, []);
  return (
    <div class="toasts" role="log" aria-label="Messages" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} class={toast.failed ? "toast failed" : "toast"} data-id={toast.id}>
          <div>
            <div>{toast.text}</div>
            {toast.hint && <div class="hint">{toast.hint}</div>}
          </div>
          {toast.calls.length > 0 && (
            <button type="button" class="undo" onClick={() => takeBack(graph, toast)}>
              {toast.again ? "Redo" : <>Undo <kbd>U</kbd></>}
            </button>
          )}
          <button type="button" class="plain" aria-label="Close this message" onClick={() => close(toast.id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
