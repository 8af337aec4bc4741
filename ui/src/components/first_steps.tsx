/* An empty graph: three things to do first. */
import { useState } from "preact/hooks";
import { RecordFact } from "../edits";
import type { Graph } from "../graph";
import { edit } from "../toasts";

export function FirstSteps({ graph }: { graph: Graph }) {
  const [name, setName] = useState("");
  const [note, setNote] = useState("");
  const [recording, setRecording] = useState(false);
  const editable = graph.editable();
  return (
    <article>
      <h1>This graph is empty</h1>
      <p class="lead">Three things to do first:</p>
      <ol class="first-steps">
        <li class="card">
          <h2>Say who you are</h2>
          <p>So that “me” finds you.</p>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim()) void edit(graph, "set_owner", { person: { name: name.trim() } }, () => `You are ${name.trim()}.`);
            }}
          >
            <input type="text" aria-label="Your name" placeholder="Your name" value={name} onInput={(event) => setName(event.currentTarget.value)} />
            <button type="submit" class="primary" disabled={!editable || !name.trim()}>
              That is me
            </button>
          </form>
        </li>
        <li class="card">
          <h2>Record a fact</h2>
          <p>Who works on what, what depends on what, what was decided.</p>
          <button type="button" class="primary" disabled={!editable} onClick={() => setRecording(true)}>
            Record a fact
          </button>
        </li>
        <li class="card">
          <h2>Bring your texts</h2>
          <p>A note here; a folder of Markdown, such as an Obsidian vault, with the command below.</p>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (note.trim()) void edit(graph, "remember", { text: note.trim() }, () => "Remembered.");
            }}
          >
            <textarea rows={3} aria-label="A note" placeholder="A note" value={note} onInput={(event) => setNote(event.currentTarget.value)} />
            <button type="submit" class="primary" disabled={!editable || !note.trim()}>
              Remember it
            </button>
          </form>
          <p>
            <code>kg ingest FOLDER</code>
          </p>
        </li>
      </ol>
      {recording && <RecordFact graph={graph} subject={null} close={() => setRecording(false)} />}
    </article>
  );
}
