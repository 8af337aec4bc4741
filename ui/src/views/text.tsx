/* A text exactly as it was remembered or ingested, with the entities that it mentions. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../answers";
import { Answered } from "../components/answer";
import { EntityLink } from "../components/entity";
import { Markdown } from "../components/markdown";
import { When } from "../components/when";
import { RecordFact } from "../edits";
import type { EmbeddedGraph } from "../embedded";
import { CallError, type Graph, type Ref } from "../graph";
import { failed } from "../toasts";
import type { ViewProperties } from "../router";

interface Document {
  name: string;
  at: string | null;
  source: string | null;
  text: string;
  truncated: boolean;
  mentions: Ref[];
}

export function TextView({ graph, here }: ViewProperties) {
  const waiting = useAnswer(() => read(graph, here.argument), [here.argument]);
  const selected = useSelection();
  const [quote, setQuote] = useState("");
  return (
    <Answered waiting={waiting} heading="Not found">
      {(text) => (
        <article class="text">
          <h1>{text.name}</h1>
          <p class="quiet"><When at={text.at} /> {text.source}</p>
          {text.mentions.length > 0 && (
            <ul class="chips" aria-label="Mentions">
              {text.mentions.map((entity) => (
                <li key={entity.id}>
                  <EntityLink entity={entity} />
                </li>
              ))}
            </ul>
          )}
          {graph.editable() && (
            <p class="hint">
              <button type="button" class="small" disabled={!selected} onClick={() => setQuote(selected)}>
                Record a fact from the selection
              </button>
            </p>
          )}
          <Markdown text={text.text} mentions={text.mentions} />
          {quote && <RecordFact graph={graph} subject={subjectIn(quote, text.mentions)} quote={quote} source={`${text.name} (${here.argument})`} close={() => setQuote("")} />}
          {text.truncated && <p class="quiet">The text is longer than what is shown here.</p>}
        </article>
      )}
    </Answered>
  );
}

/* What is selected of the text, at most a few sentences. */
function useSelection(): string {
  const [selected, setSelected] = useState("");
  useEffect(() => {
    const note = () => {
      const selection = document.getSelection();
      const within = selection?.anchorNode?.parentElement?.closest(".full-text");
      // A click on the button takes the focus, and leaves the selection.
      setSelected(within ? selection!.toString().trim().slice(0, 500) : "");
    };
    document.addEventListener("selectionchange", note);
    return () => document.removeEventListener("selectionchange", note);
  }, []);
  return selected;
}

/* The first mention in a selection. */
function subjectIn(quote: string, mentions: Ref[]): Ref | null {
  const at = (entity: Ref) => quote.toLowerCase().indexOf(entity.name.toLowerCase());
  return mentions.filter((entity) => at(entity) >= 0).sort((a, b) => at(a) - at(b))[0] ?? null;
}

async function read(graph: Graph, id: string): Promise<Document> {
  if (!graph.live) {
    const text = await (graph as EmbeddedGraph).text(id);
    if (!text) throw noText();
    const mentions = await Promise.all(text.nodes.map((node) => graph.entity(String(node))));
    return { name: text.name, at: text.at, source: text.kind, text: text.text, truncated: false, mentions };
  }
  const [document, context] = await Promise.all([
    graph.call("get_full_document", { doc_id: id, max_characters: 200_000 }),
    graph.call("get_episode_context", { episode_uuids: [id] }).catch((error) => (failed(error), { nodes: [] })),
  ]);
  if (!document.found) throw noText();
  return {
    name: document.name ?? id,
    at: document.valid_at,
    source: document.source,
    text: document.text,
    truncated: Boolean(document.truncated),
    // A name that is only proposed has no page yet: it waits in Review.
    mentions: context.nodes.filter((node) => node.uuid.startsWith("ent_")).map((node) => ({ id: node.uuid, name: node.name, type: node.type })),
  };
}

function noText(): CallError {
  return new CallError("EPISODE_NOT_FOUND", "This text does not exist, or no longer does.", "It may have been forgotten. See History.");
}
