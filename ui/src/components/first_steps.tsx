/* An empty graph: three things to do first. */
import { useState } from "preact/hooks";
import { Note, RecordFact } from "../edits";
import type { Graph } from "../graph";
import { edit } from "../toasts";

export function FirstSteps({ graph }: { graph: Graph }) {
  const [name, setName] = useState("");
  const [open, setOpen] = useState<"fact" | "note" | null>(null);
  const editable = graph.editable();
  return (
    <article>
      <h1>This graph is empty</h1>
      <p class="lead">Three things to do first:</p>
      <ol class="first-steps">
        <li class="card">
          <h2>Say who you are</h2>
          <p>Then “me” means you.</p>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim()) void edit(graph, "set_owner", { person: { name: name.trim() } }, () => `You are ${name.trim()}.`);
            }}
          >
            <input type="text" aria-label="Your name" placeholder="Your name" value={name} onInput={(event) => setName(event.currentTarget.value)} />
            <button type="submit" class="primary" disabled={!editable || !name.trim()}>
              That’s me
            </button>
          </form>
        </li>
        <li class="card">
          <h2>Record a fact</h2>
          <p>Who works on what, what depends on what, what was decided.</p>
          <button type="button" class="primary" disabled={!editable} onClick={() => setOpen("fact")}>
            Record a fact
          </button>
        </li>
        <li class="card">
          <h2>Bring your texts</h2>
          <p>A note here; a folder of Markdown, such as an Obsidian vault, with the command below.</p>
          <button type="button" class="primary" disabled={!editable} onClick={() => setOpen("note")}>
            Write a note
          </button>
          <p>
            <code>kg ingest FOLDER</code>
          </p>
        </li>
      </ol>
      {open === "fact" && <RecordFact graph={graph} subject={null} close={() => setOpen(null)} />}
      {open === "note" && <Note graph={graph} close={() => setOpen(null)} />}
    </article>
  );
}
